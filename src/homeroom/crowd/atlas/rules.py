"""Lines with a name and an arrow: the middles of the groups, and the target."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats
from homeroom.crowd.atlas.frame import WIDTH, Frame, Segment
from homeroom.crowd.atlas.plane import normals
from homeroom.crowd.atlas.scene import INK, Scene, colour_of

ARROW = 22.0
"""How long an arrow is, in pixels."""
EDGE = 16.0
"""How near to the edge of the picture a name may stand."""
ROOM = 40.0
"""How far from items and other names is far enough."""


class Rule(NamedTuple):
    """A line, how it weighs the axes, and how it looks."""

    segment: Segment
    weights: Floats
    name: str
    colour: str
    kind: str
    words: str
    along: float
    """Where on the line its arrow stands, from 0 to 1."""
    group: int | None = None

    @property
    def style(self) -> str:
        """What an SVG line needs to look like it."""
        return f'class="{self.kind}" stroke="{self.colour}"'

    @property
    def unit(self) -> Floats:
        """The direction to yes on the picture, whose second axis points downwards."""
        unit: Floats = self.weights / np.hypot(*self.weights) * np.array([1.0, -1.0])
        return unit

    def foot(self, along: float) -> Floats:
        """Return the point of the line this far along it."""
        x1, y1, x2, y2 = self.segment
        return np.array([x1 + along * (x2 - x1), y1 + along * (y2 - y1)])

    def tag(self, along: float) -> Floats:
        """Return where the name stands if the arrow is this far along: before its tip."""
        beside = 3.6 * (len(self.name) - 1) * self.unit[0]  # a long name must not lie on its arrow
        place: Floats = self.foot(along) + 1.6 * ARROW * self.unit + np.array([beside, 4.0])
        return place


def rules_of(frame: Frame, scene: Scene) -> list[Rule]:
    """Return the middle person of each group, and the target, as far as they are in sight."""
    found: list[Rule] = []
    for group in np.unique(scene.groups).tolist():
        members = scene.groups == group
        weights = normals(scene.people[members].mean(axis=0))
        segment = frame.cut(weights, float(scene.thresholds[members].mean()))
        if segment is not None:
            kind, words = f"middle g{group}", f"The middle of group {group + 1}"
            colour = colour_of(group)
            found.append(Rule(segment, weights, str(group + 1), colour, kind, words, 0.88, group))
    if scene.target is not None:
        weights = normals(scene.target[:-1])
        segment = frame.cut(weights, -float(scene.target[-1]))
        if segment is not None:
            words = "The target: what the expert's labels ask for"
            found.append(Rule(segment, weights, "target", INK, "target", words, 0.12))
    return found


def with_room(rules: list[Rule], places: Floats, height: float) -> list[Rule]:
    """Return the rules with their names where there is room: off the items, off each other.

    Parameters
    ----------
    rules
        The lines.
    places
        Where the items are on the picture, in pixels.
    height
        How high the picture is.
    """
    placed: list[Rule] = []
    taken = places
    for rule in rules:
        tried = np.linspace(0.06, 0.94, 45)
        tags = np.array([rule.tag(along) for along in tried])
        gaps = np.hypot(*(tags[:, None] - taken[None]).transpose(2, 0, 1)).min(axis=1)
        inside = (tags > EDGE) & (tags < np.array([WIDTH - EDGE, height - EDGE]))
        good = np.minimum(gaps, ROOM) - 10 * np.abs(tried - rule.along)
        best = int(np.argmax(np.where(inside.all(axis=1), good, good - WIDTH)))
        placed.append(rule._replace(along=float(tried[best])))
        taken = np.vstack([taken, tags[best]])
    return placed


def arrow(rule: Rule) -> str:
    """Draw a short arrow that stands on a line and points to yes, with a name beside it."""
    x, y = rule.foot(rule.along)
    dx, dy = ARROW * rule.unit
    tip_x, tip_y = x + dx, y + dy
    left = (tip_x - 0.4 * dx - 0.22 * dy, tip_y - 0.4 * dy + 0.22 * dx)
    right = (tip_x - 0.4 * dx + 0.22 * dy, tip_y - 0.4 * dy - 0.22 * dx)
    head = " ".join(f"{px:.1f},{py:.1f}" for px, py in ((tip_x, tip_y), left, right))
    text_x, text_y = rule.tag(rule.along)
    hidden_with = rule.kind.removeprefix("middle ")
    return (
        f'<g class="arrow {hidden_with}"><line x1="{x:.1f}" y1="{y:.1f}" x2="{tip_x:.1f}" '
        f'y2="{tip_y:.1f}" stroke="{rule.colour}" stroke-width="2"/>'
        f'<polygon points="{head}" fill="{rule.colour}"/>'
        f'<text x="{text_x:.1f}" y="{text_y:.1f}" fill="{rule.colour}" class="name">'
        f"{escape(rule.name)}</text></g>"
    )
