"""``homeroom crowd teach``: which items to show to a crowd, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from homeroom import _checks, _plugins
from homeroom._checks import counted, percent
from homeroom.cli.command import command
from homeroom.cli.crowd import (
    AnswersOptions,
    GroupedCrowd,
    GroupsOptions,
    MapOptions,
    belief_values,
    count_choices,
    crowd_result,
    group_files,
    map_files,
    read_crowd,
)
from homeroom.cli.files import csv_file
from homeroom.cli.output import lesson_bar
from homeroom.cli.result import Files, Result, ending, record_as_values
from homeroom.goals import MasteryGoal
from homeroom.lessons import StoppedBecause
from homeroom.tables.table import distinct
from homeroom.teachers.pool import check_magnitude

if TYPE_CHECKING:
    from homeroom.crowd import Answers
    from homeroom.crowd.lesson_plan import LessonItem, Syllabus

TRAINING = (
    "image",
    "#training_subject",
    "#feedback_1_id",
    "#feedback_1_answer",
    "#feedback_1_successMessage",
    "#feedback_1_failureMessage",
)
"""The columns of a manifest with training subjects, as Zooniverse's feedback reads it."""

EPS = 0.2
"""The default accuracy of the goal."""

MOST_SHOWN = 12
"""The most items of a lesson that are printed on the screen."""


@dataclass(frozen=True, kw_only=True)
class ShowOptions:
    """The lesson.

    Parameters
    ----------
    rate
        The learning rate of the annotators.
    goal : NAME[:KEY=VALUE,...]
        The goal of the lesson: {goals_before}.
        [default: average; with more than two classes 90 % of the answers right]
    eps
        How close to the target the goal is. [default: 0.2]
    fixed
        Show items as they are; by default the teacher may vary their strength.
    magnitude
        How the strength of items is chosen: static, dynamic, joint or best.
    example_radius
        The greatest strength of an item.
    max_rounds
        The most rounds for each group.
    """

    rate: float = 0.05
    goal: str | None = None
    eps: float | None = None
    fixed: bool = False
    magnitude: str = "static"
    example_radius: float = 2.0
    max_rounds: int = 10_000

    def settings(self) -> dict[str, Any]:
        """Return the arguments of :func:`homeroom.crowd.lesson_plan.syllabus` for these options."""
        _checks.positive(self.rate, "rate", example="0.05")
        _checks.radius(self.example_radius, "example_radius")
        check_magnitude(self.magnitude)
        _checks.whole(self.max_rounds, "max_rounds", at_least=0)
        settings = {name: value for name, value in vars(self).items() if name != "eps"}
        if self.goal is not None or self.eps is not None:
            settings["goal"] = self._make_goal(self.goal or "average")
        return settings

    def _make_goal(self, name: str) -> Any:
        eps = self.eps
        if eps is None and name in ("average", "everyone"):  # everyone:eps=0.5 has its own
            eps = EPS
        goal = _plugins.make("goals", name, **({} if eps is None else {"eps": eps}))
        if isinstance(goal, MasteryGoal):
            raise _checks.InputError(
                f"The goal {name!r} needs answers during the lesson, and this command plans it "
                "before: use --goal accuracy:share=0.9, the share of right answers."
            )
        return goal


def _list_goals() -> dict[str, str]:
    """Return the goals that need no answers during the lesson."""
    names = [name for name in _plugins.names("goals") if name != "mastery"]
    return {"goals_before": ", ".join(names)}


@command(texts=_list_goals)
def teach(
    which: AnswersOptions,
    how: MapOptions,
    split: GroupsOptions,
    lesson: ShowOptions,
    *,
    pictures: Path | None = None,
) -> Result:
    """Find which items to show, in which order, to the class and to each group.

    The answers place annotators on a map, the expert's labels define what is to
    be learnt, and the teacher chooses the items that lead them there soonest.
    Items that contradict the rule are listed as exceptions, to be shown as well.
    --out writes the order as a table (lesson.csv) and as a page, a table for each
    group (group-1.csv, ...), the exceptions (exceptions.csv), and all of these
    items as training subjects for Zooniverse (training.csv).

    [bold]Examples[/bold]
    $ homeroom crowd teach answers.csv --labels experts.csv
    $ homeroom crowd teach answers.csv --labels experts.csv --fixed --out lesson

    Parameters
    ----------
    pictures : FOLDER
        A folder of pictures of the items, each named after its item, as in moth.png.
    """
    from homeroom.crowd.atlas import lesson_page
    from homeroom.crowd.lesson_plan import syllabus

    settings = lesson.settings()
    crowd = read_crowd(which, how, split, pictures, has_rule=True)
    with lesson_bar("Choosing items") as progress:
        plan = syllabus(crowd.found, crowd.group_of, seed=how.seed, progress=progress, **settings)
    result = crowd_result(crowd.answers, crowd.found, crowd.believed)
    _add_lessons(result, plan)
    result.values |= _values(crowd, plan)
    result.files |= _files(crowd, plan)
    result.page = lambda: lesson_page(
        crowd.answers, plan, crowd.believed, crowd.pictures, warnings=crowd.found.warnings
    )
    return result


def _values(crowd: GroupedCrowd, plan: Syllabus) -> dict[str, Any]:
    """Return the lessons as plain values."""

    def list_items(group: int | None = None) -> list[dict[str, Any]]:
        names = ("item", "answer", "strength")
        return [{name: getattr(one, name) for name in names} for one in plan.shown(group)]

    rounds = plan.by_group.transcript.rounds.tolist()
    return {
        "left_out": plan.left_out,
        "exceptions": [{"item": one.item, "answer": one.answer} for one in plan.exceptions],
        "right_now": plan.right_now,
        "right_goal": plan.right_goal,
        "class": {**record_as_values(plan.whole), "shown": list_items()},
        "by_group": record_as_values(plan.by_group),
        "groups": [
            {**values, "rounds": rounds[number], "shown": list_items(number)}
            for number, values in enumerate(belief_values(crowd.believed))
        ],
        "settings": plan.whole.settings_and_results(),
    }


def _files(crowd: GroupedCrowd, plan: Syllabus) -> Files:
    """Return the files of ``--out``: tables of lessons and groups, and training subjects."""
    lessons = {"class": plan.shown()}
    lessons |= {str(group + 1): plan.shown(group) for group in range(len(crowd.believed))}
    rows = (
        [name, number, one.item, one.answer, f"{one.strength:.6g}"]
        for name, shown in lessons.items()
        for number, one in enumerate(shown, start=1)
    )
    exceptions = [(one.item, one.answer) for one in plan.exceptions]
    training = _list_training(crowd.answers, [*lessons.values(), plan.exceptions])
    return {
        **map_files(crowd.answers, crowd.found),
        "lesson.csv": csv_file(["group", "round", "item", "answer", "strength"], rows),
        **group_files(crowd),
        "training.csv": csv_file(TRAINING, training),
        **({"exceptions.csv": csv_file(["item", "answer"], exceptions)} if exceptions else {}),
        "record-class.npz": plan.whole.save,
        "record-groups.npz": plan.by_group.save,
    }


def _list_training(
    answers: Answers, lessons: Sequence[Sequence[LessonItem]]
) -> Iterator[Sequence[Any]]:
    """Yield each item of any lesson as a line of Zooniverse's manifest."""
    choices, classes = count_choices(answers), answers.classes
    order = classes[::-1] if len(classes) == 2 else classes  # of two, yes comes first
    shown = {one.item: one for lesson in lessons for one in lesson}
    for item, one in shown.items():
        counts = choices[answers.items.index(item)]
        total = max(1, int(counts.sum()))
        counts[classes.index(one.answer)] = 0
        wrong, other = counts.max() / total, classes[int(counts.argmax())]
        often = f" {percent(wrong)} of the annotators said {other!r}." if wrong > 0 else ""
        yield (
            item,
            "true",
            1,
            order.index(one.answer),
            f"Right: the answer is {one.answer!r}.",
            f"The answer is {one.answer!r}.{often}",
        )


def _add_lessons(result: Result, plan: Syllabus) -> None:
    """Add the items to show, for the class and for each group, and how many examples it takes."""
    groups = len(plan.by_group.transcript.rounds)
    lessons = [plan.whole, plan.by_group][: min(groups, 2)]  # a single group is the class
    shown = [("class", _describe_lesson(plan))]
    if groups > 1:
        shown += [(f"group {one + 1}", _describe_lesson(plan, one)) for one in range(groups)]
    if plan.exceptions:
        shown.append(("exceptions", _list_items(plan.exceptions)))
    result.heading("What to show, in this order")
    result.facts(shown)
    for remark in plan.remarks():
        result.sentence(f"  {remark}", "dim")
    for why, number in plan.left_out.items():
        result.sentence(f"  Never shown: {counted(number, 'item')} {why}.", "dim")
    result.heading("What it takes")
    rows = [(lesson.rounds, f"{lesson.workload:.1f}") for lesson in lessons]
    named = zip(("the whole class", "in groups"), rows, strict=False)
    result.table(("", "examples, T", "each sees, S"), [(who, *row) for who, row in named])
    missed = [lesson for lesson in lessons if lesson.stopped_because is not StoppedBecause.GOAL]
    result.add(*map(ending, missed or [plan.whole]))


def _describe_lesson(plan: Syllabus, group: int | None = None) -> str:
    """Return a lesson as a line of text: items with their answers, repetitions counted."""
    runs, reason = plan.runs(group), plan.stopped_because(group)
    if not runs:
        why = "the goal is reached already" if reason is StoppedBecause.GOAL else reason.value
        return f"nothing: {why}"
    return _list_items(runs)


def _list_items(runs: Sequence[LessonItem]) -> str:
    """Return the first items as a line of text, with their answers."""
    names = distinct([one.item for one in runs[:MOST_SHOWN]], 40)
    shown = [
        f"{name} ({one.answer})" + (f" ×{one.times}" if one.times > 1 else "")
        for name, one in zip(names, runs, strict=False)
    ]
    rest = len(runs) - MOST_SHOWN
    more = [f"and {rest} more; --json and --out have all"] if rest > 0 else []
    return ", ".join([*shown, *more])
