"""Activities: built-in ones, a teacher's files, or the map of a crowd."""

from homeroom.live.activities.base import Activity, Item, Picture
from homeroom.live.activities.reading import (
    Upload,
    from_embedding,
    read_folder,
    read_place,
    read_upload,
)
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
