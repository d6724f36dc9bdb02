"""``homeroom evaluate``: what experiments in live classes show.

An arm is one of the ways of teaching that an experiment compares. A gain is the share of right
answers in the post-test minus that in the pre-test.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from homeroom._checks import InputError
from homeroom.cli.command import Bounds, Seed, command
from homeroom.cli.files import csv_file
from homeroom.cli.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from homeroom.studies.arm_comparison import ArmComparison
    from homeroom.studies.choices import ChoiceEffect, EffectEstimate
    from homeroom.studies.experiment_log import ExperimentLesson

ONE_CLASS = (
    "Students of one arm saw the same items, so one class does not show what other classes would "
    "gain, nor how much the difference varies. Pool several classes for that."
)
MOST_SHOWN = 20
"""The most classes that are listed one by one."""

COMPARED = (
    *("arm", "other", "over", "difference", "low", "high", "level", "p", "p_sign_flips"),
    "spread",
)
"""The properties of a comparison that the JSON document has as they are."""


@command()
def evaluate(
    logs: list[Path],
    *,
    difference: float | None = None,
    ahead: Annotated[int, Bounds(1, 100)] = 3,
    seed: Seed = 0,
) -> Result:
    """Evaluate experiments that compare ways of teaching in live classes.

    A log comes from the report of a lesson that was started with "Compare two
    ways of teaching". The first result is the difference of gains (post-test
    minus pre-test) between the ways. Students who are taught in the same way see
    the same items, so the class is the unit: one class describes only its own
    students, and several classes give an interval that holds for classes like
    them.

    The second result is what a single choice does: how much one item of a rule,
    instead of an allowed item at random, changes the next answers. It needs logs
    in which some items were chosen at random (the exploration share).

    [bold]Examples[/bold]
    $ homeroom evaluate 5a.jsonl
    $ homeroom evaluate 5a.jsonl 5b.jsonl 6c.jsonl --difference 0.05
    $ homeroom evaluate logs/*.jsonl --out evaluation

    Parameters
    ----------
    logs : LOG...
        Logs of experiments, one or several classes each.
    difference
        Also say how many classes show a difference of this size: 0.05 is 5 points of 100.
        [default: the difference seen]
    ahead
        How many next items count for the effect of one choice.
    seed
        The random seed: the same seed gives the same result.
    """
    from homeroom.studies.choices import choice_effects
    from homeroom.studies.experiment_log import read_logs

    if difference is not None and not 0 < abs(difference) <= 1:
        raise InputError(
            f"--difference must be a share of right answers such as 0.05, but is {difference}."
        )
    lessons = read_logs(logs)
    compared = compare_with_first(lessons, seed)
    effects = choice_effects(lessons, ahead=ahead)
    if not compared and not effects:
        raise InputError(
            "The logs allow no estimate: no class has students of two arms who took the "
            "pre-test and the post-test, and no choice is followed by enough answers."
        )
    return evaluation_result(lessons, compared, effects, ahead=ahead, named=difference)


def compare_with_first(lessons: Sequence[ExperimentLesson], seed: int) -> list[ArmComparison]:
    """Return how the first arm compares with each other one, where classes have both."""
    from homeroom.studies.arm_comparison import compare_arms

    arms = list(dict.fromkeys(arm for lesson in lessons for arm in lesson.arms))
    first = "homeroom" if "homeroom" in arms else arms[0]
    pairs = (compare_arms(lessons, first, arm, seed=seed) for arm in arms if arm != first)
    return [pair for pair in pairs if pair is not None]


def evaluation_result(
    lessons: Sequence[ExperimentLesson],
    compared: Sequence[ArmComparison],
    effects: Sequence[ChoiceEffect],
    *,
    ahead: int,
    named: float | None,
) -> Result:
    """Return the result of an evaluation.

    ``ahead`` is how many next items count for the effect of one choice. ``named`` is the difference
    of ``--difference``.
    """
    classes = {lesson.classroom for lesson in lessons}
    tested = sum(len(gains) for lesson in lessons for gains in lesson.gains.values())
    assigned = count_assigned(lessons)
    values = {
        "classes": len(classes),
        "lessons": len(lessons),
        "students": tested,
        "assigned": assigned,
        "comparisons": [_describe_comparison(pair, named) for pair in compared],
        "choices": [asdict(effect) for effect in effects],
        "settings": {"ahead": ahead, "difference": named},
    }
    result = Result("What the experiment shows", values)
    if compared:
        header = ["compared with", *type(compared[0].classes[0])._fields]
        rows = [[pair.other, *part] for pair in compared for part in pair.classes]
        result.files["differences.csv"] = csv_file(header, rows)
    arms = dict.fromkeys(arm for lesson in lessons for arm in lesson.arms)
    result.facts(
        [
            ("classes", len(classes)),
            ("students with both tests", tested),
            ("ways of teaching", ", ".join(arms)),
        ]
    )
    for pair in compared:
        _add_comparison(result, pair, named)
    if missing := describe_missing(lessons, assigned):
        result.sentence(missing, "warning")
    if len(compared) > 1:
        result.sentence("The intervals are not adjusted for several comparisons.", "dim")
    if not compared:
        result.sentence(
            "No class has students of two arms who took the pre-test and the post-test, so gains "
            "are not compared.",
            "warning",
        )
    _add_effects(result, effects, ahead)
    return result


def count_assigned(lessons: Sequence[ExperimentLesson]) -> dict[str, int]:
    """Return how many students were assigned to each arm, where the logs say so."""
    assigned: Counter[str] = Counter()
    for lesson in lessons:
        for arm in set(lesson.arms) & set(lesson.students):
            assigned[arm] += lesson.students[arm] + lesson.withdrew.get(arm, 0)
    return {arm: assigned[arm] for arm in sorted(assigned)}


def describe_missing(lessons: Sequence[ExperimentLesson], assigned: dict[str, int]) -> str:
    """Return how many of the students of each arm took both tests, if not all did."""
    tested = {
        arm: sum(len(lesson.gains.get(arm, ())) for lesson in lessons if arm in lesson.students)
        for arm in assigned
    }
    if all(tested[arm] >= count for arm, count in assigned.items()):
        return ""
    each = ", ".join(f"{arm} {tested[arm]} of {count}" for arm, count in assigned.items())
    return (
        f"Not all students who were assigned to an arm took both tests: {each}. If those who are "
        "missing differ between the arms, the difference of gains is biased."
    )


def _describe_comparison(pair: ArmComparison, named: float | None) -> dict[str, Any]:
    """Return a comparison as JSON values; ``named`` is the difference of ``--difference``."""
    return {
        **{name: getattr(pair, name) for name in COMPARED},
        "classes_needed": pair.needed(),
        "classes_needed_for_named": None if named is None else pair.needed(named),
        "classes": [{**part._asdict(), "difference": part.difference} for part in pair.classes],
    }


def _add_comparison(result: Result, pair: ArmComparison, named: float | None) -> None:
    """Add the difference of gains between two arms: a table of classes, facts and a chart."""
    result.heading(f"{pair.arm} compared with {pair.other}")
    result.table(
        ("class", pair.arm, "gain", pair.other, "gain", "difference"),
        [
            (
                part.classroom,
                part.students,
                points(part.gain),
                part.other_students,
                points(part.other_gain),
                points(part.difference),
            )
            for part in pair.classes
        ],
        most=MOST_SHOWN,
    )
    result.facts(describe_difference(pair, named))
    result.sentence(
        "Gains are in points: 100 times the share of right answers in the post-test minus that in "
        "the pre-test, of students who took both.",
        "dim",
    )
    if pair.over == "students":
        result.sentence(ONE_CLASS, "dim")
    else:
        arm = re.sub(r"[\W_]", "-", pair.other)[:40]
        result.chart(
            f"differences-{arm}",
            lambda ax: draw_differences(ax, pair),
            "The difference of gains in each class, and its mean with the 95 % interval.",
            height=1.4 + 0.22 * min(len(pair.classes), 40),
        )


def describe_difference(pair: ArmComparison, named: float | None) -> list[tuple[str, str]]:
    """Return facts about the difference of gains, its interval, and how many classes show it."""
    over = f"over {len(pair.classes)} classes"
    none = "none, as all of these classes have the same difference"
    if pair.over == "students":
        over = "for the students of this class only"
        none = "none, as there are too few students, or all of each arm gained the same"
    interval = f"{points(pair.low)} to {points(pair.high)} points, {over}"
    facts = [
        ("difference", f"{points(pair.difference)} points"),
        ("95 % interval", none if math.isnan(pair.low) else interval),
    ]
    if not math.isnan(pair.low) and pair.over == "classes":
        flips = "" if math.isnan(pair.p_sign_flips) else f", by sign flips {pair.p_sign_flips:.2g}"
        facts.append(("p", f"{pair.p:.2g}{flips}"))
    about = "at least" if pair.over == "students" else "about"
    for size in (pair.difference, *([] if named is None else [named])):
        count = pair.needed(size)
        number = "not known" if count is None else f"{about} {count}, with probability 0.8"
        facts.append((f"classes to show {points(size)}", number))
    return facts


def _add_effects(result: Result, effects: Sequence[ChoiceEffect], ahead: int) -> None:
    """Add what one choice does: a table of effects, and why others were not estimated."""
    result.heading("What one choice does")
    if not effects:
        result.sentence("No choice with a known probability is followed by enough answers.")
        return
    rows = [
        (
            one.rule,
            one.taught_by,
            one.classes,
            one.choices,
            f"{one.effective:.0f}",
            _show_interval(one.weighted),
            _show_interval(one.doubly_robust),
        )
        for one in effects
        if not one.refused
    ]
    if rows:
        header = ("rule", "taught by", "classes", "choices", "effective", "weighted")
        result.table((*header, "doubly robust"), rows)
        result.sentence(
            f"The change of the share of right answers to the next {ahead} items, in points, if "
            "the rule chooses one item instead of an allowed item at random, with 95 % intervals "
            "over classes.",
            "dim",
        )
    for one in effects:
        if one.refused:
            text = f"{one.rule}, in lessons taught by {one.taught_by}: no estimate, as"
            result.sentence(f"{text} {one.refused}.", "warning")
    result.sentence(
        "Whole lessons are not estimated in this way: the probability that a lesson follows "
        "another rule by chance in every round is so small that no lessons are left to compare. "
        "Compare arms for that.",
        "dim",
    )


def _show_interval(one: EffectEstimate | None) -> str | None:
    """Return an estimate with its interval, in points."""
    return one and f"{points(one.value)} ({points(one.low)} to {points(one.high)})"


def points(share: float) -> str:
    """Return a share as points of 100.

    >>> points(0.0512), points(-0.3)
    ('+5.1', '-30.0')
    """
    return f"{100 * share:+.1f}"


def draw_differences(ax: Axes, pair: ArmComparison) -> None:
    """Draw the difference of each class, and the mean with its interval."""
    shown = sorted(pair.classes, key=lambda part: part.difference)[-40:]
    ax.axvline(0.0, linewidth=0.8, color="0.6")
    ax.plot([100 * part.difference for part in shown], range(1, len(shown) + 1), "o", color="0.45")
    middle, low, high = (100 * part for part in (pair.difference, pair.low, pair.high))
    ax.errorbar([middle], [0], xerr=[[middle - low], [high - middle]], fmt="D", capsize=4)
    ax.set_yticks(range(len(shown) + 1), ["mean", *(part.classroom[:16] for part in shown)])
    ax.set_xlabel(f"points gained more with {pair.arm} than with {pair.other}")
