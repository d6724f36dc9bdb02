"""``homeroom crowd teach``: which items to show, in which order, to whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeroom import _checks, _plugins
from homeroom._words import counted
from homeroom.cli.crowd_embed import write_map
from homeroom.cli.crowd_options import (
    AnswersOptions,
    KOption,
    MapOptions,
    PicturesOption,
    check_k,
)
from homeroom.cli.crowd_words import (
    answers_as_values,
    belief_as_values,
    map_as_values,
    show_answers,
    show_beliefs,
    show_map,
    write_table,
)
from homeroom.cli.describe import record_as_values
from homeroom.cli.folder import Folder, folder
from homeroom.cli.options import ResultOptions
from homeroom.cli.screen import Screen, progress_bar
from homeroom.lessons import StoppedBecause
from homeroom.teachers.magnitude import check_magnitude

if TYPE_CHECKING:
    from homeroom.crowd import Answers, Embedding
    from homeroom.crowd.beliefs import GroupBelief
    from homeroom.crowd.lesson_plan import LessonItem, Syllabus

_THE_LESSON = "The lesson"
RATE = 0.05
"""How strongly people react to an example unless told otherwise."""

EPS = 0.2
"""How close the goal is unless told otherwise."""

MAX_SHOWN = 12
"""How many items of a lesson are printed on the screen."""


@dataclass(frozen=True)
class ShowOptions:
    """How items are shown, and when it is enough."""

    rate: Annotated[
        float,
        typer.Option(help="How strongly people react to an example.", rich_help_panel=_THE_LESSON),
    ] = RATE
    goal: Annotated[
        str,
        typer.Option(
            metavar="NAME[:KEY=VALUE,...]",
            help=f"When it is learnt: {', '.join(_plugins.names('goals'))}.",
            rich_help_panel=_THE_LESSON,
        ),
    ] = "average"
    eps: Annotated[
        float | None,
        typer.Option(
            help="How close the goal is.", rich_help_panel=_THE_LESSON, show_default=str(EPS)
        ),
    ] = None
    fixed: Annotated[
        bool,
        typer.Option(
            "--fixed",
            help="Show items as they are; else the teacher may show them stronger or weaker.",
            rich_help_panel=_THE_LESSON,
        ),
    ] = False
    magnitude: Annotated[
        str,
        typer.Option(
            help="How strong items are shown: static, dynamic or joint.",
            rich_help_panel=_THE_LESSON,
        ),
    ] = "static"
    example_radius: Annotated[
        float,
        typer.Option(help="No item is shown stronger than this.", rich_help_panel=_THE_LESSON),
    ] = 2.0
    max_rounds: Annotated[
        int, typer.Option(help="The limit for each group.", rich_help_panel=_THE_LESSON)
    ] = 10_000

    def settings(self) -> dict[str, Any]:
        """Return what :func:`homeroom.crowd.syllabus` takes, made and checked."""
        _checks.positive(self.rate, "rate", example=str(RATE))
        _checks.radius(self.example_radius, "example_radius")
        check_magnitude(self.magnitude)
        _checks.whole(self.max_rounds, "max_rounds", at_least=0)
        eps = self.eps
        if eps is None and "eps=" not in self.goal:  # as it may be, in everyone:eps=0.5
            eps = EPS
        return {
            "rate": self.rate,
            "goal": _plugins.make("goals", self.goal, **({} if eps is None else {"eps": eps})),
            "fixed": self.fixed,
            "magnitude": self.magnitude,
            "example_radius": self.example_radius,
            "max_rounds": self.max_rounds,
        }


def teach(
    which: AnswersOptions,
    how: MapOptions,
    lesson: ShowOptions,
    result: ResultOptions,
    *,
    k: KOption = None,
    pictures: PicturesOption = None,
) -> None:
    """Find which items to show, in which order, to the class and to each group.

    People are put on a map by what they answered, the expert's labels say what
    is to be learnt, and the teacher shows the items that bring people there
    soonest. With --out you get the order as a table (lesson.csv) and as a page.

    [bold]Examples[/bold]
    $ homeroom crowd teach answers.csv --labels experts.csv
    $ homeroom crowd teach answers.csv --labels experts.csv --fixed --out lesson
    """
    from homeroom.crowd.beliefs import beliefs
    from homeroom.crowd.lesson_plan import syllabus
    from homeroom.crowd.map_warnings import check_enough
    from homeroom.crowd.rule import check_labelled

    screen = Screen(as_json=result.json)
    settings = lesson.settings()
    how.check()
    check_k(k)
    with folder(result.out, force=result.force) as out:
        answers = which.read()
        check_enough(answers)  # this and the next two are said before the work
        check_labelled(answers.labels)
        check_k(k, len(answers.people))
        found_pictures = _pictures(pictures, answers.items)
        found = how.fit(answers)
        group_of = found.groups(k, seed=how.seed)
        with progress_bar("Choosing items") as progress:
            plan = syllabus(found, group_of, seed=how.seed, progress=progress, **settings)
        believed = beliefs(answers, found, group_of)
        document = _document(answers, found, plan, believed)
        if out:
            _write(out, answers, found, plan, believed=believed, pictures=found_pictures)
            out.result(document)
    show_answers(screen, answers)
    show_map(screen, found)
    show_beliefs(screen, answers, believed)
    _show(screen, answers, plan)
    screen.result(document)
    if result.out is not None:
        screen.gap()
        screen.say(f"The lesson is at {result.out / 'report.html'}", style="bold")


def _pictures(folder_of: Path | None, items: Sequence[str]) -> dict[str, str]:
    if folder_of is None:
        return {}
    from homeroom.crowd.atlas import read_pictures

    return read_pictures(folder_of, items)


def _document(
    answers: Answers, found: Embedding, plan: Syllabus, believed: Sequence[GroupBelief]
) -> dict[str, Any]:
    return {
        "answers": answers_as_values(answers),
        "map": map_as_values(found),
        "left_out": plan.left_out,
        "class": {
            **record_as_values(plan.whole),
            "shown": [_as_values(answers, one) for one in plan.shown()],
        },
        "by_group": record_as_values(plan.by_group),
        "groups": [
            {
                **belief_as_values(number, belief),
                "rounds": int(plan.by_group.transcript.rounds[number]),
                "shown": [_as_values(answers, one) for one in plan.shown(number)],
            }
            for number, belief in enumerate(believed)
        ],
        "settings": dict(plan.whole.settings),
    }


def _as_values(answers: Answers, one: LessonItem) -> dict[str, Any]:
    return {"item": one.item, "answer": _answer(answers, one), "strength": one.strength}


def _answer(answers: Answers, one: LessonItem) -> str:
    return answers.positive if one.yes else answers.negative


def _write(
    out: Folder,
    answers: Answers,
    found: Embedding,
    plan: Syllabus,
    *,
    believed: Sequence[GroupBelief],
    pictures: dict[str, str],
) -> None:
    from homeroom.crowd.atlas import lesson_page

    write_map(out, answers, found)
    lessons = [("class", plan.shown())]
    lessons += [(str(group + 1), plan.shown(group)) for group in range(len(believed))]
    write_table(
        out / "lesson.csv",
        ["group", "round", "item", "answer", "strength"],
        (
            [name, number, one.item, _answer(answers, one), f"{one.strength:.6g}"]
            for name, shown in lessons
            for number, one in enumerate(shown, start=1)
        ),
    )
    people = zip(found.person_names, (plan.by_group.group_of + 1).tolist(), strict=True)
    write_table(out / "groups.csv", ["student", "group"], people)
    plan.whole.save(out / "record-class.npz")
    plan.by_group.save(out / "record-groups.npz")
    out.page(lesson_page(answers, plan, believed, pictures, warnings=found.warnings))


def _show(screen: Screen, answers: Answers, plan: Syllabus) -> None:
    groups = len(plan.by_group.transcript.rounds)
    lessons = [plan.whole, plan.by_group][: min(groups, 2)]  # a single group is the class
    screen.title("What to show, in this order")
    facts = [("class", _in_words(answers, plan))]
    facts += [
        (f"group {group + 1}", _in_words(answers, plan, group))
        for group in range(groups if groups > 1 else 0)
    ]
    screen.facts(facts)
    for why, number in plan.left_out.items():
        screen.say(f"  Never shown: {counted(number, 'item')} {why}.", style="dim")
    screen.title("What it takes")
    screen.table(
        ("", "examples, T", "a person sees, S"),
        [
            (who, str(lesson.rounds), f"{lesson.workload:.1f}")
            for who, lesson in zip(("the whole class", "in groups"), lessons, strict=False)
        ],
    )
    # Once if all is well; what did not reach its goal speaks for itself.
    missed = [each for each in lessons if each.stopped_because is not StoppedBecause.GOAL]
    for lesson in missed or [plan.whole]:
        screen.ending(lesson)


def _in_words(answers: Answers, plan: Syllabus, group: int | None = None) -> str:
    """Return a lesson as a line of text: items with their answers, repeats counted."""
    runs, reason = plan.runs(group), plan.stopped_because(group)
    if not runs:
        why = "they know it already" if reason is StoppedBecause.GOAL else reason.value
        return f"nothing: {why}"
    said = [
        f"{one.item[:40]} ({_answer(answers, one)})" + (f" ×{one.times}" if one.times > 1 else "")
        for one in runs[:MAX_SHOWN]
    ]
    rest = len(runs) - MAX_SHOWN
    more = [f"and {rest} more; --json and --out have all"] if rest > 0 else []
    return ", ".join([*said, *more])
