"""Reading an activity from files: a table with pictures, or the map of a crowd."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np

from homeroom._checks import InputError
from homeroom.crowd import Embedding
from homeroom.crowd.rule import expert_rule
from homeroom.live.activities import archive, table
from homeroom.live.activities.base import Activity, Item, Picture
from homeroom.live.activities.table import Row
from homeroom.live.events import new_id
from homeroom.live.refused import Refused

YES = ("yes", "true", "1", "+1", "y", "right", "ja", "oui", "wahr")
NO = ("no", "false", "0", "-1", "n", "wrong", "nein", "non", "falsch")
FEWEST = 4
"""The smallest number of items of an activity."""

LONGEST_NAME = 80
MEDIA = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
MOST_PIXELS = 25_000_000
LARGEST_PICTURE = 8 * 2**20
"""The largest size of a picture: 8 MiB."""


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
        The title of the activity; by default the name of its file.
    question
        The question; by default, which of the two labels it is.

    Raises
    ------
    Refused
        If the files are not an activity: what was expected, and what was found.
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
        The path; pictures are beside the table, or in other folders.
    name, question
        As for :func:`read_upload`.
    """
    place = Path(folder)
    try:
        if place.is_file():
            return read_upload([(place.name, place.read_bytes())], name=name, question=question)
        inside = sorted(path for path in place.rglob("*") if path.is_file())
        if not inside:
            next(place.iterdir(), None)  # raises if the folder does not exist
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
    _ = activity.space  # refuses an activity that cannot be taught
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
    """Return the picture of each item: the file in its row, or one with the item's name."""
    files = _by_name(images)
    found: dict[str, Picture] = {}
    left = archive.MOST_BYTES  # a file that several items name counts for each
    for row in rows:
        name = row.picture.replace("\\", "/").removeprefix("./") or row.item
        some = files.get(name.casefold()) or files.get(row.item.casefold()) or []
        if len(some) > 1:
            raise Refused("several_pictures", picture=name[:60], example=some[0][:80])
        if not some and row.picture:
            raise Refused("picture_missing", picture=row.picture[:60])
        for file in some:
            found[row.item] = checked_picture(PurePosixPath(file).name, images[file])
            left -= len(images[file])
        if left < 0:
            raise Refused("pictures_large", most=archive.MOST_BYTES >> 20)
    return found


def _by_name(files: Iterable[str]) -> dict[str, list[str]]:
    """Return the files by name: with any part of their folders, and without the ending."""
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
    """Return the places of the items, if the table has them, and the rule for their labels."""
    if not rows[0].place:
        return None, None
    where = np.array([row.place for row in rows])
    labels = np.array([np.nan if item.label is None else float(item.label) for item in items])
    target = expert_rule(where, labels).target
    return {row.item: row.place for row in rows}, tuple(target.tolist())


def checked_picture(name: str, data: bytes) -> Picture:
    """Return the bytes of an image file as a picture; only the header is decoded.

    Refuses unknown formats, and pictures that would fill a phone's memory.
    """
    from PIL import Image, UnidentifiedImageError  # here, because the import is slow

    if len(data) > LARGEST_PICTURE:
        size, most = len(data) >> 20, LARGEST_PICTURE >> 20
        raise Refused("picture_large", name=name, size=size, most=most)
    too_many_pixels = Refused("picture_pixels", name=name, most=MOST_PIXELS // 10**6)
    try:
        with Image.open(io.BytesIO(data), formats=tuple(MEDIA)) as image:
            kind, (width, height) = str(image.format), image.size
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise too_many_pixels from None
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, struct.error):
        raise Refused("picture_kind", name=name) from None
    if width * height > MOST_PIXELS:
        raise too_many_pixels
    return Picture(MEDIA[kind], data)


def from_embedding(
    found: Embedding | str | PathLike[str],
    *,
    name: str = "Map",
    question: str = "Yes or no?",
    yes: str = "yes",
    no: str = "no",
    pictures: Mapping[str, Picture] | None = None,
) -> Upload:
    """Return an activity with the items of a crowd's map, which teaches the expert's rule.

    Parameters
    ----------
    found
        The map, or the ``.npz`` file that it was saved to.
    name, question, yes, no
        The texts that teachers and students read.
    pictures
        The picture of each item, by its name; items without one are shown by their names.
    """
    try:
        crowd = found if isinstance(found, Embedding) else Embedding.load(found)
        if len(crowd.classes) > 2:
            raise InputError(
                f"a live lesson takes maps with two answers, not {len(crowd.classes)}."
            )
        target = crowd.target()
    except ValueError as why:
        raise Refused("map_unreadable", why=str(why)) from None
    shown = dict(pictures or {})
    items = tuple(
        Item(
            item,
            int(label) if np.isfinite(label) else None,
            None if item in shown else item,
            item in shown,
        )
        for item, label in zip(crowd.item_names, crowd.labels.tolist(), strict=True)
    )
    places = zip(crowd.item_names, crowd.items.tolist(), strict=True)
    activity = Activity(
        new_id(),
        name,
        items,
        question,
        yes,
        no,
        places={item: tuple(place) for item, place in places},
        target=tuple(target.tolist()),
    )
    return Upload(activity, {item: shown[item] for item in crowd.item_names if item in shown})


def read_place(place: str | PathLike[str]) -> Upload:
    """Return the activity at a path: a folder, a zip, a table, or a crowd's map (``.npz``).

    An unchanged activity has the same id every time, so that it is not added twice.

    Parameters
    ----------
    place
        The path. A map's labels are called yes and no; a table can name them.
    """
    path = Path(place)
    found = from_embedding(path, name=path.stem) if path.suffix == ".npz" else read_folder(path)
    return Upload(replace(found.activity, id=fingerprint(found)), found.pictures)


def fingerprint(upload: Upload) -> str:
    """Return a hash of an activity's items and pictures."""
    text = json.dumps(replace(upload.activity, id="").to_json(), sort_keys=True)
    digest = sha256(text.encode())
    for item, picture in sorted(upload.pictures.items()):
        digest.update(f"{item} {len(picture.data)} ".encode() + picture.data)
    return digest.hexdigest()[:16]
