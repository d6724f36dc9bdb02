"""``homeroom certify``: prove how many rounds are enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom import plots
from homeroom.classroom import Classroom
from homeroom.cli.command import command
from homeroom.cli.group import MOST_GROUPS
from homeroom.cli.options import ClassOptions, LessonOptions, find_grouping
from homeroom.cli.output import lesson_bar
from homeroom.cli.result import (
    Result,
    class_as_values,
    class_in_words,
    ending,
    record_as_values,
    setting_in_words,
)
from homeroom.lessons import Record
from homeroom.lessons import teach as teach_class

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from homeroom.advice import Certificate

MOST_POINTS = 500
"""The most rounds at which a bound is drawn: more cannot be distinguished in a picture."""

PROVED = ("rounds", "why", "rate", "floor", "rank", "weakest", "in_expectation")
"""The properties of a certificate that the JSON document has as they are."""


@command()
def certify(which: ClassOptions, lesson: LessonOptions, *, groups: str = "whole") -> Result:
    """Prove how many rounds are enough.

    The result also shows how many rounds a simulation needs. Where nothing can be
    proved before the lesson, the proof uses the simulated lesson.

    [bold]Examples[/bold]
    $ homeroom certify students.csv
    $ homeroom certify students.csv --goal everyone --eps 0.2 --groups by-rate

    Parameters
    ----------
    groups : NAME[:KEY=VALUE,...]
        How the class is split: {groups}. Example: by-knowledge:k=3, or a file, groups.csv.
    """
    from homeroom.advice import certify as prove

    room = which.room()
    settings = lesson.settings() | {"groups": find_grouping(groups, room), "seed": which.seed}
    limit = settings.pop("max_rounds")
    certificate = prove(room, **settings)
    with lesson_bar("Teaching") as progress:
        record = teach_class(room, max_rounds=limit, progress=progress, **settings)
    afterwards = certificate.rounds is None
    if afterwards:
        certificate = prove(room, record=record, **settings)
    return certificate_result(room, certificate, record, afterwards=afterwards)


def certificate_result(
    room: Classroom, certificate: Certificate, record: Record, *, afterwards: bool
) -> Result:
    """Return the result about a certificate; ``afterwards`` if it uses the simulated lesson."""
    values = {
        "class": class_as_values(room),
        "certificate": {**_describe(certificate), "after_the_lesson": afterwards},
        "simulation": record_as_values(record),
        "settings": record.settings_and_results(),
    }
    rounds = record.transcript.rounds
    result = Result("How many rounds are enough", values, {"record.npz": record.save})
    chosen = [(name, setting_in_words(record.settings[name])) for name in ("goal", "groups")]
    result.facts([("class", class_in_words(room)), *chosen])
    proved = "rounds proved enough" + " for the expected error" * certificate.in_expectation
    number = "none" if certificate.rounds is None else certificate.rounds
    result.facts([(proved, number), ("rounds simulated", record.rounds)], main=True)
    if 1 < len(certificate.groups) <= MOST_GROUPS:
        parts = [part.rounds for part in certificate.groups]
        rows = zip(range(1, len(parts) + 1), record.sizes, parts, rounds, strict=True)
        result.table(("group", "students", "proved", "simulated"), rows)
    result.sentence(str(certificate), "warning" if certificate.rounds is None else "")
    if certificate.rounds is not None and afterwards:
        result.sentence("This was certified after the lesson, from its simulation.")
    if certificate.rounds is not None and len(rounds) == 1:
        caption = "The error of the class in the simulation, and the bound that is proved."
        result.chart("certificate", lambda ax: draw_bound(ax, certificate, record), caption)
    result.add(ending(record))  # why the simulated lesson stopped
    return result


def _describe(certificate: Certificate) -> dict[str, Any]:
    return {
        **{name: getattr(certificate, name) for name in PROVED},
        "statement": str(certificate),
        "groups": [_describe(part) for part in certificate.groups],
    }


def draw_bound(ax: Axes, certificate: Certificate, record: Record) -> None:
    """Draw the proved bound and the simulated error."""
    last = certificate.rounds or record.rounds
    rounds = np.linspace(0.0, last, min(last, MOST_POINTS) + 1).round()
    bound = np.array([certificate.bound(int(number)) for number in rounds])
    plots.error_curve(
        record.errors,
        students={"proved: never above this": bound},  # drawn as one more curve
        at=rounds,
        goal=record.goal_line,
        label="simulated",
        ax=ax,
    )
    ax.set_xlim(0, float(max(1, last, record.rounds)))
