"""The map as an SVG drawing, with a word on everything that the pointer rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.crowd.atlas.frame import Frame, Segment, side_of
from homeroom.crowd.atlas.look import STYLE
from homeroom.crowd.atlas.plane import normals, on_the_plane
from homeroom.plots import COLOURS

MAX_LINES = 300
"""How many people are drawn at most; more would be a blot."""

INK = "#1c1c1c"
UNKNOWN = "#8a8a8a"
PICTURE = 30.0
"""How large a picture of an item is, in pixels."""


@dataclass(frozen=True, eq=False)
class Scene:
    """What is on a map.

    Parameters
    ----------
    items
        Where the items are, shape ``(items, d)``.
    people, thresholds
        Each says yes to an item ``x`` if ``<w, x> > tau``: shapes ``(people, d)``, ``(people,)``.
    groups
        The group of each person, counted from 0.
    labels
        The expert's: +1, -1 or nan, for each item.
    item_words, person_words
        What is said of each when the pointer rests on it; the items' begin with the name.
    target
        The rule to be learnt, ``(w, -tau)``, shape ``(d + 1,)``, if there is one.
    pictures
        The picture of an item, by its place, as an address that holds the picture itself.
    """

    items: Floats
    people: Floats
    thresholds: Floats
    groups: Ints
    labels: Floats
    item_words: Sequence[str]
    person_words: Sequence[str]
    target: Floats | None = None
    pictures: Mapping[int, str] = field(default_factory=dict)


def colour_of(group: int) -> str:
    """Return the colour of a group, the same wherever it is shown."""
    return COLOURS[group % len(COLOURS)]


def draw_map(scene: Scene, *, words: str, alone: bool = False) -> str:
    """Return the drawing as SVG text.

    Parameters
    ----------
    scene
        What is on it.
    words
        What it shows, for those who cannot see it.
    alone
        Whether it is a file of its own, and so must bring its look along; a page has it already.
    """
    points = on_the_plane(scene.items)
    frame = Frame.around(points)
    size = f"0 0 {frame.scale * (frame.high[0] - frame.low[0]):.0f} {frame.height:.0f}"
    rules = _rules(frame, scene)
    parts = [
        _target_side(frame, scene),
        _people(frame, scene),
        *(_line(rule.segment, rule.style, rule.words) for rule in rules),
        _items(frame.place(points), scene),
        *map(_arrow, rules),  # above the items, or they would hide them
    ]
    font = "system-ui, sans-serif" if alone else "inherit"
    return (
        f'<svg class="map" xmlns="http://www.w3.org/2000/svg" viewBox="{size}" role="img" '
        f'aria-label="{escape(words, quote=True)}" font-family="{font}">'
        f"{f'<style>{STYLE}</style>' if alone else ''}{''.join(parts)}</svg>"
    )


def out_of_sight(scene: Scene) -> list[int]:
    """Return the groups whose middle is not on the picture: they answer the same to all of it."""
    frame = Frame.around(on_the_plane(scene.items))
    seen = {rule.group for rule in _rules(frame, scene)}
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


class _Rule(NamedTuple):
    """A line with a name and an arrow: the middle of a group, or the target."""

    segment: Segment
    weights: Floats
    name: str
    colour: str
    kind: str
    words: str
    along: float
    """Where on the line the arrow stands, from 0 to 1."""
    group: int | None = None

    @property
    def style(self) -> str:
        return f'class="{self.kind}" stroke="{self.colour}"'


def _rules(frame: Frame, scene: Scene) -> list[_Rule]:
    """Return the middle person of each group, and the target, as far as they are in sight."""
    found: list[_Rule] = []
    for group in np.unique(scene.groups).tolist():
        members = scene.groups == group
        weights = normals(scene.people[members].mean(axis=0))
        segment = frame.cut(weights, float(scene.thresholds[members].mean()))
        if segment is not None:
            kind, words = f"middle g{group}", f"The middle of group {group + 1}"
            along = 0.88 - 0.07 * (group % 8)  # names of lines beside each other do not touch
            colour = colour_of(group)
            found.append(_Rule(segment, weights, str(group + 1), colour, kind, words, along, group))
    if scene.target is not None:
        weights = normals(scene.target[:-1])
        segment = frame.cut(weights, -float(scene.target[-1]))
        if segment is not None:
            words = "The target: what the expert's labels ask for"
            found.append(_Rule(segment, weights, "target", INK, "target", words, 0.12))
    return found


def _target_side(frame: Frame, scene: Scene) -> str:
    if scene.target is None:
        return ""
    corners = side_of(frame, normals(scene.target[:-1]), -float(scene.target[-1]))
    listed = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return f'<polygon points="{listed}" fill="#f1f6fa"/>'


def _arrow(rule: _Rule) -> str:
    """Draw a short arrow that stands on a line and points to yes, with a name beside it."""
    x = rule.segment.x1 + rule.along * (rule.segment.x2 - rule.segment.x1)
    y = rule.segment.y1 + rule.along * (rule.segment.y2 - rule.segment.y1)
    unit = rule.weights / np.hypot(*rule.weights)
    dx, dy = 22 * unit[0], -22 * unit[1]  # the picture's second axis points downwards
    tip_x, tip_y = x + dx, y + dy
    left = (tip_x - 0.4 * dx - 0.22 * dy, tip_y - 0.4 * dy + 0.22 * dx)
    right = (tip_x - 0.4 * dx + 0.22 * dy, tip_y - 0.4 * dy - 0.22 * dx)
    head = " ".join(f"{px:.1f},{py:.1f}" for px, py in ((tip_x, tip_y), left, right))
    beside = 3.6 * (len(rule.name) - 1) * unit[0]  # a long name must not lie on its arrow
    text_x, text_y = x + 1.6 * dx + beside, y + 1.6 * dy + 4
    hidden_with = rule.kind.removeprefix("middle ")
    return (
        f'<g class="arrow {hidden_with}"><line x1="{x:.1f}" y1="{y:.1f}" x2="{tip_x:.1f}" '
        f'y2="{tip_y:.1f}" stroke="{rule.colour}" stroke-width="2"/>'
        f'<polygon points="{head}" fill="{rule.colour}"/>'
        f'<text x="{text_x:.1f}" y="{text_y:.1f}" fill="{rule.colour}" class="name">'
        f"{escape(rule.name)}</text></g>"
    )


def _items(places: Floats, scene: Scene) -> str:
    drawn = [
        _picture(x, y, scene, item) if item in scene.pictures else _dot(x, y, scene, item)
        for item, (x, y) in enumerate(places.tolist())
    ]
    return f"<g>{''.join(drawn)}</g>"


def _dot(x: float, y: float, scene: Scene, item: int) -> str:
    """Draw an item: filled if the expert says yes, hollow if no, small and grey if unknown."""
    label = scene.labels[item]
    look = f'r="3.6" fill="{INK}"' if label > 0 else f'r="3.6" fill="#fff" stroke="{INK}"'
    if np.isnan(label):
        look = f'r="3" fill="{UNKNOWN}"'
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
