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
from homeroom.live.activities import archive
from homeroom.live.activities.base import (
    MOST_OPTIONS,
    WHICH,
    YES_OR_NO,
    Activity,
    Item,
    Picture,
    values_of,
)
from homeroom.live.activities.questions import read_questions
from homeroom.live.activities.table import Row, read_table
from homeroom.live.ids import new_id
from homeroom.live.refused import Refused

YES = ("yes", "true", "1", "+1", "y", "right", "ja", "oui", "wahr")
NO = ("no", "false", "0", "-1", "n", "wrong", "nein", "non", "falsch")
FEWEST = 4
"""The smallest number of items of an activity."""

CHOICES = 4
"""The number of options of an item whose options are made from the labels of the others."""

SHORT = 40
"""Up to this many items without places on a map are taken as facts, each learned separately. A
pre-test asks about half of this number."""

QUESTIONS = (".gift", ".aiken", ".xml", ".txt")
TABLES = (".csv", ".tsv", ".xlsx", ".ods", *QUESTIONS)
"""The endings of tables: text, spreadsheets, and questions of Moodle, Anki and Quizlet."""

LONGEST_NAME = 80
MEDIA = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
HEIC = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1")
"""The kinds of photos that phones save and browsers do not show."""

MOST_PIXELS = 25_000_000
LARGEST_PICTURE = 8 * 2**20
"""The largest size of a picture: 8 MiB."""

LARGEST_SIDE = 1600
"""The longest side of a photo, in pixels, as it is kept."""


class Upload(NamedTuple):
    """An activity, the picture of each item that has one, and the questions that were left out."""

    activity: Activity
    pictures: dict[str, Picture]
    skipped: tuple[str, ...] = ()


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
        The question; by default, which of the labels it is.

    Raises
    ------
    Refused
        If the files are not an activity: what was expected, and what was found.
    """
    found = {file: data for file, data in files if data or file}
    if len(files) == 1 and files[0][0].lower().endswith(".zip"):
        found = archive.unpacked(files[0][1])
        name = name or PurePosixPath(files[0][0]).stem
    tables = [file for file in found if file.lower().endswith(TABLES)]
    if len(tables) != 1:
        raise Refused("one_table", tables=len(tables))
    path = tables[0]
    read = read_questions if path.lower().endswith(QUESTIONS) else read_table
    rows, skipped = read(found[path], PurePosixPath(path).name)
    name = (name or PurePosixPath(path).stem).strip()[:LONGEST_NAME]
    images = {file: data for file, data in found.items() if file != path}
    made = _made(rows, images, name if name.isprintable() else "Activity", question)
    return made._replace(skipped=skipped)


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
    """Return an activity from the rows of its table and its images; refuse unusable ones."""
    ids = [row.item for row in rows]
    if len(rows) < FEWEST:
        raise Refused("few_items", fewest=FEWEST, items=len(rows))
    twice = next((item for item in ids if ids.count(item) > 1), None)
    if twice is not None:
        raise Refused("item_twice", item=twice[:60])
    rows = with_options(rows)
    shared = [row for row in rows if not row.options]
    words = the_labels([row.label for row in shared if row.label]) if shared else ()
    found = _pictures(rows, images)
    items = tuple(
        Item(
            row.item,
            _number_of(row, row.options or words),
            row.text or (None if row.item in found or row.question else row.item),
            row.item in found,
            row.explanation or None,
            row.question or None,
            row.options,
        )
        for row in rows
    )
    yes, no = words if len(words) == 2 else ("yes", "no")
    asked = f"{yes} or {no}?" if len(words) == 2 else WHICH
    activity = Activity(
        new_id(),
        name,
        items,
        question.strip()[:200] or asked,
        yes,
        no,
        places={row.item: row.place for row in rows} if rows[0].place else None,
        options=words if len(words) > 2 else (),
        # Answers alone do not show whether one item teaches another. In a short list, each is
        # taught by itself, so that no item that a student missed is left out.
        facts=all(row.options for row in rows) or (not rows[0].place and len(rows) <= SHORT),
    )
    if activity.places is not None and activity.has_rule:
        activity = replace(activity, target=_rule(activity))
        _ = activity.space  # refuses an activity that cannot be taught
    return Upload(activity, found)


def with_options(rows: list[Row]) -> list[Row]:
    """Return the rows with options where they need their own.

    Options of a table in which the right one is always in the same place are shuffled: students
    would notice. If there are more labels than options allowed, as in a list of capitals, each item
    gets its own label and three others as options. They are the same every time.
    """
    own = [row for row in rows if row.options]
    for row in own:
        if row.label and row.label not in row.options:
            raise Refused("option_missing", item=row.item[:60], label=row.label[:60])
    places = {row.options.index(row.label) for row in own if row.label}
    if len(own) > 1 and len(places) == 1:
        rows = [row._replace(options=_shuffled(row.item, row.options)) for row in rows]
    labels = list(dict.fromkeys(row.label for row in rows if row.label and not row.options))
    if len(labels) <= MOST_OPTIONS:
        return rows
    return [row if row.options else row._replace(options=_made_up(row, labels)) for row in rows]


def _made_up(row: Row, labels: Sequence[str]) -> tuple[str, ...]:
    """Return options for an item: its label and three other labels, shuffled."""
    others = _shuffled(row.item, [label for label in labels if label != row.label])
    return _shuffled(row.label, [row.label or others[-1], *others[: CHOICES - 1]])


def _shuffled(seed: str, options: Sequence[str]) -> tuple[str, ...]:
    """Return options in an order that looks random, and is the same every time."""
    return tuple(sorted(options, key=lambda one: sha256(f"{seed} {one}".encode()).digest()))


def _number_of(row: Row, words: Sequence[str]) -> int | None:
    """Return the number of the right answer among the words; ``None`` if it is unknown."""
    return values_of(len(words))[words.index(row.label)] if row.label else None


def the_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the different labels; of two, the one that counts as yes is the first.

    >>> the_labels(["no", "yes", "no"]), the_labels(["moth", "butterfly", "bee"])
    (('yes', 'no'), ('moth', 'butterfly', 'bee'))
    """
    different = tuple(dict.fromkeys(labels))
    if len(different) < 2:
        raise Refused("two_labels", labels=", ".join(repr(one[:60]) for one in different) or "none")
    if len(different) == 2:
        first, second = different
        if first.casefold() in NO or second.casefold() in YES:
            return second, first
    return different


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
            found[row.item] = _prepared(PurePosixPath(file).name, images[file])
            left -= len(images[file])
        if left < 0:
            raise Refused("pictures_large", most=archive.MOST_BYTES >> 20)
    return found


def _by_name(files: Iterable[str]) -> dict[str, list[str]]:
    """Return the files for each name that a table may give them, in lower case.

    A name has all, some or none of the folders; or it is the bare name without the ending.
    """
    named: dict[str, list[str]] = {}
    for file in files:
        parts = PurePosixPath(file).parts
        names = {"/".join(parts[place:]) for place in range(len(parts))}
        for name in {*names, PurePosixPath(file).stem}:
            named.setdefault(name.casefold(), []).append(file)
    return named


def _rule(activity: Activity) -> tuple[float, ...]:
    """Return the rule ``(w, -tau)`` that fits the labels of the items at their places."""
    assert activity.places is not None
    where = np.array([activity.places[item.id] for item in activity.items])
    labels = [np.nan if item.label is None else float(item.label) for item in activity.items]
    return tuple(expert_rule(where, np.array(labels)).target.tolist())


def checked_picture(name: str, data: bytes) -> Picture:
    """Return the bytes of an image file as a picture; only the header is decoded.

    Refuses unknown formats, and pictures that would fill a phone's memory.
    """
    from PIL import Image, UnidentifiedImageError  # here, because the import is slow

    if len(data) > LARGEST_PICTURE:
        size, most = len(data) >> 20, LARGEST_PICTURE >> 20
        raise Refused("picture_large", name=name, size=size, most=most)
    if data[4:8] == b"ftyp" and data[8:12] in HEIC:
        raise Refused("picture_heic", name=name)
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


def _prepared(name: str, data: bytes) -> Picture:
    """Return a picture; a photo is converted as the browser does before sending one.

    It is turned upright and scaled so that no side is longer than ``LARGEST_SIDE``. The place where
    it was taken is removed.
    """
    from PIL import Image, ImageOps

    picture = checked_picture(name, data)
    if picture.media != MEDIA["JPEG"]:
        return picture
    try:
        with Image.open(io.BytesIO(data), formats=("JPEG",)) as image:
            if max(image.size) <= LARGEST_SIDE and not image.getexif():
                return picture
            image.draft("RGB", (LARGEST_SIDE, LARGEST_SIDE))  # decodes large photos faster
            upright = ImageOps.exif_transpose(image).convert("RGB")
            upright.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
            made = io.BytesIO()
            upright.save(made, "JPEG", quality=85, exif=b"")
    except (OSError, ValueError, SyntaxError, struct.error):
        raise Refused("picture_kind", name=name) from None
    return Picture(picture.media, made.getvalue())


def from_embedding(
    found: Embedding | str | PathLike[str],
    *,
    name: str = "Map",
    question: str = YES_OR_NO,
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
    return found._replace(activity=replace(found.activity, id=fingerprint(found)))


def fingerprint(upload: Upload) -> str:
    """Return a hash of an activity's items and pictures."""
    text = json.dumps(replace(upload.activity, id="").to_json(), sort_keys=True)
    digest = sha256(text.encode())
    for item, picture in sorted(upload.pictures.items()):
        digest.update(f"{item} {len(picture.data)} ".encode() + picture.data)
    return digest.hexdigest()[:16]
