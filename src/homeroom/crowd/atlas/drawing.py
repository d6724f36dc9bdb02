"""The map as an SVG drawing, with a tooltip on everything; no script is needed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.crowd.atlas.geometry import WIDTH, Segment, Viewport, normals, on_the_plane
from homeroom.plots import COLOURS

INK = "#1c1c1c"
UNKNOWN = "#8a8a8a"
"""The colour of items without an expert's label."""


@dataclass(frozen=True, eq=False)
class MapScene:
    """The contents of a drawing of a map.

    Parameters
    ----------
    items
        The places of the items, shape ``(items, d)``.
    people, thresholds
        An annotator says yes to an item ``x`` if ``<w, x> > tau``: shapes ``(people, d)``,
        ``(people,)``.
    groups
        The group of each annotator, counted from 0.
    labels
        The expert's label of each item: +1, -1 or nan; with more than two classes a position in
        ``classes``, or nan.
    item_words, person_words
        The tooltips; those of items begin with the name.
    target
        The line to be learnt, ``(w, -tau)``, shape ``(d + 1,)``, if there is one.
    pictures
        Pictures of items by position, as data URLs.
    covariances
        The uncertainty of each item's place, shape ``(items, d, d)``, if it is to be drawn.
    classes
        The names of the classes, if there are more than two. Then ``people``, ``thresholds`` and
        ``target`` have a row per class.
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
    covariances: Floats | None = None
    classes: tuple[str, ...] = ()


def colour_of(group: int) -> str:
    """Return the colour of a group (or a class), the same in all drawings."""
    return COLOURS[group % len(COLOURS)]


DASHES = ("", "9 4", "2 4", "12 4 2 4", "5 2", "1 3", "14 6", "7 3 1 3 1 3")
"""How the borders of groups are dashed, where colours stand for classes."""

MARKS = (
    "M-1 0A1 1 0 1 1 1 0A1 1 0 1 1 -1 0Z",
    "M-.9-.9H.9V.9H-.9Z",
    "M0-1.15L1.1.85H-1.1Z",
    "M0-1.25L1.05 0L0 1.25L-1.05 0Z",
    "M0 1.15L1.1-.85H-1.1Z",
    "M-.4-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
    "M-1.15-.5L-.5-1.15L0-.6L.5-1.15L1.15-.5L.6 0L1.15.5L.5 1.15L0 .6L-.5 1.15L-1.15.5L-.6 0Z",
)
"""Outlines of size one. With seven colours 49 classes look different, seven also without colour."""


def mark_of(code: int, size: float, place: str = "") -> str:
    """Return the mark of a class as an SVG path: a shape and a colour."""
    shape = MARKS[(code + code // len(COLOURS)) % len(MARKS)]
    return (
        f'<path d="{shape}" transform="{place} scale({size:g})" '
        f'fill="{colour_of(code)}" stroke="{INK}" stroke-width="{0.8 / size:.2f}"/>'
    )


ARROW = 22.0
"""The length of an arrow in pixels."""
LETTER = 10.0
"""About the width of a letter of a name."""
EDGE = 16.0
"""The least distance of a name to the edge of the picture."""
CLEARANCE = 40.0
"""The distance to items and other names beyond which more does not help."""


class NamedLine(NamedTuple):
    """A line with a name and an arrow: the middle of a group, or the target.

    ``weights`` point to the yes-side. ``kind`` is the CSS classes, and ``words`` the tooltip.
    """

    segment: Segment
    weights: Floats
    name: str
    colour: str
    kind: str
    words: str
    along: float
    """The position of the arrow on the line, from 0 to 1."""
    group: int | None = None

    @property
    def style(self) -> str:
        """The attributes of the SVG line."""
        return f'class="{self.kind}" stroke="{self.colour}"'

    @property
    def unit(self) -> Floats:
        """The direction to the yes-side on the picture, whose second axis points downwards."""
        unit: Floats = self.weights / np.hypot(*self.weights) * np.array([1.0, -1.0])
        return unit

    def foot(self, along: float) -> Floats:
        """Return a point of the line by its position, from 0 to 1."""
        x1, y1, x2, y2 = self.segment
        return np.array([x1 + along * (x2 - x1), y1 + along * (y2 - y1)])

    def tag(self, along: float) -> Floats:
        """Return the place of the name if the arrow is at this position: beyond its tip."""
        shift = 3.6 * (len(self.name) - 1) * self.unit[0]  # keeps a long name off its arrow
        place: Floats = self.foot(along) + 1.6 * ARROW * self.unit + np.array([shift, 4.0])
        return place


def named_lines(view: Viewport, scene: MapScene) -> list[NamedLine]:
    """Return the middle line of each group, and the target, as far as they are visible."""
    found: list[NamedLine] = []
    for group in np.unique(scene.groups).tolist():
        members = scene.groups == group
        weights = normals(scene.people[members].mean(axis=0))
        segment = view.cut(weights, float(scene.thresholds[members].mean()))
        if segment is not None:
            kind, words = f"middle g{group}", f"The middle of group {group + 1}"
            colour = colour_of(group)
            found.append(
                NamedLine(segment, weights, str(group + 1), colour, kind, words, 0.88, group)
            )
    if scene.target is not None:
        weights = normals(scene.target[:-1])
        segment = view.cut(weights, -float(scene.target[-1]))
        if segment is not None:
            words = "The target: what the expert's labels ask for"
            found.append(NamedLine(segment, weights, "target", INK, "target", words, 0.12))
    return found


def with_free_names(lines: list[NamedLine], places: Floats, height: float) -> list[NamedLine]:
    """Return the lines with their arrows moved so that names cover neither items nor each other.

    ``places`` are those of the items, and ``height`` that of the picture, in pixels.
    """
    placed: list[NamedLine] = []
    taken = places
    for line in lines:
        tried = np.linspace(0.06, 0.94, 45)
        tags = np.array([line.tag(along) for along in tried])
        gaps = np.hypot(*(tags[:, None] - taken[None]).transpose(2, 0, 1)).min(axis=1)
        inside = (tags > EDGE) & (tags < np.array([WIDTH - EDGE, height - EDGE]))
        good = np.minimum(gaps, CLEARANCE) - 10 * np.abs(tried - line.along)
        best = int(np.argmax(np.where(inside.all(axis=1), good, good - WIDTH)))
        placed.append(line._replace(along=float(tried[best])))
        taken = np.vstack([taken, tags[best]])
    return placed


def arrow(line: NamedLine) -> str:
    """Return a short arrow from a line to its yes-side, with the name at its tip."""
    x, y = line.foot(line.along)
    dx, dy = ARROW * line.unit
    tip_x, tip_y = x + dx, y + dy
    left = (tip_x - 0.4 * dx - 0.22 * dy, tip_y - 0.4 * dy + 0.22 * dx)
    right = (tip_x - 0.4 * dx + 0.22 * dy, tip_y - 0.4 * dy - 0.22 * dx)
    head = " ".join(f"{px:.1f},{py:.1f}" for px, py in ((tip_x, tip_y), left, right))
    text_x, text_y = line.tag(line.along)
    hidden_with = line.kind.removeprefix("middle ")
    return (
        f'<g class="arrow {hidden_with}"><line x1="{x:.1f}" y1="{y:.1f}" x2="{tip_x:.1f}" '
        f'y2="{tip_y:.1f}" stroke="{line.colour}" stroke-width="2"/>'
        f'<polygon points="{head}" fill="{line.colour}"/>'
        f'<text x="{text_x:.1f}" y="{text_y:.1f}" fill="{line.colour}" class="name">'
        f"{escape(line.name)}</text></g>"
    )


RADIUS = math.sqrt(-2 * math.log(0.05))
"""The radius, in standard deviations, that holds 95 % of a Gaussian on the plane."""


def ellipses(view: Viewport, places: Floats, covariances: Floats | None) -> str:
    """Return the 95 % ellipses of the items as SVG, hidden by default; none with one dimension.

    ``places`` are in pixels; of the covariances, shape ``(items, d, d)``, two axes are drawn.
    """
    if covariances is None or covariances.shape[1] < 2:
        return ""
    lengths, axes = np.linalg.eigh(covariances[:, :2, :2])
    radii = view.scale * RADIUS * np.sqrt(np.maximum(lengths, 0.0))
    turns = -np.degrees(np.arctan2(axes[:, 1, 1], axes[:, 0, 1]))  # y points downwards
    drawn = "".join(
        f'<ellipse rx="{long:.1f}" ry="{short:.1f}" '
        f'transform="translate({x:.1f} {y:.1f}) rotate({turn:.1f})"/>'
        for (x, y), (short, long), turn in zip(
            places.tolist(), radii.tolist(), turns.tolist(), strict=True
        )
    )
    return f'<g class="sure">{drawn}</g>'


MAX_LINES = 300
"""How many annotators are drawn at most; more could not be distinguished."""

MANY = 500
"""With more items than this, they are drawn smaller."""

PICTURE = 30.0
"""The size of a picture of an item in pixels."""


def draw_map(scene: MapScene, *, words: str, alone: bool = False) -> str:
    """Return the drawing as SVG text.

    Parameters
    ----------
    scene
        The contents.
    words
        A description for screen readers.
    alone
        Whether the drawing is a separate file, which needs its own style sheet. A page has one
        already, and a box to tick that shows the ellipses.
    """
    points = on_the_plane(scene.items)
    view = Viewport.around(points)
    size = f"0 0 {view.scale * (view.high[0] - view.low[0]):.0f} {view.height:.0f}"
    places = view.place(points)
    sure = "" if alone else ellipses(view, places, scene.covariances)
    if scene.classes:
        parts = [_regions(view, scene), _borders(view, scene), sure, _items(places, scene)]
        parts.append(_region_names(view, scene))
    else:
        lines = with_free_names(named_lines(view, scene), places, view.height)
        parts = [
            _target_side(view, scene),
            _people(view, scene),
            *(_line(line.segment, line.style, line.words) for line in lines),
            sure,
            _items(places, scene),
            *map(arrow, lines),  # above the items, which would hide them
        ]
    font = "system-ui, sans-serif" if alone else "inherit"
    return (
        f'<svg class="map" xmlns="http://www.w3.org/2000/svg" viewBox="{size}" role="img" '
        f'aria-label="{escape(words, quote=True)}" font-family="{font}">'
        f"{f'<style>{STYLE}</style>' if alone else ''}{''.join(parts)}</svg>"
    )


def _region_rows(scene: MapScene) -> tuple[Floats, Floats]:
    """Return the weights and thresholds of the regions: the target's, or else the crowd's."""
    if scene.target is None:
        return normals(scene.people.mean(axis=0)), scene.thresholds.mean(axis=0)
    rows = scene.target.reshape(len(scene.classes), -1)
    return normals(rows[:, :-1]), -rows[:, -1]


def _regions(view: Viewport, scene: MapScene) -> str:
    """Return the regions of the classes, in pale colours."""
    drawn = []
    for code, corners in enumerate(view.regions(*_region_rows(scene))):
        listed = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        drawn.append(
            f'<polygon class="region" points="{listed}" fill="{colour_of(code)}">'
            f"<title>{escape(scene.classes[code])}</title></polygon>"
            if corners
            else ""
        )
    return f"<g>{''.join(drawn)}</g>"


def _region_names(view: Viewport, scene: MapScene) -> str:
    """Return the names of the classes, each in the middle of its region.

    With one dimension they are in two rows above the items, which are stacked from the bottom. No
    name crosses the edge of the picture.
    """
    regions = enumerate(view.regions(*_region_rows(scene)))
    middles = [(_centroid(np.array(corners)), code) for code, corners in regions if corners]
    drawn = []
    for number, (middle, code) in enumerate(sorted(middles)):
        name = scene.classes[code]
        short = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
        half = 0.5 * LETTER * len(short)
        x, y = min(max(middle[0], half), WIDTH - half), EDGE * (1.5 + number % 2)
        if scene.people.shape[-1] > 1:
            y = min(max(middle[1], EDGE), view.height - EDGE / 2)
        drawn.append(f'<text x="{x:.1f}" y="{y:.1f}" class="name">{escape(short)}</text>')
    return f'<g fill="{INK}">{"".join(drawn)}</g>'


def _centroid(corners: Floats) -> tuple[float, float]:
    """Return the centre of mass of a polygon."""
    x, y = corners.T
    cross = x * np.roll(y, -1) - np.roll(x, -1) * y
    area = cross.sum()
    if abs(area) < 1e-9:
        return float(x.mean()), float(y.mean())
    middle = [((part + np.roll(part, -1)) * cross).sum() / (3 * area) for part in (x, y)]
    return float(middle[0]), float(middle[1])


def _borders(view: Viewport, scene: MapScene) -> str:
    """Return the borders between the regions of annotators, and of the middles of groups."""
    weights = normals(scene.people)
    pairs = len(scene.classes) * (len(scene.classes) - 1) // 2
    drawn = []
    for person in drawn_people(scene.groups)[: max(1, MAX_BORDERS // pairs)].tolist():
        group, words = int(scene.groups[person]), scene.person_words[person]
        style = f'class="person g{group}" stroke="{INK}"'
        borders = view.borders(weights[person], scene.thresholds[person])
        drawn += [_line(segment, style, words) for segment in borders]
    for group in np.unique(scene.groups).tolist():
        members = scene.groups == group
        rows = weights[members].mean(axis=0), scene.thresholds[members].mean(axis=0)
        dashes = f' stroke-dasharray="{DASHES[group % len(DASHES)]}"'
        style = f'class="middle g{group}" stroke="{INK}"{dashes if group else ""}'
        words = f"A border of the middle of group {group + 1}"
        drawn += [_line(segment, style, words) for segment in view.borders(*rows)]
    return f'<g class="borders">{"".join(drawn)}</g>'


MAX_BORDERS = 8000
"""How many pairs of classes are compared for the borders of annotators."""

LONGEST = 24
"""The most letters of a class's name on the drawing."""


def invisible_groups(scene: MapScene) -> list[int]:
    """Return the groups whose middle line is not on the picture: all items are on one side."""
    if scene.classes:
        return []
    view = Viewport.around(on_the_plane(scene.items))
    visible = {line.group for line in named_lines(view, scene)}
    return [group for group in np.unique(scene.groups).tolist() if group not in visible]


def drawn_people(groups: Ints) -> Ints:
    """Return which annotators are drawn: all, or some of each group if there are too many."""
    if len(groups) <= MAX_LINES:
        return np.arange(len(groups))
    chosen: list[int] = []
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        share = max(1, round(MAX_LINES * len(members) / len(groups)))
        chosen += members[np.linspace(0, len(members) - 1, share).astype(int)].tolist()
    return np.array(sorted(set(chosen)))


def _line(segment: Segment, style: str, words: str = "") -> str:
    """Return an SVG line; ``style`` is its attributes, and ``words`` the tooltip."""
    x1, y1, x2, y2 = segment
    title = f"<title>{escape(words)}</title>" if words else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}>{title}</line>'


def _people(view: Viewport, scene: MapScene) -> str:
    """Return the lines of annotators as SVG."""
    weights = normals(scene.people)
    drawn: list[str] = []
    for person in drawn_people(scene.groups).tolist():
        segment = view.cut(weights[person], float(scene.thresholds[person]))
        if segment is not None:
            group = int(scene.groups[person])
            style = f'class="person g{group}" stroke="{colour_of(group)}"'
            drawn.append(_line(segment, style, scene.person_words[person]))
    return f"<g>{''.join(drawn)}</g>"


def _target_side(view: Viewport, scene: MapScene) -> str:
    """Return the yes-side of the target, shaded; nothing if there is no target."""
    if scene.target is None:
        return ""
    corners = view.yes_side(normals(scene.target[:-1]), -float(scene.target[-1]))
    listed = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return f'<polygon points="{listed}" fill="#f1f6fa"/>'


def _items(places: Floats, scene: MapScene) -> str:
    """Return all items as SVG: a picture where there is one, else a dot."""
    drawn = [
        _picture(x, y, scene, item) if item in scene.pictures else _dot(x, y, scene, item)
        for item, (x, y) in enumerate(places.tolist())
    ]
    return f"<g>{''.join(drawn)}</g>"


def _dot(x: float, y: float, scene: MapScene, item: int) -> str:
    """Return an item as a dot: filled for the expert's yes, hollow for no, grey if unknown.

    With more than two classes, it has the mark of its class.
    """
    label = scene.labels[item]
    size = 3.6 if len(scene.items) <= MANY else 2.2
    if scene.classes and np.isfinite(label):
        mark = mark_of(int(label), size, f"translate({x:.1f} {y:.1f})")
        return mark.replace(
            "/>", f' class="item"><title>{escape(scene.item_words[item])}</title></path>'
        )
    look = f'r="{size}" fill="{INK}"' if label > 0 else f'r="{size}" fill="#fff" stroke="{INK}"'
    if np.isnan(label):
        look = f'r="{0.8 * size:.1f}" fill="{UNKNOWN}"'
    words = escape(scene.item_words[item])
    return f'<circle class="item" cx="{x:.1f}" cy="{y:.1f}" {look}><title>{words}</title></circle>'


def _picture(x: float, y: float, scene: MapScene, item: int) -> str:
    """Return an item as its picture, with a solid border for yes and a dashed one for no.

    With more than two classes, the border has the colour of its class.
    """
    label = scene.labels[item]
    dashes = "" if label > 0 or scene.classes else ' stroke-dasharray="3 2"'
    edge = UNKNOWN if np.isnan(label) else colour_of(int(label)) if scene.classes else INK
    left, top = x - PICTURE / 2, y - PICTURE / 2
    box = f'x="{left:.1f}" y="{top:.1f}" width="{PICTURE:g}" height="{PICTURE:g}"'
    return (
        f'<g class="item"><rect {box} rx="3" fill="#fff" stroke="{edge}"{dashes}/>'
        f'<image {box} href="{scene.pictures[item]}"/>'
        f"<title>{escape(scene.item_words[item])}</title></g>"
    )


STYLE = """
.map { display: block; width: 100%; height: auto; border: 1px solid #e3e3e3; border-radius: 6px; }
.map .person { stroke-width: 1.1; stroke-opacity: .28; }
.map .person:hover { stroke-width: 3.5; stroke-opacity: 1; }
.map .middle { stroke-width: 3.2; } .map .middle:hover, .map line.target:hover { stroke-width: 5; }
.map line.target { stroke-width: 3; stroke-dasharray: 9 5; }
.map .region { fill-opacity: .13; stroke: #8a8a8a; stroke-width: .6; }
.map .borders .person { stroke-opacity: .1; } .map .borders .middle { stroke-width: 2; }
.switches svg { width: 1.9rem; height: 1rem; overflow: visible; }
.map .arrow { pointer-events: none; }
.map .name { font-size: 15px; font-weight: 700; text-anchor: middle;
             paint-order: stroke; stroke: #fff; stroke-width: 4px; }
.map .sure { display: none; fill: none; stroke: #4a4a4a; stroke-opacity: .3; stroke-width: .8;
             pointer-events: none; }
.drawn:has(.sureness:checked) .sure { display: inline; }
.map .item { transform-box: fill-box; transform-origin: center; }
.map circle.item:hover { transform: scale(1.8); } .map g.item:hover { transform: scale(3.2); }
.switches { display: flex; flex-wrap: wrap; gap: .4rem 1.4rem; margin: 0 0 .6rem; }
.switches label { display: flex; align-items: center; gap: .4rem; cursor: pointer; }
.switches i { width: 1.4rem; height: .35rem; border-radius: 2px; }
table.words td:last-child { min-width: 15rem; }
table.words td:not(:last-child) { white-space: nowrap; }
.strip { display: flex; flex-wrap: wrap; gap: .5rem; list-style: none; margin: 0; padding: 0; }
.strip li { min-width: 4.6rem; max-width: 9rem; padding: .4rem .6rem; border-radius: 6px;
            border: 1px solid #c9c9c9; text-align: center; line-height: 1.3; }
.strip li.class { border-top-width: 4px; }
.strip li.yes { border-top: 4px solid #0072b2; } .strip li.no { border-top: 4px solid #d55e00; }
.strip img { display: block; width: 4.4rem; height: 4.4rem; object-fit: contain; margin: 0 auto; }
.strip b { display: block; font-weight: 600; overflow-wrap: anywhere; font-size: .9rem; }
.strip span { color: #4a4a4a; font-size: .88rem; }
"""
