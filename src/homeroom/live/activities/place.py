"""An activity from a place on the disk, known again when it is brought a second time."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from os import PathLike
from pathlib import Path

from homeroom.live.activities.crowd_map import from_embedding
from homeroom.live.activities.reading import Upload, read_folder


def read_place(place: str | PathLike[str]) -> Upload:
    """Return the activity at a place: a folder, a zip, a table, or a crowd's map (``.npz``).

    What has not changed has the same id every time, so that it is not there twice.

    Parameters
    ----------
    place
        Where it is. A map's labels are called yes and no; a table can name them.
    """
    path = Path(place)
    found = from_embedding(path, name=path.stem) if path.suffix == ".npz" else read_folder(path)
    return Upload(replace(found.activity, id=fingerprint(found)), found.pictures)


def fingerprint(upload: Upload) -> str:
    """Return what only an activity with the same items and pictures has, too."""
    said = json.dumps(replace(upload.activity, id="").to_json(), sort_keys=True)
    digest = sha256(said.encode())
    for item, picture in sorted(upload.pictures.items()):
        digest.update(f"{item} {len(picture.data)} ".encode() + picture.data)
    return digest.hexdigest()[:16]
