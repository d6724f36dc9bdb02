"""The state of a class, computed from its events."""

from homeroom.live.classbook.book import ClassBook

__all__ = ["ClassBook"]
