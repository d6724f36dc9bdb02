"""Pages about a map: items as points, annotators as lines, the target, and the lesson."""

from homeroom.crowd.atlas.pages import lesson_page, map_page, read_pictures
from homeroom.crowd.atlas.scene import map_data

__all__ = ["lesson_page", "map_data", "map_page", "read_pictures"]
