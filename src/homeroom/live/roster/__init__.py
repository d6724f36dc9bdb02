"""Class lists: a list of names, or a school's export, of which one class is chosen."""

from homeroom.live.roster.names import MOST, names_in

__all__ = ["MOST", "names_in"]
