"""What a class can be taught: built in, uploaded, or from a map of a crowd."""

from homeroom.live.activities.base import Activity, Item, Picture
from homeroom.live.activities.crowd_map import from_embedding
from homeroom.live.activities.place import read_place
from homeroom.live.activities.reading import Upload, read_folder, read_upload
from homeroom.live.activities.space import Space

__all__ = [
    "Activity",
    "Item",
    "Picture",
    "Space",
    "Upload",
    "from_embedding",
    "read_folder",
    "read_place",
    "read_upload",
]
