"""The table of an activity."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from homeroom.live.activities import read_upload, table
from homeroom.live.activities.table import Row, rows_of, rows_of_gift
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
    activity, _ = read_upload([(path.name, path.read_bytes())], name="Quiz")
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
    rows = rows_of(f"{header}\n5-4?,2,1,3,1\n1+1?,2,3,4,2".encode())
    assert [row.label for row in rows] == ["1", "2"]
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
    activity, _ = read_upload([("capitals.csv", f"Frage;Antwort\n{rows}".encode())])
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
    activity, _ = read_upload([("sums.gift", text.encode())], name="Sums")
    assert [activity.right_word(item.id) for item in activity.items] == ["1", "2", "3", "4", "5"]
    assert activity.facts


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
def test_other_questions_are_refused_with_their_number(question: str) -> None:
    with pytest.raises(Refused, match=r"Question 2 of quiz\.gift cannot be read"):
        rows_of_gift(f"First? {{=a ~b}}\n\n{question}".encode(), "quiz.gift")


def test_a_question_with_more_answers_than_buttons_is_refused() -> None:
    assert len(rows_of_gift(b"Which? {~1 ~2 ~3 ~4 ~5 ~6 ~7 =8}")[0].options) == 8
    with pytest.raises(Refused, match=r"Question 1 of The file has more than 8 answers"):
        rows_of_gift(b"Which? {~1 ~2 ~3 ~4 ~5 ~6 ~7 ~8 =9}")


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
