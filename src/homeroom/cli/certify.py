"""``homeroom certify``: how many rounds are proved to be enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from homeroom.classroom import Classroom
from homeroom.cli import report
from homeroom.cli.describe import class_as_values, class_in_words, record_as_values, thing_in_words
from homeroom.cli.folder import folder
from homeroom.cli.options import (
    ClassOptions,
    GroupsOption,
    LessonOptions,
    ResultOptions,
    grouping,
)
from homeroom.cli.screen import Screen, progress_bar
from homeroom.lessons import Record
from homeroom.lessons import teach as teach_class

if TYPE_CHECKING:
    from homeroom.advice import Certificate

MAX_SHOWN = 20


def certify(
    which: ClassOptions,
    lesson: LessonOptions,
    result: ResultOptions,
    groups: GroupsOption = "whole",
) -> None:
    """Prove how many rounds are enough.

    Next to it stands what a simulation needs. Where nothing can be proved before
    the lesson, the simulated one is used.

    [bold]Examples[/bold]
    $ homeroom certify pupils.csv
    $ homeroom certify pupils.csv --goal everyone --eps 0.2 --groups by-rate
    """
    from homeroom.advice import certify as prove

    screen = Screen(as_json=result.json)
    room = which.room()
    split = grouping(groups, room)
    settings = lesson.settings(which.max_bytes)
    with folder(result.out, force=result.force) as out:
        before = prove(room, groups=split, seed=which.seed, **settings)
        with progress_bar("Teaching") as progress:
            record = teach_class(
                room,
                groups=split,
                max_rounds=lesson.max_rounds,
                seed=which.seed,
                progress=progress,
                **settings,
            )
        afterwards = before.rounds is None
        certificate = (
            prove(room, groups=split, seed=which.seed, record=record, **settings)
            if afterwards
            else before
        )
        document = _document(room, certificate, record, afterwards=afterwards)
        if out:
            pictures = _pictures(certificate, record)
            for name, (drawn, _) in pictures.items():
                out.figure(name, drawn)
            record.save(out / "record.npz")
            out.page(report.certificate_page(room, certificate, record, pictures))
            out.result(document)
    _show(screen, room, certificate, record, afterwards=afterwards)
    screen.result(document)
    report.say_where(screen, result.out)


def _pictures(certificate: Certificate, record: Record) -> report.Pictures:
    if certificate.rounds is None or len(record.transcript.rounds) > 1:
        return {}
    caption = "The class's error in the simulation, and what it was proved to stay below."
    return {"certificate": (report.certificate_figure(certificate, record), caption)}


def _as_values(certificate: Certificate) -> dict[str, Any]:
    return {
        "rounds": certificate.rounds,
        "statement": str(certificate),
        "why": certificate.why,
        "rate": certificate.rate,
        "floor": certificate.floor,
        "rank": certificate.rank,
        "weakest": certificate.weakest,
        "in_expectation": certificate.in_expectation,
        "groups": [_as_values(part) for part in certificate.groups],
    }


def _document(
    room: Classroom, certificate: Certificate, record: Record, *, afterwards: bool
) -> dict[str, Any]:
    return {
        "class": class_as_values(room),
        "certificate": {**_as_values(certificate), "after_the_lesson": afterwards},
        "simulation": record_as_values(record),
        "settings": dict(record.settings),
    }


def _show(
    screen: Screen,
    room: Classroom,
    certificate: Certificate,
    record: Record,
    *,
    afterwards: bool,
) -> None:
    screen.title("How many rounds are enough")
    screen.facts(
        [
            ("class", class_in_words(room)),
            ("goal", thing_in_words(record.settings["goal"])),
            ("groups", thing_in_words(record.settings["groups"])),
        ]
    )
    screen.gap()
    screen.facts(
        [
            (report.proved_enough(certificate), _number(certificate.rounds)),
            ("simulated", f"{record.rounds}"),
        ]
    )
    if 1 < len(certificate.groups) <= MAX_SHOWN:
        screen.table(
            ("group", "students", "proved", "simulated"),
            [
                (str(number + 1), str(size), _number(part.rounds), str(rounds))
                for number, (part, size, rounds) in enumerate(
                    zip(certificate.groups, record.sizes, record.transcript.rounds, strict=True)
                )
            ],
        )
    screen.gap()
    screen.say(f"{certificate}", style="" if certificate.rounds is not None else "bold yellow")
    if afterwards and certificate.rounds is not None:
        screen.say("This was certified after the lesson, from what it turned out to be.")
    screen.ending(record)


def _number(rounds: int | None) -> str:
    return "none" if rounds is None else str(rounds)
