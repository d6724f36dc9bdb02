r"""Questions in Moodle's GIFT format: multiple choice, true or false, and short answers.

Moodle's own description of the format: a question is a paragraph, ``::title::text {answers}``.
``=`` is before a right answer, ``~`` before a wrong one, ``#`` before feedback, ``####`` before the
feedback for all, and ``\`` before a character that means itself.
"""

from __future__ import annotations

import re
from html import unescape
from itertools import count

from homeroom.live.activities.table import LARGEST, LONGEST, LONGEST_ID, MOST_ITEMS, Row
from homeroom.live.refused import Refused
from homeroom.tables.text import decoded

ESCAPED = re.compile(r"\\([~=#{}:\\n])")
TITLE = re.compile(r"\s*::(.*?)::", re.DOTALL)
MARKUP = re.compile(r"^\s*\[(html|moodle|plain|markdown)\]", re.IGNORECASE)
TAG = re.compile(r"<[^<>]*>")
WEIGHT = re.compile(r"^%-?\d+(\.\d+)?%")
ANSWER = re.compile(r"([=~])([^=~]*)")
TRUE, FALSE = ("T", "TRUE"), ("F", "FALSE")
TRUE_FALSE = ("true", "false")
BLANK = "_____"
"""What is shown in place of answers in the middle of a sentence."""

PRIVATE = 0xE000
"""Where escaped characters are kept while the rest is read: code points without a meaning."""


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
    text = ESCAPED.sub(lambda found: chr(PRIVATE + ord(found[1])), text.replace("\r\n", "\n"))
    lines = (line for line in text.split("\n") if not line.lstrip().startswith(("//", "$CATEGORY")))
    questions = [one for one in re.split(r"\n\s*\n", "\n".join(lines)) if one.strip()]
    if len(questions) > MOST_ITEMS:
        raise Refused("table_items", name=name, items=len(questions), most=MOST_ITEMS)
    rows: list[Row] = []
    for number, question in enumerate(questions, 1):
        row = _row(question, number, name)
        taken = {one.item for one in rows}
        names = (row.item if turn == 1 else f"{row.item} ({turn})" for turn in count(1))
        rows.append(row._replace(item=next(one for one in names if one not in taken)))
    return rows


def _row(question: str, number: int, name: str) -> Row:
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
    """Return the right answer, all answers, and the feedback to the right one."""
    word, *feedback = inside.split("#")
    if word.strip().upper() in TRUE + FALSE:
        right = TRUE_FALSE[word.strip().upper() in FALSE]
        return right, TRUE_FALSE, _plain(feedback[-1]) if feedback else ""
    found = [(sign, *_answer(body)) for sign, body in ANSWER.findall(inside)]
    right_ones = [(word, why) for sign, word, why in found if sign == "="]
    options = tuple(word for _, word, _ in found)
    short = len(right_ones) == len(found)
    odd = not options or not all(options) or any("->" in word for word in options)
    several = len(right_ones) != 1 and not (short and right_ones)
    same = len(set(options)) < len(options)
    if odd or several or same or max(map(len, options)) > LONGEST_ID:
        raise Refused("gift_kind", name=name, number=number)
    return right_ones[0][0], () if short else options, right_ones[0][1]


def _answer(body: str) -> tuple[str, str]:
    word, _, why = body.partition("#")
    return _plain(WEIGHT.sub("", word.strip())), _plain(why)


def _plain(text: str) -> str:
    """Return a text without markup, on one line, with escaped characters as they are meant."""
    bare = unescape(TAG.sub(" ", MARKUP.sub("", text)))
    meant = "".join(
        chr(ord(one) - PRIVATE) if PRIVATE <= ord(one) < PRIVATE + 128 else one for one in bare
    )
    return " ".join(meant.split())
