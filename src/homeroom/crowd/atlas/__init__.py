"""The map as a picture to look at: items where they are, people as their lines, the target."""

from homeroom.crowd.atlas.page import lesson_page, map_page, scene_of
from homeroom.crowd.atlas.scene import Scene
from homeroom.crowd.atlas.svg import draw_map
from homeroom.crowd.atlas.thumbnails import read_pictures

__all__ = ["Scene", "draw_map", "lesson_page", "map_page", "read_pictures", "scene_of"]
