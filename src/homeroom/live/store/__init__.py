"""Where a live classroom keeps what happened."""

from homeroom.live.store.opening import open_store
from homeroom.live.store.store import ClassRow, Since, Store, Stored

__all__ = ["ClassRow", "Since", "Store", "Stored", "open_store"]
