"""The table of an activity."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from homeroom.live.activities import read_upload, table
from homeroom.live.activities.questions import read_questions, rows_of_gift
from homeroom.live.activities.table import Row, read_table, rows_of
from homeroom.live.refused import Refused
from tests.tables.test_exports import ods_cell, sheet_cells, write_ods, write_xlsx


def test_a_table_has_items_and_labels() -> None:
    data = "item,label,explanation,text,picture\nmoth,no,it flies at night,A moth,m.png\n"
    assert rows_of(data.encode()) == [Row("moth", "no", "m.png", "A moth", "it flies at night", ())]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_header_determines_the_separator(mark: str) -> None:
    data = f"Item{mark}Label{mark}x1{mark}x2\n\nmoth{mark}no{mark}0.5{mark}-1e-1\n"
    assert rows_of(data.encode())[0].place == (0.5, -0.1)


def test_text_in_a_windows_encoding_is_read() -> None:
    assert rows_of("item,label\nBär,ja".encode("cp1252"))[0].item == "Bär"
    assert rows_of("\ufeffitem,label\nBär,ja".encode())[0].item == "Bär"
    assert rows_of("item\tlabel\r\nBär\tja".encode("utf-16"))[0].item == "Bär"
    assert rows_of(b"sep=;\r\nitem;label\r\nbee;ja")[0].item == "bee"


@pytest.mark.parametrize(
    "text",
    [
        "Frage;Antwort;falsch1;falsch2\n{};Paris;Lyon;Nizza\n",
        "Question,Correct answer,Wrong answer 1,Wrong answer 2\n{},Paris,Lyon,Nizza\n",
        "Fragen für 6a\n\nFrage;Richtige Antwort;Falsche Antwort 1;Falsche Antwort 2\n"
        "{};Paris;Lyon;Nizza\n",
        "Question,Answer 1,Answer 2,Answer 3,Time,Correct answer(s)\n{},Paris,Lyon,Nizza,20,1\n",
    ],
)
def test_a_quiz_with_wrong_answers_or_a_number_is_read_as_it_is(text: str) -> None:
    asked = "Which city has been the capital of France for most of the last thousand years?"
    (row,) = rows_of(text.format(f'"{asked * 2}"').encode())
    assert (row.label, row.options) == ("Paris", ("Paris", "Lyon", "Nizza"))
    assert (row.item, row.question) == ((asked * 2)[:100], asked * 2)


def test_places_may_have_decimal_commas() -> None:
    assert rows_of(b"item;label;x1\nmoth;no;-0,5\n")[0].place == (-0.5,)


def test_other_names_of_columns_are_accepted() -> None:
    row = rows_of(b"filename,answer,x,y\nm.png,no,1,2")[0]
    assert (row.item, row.picture, row.label, row.place) == ("m.png", "m.png", "no", (1.0, 2.0))


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "is empty: its first line must name the columns item and label"),
        (b"a,b\n1,2", "must have the columns item and label, or question and answer, but has a"),
        (b"question,answer,wrong1\nWho?,,you", "wrong answers in the row 'Who\\? you', but no"),
        (b"question,answer,wrong1\n\n,me,you", "has no item in the row 'me you'"),
        (b"item,label\n,yes", "has no item in the row 'yes'"),
        (b"item,label\n" + b"x" * 101 + b",yes", "several lines or more than 100 characters"),
        (b"item,label\nx," + b"y" * 2001, "than 2000 characters in the row 'x y{58}'"),
        (b"item,label,x1\nm,yes,left", "has 'left' as a place in the row 'm yes left', but a"),
        (b"item,label,x1\nm,yes,nan", "has 'nan' as a place in the row 'm yes nan'"),
        (b"item,label\nm\0,yes", "is not a text file: save the table as CSV"),
        (b'item,label\n"' + b"x" * 140_000, "cannot be read: field larger than field limit"),
        (b"item,label\n" + b"i,yes\n" * 2001, "has 2001 items, but 2000 are allowed"),
    ],
)
def test_a_file_that_is_not_a_table_is_refused(data: bytes, match: str) -> None:
    with pytest.raises(Refused, match=match):
        rows_of(data)


QUIZ = (
    ("Frage", "Antwort", "falsch1", "falsch2", "Erklärung"),
    ("Hauptstadt von Peru?", "Lima", "Cusco", "Ica", "Sie liegt am Meer."),
    ("Wie viel ist 2;5 + 1?", "3,5", "3", "", ""),
    ("Wer?", "ich", "du", "er", ""),
    ("Wer?", "er", "du", "", ""),
)
"""A table as teachers have it: a question, the right answer, then wrong ones."""


def written(mark: str) -> bytes:
    """Return the table as CSV, with the byte-order mark that spreadsheets write."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=mark).writerows(QUIZ)
    return text.getvalue().encode("utf-8-sig")


@pytest.mark.parametrize("kind", ["semicolons", "commas", "tabs", "windows", "xlsx", "ods"])
def test_a_question_has_its_right_answer_and_wrong_ones(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"quiz.{kind if kind in ('xlsx', 'ods') else 'csv'}"
    if kind == "xlsx":
        write_xlsx(path, {"Quiz": sheet_cells(QUIZ)})
    elif kind == "ods":
        rows = ("".join(map(ods_cell, row)) for row in QUIZ)
        write_ods(path, "".join(f"<table:table-row>{cells}</table:table-row>" for cells in rows))
    elif kind == "windows":
        path.write_bytes(written(";").decode("utf-8-sig").encode("cp1252"))
    else:
        path.write_bytes(written({"semicolons": ";", "commas": ",", "tabs": "\t"}[kind]))
    activity, *_ = read_upload([(path.name, path.read_bytes())], name="Quiz")
    peru, sums, who, again = activity.items
    assert (peru.question, peru.text, peru.explanation) == (QUIZ[1][0], None, "Sie liegt am Meer.")
    assert set(peru.options) == {"Lima", "Cusco", "Ica"}
    assert set(sums.options) == {"3,5", "3"}
    assert [activity.right_word(one.id) for one in activity.items] == ["Lima", "3,5", "ich", "er"]
    assert (who.id, again.id, again.question) == ("Wer?", "Wer? (2)", "Wer?")
    assert activity.facts


def test_labels_are_numbers_of_options_in_all_lines_or_in_none() -> None:
    header = "question,answer1,answer2,answer3,correct"
    rows = rows_of(f"{header}\n5-4?,2,1,3,2\n1+1?,2,3,4,1".encode())
    assert [row.label for row in rows] == ["1", "2"]
    either = f"{header}\n5-4?,2,1,3,1\n1+1?,2,3,4,2"
    with pytest.raises(Refused) as refused:
        rows_of(either.encode())
    assert refused.value.code == "table_numbers"
    rows = rows_of(either.replace("correct", "label").encode())
    assert [row.label for row in rows] == ["1", "2"]
    rows = rows_of(either.replace("3,1", "3,option 1").replace("4,2", "4,option 2").encode())
    assert [row.label for row in rows] == ["2", "3"]
    rows = rows_of(f"{header}\n7x8?,54,56,63,56\n1+2?,5,3,4,2".encode())
    assert [row.label for row in rows] == ["56", "2"]  # the second is refused: it is no option


@pytest.mark.parametrize(
    "header",
    [
        "question,answer,wrong1,wrong2",
        "Question,Correct answer,Incorrect answer 1,Incorrect answer 2",
        "Frage,Richtige Antwort,Falsche Antwort 1,Falsche Antwort 2",
        "Question,Bonne réponse,Mauvaise réponse,Mauvaise réponse",
        "Pregunta,Respuesta correcta,Respuesta incorrecta 1,Respuesta incorrecta 2",
        "Domanda,Risposta,Sbagliata 1,Sbagliata 2",
        "Vraag,Antwoord,Fout 1,Fout 2",
        "Pytanie,Odpowiedź,Błędna 1,Błędna 2",
        "問題,答え,誤答1,誤答2",
    ],
)
def test_the_columns_of_a_quiz_are_known_in_other_languages(header: str) -> None:
    [row] = rows_of(f"{header}\nWho?,me,you,him|you".encode())
    assert (row.item, row.question, row.label) == ("Who?", "Who?", "me")
    assert row.options == ("me", "you", "him")


def test_questions_without_wrong_answers_offer_the_answers_of_the_others() -> None:
    rows = "\n".join(f"Capital of {n}?;City {n}" for n in range(12))
    activity, *_ = read_upload([("capitals.csv", f"Frage;Antwort\n{rows}".encode())])
    assert all(len(item.options) == 4 for item in activity.items)
    assert activity.items[3].question == "Capital of 3?"


def test_a_long_question_is_shown_as_a_whole() -> None:
    asked = "Why? " * 60
    [row] = rows_of(f'question,answer,wrong\n"{asked}\nReally?",so,not'.encode())
    assert row.question.endswith("Really?")
    assert row.item == asked[: table.LONGEST_ID]


def test_the_editor_knows_the_same_names_of_columns() -> None:
    editor = (Path(__file__).parents[3] / "web" / "src" / "activities" / "rows.ts").read_text()
    known = set(re.findall(r"[^\W\d_]+(?:\(s\))?", editor))
    for part in ("label", "question", "wrong", "explanation", "options"):
        assert set(table.NAMES[part]) <= known


def test_a_huge_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "LARGEST", 1 << 20)
    with pytest.raises(Refused, match="has more than 1 MiB: it is not a table of items") as caught:
        rows_of(b"item,label\n" + bytes(2**20))
    assert caught.value.status == 413


FILE = rb"""// a comment
$CATEGORY: Geography

::France::[html]<p>What is the capital of France&nbsp;?</p>{
  ~Lyon#No, but large.
  =Paris#Yes!
  ~%-50%Nice
  ####Paris is on the Seine.
}

The sun is a star. {TRUE#Wrong.#Right.}

Grant is {~buried =entombed ~living} in Grant's tomb.

::short::2 \= 1 + ? {=1 =one}

::France::Twice \{named\} {F}
"""


def test_the_questions_of_a_file_become_items() -> None:
    france, sun, grant, short, twice = rows_of_gift(FILE)
    assert france.item == "France"
    assert france.question == "What is the capital of France ?"
    assert (france.label, france.options) == ("Paris", ("Lyon", "Paris", "Nice"))
    assert france.explanation == "Paris is on the Seine."
    assert (sun.label, sun.options) == ("true", ("true", "false"))
    assert grant.question == "Grant is _____ in Grant's tomb."
    assert (short.question, short.label, short.options) == ("2 = 1 + ?", "1", ())
    assert (twice.item, twice.question, twice.label) == ("France (2)", "Twice {named}", "false")


def test_a_file_is_uploaded_as_an_activity() -> None:
    text = "\n\n".join(f"{n} + 1 = ? {{={n + 1} ~{n} ~{n + 2}}}" for n in range(5))
    activity, *_ = read_upload([("sums.gift", text.encode())], name="Sums")
    assert [activity.right_word(item.id) for item in activity.items] == ["1", "2", "3", "4", "5"]
    assert activity.facts
    again = read_upload([("sums.gift", f"{text}\n\nWhy? {{}}".encode())], name="Sums")
    assert again.activity.items == activity.items
    assert again.skipped == ("Why?",)


@pytest.mark.parametrize(
    "question",
    [
        "Match. {=a -> b =c -> d}",
        "How many? {#3:1}",
        "Write an essay. {}",
        "A description without answers.",
        "Two right ones. {=a =b ~c}",
        "The same twice. {=a ~b ~b}",
        "Nested {=a ~{b}}",
        "} backwards {",
        "{=a ~b}",
    ],
)
def test_other_questions_are_left_out_and_named(question: str) -> None:
    found = read_questions(f"First? {{=a ~b}}\n\n{question}".encode(), "quiz.gift")
    assert [row.question for row in found.rows] == ["First?"]
    assert len(found.skipped) == 1
    with pytest.raises(Refused):
        read_questions(question.encode(), "quiz.gift")


def test_a_question_with_more_answers_than_buttons_is_left_out() -> None:
    assert len(rows_of_gift(b"Which? {~1 ~2 ~3 ~4 ~5 ~6 ~7 =8}")[0].options) == 8
    nine = b"Which? {~1 ~2 ~3 ~4 ~5 ~6 ~7 ~8 =9}\n\nFirst? {=a ~b}"
    assert read_questions(nine).skipped == ("Which?",)


def test_less_than_and_greater_than_are_not_markup() -> None:
    [row] = rows_of_gift(b"Is 3 < 5 and <b>7</b> > 2? {T}")
    assert row.question == "Is 3 < 5 and 7 > 2?"


def test_a_line_break_is_a_space_and_feedback_to_a_wrong_answer_is_no_explanation() -> None:
    one, two = rows_of_gift(rb"""First\nsecond? {T#Read it again.}

Third? {F#Read it again.#It is false.}""")
    assert (one.question, one.explanation) == ("First second?", "")
    assert two.explanation == "It is false."


def test_a_refusal_quotes_the_row_whatever_its_number_is() -> None:
    with pytest.raises(Refused) as refused:
        rows_of(b"Our insects\n\nitem,label,x1\na,yes,1\n , , \nb,no,nothing\n")
    assert refused.value.values["row"] == "b no nothing"


def test_large_files_are_refused() -> None:
    with pytest.raises(Refused, match="more than 4 MiB"):
        rows_of_gift(b"x" * (4 * 2**20 + 1))
    with pytest.raises(Refused, match="2001 items"):
        rows_of_gift(b"\n\n".join(b"q? {T}" for _ in range(2001)))


LETTERS = ("B", "A", "D", "C")
"""The right answers of the quizzes below, by the letters of their columns."""

SHOWN = (
    ("Capital of France?", "Lyon", "Paris", "Nice", "Lille"),
    ("Capital of Peru?", "Lima", "Cusco", "Ica", "Puno"),
    ("How many legs has an ant?", "2", "4", "8", "6"),
    ("Is a whale a fish?", "yes", "always", "no", ""),
)
RIGHT = ["Paris", "Lima", "6", "no"]
NUMBERS = ("2", "1", "4", "3")


def quiz(header: str, right: tuple[str, ...], more: str = "", before: str = "") -> bytes:
    """Return a quiz in which the right answers are in the column after the options."""
    text = io.StringIO()
    csv.writer(text).writerow(header.split("|"))
    for row, answer in zip(SHOWN, right, strict=True):
        asides = [more] if more else []
        csv.writer(text).writerow([*([before] if before else []), *row, answer, *asides])
    return text.getvalue().encode()


KAHOOT = (
    "Question - max 120 characters|Answer 1 - max 75 characters|Answer 2 - max 75 characters|"
    "Answer 3 - max 75 characters|Answer 4 - max 75 characters|"
    "Correct answer(s) - choose at least one|Time limit (sec) – 5, 10, 20, 30, 60, 90, 120 or 240"
)
BLOOKET = (
    "Question #|Question Text|Answer 1|Answer 2|Answer 3 (Optional)|Answer 4 (Optional)|"
    "Correct Answer(s) (Only include Answer #)|Time Limit (sec) (Max: 300 seconds)"
)
QUIZIZZ = (
    "Question Type|Question Text|Option 1|Option 2|Option 3|Option 4|Correct Answer|Time in seconds"
)


@pytest.mark.parametrize(
    "data",
    [
        quiz("Question|A|B|C|D|Correct", LETTERS),
        quiz("Question|A|B|C|D|Correct", ("b", "a", "d", "c")),
        quiz("Question|A|B|C|D|Correct", ("B.", "A)", "(D)", "C ")),
        quiz("Question|A|B|C|D|Correct", ("Paris", "Lima", "6", "no")),
        quiz("Question|A|B|C|D|Correct", ("PARIS", "lima", "6", "No")),
        quiz("Question|A|B|C|D|Correct answer|Points", LETTERS, "10"),
        quiz("Question|a|b|c|d|answer", LETTERS),
        quiz("Question|A)|B)|C)|D)|Key", LETTERS),
        quiz("Question|(A)|(B)|(C)|(D)|Answer Key", LETTERS),
        quiz("No|Question|Option A|Option B|Option C|Option D|Answer", LETTERS, before="1"),
        quiz("Question|Option A|Option B|Option C|Option D|Correct option", LETTERS),
        quiz(
            "Question|Option A|Option B|Option C|Option D|Answer",
            ("Option B", "option a", "OPTION D", "Option C"),
        ),
        quiz("Question|Answer A|Answer B|Answer C|Answer D|Correct", LETTERS),
        quiz("Question|answer_a|answer_b|answer_c|answer_d|correct_answer", LETTERS),
        quiz("Question|optiona|optionb|optionc|optiond|correct", LETTERS),
        quiz("Question|Choice 1|Choice 2|Choice 3|Choice 4|Correct", NUMBERS),
        quiz("Question|Choice|Choice|Choice|Choice|Correct", NUMBERS),
        quiz("Question|option1|option2|option3|option4|correct", ("2.0", "1.0", "4.0", "3.0")),
        quiz("Question|option1|option2|option3|option4|correct", LETTERS),
        quiz("Question|1|2|3|4|Correct", NUMBERS),
        quiz("Frage|Antwort A|Antwort B|Antwort C|Antwort D|Lösung|Punkte", LETTERS, "2"),
        quiz("Frage|Antwort 1|Antwort 2|Antwort 3|Antwort 4|Richtig", NUMBERS),
        quiz("Frage|A|B|C|D|Richtige Antwort", LETTERS),
        quiz("Frage|Möglichkeit A|Möglichkeit B|Möglichkeit C|Möglichkeit D|Lösung", LETTERS),
        quiz("Question|Réponse A|Réponse B|Réponse C|Réponse D|Bonne réponse", LETTERS),
        quiz("Question|Proposition 1|Proposition 2|Proposition 3|Proposition 4|Réponse", NUMBERS),
        quiz("Pregunta|Opción A|Opción B|Opción C|Opción D|Respuesta correcta", LETTERS),
        quiz("Pregunta|Respuesta 1|Respuesta 2|Respuesta 3|Respuesta 4|Correcta", NUMBERS),
        quiz("Domanda|Risposta A|Risposta B|Risposta C|Risposta D|Corretta", LETTERS),
        quiz("Question|Vorschlag A|Vorschlag B|Vorschlag C|Vorschlag D|Lösung", LETTERS),
        quiz("Class|Question|A|B|C|D|Correct", LETTERS, before="7b"),
        quiz(KAHOOT, NUMBERS, "20"),
        quiz(BLOOKET, NUMBERS, "20", "1"),
        quiz(QUIZIZZ, NUMBERS, "30", "Multiple Choice"),
        quiz(QUIZIZZ.replace("Question Text", "Question"), NUMBERS, "30", "Multiple Choice"),
        quiz(
            "Question Type|Question|Answer A|Answer B|Answer C|Answer D|Correct Answer",
            LETTERS,
            before="Multiple choice",
        ),
        quiz("Question|A|B|C|D|Correct", ("B) Paris", "A: Lima", "D. 6", "C) no")),
    ],
)
def test_a_letter_or_a_number_names_the_option_in_its_column(data: bytes) -> None:
    activity, *_ = read_upload([("quiz.csv", data)])
    assert [activity.right_word(item.id) for item in activity.items] == RIGHT
    for item, row in zip(activity.items, SHOWN, strict=True):
        assert (item.question, set(item.options)) == (row[0], {*row[1:]} - {""})


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (quiz("Question|A|B|C|D|Correct", ("A,C", "A", "D", "C")), "few_items"),
        (quiz("Question|A|B|C|D|Correct", ("B", "A", "D", "D")), "option_missing"),  # a blank cell
        (quiz("Question|A|B|C|D|Correct", ("B", "A", "E", "C")), "option_missing"),
        (quiz("Question|A|B|C|D|Correct", ("B", "Lima", "D", "C")), "option_missing"),
        (quiz("Question|Answer 1|Answer 2|Answer 3|Answer 4|Correct", ("0", "1", "2", "3")), ""),
        (quiz("Question|I|II|III|IV|Correct", ("II", "I", "IV", "III")), "table_which"),
        (
            quiz(
                "Question|Option I|Option II|Option III|Option IV|Correct", ("II", "I", "IV", "III")
            ),
            "table_which",
        ),
        (quiz("Question|one|two|three|four|Correct", NUMBERS), "table_which"),
        (quiz("Question|one|two|three|four|Correct", LETTERS), "table_which"),
        (quiz("Question|one|two|three|four|Correct", tuple(RIGHT)), "table_which"),
        (quiz("Question|A text|B text|C text|D text|Correct", LETTERS), "table_which"),
        (quiz("Question|A|B|C|D|Correct|Answer", LETTERS, "A"), "table_which"),
        (
            quiz("Вопрос|Вариант А|Вариант Б|Вариант В|Вариант Г|Ответ", tuple("БАГВ")),
            "table_which",
        ),
        (quiz("Question|A|B|C|D|Marks", LETTERS), "table_columns"),
    ],
)
def test_a_quiz_whose_right_answers_are_unclear_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(Refused) as refused:
        read_upload([("quiz.csv", data)])
    assert refused.value.code == code or not code


def test_many_options_in_one_cell_do_not_make_the_header_a_title() -> None:
    rows = rows_of(b"question,options,answer\nA?,a|b|c|d,2\nB?,e|f|g|h,3")
    assert [row.label for row in rows] == ["b", "g"]


def test_numbered_and_lettered_columns_of_other_things_are_no_options() -> None:
    rows = rows_of(b"item,label,x1,x2\nm,1,0.5,1\nn,2,1,2")
    assert [(row.label, row.options) for row in rows] == [("1", ()), ("2", ())]
    rows = rows_of(b"item,label,a,b\nm,moth,0.5,1\nn,wasp,1,2")
    assert [(row.label, row.options) for row in rows] == [("moth", ()), ("wasp", ())]
    rows = rows_of(b"question,answer,tag 1,tag 2\n1+1?,2,sum,easy\n2-1?,1,less,hard")
    assert [(row.label, row.options) for row in rows] == [("2", ()), ("1", ())]


AIKEN = b"""What is the capital of France?
A. Lyon
B. Paris
ANSWER: B

Which is a moth?
A) bee
B) atlas
C) ant
ANSWER: B

Without options?
ANSWER: A
"""
MOODLE = """<?xml version="1.0" encoding="UTF-8"?>
<quiz><question type="category"><category><text>$course$/top</text></category></question>
<question type="multichoice"><name><text>France</text></name>
<questiontext format="html"><text><![CDATA[<p>What is the capital of <b>France</b>?</p>]]></text>
</questiontext><answer fraction="0"><text>Lyon</text></answer>
<answer fraction="100"><text>Paris</text><feedback><text>On the Seine.</text></feedback></answer>
</question>
<question type="truefalse"><name><text>Sun</text></name>
<questiontext><text>The sun is a star.</text></questiontext>
<answer fraction="100"><text>true</text></answer><answer fraction="0"><text>false</text></answer>
</question>
<question type="essay"><name><text>Essay</text></name><questiontext><text>Why?</text></questiontext>
</question></quiz>"""
ANKI = "#separator:tab\n#html:true\n#tags column:3\n"
ANKI += "la <b>mer</b>\tthe sea\tfr\nalone\nle ciel\tthe sky\t\n"
CARDS = [("la mer", "the sea"), ("le ciel", "the sky")]


def test_questions_in_aikens_format() -> None:
    rows, skipped = read_questions(AIKEN)
    assert [(row.question, row.label) for row in rows] == [
        ("What is the capital of France?", "Paris"),
        ("Which is a moth?", "atlas"),
    ]
    assert (rows[1].options, skipped) == (("bee", "atlas", "ant"), ("Without options?",))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_questions_in_moodles_xml(encoding: str) -> None:
    (france, sun), skipped = read_questions(MOODLE.encode(encoding))
    assert (france.item, france.question) == ("France", "What is the capital of France ?")
    assert (france.label, france.explanation) == ("Paris", "On the Seine.")
    assert (sun.label, sun.options, skipped) == ("true", ("true", "false"), ("Essay",))


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE q [<!ENTITY a "aaaa">]><quiz>&a;</quiz>',
        '<!doctype q SYSTEM "file:///etc/passwd"><quiz/>',
        "<quiz><question>",
        "<quiz>&unknown;</quiz>",
        "<" * 10_000,
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_hostile_xml_is_refused(text: str, encoding: str) -> None:
    with pytest.raises(Refused) as refused:
        read_questions(text.encode(encoding))
    assert refused.value.code == "table_unreadable"


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfea",  # begins as UTF-16
        b"a\tb\n" + b"x" * 200_000 + b"\ty",
        b"<a>" * 100_000,
        b"Which?\nA." + b" " * 200_000 + b"\nANSWER: A",
        b"ANSWER:" + b" " * 200_000 + b"AB\nANSWER: A",
        b'#separator:"\na"b',
        b"\0" * 100,
    ],
    ids=["utf-16", "a long cell", "deep", "blanks", "more blanks", "a mark", "zeros"],
)
def test_hostile_questions_are_refused(data: bytes) -> None:
    with pytest.raises(Refused):
        read_questions(data)


def test_cards_of_anki_and_quizlet() -> None:
    rows, skipped = read_questions(ANKI.encode())
    assert [(row.item, row.label) for row in rows] == [
        ("la mer", "the sea"),
        ("le ciel", "the sky"),
    ]
    assert skipped == ("alone",)
    rows, _ = read_questions(b"la mer\tthe sea\nle ciel\tthe sky\n")
    assert [(row.item, row.label) for row in rows] == [
        ("la mer", "the sea"),
        ("le ciel", "the sky"),
    ]


FOUR = (
    ("Capital of France?", ("Lyon", "Paris", "Nice", "Lille"), 2),
    ("2 + 2?", ("3", "4", "5", "6"), 2),
    ("Largest planet?", ("Mars", "Venus", "Jupiter", "Earth"), 3),
    ("H2O is?", ("water", "salt", "gold", "air"), 1),
)
LIMIT = " - max 75 characters"
KAHOOT_HEADER = ["", "Question - max 120 characters", *(f"Answer {n}{LIMIT}" for n in range(1, 5))]
KAHOOT_HEADER += [
    "Time limit (sec) – 5, 10, 20 or 240 secs",
    "Correct answer(s) - choose at least one",
]
BLOOKET_HEADER = ["Question #", "Question Text", "Answer 1", "Answer 2", "Answer 3\n(Optional)"]
BLOOKET_HEADER += ["Answer 4\n(Optional)", "Time Limit (sec)\n(Max: 300 seconds)"]
BLOOKET_HEADER += ["Correct Answer(s)\n(Only include Answer #)"]
QUIZIZZ_HEADER = ["Question Text", "Question Type", *(f"Option {n}" for n in range(1, 6))]
QUIZIZZ_HEADER += ["Correct Answer", "Time in seconds"]
NUMBERED = [[str(n), q, *texts, "20", str(key)] for n, (q, texts, key) in enumerate(FOUR, 1)]
CHOICE = [[q, "Multiple Choice", *texts, "", str(key), "30"] for q, texts, key in FOUR]
EXPLAINED = ["Text of the question (required)", "Type", *["An option"] * 5, "Between 1 and 5", ""]
TEMPLATES: dict[str, list[list[str]]] = {
    "kahoot": [
        ["", "Quiz template"],
        ["", "Have fun, and remember the limits."],
        KAHOOT_HEADER,
        *NUMBERED,
        ["5"],
        ["6", "", "", "", "", "", "20"],
    ],
    "blooket": [["Blooket\nImport Template", *[""] * 7], BLOOKET_HEADER, *NUMBERED],
    "quizizz": [QUIZIZZ_HEADER, *CHOICE],
    "quizizz, explained": [QUIZIZZ_HEADER, EXPLAINED, *CHOICE],
}


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("several", [False, True])
def test_templates_of_quiz_programs(name: str, several: bool) -> None:
    """Titles above the header are left out, and so is a question with several right answers."""
    rows = [list(row) for row in TEMPLATES[name]]
    asked = list(FOUR)
    if several:
        at = next(n for n, row in enumerate(rows) if "2 + 2?" in row)
        rows[at][rows[at].index("2", 3 if rows[at][0] == "2" else 2)] = "2,3"
        asked.pop(1)
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    found = read_table(file.getvalue().encode())
    assert [(row.question, row.label, row.options) for row in found.rows] == [
        (question, texts[key - 1], texts) for question, texts, key in asked
    ]
    assert found.skipped == (("2 + 2?",) if several else ())
