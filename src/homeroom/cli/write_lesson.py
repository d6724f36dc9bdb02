"""``homeroom write lesson``: which letters to write for children, in which order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from homeroom._checks import InputError
from homeroom._files import check_file, replacing
from homeroom.cli.command import PAGE_ENDINGS, Bounds, Output, Seed, command
from homeroom.cli.files import check_file_to_write
from homeroom.cli.output import lesson_bar
from homeroom.cli.result import Result, ending
from homeroom.cli.write import MEANING, SCORES, ModelOptions, add_left_out
from homeroom.lessons import StoppedBecause

if TYPE_CHECKING:
    from homeroom.handwriting.ink import Ink
    from homeroom.handwriting.lesson import WritingLesson, Written


@dataclass(frozen=True, kw_only=True)
class TeachingOptions:
    """The lesson.

    Parameters
    ----------
    rate
        The learning rate of the children.
    eps
        How close to the target the goal is, on average.
    max_rounds
        The most letters for each group.
    pool
        The number of letters to choose from.
    generator : NAME|FILE
        What writes the letters: kinematic, lstm, or the .npz file of your own network.
    seed
        The random seed: the same seed gives the same letters.
    """

    rate: float = 0.05
    eps: float = 0.2
    max_rounds: Annotated[int, Bounds(1)] = 500
    pool: Annotated[int, Bounds(20, 20_000)] = 1000
    generator: str = "kinematic"
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class RobotOptions:
    """The letters for a robot arm.

    Parameters
    ----------
    trajectories : FILE
        Also write the letters for a robot arm: .json, in millimetres and seconds.
    height
        The height of a robot's letter, in mm.
    fastest
        A robot's highest speed, in mm/s.
    """

    trajectories: Path | None = None
    height: float = 30.0
    fastest: float = 150.0

    def write(self, plan: WritingLesson) -> None:
        """Write the letters of a lesson, if the user wants them."""
        from homeroom.handwriting.trajectories import trajectories

        if self.trajectories is None:
            return
        paths = trajectories(plan, height=self.height, fastest=self.fastest)
        with replacing(self.trajectories) as path:
            path.write_text(json.dumps(paths) + "\n", encoding="utf-8")


@command(Output("Where the page is written.", Path("lesson.html"), PAGE_ENDINGS))
def lesson(
    children: list[Path],
    which: ModelOptions,
    how: TeachingOptions,
    robot: RobotOptions,
    *,
    force: bool = False,
) -> Result:
    """Find which letters to write for children to correct, in which order.

    The children's letters are scored, children with the same difficulties form a
    group, and letters are chosen that teach them soonest to distinguish good from
    bad. The result is a page that writes the letters as a hand would. Letters
    that cannot be scored are listed and left out.

    [bold]Examples[/bold]
    $ homeroom write lesson ada.inkml ben.inkml cleo.inkml --out lesson.html
    $ homeroom write lesson class.jsonl --letter f --trajectories robot.json

    Parameters
    ----------
    children : CHILDREN...
        Files of ink, one per child, or with the names of the writers in them.
    """
    from homeroom.goals import AverageGoal
    from homeroom.handwriting.lesson import writing_lesson
    from homeroom.handwriting.lesson_page import lesson_page
    from homeroom.handwriting.letter_pool import LetterPool
    from homeroom.handwriting.letters import HERSHEY
    from homeroom.handwriting.pupils import common_form, pupils

    if robot.trajectories is not None:
        check_file_to_write(robot.trajectories, "--trajectories", endings=(".json",), force=force)
    left_out: list[str] = []
    tries = _read_children(children, which, left_out)
    letter = _find_letter([ink for inks in tries.values() for ink in inks])
    forms = which.forms_of(letter)
    writers = pupils(tries, forms, leave_out=left_out.append)
    form = common_form(writers)
    model = forms[form] if how.generator == "kinematic" else None  # a network has its own form
    pool = LetterPool.make(letter, how.pool, generator=how.generator, model=model, seed=how.seed)
    with lesson_bar("Choosing letters") as progress:
        plan = writing_lesson(
            writers,
            pool,
            rate=how.rate,
            goal=AverageGoal(how.eps),
            max_rounds=how.max_rounds,
            seed=how.seed,
            progress=progress,
        )
    robot.write(plan)
    result = writing_result(plan, letter, HERSHEY if model is None else form)
    add_left_out(result, left_out)
    result.page = lambda: lesson_page(plan)
    return result


def _find_letter(inks: Sequence[Ink]) -> str:
    """Return the letter that all of these are, or raise an error if they differ."""
    letters = sorted({ink.letter or "" for ink in inks})
    if len(letters) > 1:
        raise InputError(
            f"A lesson is about one letter, but the files hold {', '.join(letters)[:80]}: choose "
            f"one, as with --letter {letters[0]}."
        )
    return letters[0]


def _read_children(
    paths: list[Path], which: ModelOptions, left_out: list[str]
) -> dict[str, list[Ink]]:
    """Return each child's letters, by the name in the file, or by the name of the file.

    A sentence on each letter or child that cannot be used is added to ``left_out``.
    """
    from homeroom.handwriting.pupils import by_writer
    from homeroom.handwriting.scores.score import has_line

    tries: dict[str, list[Ink]] = {}
    for path, unnamed in zip(paths, _name_children(paths), strict=True):
        for name, inks in by_writer(which.read(path, left_out), unnamed).items():
            tries.setdefault(name, []).extend(inks)
    taught = {name: inks for name, inks in tries.items() if any(map(has_line, inks))}
    dots = [name for name in tries if name not in taught]
    left_out += [
        f"{name} has written nothing but dots, in which the pen never moves." for name in dots
    ]
    if not taught:
        raise InputError(f"There is no child to teach. {left_out[-len(dots)]}")
    return taught


def _name_children(paths: list[Path]) -> list[str]:
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


def writing_result(plan: WritingLesson, letter: str, form: str) -> Result:
    """Return the result: how the children write, and how many letters each lesson has."""
    result = Result(f"How the children write {letter!r}", _values(plan, letter, form))
    result.table(
        ("child", "letters", "form", *SCORES, "type"),
        [
            [child.name[:30], len(child.inks), child.form, *map("{:.2f}".format, child.mean), kind]
            for child, kind in zip(plan.pupils, plan.kinds, strict=True)
        ],
    )
    for text in (remark for child in plan.pupils for remark in child.remarks):
        result.sentence(f"  {text}", "warning")
    result.sentence(f"{MEANING} A type names the two greatest defects, however small.", "dim")
    result.sentence(f"The letters of the lesson have the form {form!r}.", "dim")
    result.heading("What to write for them")
    lessons = list_lessons(plan)
    rows = [(name, len(shown), sum(one.good for one in shown)) for name, shown in lessons]
    result.table(("for", "letters", "good ones"), rows)
    for record in (plan.whole, plan.by_kind):
        if record.stopped_because is not StoppedBecause.GOAL:
            result.add(ending(record))
    return result


def list_lessons(plan: WritingLesson) -> list[tuple[str, list[Written]]]:
    """Return the letters for the whole class, and for each group if there are several, by name."""
    lessons = [("the whole class", plan.letters())]
    if len(plan.groups) > 1:
        lessons += [(kind, plan.letters(kind)) for kind in plan.groups]
    return lessons


def _values(plan: WritingLesson, letter: str, form: str) -> dict[str, Any]:
    """Return the JSON document of a lesson: the children, and the letters for each group."""
    from homeroom.handwriting.pupils import certainty_of_kinds

    certainty = certainty_of_kinds(plan.pupils, plan.pool)
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
            for child, kind, probability in zip(plan.pupils, plan.kinds, certainty, strict=True)
        ],
        "lessons": [
            {
                "for": name,
                "letters": [
                    {"item": one.item, "good": one.good, "scores": one.scores} for one in shown
                ],
            }
            for name, shown in list_lessons(plan)
        ],
        "stopped_because": {
            "whole class": plan.whole.stopped_because.value,
            "by type": plan.by_kind.stopped_because.value,
        },
        "settings": plan.whole.settings_and_results(),
    }
