"""The state of a class, worked out from what happened in it."""

from homeroom.live.classbook.book import ClassBook

__all__ = ["ClassBook"]
