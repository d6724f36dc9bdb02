r"""Questions in the text formats of other programs: GIFT, Aiken and XML of Moodle, and cards.

In GIFT a question is a paragraph, ``::title::text {answers}``. ``=`` is before a right answer,
``~`` before a wrong one, ``#`` before feedback, ``####`` before the feedback for all, and ``\``
before a character that means itself. In Aiken, lines ``A. text`` follow a question, then
``ANSWER: A``. Cards of Anki and Quizlet are lines of two cells. Multiple choice, true or false, and
short answers are read; other questions are left out, and named.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import TypeAlias
from xml.etree import ElementTree

from homeroom._checks import InputError
from homeroom.live.activities.base import MOST_OPTIONS
from homeroom.live.activities.table import (
    LARGEST,
    LONGEST,
    LONGEST_ID,
    MOST_ITEMS,
    Questions,
    Row,
    read_table,
    with_unique_names,
)
from homeroom.live.refused import Refused
from homeroom.tables.text import decoded

Asked: TypeAlias = "Row | str"
"""A question that can be asked, or the name of one that cannot."""

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

AIKEN_OPTION = re.compile(r"([A-Z])[.)]\s+(\S.*)")
AIKEN_ANSWER = re.compile(r"ANSWER:\s*([A-Z])", re.IGNORECASE)
ANKI = re.compile(r"#([\w ]+):(.*)")
ANKI_MARKS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " ", "colon": ":"}
ANKI_ASIDE = ("tags column", "notetype column", "deck column", "guid column")
"""Lines above cards that name columns without a question or an answer."""


def read_questions(data: bytes, name: str = "The file") -> Questions:
    """Return the questions of a text file, whatever its format.

    Parameters
    ----------
    data
        The file.
    name
        Its name, for refusals.
    """
    if len(data) > LARGEST:
        raise Refused("table_large", name=name, most=LARGEST >> 20)
    try:
        text = decoded(data).replace("\r\n", "\n").replace("\r", "\n")
    except InputError as why:
        raise Refused("table_unreadable", name=name, why=str(why)) from None
    if any(PRIVATE <= ord(one) < PRIVATE + 128 for one in text):
        raise Refused("table_no_text", name=name)
    if text.lstrip("\ufeff \n\t").startswith("<"):
        return _questions(_moodle_questions(text, name), name)
    if any(AIKEN_ANSWER.fullmatch(line.strip()) for line in text.split("\n")):
        return _questions(_aiken_questions(text), name)
    if "{" in text:
        return _questions(_gift_questions(text), name)
    try:
        return read_table(data, name)
    except Refused:
        if not any(map(_are_cards, text.split("\n")[:LINES])):
            raise
    try:
        return _questions(_cards(text), name)
    except csv.Error as why:
        raise Refused("table_unreadable", name=name, why=str(why)) from None


LINES = 100
"""How many lines are looked at to see if they are cards."""


def rows_of_gift(data: bytes, name: str = "The file") -> list[Row]:
    r"""Return the questions of a file as the rows of an activity.

    >>> [row] = rows_of_gift(b"::France::Capital of France? {~Lyon =Paris#Right! ~Nice}")
    >>> row.item, row.question, row.label, row.options
    ('France', 'Capital of France?', 'Paris', ('Lyon', 'Paris', 'Nice'))
    """
    return read_questions(data, name).rows


def _questions(found: Iterable[Asked], name: str) -> Questions:
    """Return the questions that can be asked; refuse too many, or none at all."""
    every = list(found)
    rows = [one for one in every if isinstance(one, Row)]
    if len(every) > MOST_ITEMS:
        raise Refused("table_items", name=name, items=len(every), most=MOST_ITEMS)
    if every and not rows:
        raise Refused("gift_kind", name=name)
    skipped = tuple(one[:LONGEST_ID] for one in every if isinstance(one, str))
    return Questions(with_unique_names(rows), skipped)


def _row(title: str, asked: str, label: str, options: tuple[str, ...] = (), why: str = "") -> Asked:
    """Return a question as the row of an activity; its name if it cannot be asked."""
    item = (title or asked)[:LONGEST_ID]
    words = options or (label,)
    too_long = max(len(asked), len(why)) > LONGEST or max(map(len, words)) > LONGEST_ID
    repeated = len(set(options)) < len(options) or len(options) == 1 or not all(words)
    if not item or too_long or repeated or len(options) > MOST_OPTIONS or not item.isprintable():
        return item or "a question without text"
    return Row(item, label, "", "", why, (), asked, options)


def _aiken_questions(text: str) -> Iterator[Asked]:
    """Yield the questions of a file in Aiken's format."""
    asked: list[str] = []
    options: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.split("\n"))):
        option, answer = AIKEN_OPTION.fullmatch(line), AIKEN_ANSWER.fullmatch(line)
        if answer:
            title = _plain(" ".join(asked))
            label = options.get(answer[1].upper())
            words = tuple(options.values())
            yield title if label is None else _row("", title, label, words)
            asked, options = [], {}
        elif option and asked:
            options[option[1]] = _plain(option[2])
        else:
            asked.append(line)
    if asked:
        yield _plain(" ".join(asked))


def _are_cards(line: str) -> bool:
    return line.count("\t") >= 1 or bool(ANKI.fullmatch(line))


def _cards(text: str) -> Iterator[Asked]:
    """Yield the cards of Anki or Quizlet: the front is asked, and the back is the answer."""
    lines = text.split("\n")
    about = {
        found[1].strip().lower(): found[2].strip()
        for line in lines
        if (found := ANKI.fullmatch(line))
    }
    mark = about.get("separator", "tab")
    aside = {int(about[key]) - 1 for key in ANKI_ASIDE if about.get(key, "").isdecimal()}
    body = [line for line in lines if line.strip() and not ANKI.fullmatch(line)]
    mark = ANKI_MARKS.get(mark.lower(), mark if mark in ANKI_MARKS.values() else "\t")
    for row in csv.reader(body, delimiter=mark):
        cells = [_plain(cell) for at, cell in enumerate(row) if at not in aside]
        if len(cells) < 2 or not cells[0] or not cells[1]:
            yield cells[0] if cells and cells[0] else "a card without text"
        else:
            yield _row(cells[0], cells[0], cells[1])


def _moodle_questions(text: str, name: str) -> Iterator[Asked]:
    """Yield the questions of a file in Moodle's XML, in which entities may not be defined."""
    if re.search("<!(DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise Refused("table_unreadable", name=name, why="it defines entities")
    try:
        tree = ElementTree.fromstring(text.lstrip("\ufeff \n\t"))
    except ElementTree.ParseError as why:
        raise Refused("table_unreadable", name=name, why=str(why)) from None
    for question in tree.iter("question"):
        if question.get("type") != "category":
            yield _moodle_question(question)


def _moodle_question(question: ElementTree.Element) -> Asked:
    """Return one question of Moodle's XML."""

    def words(element: ElementTree.Element | None, path: str = "text") -> str:
        return "" if element is None else _plain(element.findtext(path) or "")

    title = words(question.find("name"))
    asked = words(question.find("questiontext"))
    answers = question.findall("answer")
    right = [one for one in answers if _fraction(one) > 0]
    kind = question.get("type")
    is_short = kind == "shortanswer" and bool(right)
    is_choice = kind in ("multichoice", "truefalse") and len(right) == 1
    if not is_short and not is_choice:
        return title or asked
    best = max(right, key=_fraction)
    why = words(question.find("generalfeedback")) or words(best.find("feedback"))
    options = () if is_short else tuple(map(words, answers))
    return _row(title, asked, words(best), options, why)


def _fraction(answer: ElementTree.Element) -> float:
    try:
        return float(answer.get("fraction", "0"))
    except ValueError:
        return 0.0


def _gift_questions(text: str) -> Iterator[Asked]:
    """Yield the questions of a GIFT file."""
    text = ESCAPED.sub(_hide, text)
    lines = (line for line in text.split("\n") if not line.lstrip().startswith(("//", "$CATEGORY")))
    for question in re.split(r"\n\s*\n", "\n".join(lines)):
        if question.strip():
            yield _gift_question(question)


def _hide(escaped: re.Match[str]) -> str:
    """Return an escaped character as a private one, and a line break as a space."""
    return " " if escaped[1] == "n" else chr(PRIVATE + ord(escaped[1]))


def _gift_question(question: str) -> Asked:
    """Return one question of a GIFT file."""
    titled = TITLE.match(question)
    title = _plain(titled[1]) if titled else ""
    rest = question[titled.end() :] if titled else question
    begin, end = rest.find("{"), rest.rfind("}")
    if not 0 <= begin < end or "{" in rest[begin + 1 : end]:
        return title or _plain(rest)
    before, inside, after = rest[:begin], rest[begin + 1 : end], rest[end + 1 :]
    asked = _plain(f"{before} {BLANK} {after}" if after.strip() else before)
    inside, _, general = inside.partition("####")
    found = _gift_answers(inside.strip())
    if found is None:
        return title or asked
    label, options, why = found
    return _row(title, asked, label, options, _plain(general) or why)


def _gift_answers(inside: str) -> tuple[str, tuple[str, ...], str] | None:
    """Return the right answer, all options, and the feedback to the right one.

    ``inside`` is the text between the braces. A short answer has no options, and the first of
    several right ones counts. In a true-false question the first feedback is for the wrong answer.
    ``None`` for other questions.
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
    if unsupported or not_one_right or len(set(options)) < len(options):
        return None
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
