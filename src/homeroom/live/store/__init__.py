"""The database of a live classroom: all events of all classes, activities and settings."""

from homeroom.live.store.store import ClassRow, EventStore, Since, Stored, open_store

__all__ = ["ClassRow", "EventStore", "Since", "Stored", "open_store"]
