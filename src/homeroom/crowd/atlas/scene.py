"""The contents of the drawing of a map, which the viewer draws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom._checks import counted, percent
from homeroom.crowd.answers import Answers, Codes
from homeroom.crowd.embedding import Embedding

MAX_LINES = 300
"""How many annotators are drawn at most; more could not be distinguished."""

MAX_BORDERS = 8000
"""How many pairs of classes are compared for the borders of annotators."""

BINS = 40
"""The number of bins in which items are stacked, where a map has one dimension."""

RADIUS = math.sqrt(-2 * math.log(0.05))
"""The radius, in standard deviations, that holds 95 % of a Gaussian on the plane."""


def map_data(
    answers: Answers, found: Embedding, groups: Ints, pictures: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return what the viewer draws of a map, as JSON values.

    Parameters
    ----------
    answers, found
        The answers, and the map of them.
    groups
        The group of each annotator, counted from 0.
    pictures
        Pictures of items by name, as data URLs.
    """
    found.check_has_axes()
    several = len(answers.classes) > 2
    people, thresholds = normals(found.people), found.thresholds
    words = _person_words(answers, groups)
    shown = [(pictures or {}).get(name) for name in answers.items]
    labels = [None if np.isnan(label) else int(label) for label in found.labels.tolist()]
    items = zip(
        on_the_plane(found.items).tolist(),
        _item_words(answers),
        labels,
        shown,
        ellipses(found.uncertainty.items),
        strict=True,
    )
    target = found.target() if np.isfinite(found.labels).any() else None
    drawn = choose_people(groups, len(answers.classes))
    middles = [groups == group for group in range(int(groups.max()) + 1)]
    crowd = people.mean(axis=0), thresholds.mean(axis=0)
    outside = "the group gives the same answer to all items"
    outside += "" if found.dimensions < 3 else ", or decides by the axes that are not drawn"
    return {
        "described": f"A map of {len(answers.items)} items with the lines of "
        f"{len(answers.people)} annotators",
        "caption": _caption(found, groups, labels, shown),
        "outside": outside,
        "classes": list(answers.classes) if several else [],
        "items": [
            {"place": place, "words": words, "label": label, "picture": picture, "ellipse": ellipse}
            for place, words, label, picture, ellipse in items
        ],
        "people": [
            {
                "lines": lines(people[person], thresholds[person]),
                "group": int(groups[person]),
                "words": words[person],
            }
            for person in drawn.tolist()
        ],
        "groups": [
            {
                "lines": lines(people[own].mean(axis=0), thresholds[own].mean(axis=0)),
                "words": f"group {number} ({counted(int(own.sum()), 'annotator')})",
            }
            for number, own in enumerate(middles, start=1)
        ],
        "target": None if target is None else _target_lines(target, found),
        "regions": [] if not several else _target_lines(target, found) or lines(*crowd),
    }


def lines(weights: Floats, thresholds: Floats) -> list[dict[str, Any]]:
    """Return lines ``<w, x> = tau``: one, or one for each class."""
    rows = zip(np.atleast_2d(weights).tolist(), np.atleast_1d(thresholds).tolist(), strict=True)
    return [{"normal": normal, "offset": offset} for normal, offset in rows]


def _target_lines(target: Floats | None, found: Embedding) -> list[dict[str, Any]]:
    """Return the lines of the target, ``(w, -tau)``; none without it."""
    if target is None:
        return []
    rows = target.reshape(-1, found.dimensions + 1)
    return lines(normals(rows[:, :-1]), -rows[:, -1])


def ellipses(covariances: Floats) -> list[list[float] | None]:
    """Return the half-axes and the angle of the ellipses that hold 95 % of a Gaussian.

    Of the covariances, shape ``(items, d, d)``, two axes are drawn; with one dimension there are no
    ellipses.
    """
    if covariances.shape[1] < 2:
        return [None] * len(covariances)
    lengths, axes = np.linalg.eigh(covariances[:, :2, :2])
    radii = RADIUS * np.sqrt(np.maximum(lengths, 0.0))
    angles = np.arctan2(axes[:, 1, 1], axes[:, 0, 1])
    shapes: list[list[float] | None] = np.column_stack([radii[:, 1], radii[:, 0], angles]).tolist()
    return shapes


def choose_people(groups: Ints, classes: int = 2) -> Ints:
    """Return which annotators are drawn: all, or some of each group if there are too many."""
    most = MAX_LINES
    if classes > 2:
        most = max(1, min(MAX_LINES, MAX_BORDERS // math.comb(classes, 2)))
    if len(groups) <= most:
        return np.arange(len(groups))
    chosen: list[int] = []
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        share = max(1, round(most * len(members) / len(groups)))
        chosen += members[np.linspace(0, len(members) - 1, share).astype(int)].tolist()
    return np.array(sorted(set(chosen)))


def on_the_plane(items: Floats) -> Floats:
    """Return the first two coordinates of the items.

    With one dimension, items that would cover each other are stacked.

    >>> on_the_plane(np.array([[1.0], [1.01], [3.0]]))
    array([[1.  , 0.  ],
           [1.01, 0.05],
           [3.  , 0.  ]])
    """
    if items.shape[1] > 1:
        return items[:, :2]
    return np.column_stack([items[:, 0], _stack_heights(items[:, 0])])


def normals(people: Floats) -> Floats:
    """Return the weights for the coordinates of :func:`on_the_plane`, shape ``(..., 2)``."""
    if people.shape[-1] > 1:
        return people[..., :2]
    return np.concatenate([people, np.zeros_like(people)], axis=-1)


def _stack_heights(values: Floats) -> Floats:
    """Return a height for each value: above the smaller values in the same bin."""
    span = float(values.max() - values.min()) or 1.0
    bins = np.floor((values - values.min()) / span * BINS).astype(np.int64)
    heights = np.zeros(len(values))
    seen: dict[int, int] = {}
    for at in np.argsort(values, kind="stable").tolist():
        heights[at] = seen.get(int(bins[at]), 0)
        seen[int(bins[at])] = int(heights[at]) + 1
    step = min(span / BINS, 0.5 * span / max(1.0, float(heights.max())))
    return heights * step


def _caption(
    found: Embedding, groups: Ints, labels: Sequence[int | None], pictures: Sequence[str | None]
) -> str:
    """Return the caption of a map: what points, lines and regions mean."""
    several, with_target = len(found.classes) > 2, any(label is not None for label in labels)
    said = [_about_labels(labels, pictures, several=several)]
    if several:
        whose = "those of the target" if with_target else "those of the whole crowd"
        said.append(f"Pale regions are {whose}. Thick lines are borders of the middles of groups.")
    else:
        if with_target:
            said.append("The dashed line is the target, its yes-side is shaded.")
        said.append("Thick lines are the middles of the groups, with an arrow to the yes-side.")
    said += _about_ellipses(found)
    drawn, people = len(choose_people(groups, len(found.classes))), len(groups)
    if drawn < people:
        said.append(f"Of {people} annotators {drawn} are drawn, some of each group.")
    if found.dimensions == 1:
        said.append(
            "The map has one dimension, from left to right; items at one place are stacked."
        )
    if found.dimensions > 2:
        said.append(
            f"The map has {found.dimensions} dimensions, of which the first two are drawn, with "
            "the others at zero."
        )
    return " ".join(said)


def _about_labels(
    labels: Sequence[int | None], pictures: Sequence[str | None], *, several: bool
) -> str:
    """Return what the appearance of items means, as far as there are such items."""
    if all(label is None for label in labels):
        return "No item has an expert's label."
    looks = "Filled points are the expert's yes, hollow ones no"
    if several:
        looks = "Marks and frames have the shape and colour of the expert's label"
    elif all(pictures):
        looks = "Solid frames are the expert's yes, dashed ones no"
    elif any(pictures):
        looks = "Solid frames and filled points are the expert's yes, dashed and hollow ones no"
    return f"{looks}, grey ones have no label." if None in labels else f"{looks}."


def _about_ellipses(found: Embedding) -> list[str]:
    """Return what the ellipses mean, and how reliable they are."""
    if found.dimensions < 2:
        return []
    worth = ""
    if not found.uncertainty.joint:
        worth = ": they do not include the uncertainty of annotators, and are too small"
    elif len(found.classes) == 2:
        worth = ": in 50 simulated crowds they held 98 % of the items"
    return [
        "Ellipses (tick the box) hold an item with a probability of 95 %, by the curvature at the "
        f"most probable map{worth}."
    ]


def _class_words(whose: Codes, names: Sequence[str], answers: Answers) -> list[str]:
    """Return the three most common answers of each annotator, or to each item."""
    classes = len(answers.classes)
    cells = np.bincount(whose * np.int64(classes) + answers.choices, minlength=len(names) * classes)
    said = cells.reshape(len(names), classes)
    order = np.argsort(-said, axis=1, kind="stable")[:, :3]
    return [
        ", ".join(f"{answers.classes[at]!r} {row[at]}" for at in best if row[at]) or "no answer"
        for row, best in zip(said.tolist(), order.tolist(), strict=True)
    ]


def _item_words(answers: Answers) -> list[str]:
    """Return the tooltip of each item: its name, the label, and how annotators answered."""
    if len(answers.classes) > 2:
        said = _class_words(answers.item, answers.items, answers)
        experts = [repr(answers.classes[at]) if at >= 0 else "nothing" for at in answers.experts]
        rows = zip(answers.items, experts, said, strict=True)
        return [
            f"{name}: the expert says {label}, annotators {words}" for name, label, words in rows
        ]
    asked = np.bincount(answers.item, minlength=len(answers.items))
    yes = np.bincount(answers.item, answers.yes, minlength=len(answers.items))
    expert = {1.0: answers.positive, -1.0: answers.negative}
    return [
        f"{name}: the expert says {expert.get(label, 'nothing')!r}, "
        f"{percent(said / max(1, number))} of {counted(number, 'annotator')} "
        f"{answers.positive!r}"
        for name, label, number, said in zip(
            answers.items, answers.labels.tolist(), asked.tolist(), yes.tolist(), strict=True
        )
    ]


def _person_words(answers: Answers, groups: Ints) -> list[str]:
    """Return the tooltip of each annotator: name, group, and how they answered."""
    if len(answers.classes) > 2:
        said = _class_words(answers.person, answers.people, answers)
        rows = zip(answers.people, groups.tolist(), said, strict=True)
        return [f"{name}, group {group + 1}: {words}" for name, group, words in rows]
    given = np.bincount(answers.person, minlength=len(answers.people))
    yes = np.bincount(answers.person, answers.yes, minlength=len(answers.people))
    return [
        f"{name}, group {group + 1}: {answers.positive!r} in {percent(said / max(1, number))} "
        f"of {counted(number, 'answer')}"
        for name, group, number, said in zip(
            answers.people, groups.tolist(), given.tolist(), yes.tolist(), strict=True
        )
    ]
