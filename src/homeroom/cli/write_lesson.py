"""``homeroom write lesson``: which letters to write for children, in which order."""

from __future__ import annotations

import json as json_text
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeroom._checks import InputError
from homeroom._files import replacing
from homeroom.cli.screen import Screen, progress_bar
from homeroom.cli.write_options import (
    GeneratorOption,
    JsonOption,
    ModelOptions,
    SeedOption,
    refuse_no_file,
    say_left_out,
    the_letter,
)

if TYPE_CHECKING:
    from homeroom.handwriting.ink import Ink
    from homeroom.handwriting.lesson import WritingLesson, Written

_THE_LESSON = "The lesson"
_THE_RESULT = "The result"


@dataclass(frozen=True)
class LessonOptions:
    """How children learn, and when it is enough."""

    rate: Annotated[
        float,
        typer.Option(help="How strongly children react.", rich_help_panel=_THE_LESSON),
    ] = 0.05
    eps: Annotated[
        float,
        typer.Option(help="How close they are to come, on average.", rich_help_panel=_THE_LESSON),
    ] = 0.2
    max_rounds: Annotated[
        int,
        typer.Option(min=1, help="The most letters for a group.", rich_help_panel=_THE_LESSON),
    ] = 500
    pool: Annotated[
        int,
        typer.Option(
            min=20, max=20_000, help="How many letters to choose from.", rich_help_panel=_THE_LESSON
        ),
    ] = 1000


@dataclass(frozen=True)
class RobotOptions:
    """The same for a robot arm."""

    trajectories: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the letters for a robot arm too: .json, millimetres and seconds.",
            rich_help_panel=_THE_RESULT,
        ),
    ] = None
    height: Annotated[
        float,
        typer.Option(help="How high a robot's letter is, in mm.", rich_help_panel=_THE_RESULT),
    ] = 30.0
    fastest: Annotated[
        float,
        typer.Option(help="A robot's highest speed, in mm/s.", rich_help_panel=_THE_RESULT),
    ] = 150.0


def lesson(
    children: Annotated[
        list[Path],
        typer.Argument(
            metavar="CHILDREN...",
            help="Files of ink, one for each child, or with the writers' names in them.",
            show_default=False,
        ),
    ],
    which: ModelOptions,
    how: LessonOptions,
    robot: RobotOptions,
    *,
    generator: GeneratorOption = "kinematic",
    seed: SeedOption = 0,
    out: Annotated[
        Path,
        typer.Option(metavar="FILE", help="Where the page goes.", rich_help_panel=_THE_RESULT),
    ] = Path("lesson.html"),
    json: JsonOption = False,
) -> None:
    """Find which letters to write for children to correct, in which order.

    The children's letters are scored, children with the same difficulties are
    put together, and letters are chosen that bring them to tell good from bad
    soonest. You get one page that writes the letters as a hand would. Letters
    that cannot be scored are named, and left out.

    [bold]Examples[/bold]
    $ homeroom write lesson ada.inkml ben.inkml cleo.inkml --out lesson.html
    $ homeroom write lesson class.jsonl --letter f --trajectories robot.json
    """
    from homeroom.goals import AverageGoal
    from homeroom.handwriting.lesson import writing_lesson
    from homeroom.handwriting.letter_pool import LetterPool
    from homeroom.handwriting.page import lesson_page
    from homeroom.handwriting.pupils import pupils

    screen = Screen(as_json=json)
    refuse_no_file(out, "--out", (".html", ".htm"))
    if robot.trajectories is not None:
        refuse_no_file(robot.trajectories, "--trajectories", (".json",))
    left_out: list[str] = []
    tries = _read(children, which, left_out)
    letter = the_letter([ink for own in tries.values() for ink in own])
    model = which.model_of(letter)
    own_model = None if which.model is None else model
    pool = LetterPool.make(letter, how.pool, generator=generator, model=own_model, seed=seed)
    with progress_bar("Choosing letters") as progress:
        plan = writing_lesson(
            pupils(tries, model),
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
    say_left_out(left_out)
    _show(screen, plan, letter)
    screen.result(_document(plan, letter, out) | {"left_out": left_out})
    screen.gap()
    screen.say(f"The page is at {out}", style="bold")


def _read(paths: list[Path], which: ModelOptions, left_out: list[str]) -> dict[str, list[Ink]]:
    """Return each child's letters, by its name in the file or else by the file's."""
    from homeroom.handwriting.pupils import by_writer
    from homeroom.handwriting.scores import checks

    tries: dict[str, list[Ink]] = {}
    for path, unnamed in zip(paths, _names(paths), strict=True):
        for name, own in by_writer(which.read(path, left_out), unnamed).items():
            tries.setdefault(name, []).extend(own)
    taught = {name: own for name, own in tries.items() if any(map(checks.moves, own))}
    dots = [name for name in tries if name not in taught]
    left_out += [
        f"{name} has written nothing but dots, in which the pen never moves." for name in dots
    ]
    if not taught:
        raise InputError(f"There is nobody to teach. {left_out[-len(dots)]}")
    return taught


def _names(paths: list[Path]) -> list[str]:
    """Return what to call the child of each file: as the file, with its folder if need be."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise InputError("A file is named twice: name the file of each child once.")
    stems = [path.stem for path in paths]
    full = [f"{path.resolve().parent.name}/{path.name}" for path in paths]
    return [
        stem if stems.count(stem) == 1 else longer for stem, longer in zip(stems, full, strict=True)
    ]


def _write_trajectories(plan: WritingLesson, robot: RobotOptions) -> None:
    from homeroom.handwriting.trajectories import trajectories

    if robot.trajectories is None:
        return
    told = trajectories(plan, height=robot.height, fastest=robot.fastest)
    with replacing(robot.trajectories) as path:
        path.write_text(json_text.dumps(told) + "\n", encoding="utf-8")


def _show(screen: Screen, plan: WritingLesson, letter: str) -> None:
    screen.title(f"How the children write {letter!r}")
    screen.table(
        ("child", "letters", "distortion", "rotation", "shakiness", "type"),
        [
            (
                child.name[:30],
                str(len(child.inks)),
                *(f"{score:.2f}" for score in child.mean.tolist()),
                str(kind),
            )
            for child, kind in zip(plan.pupils, plan.kinds, strict=True)
        ],
    )
    for child in plan.pupils:
        for sentence in child.said:
            screen.say(f"  {sentence}", style="yellow")
    screen.say(
        "  Defects from 0 to 1; the type names the two greatest, however small.\n"
        "  BHK-inspired, never a diagnosis.",
        style="dim",
    )
    screen.title("What to write for them")
    screen.table(
        ("for", "letters", "of them good"),
        [
            (name, str(len(shown)), str(sum(one.good for one in shown)))
            for name, shown in _lessons(plan)
        ],
    )
    for record in (plan.whole, plan.by_kind):
        if record.stopped_because.name != "GOAL":
            screen.ending(record)


def _lessons(plan: WritingLesson) -> list[tuple[str, list[Written]]]:
    lessons = [("the whole class", plan.letters())]
    if len(plan.groups) > 1:
        lessons += [(kind, plan.letters(kind)) for kind in plan.groups]
    return lessons


def _document(plan: WritingLesson, letter: str, out: Path) -> dict[str, Any]:
    return {
        "letter": letter,
        "children": [
            {
                "child": child.name,
                "letters": len(child.inks),
                "scores": child.mean,
                "type": str(kind),
                "notes": {place + 1: note for place, note in child.notes.items()},
            }
            for child, kind in zip(plan.pupils, plan.kinds, strict=True)
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
        "settings": dict(plan.whole.settings),
        "out": str(out),
    }
