"""Drawings of a map: items as points, annotators as lines, the target."""

from homeroom.crowd.atlas.drawing import MapScene, draw_map
from homeroom.crowd.atlas.pages import lesson_page, map_page, read_pictures, scene_of

Scene = MapScene  # its name in version 0.1

__all__ = ["MapScene", "draw_map", "lesson_page", "map_page", "read_pictures", "scene_of"]
