"""The map as an SVG drawing, with a word on everything that the pointer rests on."""

from __future__ import annotations

from html import escape

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.crowd.atlas.ellipses import ellipses
from homeroom.crowd.atlas.frame import Frame, Segment, side_of
from homeroom.crowd.atlas.look import STYLE
from homeroom.crowd.atlas.plane import normals, on_the_plane
from homeroom.crowd.atlas.rules import arrow, rules_of, with_room
from homeroom.crowd.atlas.scene import INK, UNKNOWN, Scene, colour_of

MAX_LINES = 300
"""How many people are drawn at most; more would be a blot."""

MANY = 500
"""From how many items on they are drawn smaller."""

PICTURE = 30.0
"""How large a picture of an item is, in pixels."""


def draw_map(scene: Scene, *, words: str, alone: bool = False) -> str:
    """Return the drawing as SVG text.

    Parameters
    ----------
    scene
        What is on it.
    words
        What it shows, for those who cannot see it.
    alone
        Whether it is a file of its own, and so must bring its look along; a page has it already,
        and a box to tick that shows the ellipses.
    """
    points = on_the_plane(scene.items)
    frame = Frame.around(points)
    size = f"0 0 {frame.scale * (frame.high[0] - frame.low[0]):.0f} {frame.height:.0f}"
    places = frame.place(points)
    rules = with_room(rules_of(frame, scene), places, frame.height)
    parts = [
        _target_side(frame, scene),
        _people(frame, scene),
        *(_line(rule.segment, rule.style, rule.words) for rule in rules),
        "" if alone else ellipses(frame, places, scene.covariances),
        _items(places, scene),
        *map(arrow, rules),  # above the items, or they would hide them
    ]
    font = "system-ui, sans-serif" if alone else "inherit"
    return (
        f'<svg class="map" xmlns="http://www.w3.org/2000/svg" viewBox="{size}" role="img" '
        f'aria-label="{escape(words, quote=True)}" font-family="{font}">'
        f"{f'<style>{STYLE}</style>' if alone else ''}{''.join(parts)}</svg>"
    )


def out_of_sight(scene: Scene) -> list[int]:
    """Return the groups whose middle is not on the picture: all of it is on one side."""
    frame = Frame.around(on_the_plane(scene.items))
    seen = {rule.group for rule in rules_of(frame, scene)}
    return [group for group in np.unique(scene.groups).tolist() if group not in seen]


def drawn_people(groups: Ints) -> Ints:
    """Return who is drawn: everybody, or if there are too many some of each group."""
    if len(groups) <= MAX_LINES:
        return np.arange(len(groups))
    chosen: list[int] = []
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        share = max(1, round(MAX_LINES * len(members) / len(groups)))
        chosen += members[np.linspace(0, len(members) - 1, share).astype(int)].tolist()
    return np.array(sorted(set(chosen)))


def _line(segment: Segment, style: str, words: str = "") -> str:
    x1, y1, x2, y2 = segment
    title = f"<title>{escape(words)}</title>" if words else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}>{title}</line>'


def _people(frame: Frame, scene: Scene) -> str:
    weights = normals(scene.people)
    drawn: list[str] = []
    for person in drawn_people(scene.groups).tolist():
        segment = frame.cut(weights[person], float(scene.thresholds[person]))
        if segment is not None:
            group = int(scene.groups[person])
            style = f'class="person g{group}" stroke="{colour_of(group)}"'
            drawn.append(_line(segment, style, scene.person_words[person]))
    return f"<g>{''.join(drawn)}</g>"


def _target_side(frame: Frame, scene: Scene) -> str:
    if scene.target is None:
        return ""
    corners = side_of(frame, normals(scene.target[:-1]), -float(scene.target[-1]))
    listed = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return f'<polygon points="{listed}" fill="#f1f6fa"/>'


def _items(places: Floats, scene: Scene) -> str:
    drawn = [
        _picture(x, y, scene, item) if item in scene.pictures else _dot(x, y, scene, item)
        for item, (x, y) in enumerate(places.tolist())
    ]
    return f"<g>{''.join(drawn)}</g>"


def _dot(x: float, y: float, scene: Scene, item: int) -> str:
    """Draw an item: filled if the expert says yes, hollow if no, small and grey if unknown."""
    label = scene.labels[item]
    size = 3.6 if len(scene.items) <= MANY else 2.2
    look = f'r="{size}" fill="{INK}"' if label > 0 else f'r="{size}" fill="#fff" stroke="{INK}"'
    if np.isnan(label):
        look = f'r="{0.8 * size:.1f}" fill="{UNKNOWN}"'
    words = escape(scene.item_words[item])
    return f'<circle class="item" cx="{x:.1f}" cy="{y:.1f}" {look}><title>{words}</title></circle>'


def _picture(x: float, y: float, scene: Scene, item: int) -> str:
    """Draw an item as its picture, with a solid frame for yes and a dashed one for no."""
    label = scene.labels[item]
    dashes = "" if label > 0 else ' stroke-dasharray="3 2"'
    edge = UNKNOWN if np.isnan(label) else INK
    left, top = x - PICTURE / 2, y - PICTURE / 2
    box = f'x="{left:.1f}" y="{top:.1f}" width="{PICTURE:g}" height="{PICTURE:g}"'
    return (
        f'<g class="item"><rect {box} rx="3" fill="#fff" stroke="{edge}"{dashes}/>'
        f'<image {box} href="{scene.pictures[item]}"/>'
        f"<title>{escape(scene.item_words[item])}</title></g>"
    )
