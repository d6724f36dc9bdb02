"""``homeroom write lesson``: which letters to write for children, in which order."""

from __future__ import annotations

import json as json_text
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeroom._checks import InputError
from homeroom._files import check_file, replacing
from homeroom.cli.options import lesson_option
from homeroom.cli.output import (
    ForceOption,
    JsonOption,
    check_file_to_write,
    lesson_bar,
    result_option,
    show,
)
from homeroom.cli.report import CommandReport, Heading, Sentence, Table
from homeroom.cli.write import (
    MEANING,
    SCORES,
    GeneratorOption,
    ModelOptions,
    SeedOption,
    add_left_out,
)
from homeroom.lessons import StoppedBecause

if TYPE_CHECKING:
    from homeroom.handwriting.ink import Ink
    from homeroom.handwriting.lesson import WritingLesson, Written


@dataclass(frozen=True)
class TeachingOptions:
    """How children learn, and the goal."""

    rate: Annotated[float, lesson_option("The learning rate of the children.")] = 0.05
    eps: Annotated[float, lesson_option("How close to the target the goal is, on average.")] = 0.2
    max_rounds: Annotated[int, lesson_option("The most letters for each group.", min=1)] = 500
    pool: Annotated[
        int, lesson_option("The number of letters to choose from.", min=20, max=20_000)
    ] = 1000


@dataclass(frozen=True)
class RobotOptions:
    """The letters for a robot arm."""

    trajectories: Annotated[
        Path | None,
        result_option(
            "Also write the letters for a robot arm: .json, in millimetres and seconds.",
            metavar="FILE",
        ),
    ] = None
    height: Annotated[float, result_option("The height of a robot's letter, in mm.")] = 30.0
    fastest: Annotated[float, result_option("A robot's highest speed, in mm/s.")] = 150.0


def lesson(
    children: Annotated[
        list[Path],
        typer.Argument(
            metavar="CHILDREN...",
            help="Files of ink, one per child, or with the names of the writers in them.",
            show_default=False,
        ),
    ],
    which: ModelOptions,
    how: TeachingOptions,
    robot: RobotOptions,
    *,
    generator: GeneratorOption = "kinematic",
    seed: SeedOption = 0,
    out: Annotated[Path, result_option("Where the page is written.", metavar="FILE")] = Path(
        "lesson.html"
    ),
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Find which letters to write for children to correct, in which order.

    The children's letters are scored, children with the same difficulties form a
    group, and letters are chosen that teach them soonest to distinguish good from
    bad. The result is a page that writes the letters as a hand would. Letters
    that cannot be scored are listed and left out.

    [bold]Examples[/bold]
    $ homeroom write lesson ada.inkml ben.inkml cleo.inkml --out lesson.html
    $ homeroom write lesson class.jsonl --letter f --trajectories robot.json
    """
    from homeroom.goals import AverageGoal
    from homeroom.handwriting.lesson import writing_lesson
    from homeroom.handwriting.lesson_page import lesson_page
    from homeroom.handwriting.letter_pool import LetterPool
    from homeroom.handwriting.letters import HERSHEY
    from homeroom.handwriting.pupils import common_form, pupils

    check_file_to_write(out, endings=(".html", ".htm"), force=force)
    if robot.trajectories is not None:
        check_file_to_write(robot.trajectories, "--trajectories", endings=(".json",), force=force)
    left_out: list[str] = []
    tries = _read(children, which, left_out)
    letter = _the_letter([ink for own in tries.values() for ink in own])
    forms = which.forms_of(letter)
    writers = pupils(tries, forms, leave_out=left_out.append)
    form = common_form(writers)
    own_model = forms[form] if generator == "kinematic" else None  # a network has its own form
    pool = LetterPool.make(letter, how.pool, generator=generator, model=own_model, seed=seed)
    with lesson_bar("Choosing letters") as progress:
        plan = writing_lesson(
            writers,
            pool,
            rate=how.rate,
            goal=AverageGoal(how.eps),
            max_rounds=how.max_rounds,
            seed=seed,
            progress=progress,
        )
    _write_trajectories(plan, robot)
    with replacing(out) as path:
        path.write_text(lesson_page(plan), encoding="utf-8")
    report = writing_report(plan, letter, form if own_model is not None else HERSHEY)
    report.values |= {"out": str(out), "left_out": left_out}
    add_left_out(report, left_out)
    report.add(Sentence(f"The page is at {out}", "bold"))
    show(report, json=json)


def _the_letter(inks: Sequence[Ink]) -> str:
    """Return the letter that all of these are, or raise an error if they differ."""
    found = sorted({ink.letter or "" for ink in inks})
    if len(found) > 1:
        raise InputError(
            f"A lesson is about one letter, but the files hold {', '.join(found)[:80]}: choose "
            f"one, as with --letter {found[0]}."
        )
    return found[0]


def _read(paths: list[Path], which: ModelOptions, left_out: list[str]) -> dict[str, list[Ink]]:
    """Return each child's letters, by the name in the file, or by the name of the file.

    A sentence on each letter or child that cannot be used is added to ``left_out``.
    """
    from homeroom.handwriting.pupils import by_writer
    from homeroom.handwriting.scores.score import has_line

    tries: dict[str, list[Ink]] = {}
    for path, unnamed in zip(paths, _names(paths), strict=True):
        for name, own in by_writer(which.read(path, left_out), unnamed).items():
            tries.setdefault(name, []).extend(own)
    taught = {name: own for name, own in tries.items() if any(map(has_line, own))}
    dots = [name for name in tries if name not in taught]
    left_out += [
        f"{name} has written nothing but dots, in which the pen never moves." for name in dots
    ]
    if not taught:
        raise InputError(f"There is no child to teach. {left_out[-len(dots)]}")
    return taught


def _names(paths: list[Path]) -> list[str]:
    """Return a name for the child of each file: the file's, with its folder where names repeat."""
    for path in paths:
        check_file(path)  # a link to itself cannot be resolved
    if len({path.resolve() for path in paths}) < len(paths):
        raise InputError("A file is named twice: name the file of each child once.")
    stems = [path.stem for path in paths]
    full = [f"{path.resolve().parent.name}/{path.name}" for path in paths]
    return [
        stem if stems.count(stem) == 1 else longer for stem, longer in zip(stems, full, strict=True)
    ]


def _write_trajectories(plan: WritingLesson, robot: RobotOptions) -> None:
    """Write the letters for a robot arm, if the user wants them."""
    from homeroom.handwriting.trajectories import trajectories

    if robot.trajectories is None:
        return
    paths = trajectories(plan, height=robot.height, fastest=robot.fastest)
    with replacing(robot.trajectories) as path:
        path.write_text(json_text.dumps(paths) + "\n", encoding="utf-8")


def writing_report(plan: WritingLesson, letter: str, form: str) -> CommandReport:
    """Return the report: how the children write, and how many letters each lesson has."""
    report = CommandReport(f"How the children write {letter!r}", _values(plan, letter, form))
    report.add(
        Table(
            ("child", "letters", "form", *SCORES, "type"),
            [
                (
                    child.name[:30],
                    str(len(child.inks)),
                    child.form,
                    *(f"{score:.2f}" for score in child.mean.tolist()),
                    str(kind),
                )
                for child, kind in zip(plan.pupils, plan.kinds, strict=True)
            ],
        ),
        *(Sentence(f"  {each}", "warning") for child in plan.pupils for each in child.remarks),
        Sentence(f"{MEANING} A type names the two greatest defects, however small.", "dim"),
        Sentence(f"The letters of the lesson have the form {form!r}.", "dim"),
        Heading("What to write for them"),
        Table(
            ("for", "letters", "good ones"),
            [
                (name, str(len(shown)), str(sum(one.good for one in shown)))
                for name, shown in _lessons(plan)
            ],
        ),
    )
    for record in (plan.whole, plan.by_kind):
        if record.stopped_because is not StoppedBecause.GOAL:
            report.add_ending(record)
    return report


def _lessons(plan: WritingLesson) -> list[tuple[str, list[Written]]]:
    """Return the letters for the whole class, and for each group if there are several, by name."""
    lessons = [("the whole class", plan.letters())]
    if len(plan.groups) > 1:
        lessons += [(kind, plan.letters(kind)) for kind in plan.groups]
    return lessons


def _values(plan: WritingLesson, letter: str, form: str) -> dict[str, Any]:
    """Return the JSON document of a lesson: the children, and the letters for each group."""
    from homeroom.handwriting.pupils import certainty_of_kinds

    return {
        "letter": letter,
        "form": form,
        "children": [
            {
                "child": child.name,
                "letters": len(child.inks),
                "form": child.form,
                "scores": child.mean,
                "type": str(kind),
                "type_probability": round(float(probability), 4),
                "notes": {place + 1: note for place, note in child.notes.items()},
            }
            for child, kind, probability in zip(
                plan.pupils, plan.kinds, certainty_of_kinds(plan.pupils, plan.pool), strict=True
            )
        ],
        "lessons": [
            {
                "for": name,
                "letters": [
                    {"item": one.item, "good": one.good, "scores": one.scores} for one in shown
                ],
            }
            for name, shown in _lessons(plan)
        ],
        "stopped_because": {
            "whole class": plan.whole.stopped_because.value,
            "by type": plan.by_kind.stopped_because.value,
        },
        "settings": plan.whole.settings_and_results(),
    }
