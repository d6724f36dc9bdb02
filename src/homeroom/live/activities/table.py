r"""The rows of an activity, one per item: from a table, or from questions in Moodle's GIFT format.

In GIFT a question is a paragraph, ``::title::text {answers}``. ``=`` is before a right answer,
``~`` before a wrong one, ``#`` before feedback, ``####`` before the feedback for all, and ``\``
before a character that means itself. Multiple choice, true or false, and short answers are read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from html import unescape
from itertools import count
from typing import NamedTuple

from homeroom._checks import InputError
from homeroom.live.activities.base import MOST_OPTIONS
from homeroom.live.refused import Refused
from homeroom.tables import ColumnNames, find_column, normalized_header, rows_of_file
from homeroom.tables.spreadsheet import ZIP
from homeroom.tables.text import decoded

LARGEST = 4 * 2**20
MOST_ITEMS = 2000
LONGEST = 2000
"""Characters that a cell may have."""

QUOTED = 60
"""The most characters of a row that a refusal quotes."""

LONGEST_ID = 100
DIGITS = "0123456789"
SEPARATOR = "|"
"""Separates the options of an item in one cell."""

NAMES: ColumnNames = {
    part: tuple(names.split())
    for part, names in {
        "item": "item id name",
        "label": "label answer class right rightanswer correct correctanswer correctanswer(s) "
        "solution antwort richtig richtigeantwort lösung réponse bonneréponse réponsecorrecte "
        "respuesta respuestacorrecta risposta rispostacorretta resposta respostacorreta antwoord "
        "juisteantwoord odpowiedź poprawnaodpowiedź svar ответ cevap 答案 答え 正解 정답",
        "picture": "picture image file filename photo bild bilddatei datei foto imagen immagine "
        "imagem afbeelding obraz 画像 写真 图片",
        "text": "text statement aussage",
        "question": "question frage aufgabe pregunta domanda pergunta vraag pytanie fråga "
        "spørgsmål spørsmål вопрос soru 问题 题目 問題 質問 문제 질문",
        "explanation": "explanation because why erklärung begründung warum explication explicación "
        "spiegazione explicação uitleg wyjaśnienie förklaring",
        "options": "options answers choices antworten auswahl choix opciones opzioni opções opties",
        "wrong": "wrong wronganswer wronganswers incorrect incorrectanswer incorrectanswers "
        "distractor distractors falsch falscheantwort falscheantworten distraktor faux "
        "mauvaiseréponse mauvaisesréponses incorrecta respuestaincorrecta falsa errata sbagliata "
        "rispostasbagliata rispostaerrata errada respostaerrada fout foutantwoord błędna "
        "błędnaodpowiedź fel felsvar forkert feil неверно yanlış 错误答案 誤答 오답",
    }.items()
}
"""The accepted names of columns; places are in ``x1``, ``x2``, ... (or ``x``, ``y``), and the
options of an item in one column, separated by ``|``, or in ``option1``, ``option2``, ... Wrong
answers have one column or several, with or without numbers."""

OPTIONS = ("option", "answer", "antwort", "réponse", "respuesta", "risposta", "resposta")
"""The names of columns with one option each, before their numbers."""


class Row(NamedTuple):
    """One item as the table has it; what the table does not have is empty.

    ``label`` is the right answer, and ``place`` the coordinates on a map.
    """

    item: str
    label: str
    picture: str
    text: str
    explanation: str
    place: tuple[float, ...]
    question: str = ""
    options: tuple[str, ...] = ()


def rows_of(data: bytes, name: str = "The table") -> list[Row]:
    r"""Return the items of a table.

    >>> rows_of(b"item,label,x1\nmoth,no,0.5\nbee,yes,-1")[1].place
    (-1.0,)
    >>> rows_of(b"item,label,options\nFrance,Paris,Lyon|Paris|Nice")[0].options
    ('Lyon', 'Paris', 'Nice')
    >>> rows_of(b"question;answer;wrong1;wrong2\nCapital of France?;Paris;Lyon;Nice")[0].options
    ('Paris', 'Lyon', 'Nice')
    """
    if len(data) > LARGEST:
        raise Refused("table_large", name=name, most=LARGEST >> 20)
    cells = cells_of(data, name)
    if not cells:
        raise Refused("table_empty", name=name)
    header = normalized_header(cells[0])
    columns = _columns(header, name)
    body = [row for row in cells[1:] if any(cell.strip() for cell in row)]
    if len(body) > MOST_ITEMS:
        raise Refused("table_items", name=name, items=len(body), most=MOST_ITEMS)
    rows = [_row(row, columns, name) for row in body]
    rows = _numbers_to_options(rows)
    return rows if "item" in columns.named else _with_unique_names(rows)


def _numbers_to_options(rows: list[Row]) -> list[Row]:
    """Return the rows with labels that are numbers of options replaced by these options.

    Labels are numbers if all of them can be, and at least one is not the text of an option.
    """
    own = [row for row in rows if row.options and row.label]
    numbered = all(row.label in map(str, range(1, len(row.options) + 1)) for row in own)
    if not numbered or all(row.label in row.options for row in own):
        return rows
    return [
        row._replace(label=row.options[int(row.label) - 1]) if row.options and row.label else row
        for row in rows
    ]


def _with_unique_names(rows: list[Row]) -> list[Row]:
    """Return the rows with unique item names: repeated ones become ``name (2)`` and so on."""
    taken: set[str] = set()
    named: list[Row] = []
    for row in rows:
        names = (row.item if turn == 1 else f"{row.item} ({turn})" for turn in count(1))
        taken.add(name := next(one for one in names if one not in taken))
        named.append(row._replace(item=name))
    return named


def cells_of(data: bytes, name: str) -> list[list[str]]:
    """Return the cells of a table; refuse a file that is not one."""
    try:
        cells = rows_of_file(data, name)
    except InputError as why:
        if data.startswith(ZIP):
            raise Refused("spreadsheet", why=str(why)) from None
        raise Refused("table_unreadable", name=name, why=str(why)) from None
    if any("\0" in cell for row in cells for cell in row):
        raise Refused("table_no_text", name=name)
    return cells


class Columns(NamedTuple):
    """The positions of a table's columns.

    ``named`` has those of the parts of an item, by part, ``axes`` those of the coordinates,
    ``options`` and ``wrong`` those of the columns with one option, or one wrong answer, each.
    """

    named: Mapping[str, int]
    axes: list[int]
    options: list[int]
    wrong: list[int]


def _columns(header: list[str], name: str) -> Columns:
    """Return the positions of the columns in a header; refuse a table that lacks required ones."""
    places = {part: find_column(header, names) for part, names in NAMES.items()}
    found = {part: place for part, place in places.items() if place is not None}
    if "item" not in found and "picture" in found:
        found["item"] = found["picture"]
    wrong = [place for place, one in enumerate(header) if one.rstrip(DIGITS) in NAMES["wrong"]]
    options = next(filter(None, (_numbered(header, one) for one in OPTIONS)), [])
    has_options_or_text = wrong or options or found.keys() & {"text", "options"}
    if "question" in found and "item" in found and not has_options_or_text:
        found["text"] = found.pop("question")  # version 0.1 called the text `question`
    if not found.keys() & {"item", "question"} or "label" not in found:
        raise Refused("table_columns", name=name, columns=", ".join(header)[:200])
    axes = _numbered(header, "x") or _numbered(header, "xyz")
    return Columns(found, axes, options, wrong)


def _numbered(header: list[str], name: str) -> list[int]:
    """Return the positions of ``name1``, ``name2``, ... (at most eight) up to the first gap.

    For ``"xyz"`` they are those of the columns x, y and z.
    """
    names = list(name) if name == "xyz" else [f"{name}{number}" for number in range(1, 9)]
    found = []
    for one in names:
        if one not in header:
            break
        found.append(header.index(one))
    return found


def _row(row: list[str], columns: Columns, name: str) -> Row:
    """Return the item in a row of a table; ``name`` is the file's.

    A refusal quotes the row: the teacher's program may number it in another way.
    """
    quoted = " ".join(" ".join(row).split())[:QUOTED]
    if any(len(cell) > LONGEST for cell in row):
        raise Refused("table_cell", name=name, most=LONGEST, row=quoted)
    values = {part: _cell(row, column) for part, column in columns.named.items()}
    item = values.get("item", " ".join(values.get("question", "").split())[:LONGEST_ID])
    if not item or not item.isprintable() or len(item) > LONGEST_ID:
        raise Refused("table_item", name=name, row=quoted, most=LONGEST_ID)
    options = [row[column] for column in columns.options if column < len(row)]
    options += values.get("options", "").split(SEPARATOR)
    options = [option.strip() for option in options if option.strip()]
    wrong = [part for column in columns.wrong for part in _cell(row, column).split(SEPARATOR)]
    if any(wrong):
        if not values["label"]:
            raise Refused("table_right", name=name, row=quoted)
        every = [values["label"], *options, *(part.strip() for part in wrong)]
        options = list(dict.fromkeys(filter(None, every)))
    valid = 2 <= len(options) == len(set(options)) <= MOST_OPTIONS
    if options and not (valid and max(map(len, options)) <= LONGEST_ID):
        longest = LONGEST_ID
        raise Refused("table_options", name=name, row=quoted, most=MOST_OPTIONS, longest=longest)
    return Row(
        item,
        values["label"],
        values.get("picture", ""),
        values.get("text", ""),
        values.get("explanation", ""),
        tuple(_coordinate(row, axis, name, quoted) for axis in columns.axes),
        values.get("question", ""),
        tuple(options),
    )


def _cell(row: list[str], column: int) -> str:
    return row[column].strip() if column < len(row) else ""


def _coordinate(row: list[str], column: int, name: str, quoted: str) -> float:
    """Return the number in a cell, perhaps with a decimal comma; refuse one that is not finite."""
    text = _cell(row, column)
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Refused("table_place", name=name, place=text[:40], row=quoted)
    return value


ESCAPED = re.compile(r"\\([~=#{}:\\n])")
TITLE = re.compile(r"\s*::(.*?)::", re.DOTALL)
MARKUP = re.compile(r"^\s*\[(html|moodle|plain|markdown)\]", re.IGNORECASE)
TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
WEIGHT = re.compile(r"^%-?\d+(\.\d+)?%")
ANSWER = re.compile(r"([=~])([^=~]*)")
TRUE, FALSE = ("T", "TRUE"), ("F", "FALSE")
TRUE_FALSE = ("true", "false")
BLANK = "_____"
"""What is shown in place of answers in the middle of a sentence."""

PRIVATE = 0xE000
"""Added to the code points of escaped characters while the rest is read. The results are private
code points, which have no meaning."""


def rows_of_gift(data: bytes, name: str = "The file") -> list[Row]:
    r"""Return the questions of a file as the rows of an activity.

    Parameters
    ----------
    data
        The file.
    name
        Its name, for refusals.

    >>> [row] = rows_of_gift(b"::France::Capital of France? {~Lyon =Paris#Right! ~Nice}")
    >>> row.item, row.question, row.label, row.options
    ('France', 'Capital of France?', 'Paris', ('Lyon', 'Paris', 'Nice'))
    """
    if len(data) > LARGEST:
        raise Refused("table_large", name=name, most=LARGEST >> 20)
    text = decoded(data)
    if any(PRIVATE <= ord(one) < PRIVATE + 128 for one in text):
        raise Refused("table_no_text", name=name)
    text = ESCAPED.sub(_hidden, text.replace("\r\n", "\n"))
    lines = (line for line in text.split("\n") if not line.lstrip().startswith(("//", "$CATEGORY")))
    questions = [one for one in re.split(r"\n\s*\n", "\n".join(lines)) if one.strip()]
    if len(questions) > MOST_ITEMS:
        raise Refused("table_items", name=name, items=len(questions), most=MOST_ITEMS)
    rows = [_gift_row(question, number, name) for number, question in enumerate(questions, 1)]
    return _with_unique_names(rows)


def _hidden(escaped: re.Match[str]) -> str:
    """Return an escaped character as a private one, and a line break as a space."""
    return " " if escaped[1] == "n" else chr(PRIVATE + ord(escaped[1]))


def _gift_row(question: str, number: int, name: str) -> Row:
    """Return the item in a question of a GIFT file; ``number`` counts its questions from 1."""
    titled = TITLE.match(question)
    title = _plain(titled[1]) if titled else ""
    rest = question[titled.end() :] if titled else question
    begin, end = rest.find("{"), rest.rfind("}")
    if not 0 <= begin < end or "{" in rest[begin + 1 : end]:
        raise Refused("gift_kind", name=name, number=number)
    before, inside, after = rest[:begin], rest[begin + 1 : end], rest[end + 1 :]
    asked = _plain(f"{before} {BLANK} {after}" if after.strip() else before)
    inside, _, general = inside.partition("####")
    label, options, why = _answers(inside.strip(), number, name)
    item = (title or asked)[:LONGEST_ID]
    if not item or max(len(asked), len(general)) > LONGEST:
        raise Refused("gift_kind", name=name, number=number)
    return Row(item, label, "", "", _plain(general) or why, (), asked, options)


def _answers(inside: str, number: int, name: str) -> tuple[str, tuple[str, ...], str]:
    """Return the right answer, all options, and the feedback to the right one.

    ``inside`` is the text between the braces. A short answer has no options, and the first of
    several right ones counts. In a true-false question the first feedback is for the wrong answer.
    """
    word, *feedback = inside.split("#")
    if word.strip().upper() in TRUE + FALSE:
        right = TRUE_FALSE[word.strip().upper() in FALSE]
        return right, TRUE_FALSE, _plain(feedback[1]) if len(feedback) > 1 else ""
    found = [(sign, *_answer(body)) for sign, body in ANSWER.findall(inside)]
    right_ones = [(word, why) for sign, word, why in found if sign == "="]
    options = tuple(word for _, word, _ in found)
    short = len(right_ones) == len(found)  # a short answer: all that are listed are right
    # "->" is in questions that match pairs, which are not read.
    unsupported = not options or not all(options) or any("->" in word for word in options)
    not_one_right = len(right_ones) != 1 and not (short and right_ones)
    repeated = len(set(options)) < len(options)
    if unsupported or not_one_right or repeated or max(map(len, options)) > LONGEST_ID:
        raise Refused("gift_kind", name=name, number=number)
    if len(options) > MOST_OPTIONS and not short:
        raise Refused("gift_options", name=name, number=number, most=MOST_OPTIONS)
    return right_ones[0][0], () if short else options, right_ones[0][1]


def _answer(body: str) -> tuple[str, str]:
    """Return the text of an answer without its weight, and the feedback to it."""
    word, _, why = body.partition("#")
    return _plain(WEIGHT.sub("", word.strip())), _plain(why)


def _plain(text: str) -> str:
    """Return a text without markup, on one line, with escaped characters as they are meant."""
    bare = unescape(TAG.sub(" ", MARKUP.sub("", text)))
    meant = "".join(
        chr(ord(one) - PRIVATE) if PRIVATE <= ord(one) < PRIVATE + 128 else one for one in bare
    )
    return " ".join(meant.split())
