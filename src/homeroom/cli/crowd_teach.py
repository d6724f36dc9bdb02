"""``homeroom crowd teach``: which items to show to a crowd, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from homeroom import _checks, _plugins
from homeroom._checks import counted, percent
from homeroom.cli.crowd import (
    belief_values,
    crowd_report,
    group_tables,
    groups_file,
    map_files,
)
from homeroom.cli.crowd_options import AnswersOptions, KOption, MapOptions, PicturesOption, check_k
from homeroom.cli.options import lesson_option
from homeroom.cli.output import ResultOptions, csv_file, lesson_bar
from homeroom.cli.report import CommandReport, Facts, Heading, Sentence, Table, record_as_values
from homeroom.lessons import StoppedBecause
from homeroom.tables.table import distinct
from homeroom.teachers.classroom import check_magnitude

if TYPE_CHECKING:
    from homeroom.crowd import Answers, Embedding
    from homeroom.crowd.group_beliefs import GroupBelief
    from homeroom.crowd.lesson_plan import Syllabus

TRAINING = (
    "image",
    "#training_subject",
    "#feedback_1_id",
    "#feedback_1_answer",
    "#feedback_1_successMessage",
    "#feedback_1_failureMessage",
)
"""The columns of a manifest with training subjects, as Zooniverse's feedback reads it."""

RATE = 0.05
"""The default learning rate."""

EPS = 0.2
"""The default accuracy of the goal."""

GOALS = [name for name in _plugins.names("goals") if name != "mastery"]
"""The goals that need no answers during the lesson."""

MOST_SHOWN = 12
"""The most items of a lesson that are printed on the screen."""


@dataclass(frozen=True)
class ShowOptions:
    """How items are shown, and the goal."""

    rate: Annotated[float, lesson_option("The learning rate of the annotators.")] = RATE
    goal: Annotated[
        str | None,
        lesson_option(
            f"The goal of the lesson: {', '.join(GOALS)}.",
            metavar="NAME[:KEY=VALUE,...]",
            show_default="average; with more than two classes nine of ten answers right",
        ),
    ] = None
    eps: Annotated[
        float | None, lesson_option("How close to the target the goal is.", show_default=str(EPS))
    ] = None
    fixed: Annotated[
        bool,
        lesson_option(
            "Show items as they are; by default the teacher may vary their strength.", "--fixed"
        ),
    ] = False
    magnitude: Annotated[
        str, lesson_option("How the strength of items is chosen: static, dynamic, joint or best.")
    ] = "static"
    example_radius: Annotated[float, lesson_option("The greatest strength of an item.")] = 2.0
    max_rounds: Annotated[int, lesson_option("The most rounds for each group.")] = 10_000

    def settings(self) -> dict[str, Any]:
        """Return the arguments of :func:`homeroom.crowd.lesson_plan.syllabus` for these options."""
        _checks.positive(self.rate, "rate", example=str(RATE))
        _checks.radius(self.example_radius, "example_radius")
        check_magnitude(self.magnitude)
        _checks.whole(self.max_rounds, "max_rounds", at_least=0)
        goal = None
        if self.goal is not None or self.eps is not None:
            name, eps = self.goal or "average", self.eps
            if eps is None and name in ("average", "everyone"):  # everyone:eps=0.5 has its own
                eps = EPS
            goal = _plugins.make("goals", name, **({} if eps is None else {"eps": eps}))
            if "knows" in goal.needs:
                raise _checks.InputError(
                    f"The goal {name!r} needs answers during the lesson, and this command plans it "
                    "before: use --goal accuracy:share=0.9, the share of right answers on the map."
                )
        return {
            "rate": self.rate,
            "goal": goal,
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

    The answers place annotators on a map, the expert's labels define what is to
    be learnt, and the teacher chooses the items that lead them there soonest.
    --out writes the order as a table (lesson.csv) and as a page, a table for each
    group (group-1.csv, ...), and the items as training subjects for Zooniverse
    (training.csv).

    [bold]Examples[/bold]
    $ homeroom crowd teach answers.csv --labels experts.csv
    $ homeroom crowd teach answers.csv --labels experts.csv --fixed --out lesson
    """
    from homeroom.crowd.atlas import read_pictures
    from homeroom.crowd.group_beliefs import beliefs
    from homeroom.crowd.lesson_plan import syllabus
    from homeroom.crowd.map_warnings import check_enough
    from homeroom.crowd.rule import check_labelled

    settings = lesson.settings()
    how.check()
    check_k(k)
    with result.folder() as out:
        answers = which.read()
        check_enough(answers)  # this and the next two are checked before the work
        check_labelled(answers.labels)
        check_k(k, len(answers.people))
        found_pictures = {} if pictures is None else read_pictures(pictures, answers.items)
        found = how.fit(answers)
        group_of = found.groups(k, seed=how.seed)
        with lesson_bar("Choosing items") as progress:
            plan = syllabus(found, group_of, seed=how.seed, progress=progress, **settings)
        believed = beliefs(answers, found, group_of)
        report = crowd_report(answers, found, believed)
        _add_lessons(report, plan)
        _add_values(report, plan, believed)
        _add_files(report, answers, found, plan, believed=believed, pictures=found_pictures)
        out.write(report)
    result.show(report)


def _add_values(report: CommandReport, plan: Syllabus, believed: Sequence[GroupBelief]) -> None:
    """Add the lessons to the JSON document of a report."""

    def shown(group: int | None = None) -> list[dict[str, Any]]:
        return [
            {"item": one.item, "answer": one.answer, "strength": one.strength}
            for one in plan.shown(group)
        ]

    report.values |= {
        "left_out": plan.left_out,
        "class": {**record_as_values(plan.whole), "shown": shown()},
        "by_group": record_as_values(plan.by_group),
        "groups": [
            {
                **belief_values(number, belief),
                "rounds": int(plan.by_group.transcript.rounds[number]),
                "shown": shown(number),
            }
            for number, belief in enumerate(believed)
        ],
        "settings": plan.whole.settings_and_results(),
    }


def _add_files(
    report: CommandReport,
    answers: Answers,
    found: Embedding,
    plan: Syllabus,
    *,
    believed: Sequence[GroupBelief],
    pictures: dict[str, str],
) -> None:
    """Add the files of ``--out``: tables of lessons and groups, training subjects, the page."""
    from homeroom.crowd.atlas import lesson_page

    lessons = [("class", plan.shown())]
    lessons += [(str(group + 1), plan.shown(group)) for group in range(len(believed))]

    def write_page(path: Path) -> None:
        lesson_page(answers, plan, believed, pictures, warnings=found.warnings).write(path)

    report.files |= {
        **map_files(answers, found),
        "lesson.csv": csv_file(
            ["group", "round", "item", "answer", "strength"],
            lambda: (
                [name, number, one.item, one.answer, f"{one.strength:.6g}"]
                for name, shown in lessons
                for number, one in enumerate(shown, start=1)
            ),
        ),
        "groups.csv": groups_file(found, plan.by_group.group_of),
        **group_tables(answers, plan.by_group.group_of),
        "training.csv": csv_file(TRAINING, lambda: _training(answers, plan, len(believed))),
        "record-class.npz": plan.whole.save,
        "record-groups.npz": plan.by_group.save,
        "report.html": write_page,
    }


def _training(answers: Answers, plan: Syllabus, groups: int) -> Iterator[Sequence[Any]]:
    """Yield each item of any lesson once, as a line of a manifest of Zooniverse's subjects."""
    classes, items = len(answers.classes), len(answers.items)
    cells = answers.item * np.int64(classes) + answers.choices
    said = np.bincount(cells, minlength=items * classes).reshape(items, classes)
    order = answers.classes[::-1] if classes == 2 else answers.classes  # of two, yes comes first
    lessons = [plan.shown(), *(plan.shown(group) for group in range(groups))]
    shown = {one.item: one for lesson in lessons for one in lesson}
    for item, one in shown.items():
        counts = said[answers.items.index(item)].copy()
        total = max(1, int(counts.sum()))
        counts[answers.classes.index(one.answer)] = 0
        wrong, other = counts.max() / total, answers.classes[int(counts.argmax())]
        often = f" {percent(wrong)} of the annotators said {other!r}." if wrong > 0 else ""
        yield (
            item,
            "true",
            1,
            order.index(one.answer),
            f"Right: the answer is {one.answer!r}.",
            f"The answer is {one.answer!r}.{often}",
        )


def _add_lessons(report: CommandReport, plan: Syllabus) -> None:
    """Add the items to show, for the class and for each group, and how many examples it takes."""
    groups = len(plan.by_group.transcript.rounds)
    lessons = [plan.whole, plan.by_group][: min(groups, 2)]  # a single group is the class
    shown = [("class", _in_words(plan))]
    if groups > 1:
        shown += [(f"group {group + 1}", _in_words(plan, group)) for group in range(groups)]
    report.add(
        Heading("What to show, in this order"),
        Facts(shown),
        *(
            Sentence(f"  Never shown: {counted(number, 'item')} {why}.", "dim")
            for why, number in plan.left_out.items()
        ),
        Heading("What it takes"),
        Table(
            ("", "examples, T", "each sees, S"),
            [
                (who, str(lesson.rounds), f"{lesson.workload:.1f}")
                for who, lesson in zip(("the whole class", "in groups"), lessons, strict=False)
            ],
        ),
    )
    missed = [each for each in lessons if each.stopped_because is not StoppedBecause.GOAL]
    for lesson in missed or [plan.whole]:
        report.add_ending(lesson)


def _in_words(plan: Syllabus, group: int | None = None) -> str:
    """Return a lesson as a line of text: items with their answers, repetitions counted."""
    runs, reason = plan.runs(group), plan.stopped_because(group)
    if not runs:
        why = "the goal is reached already" if reason is StoppedBecause.GOAL else reason.value
        return f"nothing: {why}"
    names = distinct([one.item for one in runs[:MOST_SHOWN]], 40)
    shown = [
        f"{name} ({one.answer})" + (f" ×{one.times}" if one.times > 1 else "")
        for name, one in zip(names, runs, strict=False)
    ]
    rest = len(runs) - MOST_SHOWN
    more = [f"and {rest} more; --json and --out have all"] if rest > 0 else []
    return ", ".join([*shown, *more])
