"""Names that moved to :mod:`homeroom._files`."""

from homeroom._files import (
    MAX_BYTES,
    MissingError,
    damaged,
    is_folder,
    reading,
    refuse_size,
    replacing,
)

__all__ = [
    "MAX_BYTES",
    "MissingError",
    "damaged",
    "is_folder",
    "reading",
    "refuse_size",
    "replacing",
]
