"""The documentation's pictures, drawn by the library in every build.

They are kept in ``docs/images``, as the README shows one too: if a picture changes, it shows there.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom import (
    ByRate,
    Classroom,
    ClassroomTeacher,
    MeanTeacher,
    RandomTeacher,
    certify,
    compare,
    frontier,
    plots,
    teach,
)
from homeroom._checks import counted
from homeroom.crowd import Embedding, insects
from homeroom.handwriting import (
    LETTERS,
    Ink,
    Kinematic,
    Knobs,
    Stroke,
    forms_of,
    model_letter,
    sheet,
)
from homeroom.handwriting.letters import HERSHEY
from homeroom.handwriting.scores import FEATURES
from homeroom.plots.style import COLOURS, QUIET, look, panel
from homeroom.teachers.planning.axes import best_lengths

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from sphinx.application import Sphinx

IMAGES = Path(__file__).parent.parent / "images"
FORMS_SHOWN = "aefgmrst47"
"""The letters whose forms are shown."""


def converging() -> Figure:
    """A class of 300 converging to the target: the mean, and every tenth student."""
    record = teach(Classroom.sample(), watch=range(0, 300, 10))
    drawn = plots.figure(7.0, 3.4)
    ax = drawn.add_subplot()
    with look():
        some = np.arange(0, record.rounds + 1, 3)
        ax.plot(some, record.watched_errors[some], color=plots.COLOURS[5], lw=0.6, alpha=0.7)
        ax.plot(record.errors, color=plots.COLOURS[0], lw=2.6)
        ax.axhline(0.1, color=QUIET, lw=0.9, linestyle=(0, (4, 3)))
        beside: Any = {"xytext": (4, 4), "textcoords": "offset points"}
        ax.annotate("goal", (0, 0.1), color=QUIET, **beside)
        ax.annotate(
            "the class", (60, record.errors[60]), color=plots.COLOURS[0], weight="bold", **beside
        )
        ax.set_yscale("log")
        ax.set_ylim(1e-4, 1e2)
        ax.set_xlim(0, record.rounds + 8)
        ax.set_xlabel("rounds: one example for everybody")
        ax.set_ylabel("squared distance to the target")
    return drawn


def magnitudes() -> Figure:
    """Static, dynamic and joint magnitude in a diverse class."""
    room = Classroom.sample(rates=(0.1, 0.6))
    ways = {name: ClassroomTeacher(name, safe=True) for name in ("static", "dynamic", "joint")}
    return _curves({name: teach(room, teacher=teacher).errors for name, teacher in ways.items()})


def teachers() -> Figure:
    """The classroom teacher, random examples, and the mean teacher."""
    room = Classroom.sample()
    ways = {"classroom": ClassroomTeacher(), "random": RandomTeacher(), "mean": MeanTeacher()}
    return _curves(
        {name: teach(room, teacher=way, max_rounds=250).errors for name, way in ways.items()}
    )


def groups() -> Figure:
    """The rounds of each group of a class."""
    record = teach(Classroom.sample(rates=(0.05, 0.6)), groups=ByRate())
    drawn = plots.figure(5.4, 2.8)
    plots.group_bars(record.sizes, record.transcript.rounds, ax=drawn.add_subplot())
    return drawn


def costs() -> Figure:
    """The cost of ways of teaching against the weight of the students' workload."""
    drawn = plots.figure(5.4, 3.2)
    compare(Classroom.sample()).plot(ax=drawn.add_subplot())
    return drawn


def what_groups_buy() -> Figure:
    """The frontier of all splits, and the standard ways."""
    room = Classroom.sample(rates=(0.1, 0.6))
    named = compare(room, frontier=False).named
    drawn = plots.figure(6.2, 3.6)
    frontier(room).plot(drawn.add_subplot(), others=named)
    return drawn


def gauss_nodes() -> Figure:
    """The part of a component that one, two and four examples leave, against the rate."""
    room = Classroom.sample(students=300, dimensions=25, rates=(0.1, 1.0))
    rates, energies = np.asarray(room.rates), np.asarray(room.gaps)[:, 0] ** 2
    drawn = plots.figure(7.0, 3.8)
    above, below = drawn.subplots(2, height_ratios=(4, 1), sharex=True)
    with look():
        at = np.linspace(rates.min(), rates.max(), 400)
        for colour, count in enumerate((1, 2, 4)):
            steps = best_lengths(rates, energies, count, ceiling=np.inf)
            left = np.prod(1.0 - steps.g[:, None] * at, axis=0) ** 2
            name = counted(count, "example")
            above.plot(at, left, color=plots.COLOURS[colour], lw=1.8, label=name)
            above.plot(1.0 / steps.g, 0.0 * steps.g, "o", color=plots.COLOURS[colour], ms=5)
        above.set_ylim(-0.03, 0.8)
        above.set_ylabel("part that is left")
        above.legend(frameon=False)
        below.vlines(rates, 0.0, rates * energies, color=QUIET, lw=0.5)
        below.set_yticks([])
        below.set_ylabel("weight")
        below.set_xlabel("rate of a student")
    return drawn


def guarantee() -> Figure:
    """A certificate's bound over the lesson it is about."""
    room = Classroom.sample()
    certificate, record = certify(room), teach(room)
    assert certificate.rounds is not None
    bound = [certificate.bound(rounds) for rounds in range(certificate.rounds + 1)]
    return _curves({"simulated": record.errors, "proved: never above": np.array(bound)})


def some_insects() -> str:
    """Two insects of each species, as drawn: pictures inside a picture."""
    made, size = insects.make(), 170
    shown = [made.species.index(one.short) + 2 + k for k in range(2) for one in insects.SPECIES]
    places = [((i % 4) * size, (i // 4) * (size - 20)) for i in range(len(shown))]
    pictures = [
        made.svg(number).replace("<svg ", f'<svg x="{x}" y="{y}" width="{size}" height="{size}" ')
        for number, (x, y) in zip(shown, places, strict=True)
    ]
    box = f'width="{4 * size}" height="{2 * size - 20}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>\n{"".join(pictures)}</svg>\n'


def crowd_map() -> Figure:
    """The map of the insects: items, annotators and the target."""
    answers = insects.make().answers
    found = Embedding.fit(answers, dimensions=2)
    figure, ax = panel(6.4, 4.4)
    groups = found.groups()
    for person, group in enumerate(groups.tolist()):
        _draw_line(ax, found.people[person], found.thresholds[person], COLOURS[group], alpha=0.3)
    for group in range(int(groups.max()) + 1):
        own = groups == group
        middle = found.people[own].mean(axis=0), found.thresholds[own].mean()
        _draw_line(ax, *middle, COLOURS[group], linewidth=2)
    *weights, shift = found.target().tolist()
    _draw_line(ax, np.array(weights), -shift, "black", linewidth=2, linestyle="--")
    for yes, fill in ((True, "black"), (False, "white")):
        x, y = found.items[(found.labels > 0) == yes].T
        ax.plot(x, y, "o", color="black", markerfacecolor=fill, markersize=3.5)
    low, high = found.items.min(axis=0), found.items.max(axis=0)
    (left, bottom), (right, top) = low - 0.08 * (high - low), high + 0.08 * (high - low)
    ax.set(xlim=(left, right), ylim=(bottom, top), xticks=[], yticks=[])
    return figure


def _draw_line(ax: Any, weights: Any, threshold: float, colour: str, **how: Any) -> None:
    """Draw the line on which an annotator's score is zero."""
    foot = threshold * weights / (weights @ weights)
    along = np.array([-weights[1], weights[0]])
    ax.axline(foot, foot + along, color=colour, **{"linewidth": 0.6, **how})


def letters() -> str:
    """The model letters, on ruled lines."""
    return sheet([model_letter(letter) for letter in LETTERS], columns=9, captions=[], ruled=True)


def forms() -> str:
    """The forms of some letters that were drawn for homeroom."""
    shown = [
        Ink(tuple(Stroke(stroke.points[::3]) for stroke in form))
        for letter in FORMS_SHOWN
        for name, form in forms_of(letter).items()
        if name != HERSHEY
    ]
    return sheet(shown, columns=10, captions=[], ruled=True)


def _curves(errors: dict[str, Any]) -> Figure:
    drawn = plots.figure(5.4, 3.0)
    longest = max(errors.values(), key=len)
    ax = drawn.add_subplot()
    (first, own), *others = errors.items()
    plots.error_curve(own, students=dict(others), goal=0.1, label=first, ax=ax)
    ax.set_xlim(0, len(longest) - 1)
    return drawn


def knobs() -> str:
    """The letter f with increasing distortion, rotation and shakiness."""
    steps = np.linspace(0.0, 0.7, 8)
    rows = (
        [Knobs(distortion=step) for step in steps],
        [Knobs(rotation=45 * step) for step in steps],
        [Knobs(shakiness=step) for step in steps],
    )
    inks = [ink for row in rows for ink in Kinematic().write("f", row, seed=1)]
    captions = [f"{name} {step:.1f}" for name in FEATURES for step in steps]
    return sheet(inks, columns=len(steps), captions=captions, ruled=True)


PICTURES: tuple[Callable[[], Figure], ...] = (
    converging,
    magnitudes,
    teachers,
    groups,
    costs,
    what_groups_buy,
    gauss_nodes,
    guarantee,
    crowd_map,
)


def draw_all(_app: Sphinx | None = None) -> None:
    """Draw every picture; a file that would stay the same is left alone."""
    IMAGES.mkdir(exist_ok=True)
    for picture in PICTURES:
        text = io.StringIO()
        with look():
            picture().savefig(text, format="svg", metadata={"Date": None})
        lines = [line.rstrip() for line in text.getvalue().splitlines()]
        _write(f"{picture.__name__}.svg", "\n".join(lines) + "\n")
    _write("insects.svg", some_insects())
    _write("letters.svg", letters())
    _write("forms.svg", forms())
    _write("knobs.svg", knobs())


def _write(name: str, text: str) -> None:
    path = IMAGES / name
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Draw before anything is read."""
    app.connect("builder-inited", draw_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
