"""``homeroom certify``: prove how many rounds are enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom.classroom import Classroom
from homeroom.cli.group import MOST_GROUPS
from homeroom.cli.options import ClassOptions, GroupsOption, LessonOptions, grouping
from homeroom.cli.output import ResultOptions, lesson_bar
from homeroom.cli.report import (
    Chart,
    CommandReport,
    Facts,
    Sentence,
    Table,
    class_as_values,
    class_in_words,
    record_as_values,
    setting_in_words,
)
from homeroom.lessons import Record
from homeroom.lessons import teach as teach_class

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from homeroom.advice import Certificate

MOST_POINTS = 500
"""The most rounds at which a bound is drawn: more cannot be distinguished in a picture."""


def certify(
    which: ClassOptions,
    lesson: LessonOptions,
    result: ResultOptions,
    groups: GroupsOption = "whole",
) -> None:
    """Prove how many rounds are enough.

    The result also shows how many rounds a simulation needs. Where nothing can be
    proved before the lesson, the proof uses the simulated lesson.

    [bold]Examples[/bold]
    $ homeroom certify students.csv
    $ homeroom certify students.csv --goal everyone --eps 0.2 --groups by-rate
    """
    from homeroom.advice import certify as prove

    room = which.room()
    split = grouping(groups, room)
    settings = lesson.settings(which.max_bytes)
    with result.folder() as out:
        certificate = prove(room, groups=split, seed=which.seed, **settings)
        with lesson_bar("Teaching") as progress:
            record = teach_class(
                room,
                groups=split,
                max_rounds=lesson.max_rounds,
                seed=which.seed,
                progress=progress,
                **settings,
            )
        afterwards = certificate.rounds is None
        if afterwards:
            certificate = prove(room, groups=split, seed=which.seed, record=record, **settings)
        report = certificate_report(room, certificate, record, afterwards=afterwards)
        out.write(report)
    result.show(report)


def certificate_report(
    room: Classroom, certificate: Certificate, record: Record, *, afterwards: bool
) -> CommandReport:
    """Return the report of a certificate; ``afterwards`` if it uses the simulated lesson."""
    values = {
        "class": class_as_values(room),
        "certificate": {**_values(certificate), "after_the_lesson": afterwards},
        "simulation": record_as_values(record),
        "settings": record.settings_and_results(),
    }
    expected = " for the expected error" if certificate.in_expectation else ""
    report = CommandReport("How many rounds are enough", values, {"record.npz": record.save})
    report.add(
        Facts(
            [
                ("class", class_in_words(room)),
                ("goal", setting_in_words(record.settings["goal"])),
                ("groups", setting_in_words(record.settings["groups"])),
            ]
        ),
        Facts(
            [
                (f"rounds proved enough{expected}", _number(certificate.rounds)),
                ("rounds simulated", f"{record.rounds}"),
            ],
            main=True,
        ),
    )
    if 1 < len(certificate.groups) <= MOST_GROUPS:
        each = zip(certificate.groups, record.sizes, record.transcript.rounds, strict=True)
        rows = [
            (str(number), str(size), _number(part.rounds), str(rounds))
            for number, (part, size, rounds) in enumerate(each, start=1)
        ]
        report.add(Table(("group", "students", "proved", "simulated"), rows))
    report.add(Sentence(f"{certificate}", "" if certificate.rounds is not None else "warning"))
    if certificate.rounds is not None:
        if afterwards:
            report.add(Sentence("This was certified after the lesson, from its simulation."))
        if len(record.transcript.rounds) == 1:
            report.add(_chart(certificate, record))
    report.add_ending(record)  # why the simulated lesson stopped
    return report


def _values(certificate: Certificate) -> dict[str, Any]:
    return {
        "rounds": certificate.rounds,
        "statement": str(certificate),
        "why": certificate.why,
        "rate": certificate.rate,
        "floor": certificate.floor,
        "rank": certificate.rank,
        "weakest": certificate.weakest,
        "in_expectation": certificate.in_expectation,
        "groups": [_values(part) for part in certificate.groups],
    }


def _number(rounds: int | None) -> str:
    return "none" if rounds is None else str(rounds)


def _chart(certificate: Certificate, record: Record) -> Chart:
    caption = "The error of the class in the simulation, and the bound that is proved."
    return Chart("certificate", lambda: certificate_figure(certificate, record), caption)


def certificate_figure(certificate: Certificate, record: Record) -> Figure:
    """Return the proved bound and the simulated error in one figure."""
    from homeroom import plots

    figure, ax = plots.panel(6.4, 3.6)
    rounds = certificate.rounds or record.rounds
    at = np.linspace(0.0, rounds, min(rounds, MOST_POINTS) + 1).round()
    bound = np.array([certificate.bound(int(number)) for number in at])
    plots.error_curve(
        record.errors,
        students={"proved: never above this": bound},  # drawn as one more curve
        at=at,
        goal=record.goal_line,
        label="simulated",
        ax=ax,
    )
    ax.set_xlim(0, float(max(1, rounds, record.rounds)))
    return figure
