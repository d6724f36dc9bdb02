"""Web pages: the map, the lesson that follows from it, and the small pictures in them."""

from __future__ import annotations

import io
import warnings
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path

from homeroom._arrays import Ints
from homeroom._checks import InputError, counted
from homeroom.crowd.answers import Answers
from homeroom.crowd.atlas.scene import map_data
from homeroom.crowd.embedding import Embedding
from homeroom.crowd.group_beliefs import ONE_GROUP, GroupBelief, belief_table
from homeroom.crowd.lesson_plan import LessonItem, Syllabus
from homeroom.lessons import StoppedBecause
from homeroom.plots import Page

ENDINGS = (".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
SIDE = 96
"""The largest size of a thumbnail in pixels."""

MAX_DRAWING = 1 << 18
"""The largest drawing (``.svg``) that is embedded as it is: 256 KiB."""

MAX_PHOTO = 1 << 26
"""The largest photograph that is opened: 64 MiB."""


def read_pictures(folder: Path, items: Sequence[str]) -> dict[str, str]:
    """Return the pictures of the items that have one, as data URLs.

    The picture of an item is a file with the item's name in the folder, such as ``moth.png`` or
    ``moth.svg``; the name of an item may also include the ending.
    """
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}: --pictures needs one with a file per item.")
    files = {file.name: file for file in sorted(folder.iterdir()) if _is_picture(file)}
    stems = {file.stem: file for file in files.values()}
    found = {item: files.get(item) or stems.get(item) for item in items}
    pictures = {item: _data_url(file) for item, file in found.items() if file is not None}
    if not pictures:
        raise InputError(
            f"{folder} has no picture of any item: give the files the names of the items, "
            f"as in {items[0][:40]}.png."
        )
    return pictures


def _is_picture(file: Path) -> bool:
    return file.suffix.lower() in ENDINGS and file.is_file()


def _data_url(file: Path) -> str:
    if file.suffix.lower() == ".svg":
        return _encode("svg+xml", _drawing(file))
    return _encode("png", _thumbnail(file))


def _encode(kind: str, content: bytes) -> str:
    return f"data:image/{kind};base64,{b64encode(content).decode('ascii')}"


def _drawing(file: Path) -> bytes:
    _refuse_large(file, MAX_DRAWING)
    return file.read_bytes()


def _thumbnail(file: Path) -> bytes:
    """Return a small PNG. Pillow comes with matplotlib."""
    from PIL import Image, UnidentifiedImageError

    _refuse_large(file, MAX_PHOTO)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(file) as photo:
                photo.thumbnail((SIDE, SIDE))
                buffer = io.BytesIO()
                photo.convert("RGBA").save(buffer, format="PNG", optimize=True)
    except (
        OSError,
        ValueError,
        SyntaxError,  # raised by Pillow for a broken PNG
        UnidentifiedImageError,
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
    ):
        raise InputError(
            f"{file} cannot be read as a picture: it is damaged, too large, or of another format."
        ) from None
    return buffer.getvalue()


def _refuse_large(file: Path, most: int) -> None:
    size = file.stat().st_size
    if size > most:
        raise InputError(
            f"{file} is too large for a map ({size / 2**20:.1f} MiB, at most "
            f"{most / 2**20:g} MiB): make it smaller."
        )


MAX_NAMES = 300
"""How many annotators of a group are named on a page."""

MAX_STRIP = 40
"""How many items of a lesson are on a page."""


def map_page(
    answers: Answers,
    found: Embedding,
    groups: Ints,
    believed: Sequence[GroupBelief],
    pictures: Mapping[str, str] | None = None,
) -> Page:
    """Return the map as a page.

    Parameters
    ----------
    answers, found
        The answers, and the map of them.
    groups, believed
        The group of each annotator, and what each group believes.
    pictures
        Pictures of items by name, as :func:`read_pictures` returns them.
    """
    page = Page("A map of items and annotators")
    shown = map_data(answers, found, groups, pictures)
    with_pictures = sum(item["picture"] is not None for item in shown["items"])
    look = "a picture" if with_pictures else "a point"
    if 0 < with_pictures < len(answers.items):
        look = "a picture, or a point if it has none"
    lines = (
        f"Every annotator is a line: on one side of it they say {answers.positive!r}, on the other "
        f"{answers.negative!r}. Items that annotators answer differently are far apart, and "
        "annotators with similar lines think alike."
    )
    if len(answers.classes) > 2:
        lines = (
            "Every annotator has a region for each answer, and thin lines are the borders between "
            "them. Items that annotators answer differently are far apart, and annotators with "
            "similar borders think alike."
        )
    page.text(f"Every item is {look}. {lines} Point at anything to see what it is.")
    page.numbers(
        [
            ("annotators", f"{len(answers.people):,}"),
            ("items", f"{len(answers.items):,}"),
            ("answers", f"{len(answers):,}"),
            ("groups", str(len(believed))),
        ]
    )
    page.add("map", **shown)
    page.heading("What the groups believe")
    page.table(*belief_table(answers, believed), words=True)
    if len(believed) == 1:
        page.text(ONE_GROUP)
    for warning in found.warnings:
        page.text(f"Note: {warning}")
    page.heading("The answers")
    page.table(("", ""), answers.summary(), words=True)
    return page


def lesson_page(
    answers: Answers,
    plan: Syllabus,
    believed: Sequence[GroupBelief],
    pictures: Mapping[str, str] | None = None,
    *,
    warnings: Sequence[str] = (),
) -> Page:
    """Return the lessons for the class and for each group as a page.

    ``warnings`` are those of the map that the lessons are based on.
    """
    page = Page("Which items to show, in which order")
    beliefs = [belief.in_words(answers.positive, answers.negative) for belief in believed]
    alone = len(believed) == 1  # a single group is the class
    numbers = [
        ("examples for the class together", str(plan.whole.rounds)),
        ("for all groups together", str(plan.by_group.rounds)),
        ("per annotator in groups", f"{plan.by_group.workload:.1f}"),
    ]
    page.numbers(numbers[:1] if alone else numbers)
    page.heading("The whole class")
    if alone:
        page.text(f"The class {beliefs[0]}. {ONE_GROUP}")
    _add_strip(page, answers, plan.runs(), pictures, _ending(plan))
    for group, belief in enumerate([] if alone else believed):
        page.heading(f"Group {group + 1}: {counted(belief.people, 'annotator')}")
        page.text(f"This group {beliefs[group]}.")
        page.text(f"In this group: {_members(answers, plan, group)}.")
        _add_strip(page, answers, plan.runs(group), pictures, _ending(plan, group))
    remarks = plan.remarks()
    if plan.exceptions:
        page.heading("Exceptions")
        page.text(remarks.pop())  # the last one is on exceptions
        _add_strip(page, answers, plan.exceptions, pictures, "In any order")
    for remark in remarks:
        page.text(remark)
    for why, number in plan.left_out.items():
        page.text(f"Never shown: {counted(number, 'item')} {why}.")
    for warning in warnings:
        page.text(f"Note: {warning}")
    return page


def _members(answers: Answers, plan: Syllabus, group: int) -> str:
    """Return the names of the annotators in a group; of a large one, the first."""
    places = plan.by_group.members(group).tolist()
    names = ", ".join(answers.people[place] for place in places[:MAX_NAMES])
    rest = len(places) - MAX_NAMES
    return f"{names} and {rest} more (groups.csv has all)" if rest > 0 else names


def _ending(plan: Syllabus, group: int | None = None) -> str:
    """Return the number of examples, how to read the strip, and why a goal was missed."""
    runs, reason = plan.runs(group), plan.stopped_because(group)
    said = f"{counted(sum(one.times for one in runs), 'example')} in all"
    said += ", from the left" if len(runs) > 1 else ""
    often = any(one.times > 1 for one in runs[:MAX_STRIP])
    said += "; ×2 is twice in a row" if often else ""
    if reason is StoppedBecause.GOAL:
        return f"{said}." if runs else f"{said}: the goal is reached already."
    return f"{said}. Not learnt: stopped because {reason.value}."


def _add_strip(
    page: Page,
    answers: Answers,
    runs: Sequence[LessonItem],
    pictures: Mapping[str, str] | None,
    caption: str,
) -> None:
    """Add the items of a lesson side by side, as pictures or names."""
    cards = [
        {
            "name": one.item,
            "answer": one.answer,
            "times": one.times,
            "picture": (pictures or {}).get(one.item),
            "code": answers.classes.index(one.answer),
        }
        for one in runs[:MAX_STRIP]
    ]
    page.add("strip", cards=cards, more=max(0, len(runs) - MAX_STRIP), caption=caption)
