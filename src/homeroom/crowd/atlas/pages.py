"""Web pages: the map, the lesson that follows from it, and the small pictures in them."""

from __future__ import annotations

import io
import warnings
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np

from homeroom import _plugins
from homeroom._arrays import Ints
from homeroom._checks import InputError, counted, percent
from homeroom.crowd.answers import Answers, Codes
from homeroom.crowd.atlas.drawing import (
    DASHES,
    INK,
    STYLE,
    MapScene,
    colour_of,
    draw_map,
    drawn_people,
    invisible_groups,
    mark_of,
)
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
        return _encoded("svg+xml", _drawing(file))
    return _encoded("png", _thumbnail(file))


def _encoded(kind: str, content: bytes) -> str:
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


def scene_of(
    answers: Answers, found: Embedding, groups: Ints, pictures: Mapping[str, str] | None = None
) -> MapScene:
    """Return the contents of the drawing of this map."""
    found.check_has_axes()
    pictures = pictures or {}
    known = bool(np.isfinite(found.labels).any())
    return MapScene(
        found.items,
        found.people,
        found.thresholds,
        groups,
        found.labels,
        _item_words(answers),
        _person_words(answers, groups),
        found.target() if known else None,
        {place: pictures[name] for place, name in enumerate(answers.items) if name in pictures},
        found.uncertainty.items,
        answers.classes if len(answers.classes) > 2 else (),
    )


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
    scene = scene_of(answers, found, groups, pictures)
    look = "a picture" if scene.pictures else "a point"
    if 0 < len(scene.pictures) < len(answers.items):
        look = "a picture, or a point if it has none"
    lines = (
        f"Every annotator is a line: on one side of it they say {answers.positive!r}, on the other "
        f"{answers.negative!r}. Items that annotators answer differently are far apart, and "
        "annotators with similar lines think alike."
    )
    if scene.classes:
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
    words = (
        f"A map of {len(answers.items)} items with the lines of {len(answers.people)} annotators"
    )
    caption = _caption(found, scene)
    switches = _switches(believed, scene, ellipses=found.dimensions > 1)
    page.drawing(switches + draw_map(scene, words=words), caption)
    page.heading("What the groups believe")
    page.table(*belief_table(answers, believed), words=True)
    if len(believed) == 1:
        page.text(ONE_GROUP)
    for warning in found.warnings:
        page.text(f"Note: {warning}")
    page.heading("The answers")
    page.table(("", ""), answers.summary(), words=True)
    page.footer(f"Made by homeroom {_plugins.version()}.")
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
    strip = f"<style>{STYLE}</style>{_strip(answers, plan.runs(), pictures or {})}"
    page.drawing(strip, _ending(plan))
    for group, belief in enumerate([] if alone else believed):
        page.heading(f"Group {group + 1}: {counted(belief.people, 'annotator')}")
        page.text(f"This group {beliefs[group]}.")
        page.text(f"In this group: {_members(answers, plan, group)}.")
        page.drawing(_strip(answers, plan.runs(group), pictures or {}), _ending(plan, group))
    for why, number in plan.left_out.items():
        page.text(f"Never shown: {counted(number, 'item')} {why}.")
    for warning in warnings:
        page.text(f"Note: {warning}")
    page.footer(f"Made by homeroom {_plugins.version()}.")
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


def _strip(answers: Answers, runs: Sequence[LessonItem], pictures: Mapping[str, str]) -> str:
    """Return the items of a lesson side by side, as pictures or names."""
    cards: list[str] = []
    for one in runs[:MAX_STRIP]:
        answer = one.answer
        often = f" ×{one.times}" if one.times > 1 else ""
        image = pictures.get(one.item)
        look = f'<img alt="" src="{image}">' if image else ""
        kind = f'class="{"yes" if one.yes else "no"}"'
        if len(answers.classes) > 2:
            colour = colour_of(answers.classes.index(answer))
            kind = f'class="class" style="border-top-color:{colour}"'
        cards.append(
            f"<li {kind}>{look}<b>{escape(one.item)}</b><span>{escape(answer)}{often}</span></li>"
        )
    if len(runs) > MAX_STRIP:
        cards.append(f"<li><b>...</b><span>{len(runs) - MAX_STRIP} more</span></li>")
    return f'<ol class="strip">{"".join(cards)}</ol>'


def _switches(believed: Sequence[GroupBelief], scene: MapScene, *, ellipses: bool) -> str:
    """Return a checkbox per group, which shows and hides it, and one for the ellipses.

    With more than two classes, a line before them shows what the classes look like.
    """
    boxes = "".join(
        f'<label><input type="checkbox" checked class="s{group}">{_swatch(group, scene)}'
        f"group {group + 1} ({counted(belief.people, 'annotator')})</label>"
        for group, belief in enumerate(believed)
    )
    if ellipses:
        boxes += '<label><input type="checkbox" class="sureness">uncertainty of places</label>'
    rules = "".join(
        f".drawn:has(.s{group}:not(:checked)) .g{group} {{ display: none; }}"
        for group in range(len(believed))
    )
    legend = "".join(
        f'<label><svg viewBox="-8 -8 16 16">{mark_of(code, 6)}</svg>{escape(name)}</label>'
        for code, name in enumerate(scene.classes)
    )
    legend = f'<div class="switches">{legend}</div>' if legend else ""
    return f'<style>{STYLE}{rules}</style>{legend}<div class="switches">{boxes}</div>'


def _swatch(group: int, scene: MapScene) -> str:
    """Return how the lines of a group look: their colour, or how they are dashed."""
    if not scene.classes:
        return f'<i style="background:{colour_of(group)}"></i>'
    dashes = f' stroke-dasharray="{DASHES[group % len(DASHES)]}"' if group else ""
    return (
        f'<svg viewBox="0 0 30 16"><line x1="0" y1="8" x2="30" y2="8" stroke="{INK}" '
        f'stroke-width="2"{dashes}/></svg>'
    )


def _caption(found: Embedding, scene: MapScene) -> str:
    """Return the caption of a map: what points, lines and regions mean."""
    said = [_of_labels(scene)]
    if scene.classes:
        whose = "those of the target" if scene.target is not None else "those of the whole crowd"
        said.append(f"Pale regions are {whose}. Thick lines are borders of the middles of groups.")
    else:
        if scene.target is not None:
            said.append("The dashed line is the target, its yes-side is shaded.")
        said.append("Thick lines are the middles of the groups, with an arrow to the yes-side.")
    said += _of_ellipses(found)
    same = "gives the same answer to all items"
    same += "" if found.dimensions < 3 else ", or decides by the axes that are not drawn"
    said += [
        f"That of group {group + 1} is not visible: the group {same}."
        for group in invisible_groups(scene)
    ]
    drawn, people = len(drawn_people(scene.groups)), len(scene.groups)
    if drawn < people:
        said.append(f"Of {people} annotators {drawn} are drawn, some of each group.")
    if found.dimensions == 1:
        said.append(
            "The map has one dimension, from left to right; items at one place are stacked."
        )
    if found.dimensions > 2:
        said.append(
            f"The map has {found.dimensions} dimensions, of which the first two are drawn, with "
            "the others at zero."
        )
    return " ".join(said)


def _of_labels(scene: MapScene) -> str:
    """Return what the appearance of items means, as far as there are such items."""
    known = np.isfinite(scene.labels)
    if not known.any():
        return "No item has an expert's label."
    looks = "Filled points are the expert's yes, hollow ones no"
    if scene.classes:
        looks = "Marks and frames have the shape and colour of the expert's label"
    elif scene.pictures:
        looks = "Solid frames are the expert's yes, dashed ones no"
        if len(scene.pictures) < len(scene.items):
            looks = "Solid frames and filled points are the expert's yes, dashed and hollow ones no"
    return f"{looks}." if known.all() else f"{looks}, grey ones have no label."


def _of_ellipses(found: Embedding) -> list[str]:
    """Return what the ellipses mean, and how reliable they are."""
    if found.dimensions < 2:
        return []
    worth = ""
    if not found.uncertainty.joint:
        worth = ": they do not include the uncertainty of annotators, and are too small"
    elif len(found.classes) == 2:
        worth = ": in 50 simulated crowds they held 98 % of the items"
    return [
        "Ellipses (tick the box) hold an item with a probability of 95 %, by the curvature at the "
        f"most probable map{worth}."
    ]


def _class_words(whose: Codes, names: Sequence[str], answers: Answers) -> list[str]:
    """Return the three most common answers of each annotator, or to each item."""
    classes = len(answers.classes)
    cells = np.bincount(whose * np.int64(classes) + answers.choices, minlength=len(names) * classes)
    said = cells.reshape(len(names), classes)
    order = np.argsort(-said, axis=1, kind="stable")[:, :3]
    return [
        ", ".join(f"{answers.classes[at]!r} {row[at]}" for at in best if row[at]) or "no answer"
        for row, best in zip(said.tolist(), order.tolist(), strict=True)
    ]


def _item_words(answers: Answers) -> list[str]:
    """Return the tooltip of each item: its name, the label, and how annotators answered."""
    if len(answers.classes) > 2:
        said = _class_words(answers.item, answers.items, answers)
        experts = [repr(answers.classes[at]) if at >= 0 else "nothing" for at in answers.experts]
        rows = zip(answers.items, experts, said, strict=True)
        return [
            f"{name}: the expert says {label}, annotators {words}" for name, label, words in rows
        ]
    asked = np.bincount(answers.item, minlength=len(answers.items))
    yes = np.bincount(answers.item, answers.yes, minlength=len(answers.items))
    expert = {1.0: answers.positive, -1.0: answers.negative}
    return [
        f"{name}: the expert says {expert.get(label, 'nothing')!r}, "
        f"{percent(said / max(1, number))} of {counted(number, 'annotator')} "
        f"{answers.positive!r}"
        for name, label, number, said in zip(
            answers.items, answers.labels.tolist(), asked.tolist(), yes.tolist(), strict=True
        )
    ]


def _person_words(answers: Answers, groups: Ints) -> list[str]:
    """Return the tooltip of each annotator: name, group, and how they answered."""
    if len(answers.classes) > 2:
        said = _class_words(answers.person, answers.people, answers)
        rows = zip(answers.people, groups.tolist(), said, strict=True)
        return [f"{name}, group {group + 1}: {words}" for name, group, words in rows]
    given = np.bincount(answers.person, minlength=len(answers.people))
    yes = np.bincount(answers.person, answers.yes, minlength=len(answers.people))
    return [
        f"{name}, group {group + 1}: {answers.positive!r} in {percent(said / max(1, number))} "
        f"of {counted(number, 'answer')}"
        for name, group, number, said in zip(
            answers.people, groups.tolist(), given.tolist(), yes.tolist(), strict=True
        )
    ]
