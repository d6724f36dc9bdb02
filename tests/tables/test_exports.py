"""Files as other programs export them, made from the public descriptions of their formats."""

from __future__ import annotations

import csv
import io
import json
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import Answers
from homeroom._checks import InputError

PEOPLE = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn"]
ITEMS = [f"moth-{number}.jpg" for number in range(1, 9)]


def said(person: int, item: int) -> bool:
    """Return what an annotator answers: all agree on most items."""
    return (item % 2 == 0) ^ (person == item % 5 == 3)


EXPECTED = {(who, what): said(p, i) for p, who in enumerate(PEOPLE) for i, what in enumerate(ITEMS)}


def found_in(answers: Answers, rename: Callable[[str], str] = str) -> dict[tuple[str, str], bool]:
    triples = zip(answers.person, answers.item, answers.yes, strict=True)
    return {
        (answers.people[who], rename(answers.items[what])): bool(yes) for who, what, yes in triples
    }


def text_of(rows: Sequence[Sequence[object]], delimiter: str = ",") -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter).writerows(rows)
    return file.getvalue()


ZOONIVERSE = (
    "classification_id,user_name,user_id,user_ip,workflow_id,workflow_name,workflow_version,"
    "created_at,gold_standard,expert,metadata,annotations,subject_data,subject_ids"
)


def zooniverse_row(
    number: int, who: str, item: str, tasks: list[dict[str, Any]], **more: Any
) -> list[object]:
    subject = 900 + ITEMS.index(item) if item in ITEMS else item
    row: dict[str, object] = {
        "classification_id": number,
        "user_name": who,
        "workflow_id": 42,
        "workflow_name": "Moths",
        "created_at": f"2025-11-16 09:{number // 60 % 60:02}:{number % 60:02} UTC",
        "metadata": json.dumps({"source": "api", "user_agent": 'a "quoted", browser'}),
        "annotations": json.dumps(tasks),
        "subject_data": json.dumps({str(subject): {"retired": None, "Filename": item}}),
        "subject_ids": subject,
        **more,
    }
    return [row.get(name, "") for name in ZOONIVERSE.split(",")]


def question(answer: object, task: str = "T0", label: str = "Is it a moth?") -> dict[str, Any]:
    return {"task": task, "task_label": label, "value": answer}


def zooniverse(folder: Path) -> Path:
    """JSON in cells, a byte order mark, an answer given twice, comments in a second task."""
    rows: list[Sequence[object]] = [ZOONIVERSE.split(",")]
    number = 0
    for (who, what), yes in EXPECTED.items():
        number += 1
        comment = question(f"I think it is number {number}", "T1", "Anything else?")
        rows.append(zooniverse_row(number, who, what, [question("Yes" if yes else "No"), comment]))
    first = rows[1]
    rows.append(zooniverse_row(number + 1, str(first[1]), ITEMS[0], [question("Yes")]))
    rows.append(zooniverse_row(number + 2, "Gus", ITEMS[0], [question(None)]))
    path = folder / "classifications.csv"
    path.write_text(text_of(rows), encoding="utf-8-sig")
    return path


def label_studio_json(folder: Path) -> Path:
    """Tasks with annotations: addresses as objects, one cancelled, one of the expert."""
    tasks = []
    for i, item in enumerate(ITEMS):
        annotations = [
            annotation(100 * i + p, {"id": p, "email": who}, said(p, i))
            for p, who in enumerate(PEOPLE)
        ]
        annotations.append(annotation(100 * i + 50, 50, answer=True, was_cancelled=True))
        annotations.append(annotation(100 * i + 51, 51, answer=i % 2 == 0, ground_truth=True))
        link = f"/data/upload/3/0a1b2c3{i}-{item}"
        tasks.append({"id": i, "data": {"image": link}, "annotations": annotations})
    path = folder / "project.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


def annotation(number: int, who: object, answer: bool, **more: object) -> dict[str, object]:
    choice = {"choices": ["yes" if answer else "no"]}
    return {
        "id": number,
        "completed_by": who,
        "result": [
            {"from_name": "moth", "to_name": "image", "type": "choices", "value": choice},
            {"from_name": "box", "type": "rectanglelabels", "value": {"x": 1, "width": 3}},
        ],
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": "2025-11-16T09:05:00.000000Z",
        "lead_time": 4.2,
        **more,
    }


def label_studio_csv(folder: Path) -> Path:
    """The columns in alphabetical order, as Label Studio writes them; comments beside them."""
    rows: list[Sequence[object]] = [
        [
            "annotation_id",
            "annotator",
            "comment",
            "created_at",
            "id",
            "image",
            "lead_time",
            "moth",
            "updated_at",
        ]
    ]
    for number, ((who, what), yes) in enumerate(EXPECTED.items()):
        when = "2025-11-16T09:05:00.000000Z"
        at = ITEMS.index(what)
        comment = f"I am not so sure about number {number}" if number % 3 == 0 else ""
        rows.append(
            [number, who, comment, when, at, f"/data/{what}", 4.25, "yes" if yes else "no", when]
        )
    path = folder / "project.csv"
    path.write_text(text_of(rows), encoding="utf-8")
    return path


def mechanical_turk(folder: Path) -> Path:
    """A radio button as JSON, a rejected assignment, a column of comments."""
    header = (
        "HITId HITTypeId Title Reward AssignmentId WorkerId AssignmentStatus AcceptTime SubmitTime "
        "WorkTimeInSeconds Input.image_url Answer.taskAnswers Answer.comment Approve Reject"
    )
    rows: list[Sequence[object]] = [header.split()]
    for number, ((who, what), yes) in enumerate(EXPECTED.items()):
        answer = json.dumps([{"moth": {"yes": yes, "no": not yes}}])
        rows.append(turk_row(number, who, what, answer))
    rows.append(
        turk_row(999, "Spammer", ITEMS[0], json.dumps([{"moth": {"yes": True}}]), "Rejected")
    )
    path = folder / "Batch_1.csv"
    path.write_text(text_of(rows), encoding="utf-8")
    return path


def turk_row(
    number: int, who: str, what: str, answer: str, status: str = "Approved"
) -> list[object]:
    when = "Sun Nov 16 01:05:00 PST 2025"
    link = f"https://bucket.example/{what}"
    comment = f"this one was the number {number} of mine" if number % 2 else ""
    return [
        f"H{link[-6:]}",
        "T1",
        "Moths?",
        "$0.05",
        f"A{number}",
        who,
        status,
        when,
        when,
        12,
        link,
        answer,
        comment,
        "x",
        "",
    ]


def google_form(folder: Path) -> Path:
    """German columns, a time with a zone, a respondent who answered twice, comments."""
    header = ["Zeitstempel", "E-Mail-Adresse", *ITEMS, "Was möchtest du uns noch sagen?"]
    rows: list[Sequence[object]] = [header]
    for p, who in enumerate(PEOPLE):
        answers = ["Yes" if said(p, i) else "No" for i in range(len(ITEMS))]
        comment = f"Das war mein Versuch Nummer {p}, danke" if p % 2 == 0 else ""
        rows.append(
            [f"2025/11/16 {9 + p}:05:00 AM MEZ", f"{who}@school.example", *answers, comment]
        )
    rows.insert(1, ["2025/11/16 8:00:00 AM MEZ", "Ada@school.example", *(["Yes"] * len(ITEMS)), ""])
    path = folder / "form.csv"
    path.write_text(text_of(rows), encoding="utf-8")
    return path


def sheet_cells(rows: Sequence[Sequence[object]]) -> str:
    """Return rows as the XML of a sheet, with texts and numbers; dates have style 1."""
    lines = []
    for number, row in enumerate(rows, start=1):
        cells = []
        for column, value in enumerate(row):
            place = f"{chr(65 + column) if column < 26 else 'A' + chr(39 + column)}{number}"
            if isinstance(value, float):
                cells.append(f'<c r="{place}" s="1"><v>{value}</v></c>')
            elif isinstance(value, int):
                cells.append(f'<c r="{place}"><v>{value}</v></c>')
            elif value:
                cells.append(f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>')
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    return "".join(lines)


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def write_xlsx(path: Path, sheets: dict[str, str]) -> Path:
    """Write a spreadsheet whose sheets have these cells, as XML."""
    listed, related = "", '<Relationship Id="s" Type="x/styles" Target="styles.xml"/>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, cells) in enumerate(sheets.items(), start=1):
            listed += f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>'
            target = f"worksheets/sheet{number}.xml"
            related += f'<Relationship Id="r{number}" Type="{OFFICE}/worksheet" Target="{target}"/>'
            archive.writestr(
                f"xl/{target}",
                f'<worksheet xmlns="{MAIN}"><sheetData>{cells}</sheetData></worksheet>',
            )
        related = related.replace("x/styles", f"{OFFICE}/styles")
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r" Target="xl/workbook.xml" '
            f'Type="{OFFICE}/officeDocument"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{PACKAGE}">{related}</Relationships>',
        )
        archive.writestr(
            "xl/styles.xml",
            f'<styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/>'
            '<xf numFmtId="22"/></cellXfs></styleSheet>',
        )
    return path


def microsoft_form(folder: Path) -> Path:
    """A quiz as .xlsx: dates as numbers, points and feedback beside each question."""
    header = [
        "ID",
        "Start time",
        "Completion time",
        "Email",
        "Name",
        "Total points",
        "Quiz feedback",
    ]
    for item in ITEMS:
        header += [item, f"Points - {item}", f"Feedback - {item}"]
    rows: list[Sequence[object]] = [header]
    for p, who in enumerate(PEOPLE):
        row: list[object] = [p + 1, 45977.378, 45977.382 + p / 100, "anonymous", who, 5, ""]
        for i in range(len(ITEMS)):
            row += ["Yes" if said(p, i) else "No", int(said(p, i)), ""]
        rows.append(row)
    return write_xlsx(folder / "Quiz(1-6).xlsx", {"Sheet1": sheet_cells(rows), "Sheet2": ""})


def xlsx(folder: Path) -> Path:
    """A table of answers in the second sheet, below an empty first one."""
    rows: list[Sequence[object]] = [["Student", "Item", "Answer"]]
    rows += [[who, what, int(yes)] for (who, what), yes in EXPECTED.items()]
    return write_xlsx(folder / "answers.xlsx", {"Notes": "", "Answers": sheet_cells(rows)})


ODS = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
)


def ods_cell(text: object, more: str = "") -> str:
    kind = f'office:value-type="string"{more}'
    return f"<table:table-cell {kind}><text:p>{text}</text:p></table:table-cell>"


def write_ods(path: Path, rows: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "content.xml",
            f"<office:document-content {ODS}><office:body><office:spreadsheet>"
            f'<table:table table:name="A">{rows}</table:table></office:spreadsheet></office:body>'
            "</office:document-content>",
        )
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    return path


def ods(folder: Path) -> Path:
    """A matrix with one row per annotator; a million empty rows follow, as LibreOffice writes."""
    lines = [["name", *ITEMS]]
    for p, who in enumerate(PEOPLE):
        lines.append([who, *("yes" if said(p, i) else "no" for i in range(len(ITEMS)))])
    rows = "".join(
        f"<table:table-row>{''.join(map(ods_cell, line))}</table:table-row>" for line in lines
    )
    empty = '<table:table-cell table:number-columns-repeated="16384"/>'
    rows += f'<table:table-row table:number-rows-repeated="1048000">{empty}</table:table-row>'
    return write_ods(folder / "answers.ods", rows)


def semicolons(folder: Path) -> Path:
    """Finnish columns in the encoding of Windows, semicolons, commas in numbers, and notes."""
    rows: list[Sequence[object]] = [
        ["Nro", "Vastaaja", "Kuva", "Vastaus", "Kesto", "Aika", "Lisätietoja"]
    ]
    for number, ((who, what), yes) in enumerate(EXPECTED.items()):
        note = f"Tämä oli kuva numero {number}" if number % 5 == 0 else ""
        rows.append(
            [number, who, what, "no" if not yes else "yes", f"{number},5", "16.11.2025 09:05", note]
        )
    path = folder / "vastaukset.csv"
    path.write_bytes(text_of(rows, ";").encode("cp1252"))
    return path


NINE = [
    zooniverse,
    label_studio_json,
    label_studio_csv,
    mechanical_turk,
    google_form,
    microsoft_form,
    xlsx,
    ods,
    semicolons,
]


@pytest.mark.parametrize("make", NINE, ids=[make.__name__ for make in NINE])
def test_a_file_of_each_format_is_read_without_a_flag(
    make: Callable[[Path], Path], tmp_path: Path
) -> None:
    answers = Answers.read(make(tmp_path))
    found = {
        (who.removesuffix("@school.example"), what): yes
        for (who, what), yes in found_in(answers).items()
    }
    assert found == EXPECTED


def test_the_expert_of_label_studio_gives_the_labels(tmp_path: Path) -> None:
    answers = Answers.read(label_studio_json(tmp_path))
    assert answers.labels.tolist() == [1.0, -1.0] * 4
    assert answers.dropped["rows that were skipped, cancelled or rejected"] == len(ITEMS)


def test_gold_standard_classifications_are_labels(tmp_path: Path) -> None:
    path = zooniverse(tmp_path)
    with path.open("a", encoding="utf-8", newline="") as file:
        gold = [
            zooniverse_row(999, "expert", item, [question("Yes")], gold_standard="true")
            for item in ITEMS[:3]
        ]
        csv.writer(file).writerows(gold)
    answers = Answers.read(path)
    assert answers.labels[:3].tolist() == [1.0, 1.0, 1.0]
    assert np.isnan(answers.labels[3:]).all()
    assert "expert" not in answers.people
    assert not any("student" in why for why in answers.dropped)


def test_the_later_of_two_answers_to_a_form_counts(tmp_path: Path) -> None:
    answers = Answers.read(google_form(tmp_path))
    assert any("repeated answers" in why for why in answers.dropped)
    left = next(note for note in answers.notes if note.startswith("columns ignored"))
    assert "Was möchtest du uns noch" in left


def test_the_question_for_a_name_and_short_remarks_are_not_answers_to_a_form(
    tmp_path: Path,
) -> None:
    rows = [["Informazioni cronologiche", "Nome e cognome", *ITEMS, "Altro?"]]
    for p, who in enumerate(PEOPLE):
        given = ["si" if said(p, i) else "no" for i in range(len(ITEMS))]
        rows.append([f"2025/03/0{p + 1} 9:05:00 AM GMT+1", who, *given, f"ok {p}"])
    path = tmp_path / "modulo.csv"
    path.write_text(text_of(rows), encoding="utf-8-sig")
    answers = Answers.read(path)
    assert found_in(answers) == EXPECTED
    assert any("ignored because they hold no answers: 'Altro?'" in note for note in answers.notes)


def form(
    folder: Path, about: Sequence[str], cells: Callable[[int], Sequence[str]], yes: str, no: str
) -> Path:
    """Return the answers to a form of 12 respondents, with more columns before the questions."""
    rows: list[Sequence[str]] = [["Timestamp", *about, *ITEMS, "How old are you?", "Comments"]]
    for p in range(12):
        given = [yes if said(p % 6, i) else no for i in range(len(ITEMS))]
        age, comment = str(12 + p % 3), "ok" if p % 2 else "nein"
        rows.append([f"11/16/2025 9:{p:02}:00", *cells(p), *given, age, comment])
    path = folder / "form.csv"
    path.write_text(text_of(rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "question", ["What is your name?", "Student name", "Votre nom", "Wer bist du?", "あなたは誰"]
)
def test_the_column_that_names_the_respondents_of_a_form_is_found(
    question: str, tmp_path: Path
) -> None:
    answers = Answers.read(form(tmp_path, [question], lambda p: [f"s{p}"], "ja", "nein"))
    assert answers.people == tuple(f"s{p}" for p in range(12))
    assert answers.items == tuple(ITEMS)
    left = next(note for note in answers.notes if note.startswith("columns ignored"))
    assert left.endswith("'How old are you?', 'Comments'")


def test_first_and_last_names_are_joined(tmp_path: Path) -> None:
    path = form(
        tmp_path,
        ["Vorname", "Nachname"],
        lambda p: ["Max" if p % 2 else "Eva", f"Schmidt{max(p, 1)}"],
        "ja",
        "nein",
    )
    answers = Answers.read(path)
    assert len(answers.people) == 12
    assert answers.people[:2] == ("Eva Schmidt1", "Max Schmidt1")
    assert answers.items == tuple(ITEMS)


def test_the_name_is_preferred_to_the_address_and_a_key_is_found_in_either(tmp_path: Path) -> None:
    path = form(
        tmp_path,
        ["Email Address", "What is your name?"],
        lambda p: [f"s{p}@school.example", "key" if p == 0 else f"Kid {p}"],
        "yes",
        "no",
    )
    for columns in (None, {"student": "Email Address"}):
        answers = Answers.read(path, columns=columns)
        assert len(answers.people) == 11
        assert answers.people[0] == ("s1@school.example" if columns else "Kid 1")
        assert answers.labels.tolist() == [1.0, -1.0] * 4


def test_the_semicolon_after_several_choices_and_marks_of_noon_are_read(tmp_path: Path) -> None:
    """Microsoft Forms ends choices with a semicolon; Japanese times say 午後 after the time."""
    rows = [["タイムスタンプ", "お名前", *ITEMS]]
    for p, who in enumerate(PEOPLE):
        given = ["はい" if said(p, i) else "いいえ" for i in range(len(ITEMS))]
        given[2] += ";"
        rows.append([f"2025/11/16 {p + 1}:05:00 午後 GMT+9", who, *given])
    path = tmp_path / "form.csv"
    path.write_bytes(text_of(rows).encode("cp932"))
    assert found_in(Answers.read(path)) == EXPECTED


def test_a_question_about_a_kind_or_an_ad_does_not_name_the_respondents(tmp_path: Path) -> None:
    asked = ["What kind of pet do you have?", "Which ad did you see?", "What is your name?"]
    path = form(tmp_path, asked, lambda p: [f"pet {p}", f"ad {p}", f"Kid {p}"], "yes", "no")
    assert Answers.read(path).people[:2] == ("Kid 0", "Kid 1")


def test_two_columns_that_may_name_respondents_are_shown_with_three_rows(tmp_path: Path) -> None:
    path = form(tmp_path, ["Code", "Motto"], lambda p: [f"c{p}", f"m{p}"], "yes", "no")
    with pytest.raises(InputError, match="'Code', 'Motto' may each name") as refused:
        Answers.read(path)
    assert str(refused.value).count("student 'c") == 3
    assert "(--column student='Code')" in str(refused.value)
    answers = Answers.read(path, columns={"student": "Motto"})
    assert (answers.people[0], answers.items) == ("m0", tuple(ITEMS))


def test_points_for_questions_are_not_answers_in_any_language(tmp_path: Path) -> None:
    rows: list[Sequence[object]] = [
        [
            "Id",
            "Ora de începere",
            "Adresă",
            "Nume",
            "Punctaj total",
            *(cell for item in ITEMS for cell in (item, f"Puncte – {item}")),
        ]
    ]
    for p in range(12):
        given = [said(p % 6, i) for i in range(len(ITEMS))]
        cells = [cell for yes in given for cell in ("Da" if yes else "Nu", int(yes))]
        rows.append([p + 1, 45977.3 + p / 99, "anonymous", f"Ana {p}", sum(given), *cells])
    path = write_xlsx(tmp_path / "chestionar.xlsx", {"Sheet1": sheet_cells(rows)})
    answers = Answers.read(path)
    assert (answers.people[0], answers.items, len(answers)) == ("Ana 0", tuple(ITEMS), 96)
    assert (answers.positive, answers.negative) == ("yes", "no")


def long_table(folder: Path, header: str, cells: Callable[[int, str, str, bool], str]) -> Path:
    rows = [cells(n, who, what, yes) for n, ((who, what), yes) in enumerate(EXPECTED.items())]
    path = folder / "table.csv"
    path.write_text("\n".join([header, *rows]), encoding="utf-8")
    return path


def test_answers_are_recognised_next_to_known_columns(tmp_path: Path) -> None:
    path = long_table(
        tmp_path,
        "name,picture,reply,confidence",
        lambda n, who, what, yes: (
            f"{who},{what},{'unsure' if n == 7 else 'yes' if yes else 'no'},{n % 5}"
        ),
    )
    seventh = list(EXPECTED)[7]
    expected = {pair: yes for pair, yes in EXPECTED.items() if pair != seventh}
    assert found_in(Answers.read(path)) == expected


@pytest.mark.parametrize("title", ["Export of the tool", "Export of the tool,,"])
def test_a_title_above_the_header_is_skipped(title: str, tmp_path: Path) -> None:
    path = long_table(
        tmp_path,
        f"{title}\n\nstudent,item,answer",
        lambda _, who, what, yes: f"{who},{what},{int(yes)}",
    )
    answers = Answers.read(path)
    assert found_in(answers) == EXPECTED
    assert "the header is in line 3, below a title" in answers.notes


def test_a_log_of_pages_is_refused_with_three_rows(tmp_path: Path) -> None:
    path = long_table(
        tmp_path,
        "Timestamp,user,page,duration",
        lambda n, who, what, _: f"2025-11-16 09:{n:02}:00,{who},{what},{n % 4}",
    )
    with pytest.raises(InputError, match="does not show which column holds the answer") as refused:
        Answers.read(path)
    assert str(refused.value).count("student 'Ada', item 'moth-") == 3
    assert "(--column answer='duration')" in str(refused.value)


def test_the_flag_for_ratings_under_unknown_names_is_enough(tmp_path: Path) -> None:
    path = long_table(
        tmp_path, "who,what,stars", lambda n, who, what, _: f"{who},{what},{1 + n % 5}"
    )
    with pytest.raises(InputError, match=r"\(--column answer='stars'\)"):
        Answers.read(path)
    answers = Answers.read(path, columns={"answer": "stars"})
    assert (answers.people, answers.classes) == (tuple(PEOPLE), ("1", "2", "3", "4", "5"))


def test_a_missing_part_is_reported_with_three_rows(tmp_path: Path) -> None:
    path = long_table(
        tmp_path,
        "user,picture,remark",
        lambda n, who, what, _: f"{who},{what},this was the number {n}",
    )
    with pytest.raises(InputError, match=r"no column for the answer: .*answer='remark'") as refused:
        Answers.read(path)
    assert str(refused.value).count("student 'Ada', item 'moth-") == 3


@pytest.mark.parametrize("as_json", [True, False])
def test_switches_with_exactly_one_on_are_one_question(as_json: bool, tmp_path: Path) -> None:
    names = ["Answer.taskAnswers"] if as_json else ["Answer.moth.on", "Answer.none.on"]
    rows: list[Sequence[object]] = [["HITId", "WorkerId", "Input.image", *names, "Answer.comment"]]
    for (who, what), yes in EXPECTED.items():
        switches = {"moth": {"on": yes}, "none": {"on": not yes}}
        cells = [json.dumps([switches])] if as_json else [str(yes).lower(), str(not yes).lower()]
        rows.append([f"H{what}", who, what, *cells, "ok"])
    path = tmp_path / "switches.csv"
    path.write_text(text_of(rows), encoding="utf-8")
    assert Answers.read(path).classes == ("moth", "none of these")
    assert found_in(Answers.read(path, positive="moth")) == EXPECTED


def test_markdown_and_shortcuts_that_were_not_used_need_no_flag(tmp_path: Path) -> None:
    rows: list[Sequence[object]] = [ZOONIVERSE.split(",")]
    for number, ((who, what), yes) in enumerate(EXPECTED.items()):
        answer = f"![x](https://example.org/{int(yes)}.png) **{'Yes' if yes else 'No'}**"
        tasks = [question(answer), {"task": "T5", "value": False}]
        rows.append(zooniverse_row(number, who, what, tasks))
    path = tmp_path / "markdown.csv"
    path.write_text(text_of(rows), encoding="utf-8")
    assert found_in(Answers.read(path)) == EXPECTED


def several_tasks(folder: Path, *, late: int = 0) -> Path:
    rows: list[Sequence[object]] = [ZOONIVERSE.split(",")]
    for number in range(60 + late):
        tasks = [question("Yes" if number % 2 else "No")]
        if number >= late:
            tasks.append(question("Dark" if number % 3 else "Light", "T2", "How dark is it?"))
        rows.append(zooniverse_row(number, PEOPLE[number % 6], ITEMS[number % 8], tasks))
    path = folder / "two-tasks.csv"
    path.write_text(text_of(rows), encoding="utf-8")
    return path


def test_several_tasks_are_listed_with_three_rows_and_the_flag(tmp_path: Path) -> None:
    path = several_tasks(tmp_path)
    with pytest.raises(InputError) as refused:
        Answers.read(path)
    sentence = str(refused.value)
    assert "T0 (Is it a moth?): 'No', 'Yes'; T2 (How dark is it?): 'Light', 'Dark'" in sentence
    assert "'Ada' on 'moth-1.jpg': T0 = 'No', T2 = 'Light'" in sentence
    assert sentence.count(" on 'moth-") == 3
    assert "(--task T0)" in sentence
    assert len(Answers.read(path, task="T0")) > 0
    dark = Answers.read(path, task="how dark is it?", positive="Dark")
    assert (dark.positive, dark.negative) == ("Dark", "Light")
    with pytest.raises(InputError, match=r"has no task 'T7' \(--task\): it has T0"):
        Answers.read(path, task="T7")


def test_a_task_that_only_later_rows_have_is_not_dropped_silently(
    tmp_path: Path,
) -> None:
    path = several_tasks(tmp_path, late=50)
    with pytest.raises(InputError, match=r"answers to several tasks: .*\(--task T0\)"):
        Answers.read(path)
    assert len(Answers.read(path, task="T0")) > 0


def test_several_workflows_are_listed_with_the_flag(tmp_path: Path) -> None:
    rows: list[Sequence[object]] = [ZOONIVERSE.split(",")]
    for number in range(40):
        which = {"workflow_id": 7 + number % 2, "workflow_name": ["Day", "Night"][number % 2]}
        answer = question("Yes" if number % 3 else "No")
        rows.append(
            zooniverse_row(number, PEOPLE[number % 5], ITEMS[number % 8], [answer], **which)
        )
    path = tmp_path / "workflows.csv"
    path.write_text(text_of(rows), encoding="utf-8")
    with pytest.raises(InputError, match=r"workflows: 7 \(Day\), 8 \(Night\)\. .*\(--workflow 7\)"):
        Answers.read(path)
    by_number, by_name = (Answers.read(path, workflow=name) for name in ("8", "night"))
    assert found_in(by_number) == found_in(by_name)
    assert by_number.dropped["rows of other workflows, or without an answer to the task"] == 20
    with pytest.raises(InputError, match="chooses from an export of Zooniverse, but"):
        Answers.read(google_form(tmp_path), workflow="8")


def test_nested_tasks_surveys_and_several_choices_are_read(tmp_path: Path) -> None:
    rows: list[Sequence[object]] = [ZOONIVERSE.split(",")]
    for number in range(40):
        survey: list[object] = [
            {"choice": "MOTH" if number % 2 else "WASP", "answers": {}, "filters": {}}
        ]
        tasks = [{"task": "T9", "value": [question(survey, "T3", "Survey")]}]
        tasks.append(
            {"task": "T4", "task_label": "Mark it", "value": [{"x": 3.5, "y": 1.5, "tool": 0}]}
        )
        rows.append(zooniverse_row(number, PEOPLE[number % 6], ITEMS[number % 7], tasks))
    path = tmp_path / "survey.csv"
    path.write_text(text_of(rows), encoding="utf-8")
    answers = Answers.read(path, positive="MOTH")
    assert (answers.positive, answers.negative) == ("MOTH", "WASP")


def test_two_pictures_with_one_file_name_stay_two_items(tmp_path: Path) -> None:
    rows: list[Sequence[object]] = [ZOONIVERSE.split(",")]
    for number in range(40):
        row = zooniverse_row(
            number, PEOPLE[number % 5], "IMG_1.jpg", [question("Yes" if number % 3 else "No")]
        )
        row[-1] = 100 + number % 4
        rows.append(row)
    path = tmp_path / "same.csv"
    path.write_text(text_of(rows), encoding="utf-8")
    assert Answers.read(path).items == (
        "IMG_1.jpg",
        "IMG_1.jpg (101)",
        "IMG_1.jpg (102)",
        "IMG_1.jpg (103)",
    )


def test_numbered_pictures_of_a_task_of_mechanical_turk_are_items(tmp_path: Path) -> None:
    rows: list[Sequence[object]] = [
        [
            "HITId",
            "WorkerId",
            "AssignmentStatus",
            "Input.image1",
            "Input.image2",
            "Answer.moth1",
            "Answer.moth2",
        ]
    ]
    for p, who in enumerate(PEOPLE):
        for i in range(0, len(ITEMS), 2):
            answers = ["yes" if said(p, at) else "no" for at in (i, i + 1)]
            rows.append([f"H{i}", who, "Submitted", ITEMS[i], ITEMS[i + 1], *answers])
    path = tmp_path / "pairs.csv"
    path.write_text(text_of(rows), encoding="utf-8")
    assert found_in(Answers.read(path)) == EXPECTED


def test_when_unsure_three_rows_and_the_flag_are_shown(tmp_path: Path) -> None:
    rows: list[Sequence[object]] = [["kolumna a", "kolumna b", "kolumna c"]]
    rows += [
        [f"{who} x", f"{what[:4]} {what[5]} y", "yes" if yes else "no"]
        for (who, what), yes in EXPECTED.items()
    ]
    path = tmp_path / "unsure.csv"
    path.write_text(text_of(rows), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        Answers.read(path)
    sentence = str(refused.value)
    assert (
        "student 'Ada x', item 'moth 1 y', answer 'yes'; student 'Ada x', item 'moth 2 y'"
        in sentence
    )
    assert sentence.count("student 'Ada x'") == 3
    assert "(--column student='kolumna a')" in sentence
    answers = Answers.read(path, columns={"student": "kolumna a"})
    assert answers.people[0] == "Ada x"
    turned = Answers.read(path, columns={"student": "kolumna b"})
    assert turned.people[0] == "moth 1 y"


def test_long_answers_that_begin_alike_are_shown_apart(tmp_path: Path) -> None:
    long = "It is a moth with feathered antennae and narrow wings, "
    rows = [["student", "item", "answer"]]
    rows += [
        [who, what, long + ("dark" if yes else "light")] for (who, what), yes in EXPECTED.items()
    ]
    path = tmp_path / "long.csv"
    path.write_text(text_of(rows), encoding="utf-8")
    with pytest.raises(InputError, match=r"dark'.*light'|light'.*dark'"):
        Answers.read(path, positive="no such answer")
    answers = Answers.read(path, positive=long + "dark")
    shown = " ".join(words for _, words in answers.summary())
    assert "dark" in shown
    assert "light" in shown


@pytest.mark.slow
def test_a_million_classifications_are_read_in_90_seconds(tmp_path: Path) -> None:
    path = tmp_path / "million.csv"
    agent = json.dumps({"user_agent": "x" * 200, "session": "y" * 64, "viewport": {"width": 1920}})
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(ZOONIVERSE.split(","))
        for number in range(1_000_000):
            subject = number * 7919 % 20_000
            what = json.dumps([question("Yes" if (number >> 3) % 2 else "No")])
            data = json.dumps(
                {str(subject): {"retired": {"id": number}, "Filename": f"{subject}.jpg"}}
            )
            when = f"2025-11-{1 + number % 28:02} 09:05:00 UTC"
            writer.writerow(
                [
                    number,
                    f"user-{number % 5003}",
                    number % 5003,
                    "f" * 40,
                    42,
                    "Moths",
                    "3.7",
                    when,
                    "",
                    "",
                    agent,
                    what,
                    data,
                    subject,
                ]
            )
    began = time.process_time()  # of one core: other processes may keep this one waiting
    answers = Answers.read(path)
    seconds = time.process_time() - began
    assert len(answers.people) == 5003
    assert len(answers.items) == 20_000
    assert seconds < 90


@pytest.mark.parametrize("address", [True, False])
def test_a_student_called_key_is_not_the_expert(tmp_path: Path, *, address: bool) -> None:
    people = ["Alicia,Key", "Alicia,Stone", "Bob,Stone", "Bob,Reed"]
    rows = [
        f"2025-11-16 09:0{n}:00,{f'{n}@a.org,' if address else ''}{name},{n % 2},1"
        for n, name in enumerate(people)
    ]
    header = f"Timestamp,{'Email,' if address else ''}First name,Last name,Moth?,Wasp?"
    path = tmp_path / "form.csv"
    path.write_text("\n".join([header, *rows]), encoding="utf-8")
    answers = Answers.read(path)
    assert len(answers.people) == len(people)
    assert np.isnan(answers.labels).all()
