"""An activity from files: a table of items and their pictures, in a folder, a zip or an upload."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np

from homeroom.crowd.rule import expert_rule
from homeroom.live.activities import archive, pictures, table
from homeroom.live.activities.base import Activity, Item, Picture
from homeroom.live.activities.table import Row
from homeroom.live.events import new_id
from homeroom.live.refused import Refused

YES = ("yes", "true", "1", "+1", "y", "right", "ja", "oui", "wahr")
NO = ("no", "false", "0", "-1", "n", "wrong", "nein", "non", "falsch")
FEWEST = 4
"""How many items an activity has at least."""

LONGEST_NAME = 80


class Upload(NamedTuple):
    """An activity, and the picture of each item that has one."""

    activity: Activity
    pictures: dict[str, Picture]


def read_upload(
    files: Sequence[tuple[str, bytes]], *, name: str = "", question: str = ""
) -> Upload:
    """Return an activity from uploaded files: one zip, or a table and pictures.

    Parameters
    ----------
    files
        Names and contents.
    name
        What teachers call the activity; unless given, as its file is called.
    question
        What is asked of every item; unless given, which of the two labels it is.

    Raises
    ------
    Refused
        If this is no activity: what was expected, what came.
    """
    found = {file: data for file, data in files if data or file}
    if len(files) == 1 and files[0][0].lower().endswith(".zip"):
        found = archive.unpacked(files[0][1])
        name = name or PurePosixPath(files[0][0]).stem
    tables = [file for file in found if file.lower().endswith((".csv", ".tsv"))]
    if len(tables) != 1:
        raise Refused("one_table", tables=len(tables))
    path = tables[0]
    rows = table.rows_of(found[path], PurePosixPath(path).name)
    name = (name or PurePosixPath(path).stem).strip()[:LONGEST_NAME]
    images = {file: data for file, data in found.items() if file != path}
    return _made(rows, images, name if name.isprintable() else "Activity", question)


def read_folder(folder: str | PathLike[str], *, name: str = "", question: str = "") -> Upload:
    """Return an activity from a folder, or from a ``.zip`` or ``.csv`` file.

    Parameters
    ----------
    folder
        Where the table is, with the pictures beside it or in folders of their own.
    name, question
        As for :func:`read_upload`.
    """
    place = Path(folder)
    try:
        if place.is_file():
            return read_upload([(place.name, place.read_bytes())], name=name, question=question)
        inside = sorted(path for path in place.rglob("*") if path.is_file())
        if not inside:
            next(place.iterdir(), None)  # says it if the folder is not there
        if len(inside) > archive.MOST_FILES:
            raise Refused(
                "folder_files", place=str(place), files=len(inside), most=archive.MOST_FILES
            )
        files = [(path.relative_to(place).as_posix(), path.read_bytes()) for path in inside]
    except OSError as why:
        raise Refused("folder_unreadable", place=str(place), why=str(why.strerror)) from None
    return read_upload(files, name=name or place.name, question=question)


def _made(rows: list[Row], images: Mapping[str, bytes], name: str, question: str) -> Upload:
    ids = [row.item for row in rows]
    if len(rows) < FEWEST:
        raise Refused("few_items", fewest=FEWEST, items=len(rows))
    twice = next((item for item in ids if ids.count(item) > 1), None)
    if twice is not None:
        raise Refused("item_twice", item=twice[:60])
    yes, no = the_two([row.label for row in rows if row.label])
    found = _pictures(rows, images)
    items = tuple(
        Item(
            row.item,
            None if not row.label else (1 if row.label == yes else -1),
            row.text or (None if row.item in found else row.item),
            row.item in found,
            row.explanation or None,
        )
        for row in rows
    )
    places, target = _map(rows, items)
    asked = question.strip()[:200] or f"{yes} or {no}?"
    activity = Activity(new_id(), name, items, asked, yes, no, places=places, target=target)
    _ = activity.space  # refuses what cannot be taught
    return Upload(activity, found)


def the_two(labels: Sequence[str]) -> tuple[str, str]:
    """Return the label that counts as yes, and the other.

    >>> the_two(["no", "yes", "no"]), the_two(["moth", "butterfly"])
    (('yes', 'no'), ('moth', 'butterfly'))
    """
    different = list(dict.fromkeys(labels))
    if len(different) != 2:
        shown = ", ".join(repr(label[:30]) for label in different[:4]) or "none"
        raise Refused("two_labels", count=len(different), labels=shown)
    first, second = different
    if first.casefold() in NO or second.casefold() in YES:
        first, second = second, first
    return first, second


def _pictures(rows: list[Row], images: Mapping[str, bytes]) -> dict[str, Picture]:
    """Return the picture of each item: the file it names, or one that is called like it."""
    files = _by_name(images)
    found: dict[str, Picture] = {}
    left = archive.MOST_BYTES  # each item keeps its own, also where several name the same file
    for row in rows:
        said = row.picture.replace("\\", "/").removeprefix("./") or row.item
        some = files.get(said.casefold()) or files.get(row.item.casefold()) or []
        if len(some) > 1:
            raise Refused("several_pictures", picture=said[:60], example=some[0][:80])
        if not some and row.picture:
            raise Refused("picture_missing", picture=row.picture[:60])
        for file in some:
            found[row.item] = pictures.checked(PurePosixPath(file).name, images[file])
            left -= len(images[file])
        if left < 0:
            raise Refused("pictures_large", most=archive.MOST_BYTES >> 20)
    return found


def _by_name(files: Iterable[str]) -> dict[str, list[str]]:
    """Return the files with each name: with any part of their folders, or less what it ends in."""
    named: dict[str, list[str]] = {}
    for file in files:
        parts = PurePosixPath(file).parts
        names = {"/".join(parts[place:]) for place in range(len(parts))}
        for name in {*names, PurePosixPath(file).stem}:
            named.setdefault(name.casefold(), []).append(file)
    return named


def _map(
    rows: list[Row], items: Sequence[Item]
) -> tuple[dict[str, tuple[float, ...]] | None, tuple[float, ...] | None]:
    """Return where the items lie, if the table says so, and the rule that fits their labels."""
    if not rows[0].place:
        return None, None
    where = np.array([row.place for row in rows])
    labels = np.array([np.nan if item.label is None else float(item.label) for item in items])
    target = expert_rule(where, labels).target
    return {row.item: row.place for row in rows}, tuple(target.tolist())
