"""``homeroom evaluate``: what experiments in live classes show.

An arm is one of the ways of teaching that an experiment compares. A gain is the share of right
answers in the post-test minus that in the pre-test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeroom._checks import InputError
from homeroom.cli.options import in_panel
from homeroom.cli.output import ResultOptions, csv_file
from homeroom.cli.report import Chart, CommandReport, Facts, Heading, Sentence, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from homeroom.experiments import ArmComparison, ChoiceEffect, ExperimentLesson
    from homeroom.experiments.choices import EffectEstimate

question_option = in_panel("The questions")

MOST_SHOWN = 20
"""The most classes that are listed one by one."""


def evaluate(
    logs: Annotated[
        list[Path],
        typer.Argument(metavar="LOG...", help="Logs of experiments, one or several classes each."),
    ],
    result: ResultOptions,
    *,
    difference: Annotated[
        float | None,
        question_option(
            "Also say how many classes show a difference of this size: 0.05 is 5 points of 100.",
            show_default="the difference seen",
        ),
    ] = None,
    ahead: Annotated[
        int, question_option("How many next items count for the effect of one choice.")
    ] = 3,
    seed: Annotated[
        int, question_option("The random seed: the same seed gives the same result.")
    ] = 0,
) -> None:
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
    """
    from homeroom.experiments import choice_effects, read_logs

    if difference is not None and not 0 < abs(difference) <= 1:
        raise InputError(
            f"--difference must be a share of right answers such as 0.05, but is {difference}."
        )
    if not 1 <= ahead <= 100:
        raise InputError(f"--ahead must be from 1 to 100, but is {ahead}.")
    if seed < 0:
        raise InputError(f"--seed must be 0 or more, but is {seed}.")
    lessons = read_logs(logs)
    with result.folder() as out:
        compared = comparisons(lessons, seed)
        effects = choice_effects(lessons, ahead=ahead)
        if not compared and not effects:
            raise InputError(
                "The logs allow no estimate: no class has students of two arms who took the "
                "pre-test and the post-test, and no choice is followed by enough answers."
            )
        report = evaluation_report(lessons, compared, effects, ahead=ahead, named=difference)
        out.write(report)
    result.show(report)


def comparisons(lessons: Sequence[ExperimentLesson], seed: int) -> list[ArmComparison]:
    """Return how the first arm compares with each other one, where classes have both."""
    from homeroom.experiments import compare_arms

    arms = list(dict.fromkeys(arm for lesson in lessons for arm in lesson.arms))
    first = "homeroom" if "homeroom" in arms else arms[0]
    found = (compare_arms(lessons, first, arm, seed=seed) for arm in arms if arm != first)
    return [one for one in found if one is not None]


def evaluation_report(
    lessons: Sequence[ExperimentLesson],
    compared: Sequence[ArmComparison],
    effects: Sequence[ChoiceEffect],
    *,
    ahead: int,
    named: float | None,
) -> CommandReport:
    """Return the report of an evaluation.

    ``ahead`` is how many next items count for the effect of one choice. ``named`` is the difference
    of ``--difference``.
    """
    classes = dict.fromkeys(lesson.classroom for lesson in lessons)
    tested = sum(len(gains) for lesson in lessons for gains in lesson.gains.values())
    assigned = assigned_to(lessons)
    values = {
        "classes": len(classes),
        "lessons": len(lessons),
        "students": tested,
        "assigned": assigned,
        "comparisons": [_values(one, named) for one in compared],
        "choices": [asdict(one) for one in effects],
        "settings": {"ahead": ahead, "difference": named},
    }
    rows = [[one.other, *part] for one in compared for part in one.classes]
    header = ["compared with", *type(compared[0].classes[0])._fields] if compared else []
    files = {"differences.csv": csv_file(header, lambda: rows)} if compared else {}
    report = CommandReport("What the experiment shows", values, files)
    report.add(
        Facts(
            [
                ("classes", f"{len(classes)}"),
                ("students with both tests", f"{tested}"),
                ("ways of teaching", ", ".join(dict.fromkeys(a for x in lessons for a in x.arms))),
            ]
        )
    )
    for one in compared:
        _add_comparison(report, one, named)
    if missing := missing_in_words(lessons, assigned):
        report.add(Sentence(missing, "warning"))
    if len(compared) > 1:
        report.add(Sentence("The intervals are not adjusted for several comparisons.", "dim"))
    if not compared:
        report.add(
            Sentence(
                "No class has students of two arms who took the pre-test and the post-test, so "
                "gains are not compared.",
                "warning",
            )
        )
    _add_effects(report, effects, ahead)
    return report


def assigned_to(lessons: Sequence[ExperimentLesson]) -> dict[str, int]:
    """Return how many students were assigned to each arm, where the logs say so."""
    found: dict[str, int] = {}
    for lesson in lessons:
        for arm in lesson.arms:
            if arm in lesson.students:
                count = lesson.students[arm] + lesson.withdrew.get(arm, 0)
                found[arm] = found.get(arm, 0) + count
    return found


def missing_in_words(lessons: Sequence[ExperimentLesson], assigned: dict[str, int]) -> str:
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


def _values(one: ArmComparison, named: float | None) -> dict[str, Any]:
    """Return a comparison as JSON values; ``named`` is the difference of ``--difference``."""
    return {
        "arm": one.arm,
        "other": one.other,
        "over": one.over,
        "difference": one.difference,
        "low": one.low,
        "high": one.high,
        "level": one.level,
        "p": one.p,
        "p_sign_flips": one.p_sign_flips,
        "spread": one.spread,
        "classes_needed": one.needed(),
        "classes_needed_for_named": None if named is None else one.needed(named),
        "classes": [{**part._asdict(), "difference": part.difference} for part in one.classes],
    }


def _add_comparison(report: CommandReport, one: ArmComparison, named: float | None) -> None:
    """Add the difference of gains between two arms: sentences, a table of classes, a chart."""
    rows = [
        (
            part.classroom,
            f"{part.students}",
            points(part.gain),
            f"{part.other_students}",
            points(part.other_gain),
            points(part.difference),
        )
        for part in one.classes
    ]
    header = ("class", one.arm, "gain", one.other, "gain", "difference")
    report.add(
        Heading(f"{one.arm} compared with {one.other}"),
        Table(header, rows, most=MOST_SHOWN),
        Sentence(in_words(one), "bold"),
        *(Sentence(text) for text in needed_in_words(one, named)),
        Sentence(
            "Gains are in points: 100 times the share of right answers in the post-test minus that "
            "in the pre-test, of students who took both.",
            "dim",
        ),
    )
    if one.over == "classes":
        report.add(
            Chart(
                f"differences-{_file_name(one.other)}",
                lambda: differences_figure(one),
                "The difference of gains in each class, and its mean with the 95 % interval.",
            )
        )


def _file_name(arm: str) -> str:
    """Return an arm's name for use in the name of a file."""
    return "".join(letter if letter.isalnum() else "-" for letter in arm)[:40]


def in_words(one: ArmComparison) -> str:
    """Return the difference of gains, and what its interval describes."""
    more = "more" if one.difference >= 0 else "less"
    seen = f"{points(abs(one.difference), sign=False)} points {more} with {one.arm} than with"
    interval = f"{points(one.low)} to {points(one.high)} points"
    if one.over == "classes" and math.isnan(one.low):
        return (
            f"Students gained {seen} {one.other}. The difference is the same in all "
            f"{len(one.classes)} classes, so there is no interval: how much it varies is not known."
        )
    if one.over == "classes":
        flips = "" if math.isnan(one.p_sign_flips) else f", by sign flips {one.p_sign_flips:.2g}"
        return (
            f"Students gained {seen} {one.other}. The 95 % interval over {len(one.classes)} "
            f"classes is {interval} (p = {one.p:.2g}{flips})."
        )
    if math.isnan(one.low):
        return (
            f"In this class, students gained {seen} {one.other}. There is no interval: there are "
            "too few students, or all of each arm gained the same."
        )
    return (
        f"In this class, students gained {seen} {one.other}. The 95 % interval, {interval}, is for "
        "the students of this class only: those of one arm saw the same items, so it does not "
        "say what other classes would gain. Pool several classes for that."
    )


def needed_in_words(one: ArmComparison, named: float | None) -> list[str]:
    """Return how many classes would be needed, for the difference seen and for the named one."""
    at_least = "At least" if one.over == "students" else "About"
    found = []
    for size, what in ((one.difference, "the difference seen"), (named, "a difference of")):
        if size is None:
            continue
        name = what if size is one.difference else f"{what} {points(abs(size), sign=False)} points"
        count = one.needed(size)
        if count is None:
            found.append(f"The number of classes needed to show {name} cannot be stated.")
        else:
            found.append(
                f"{at_least} {count} classes are needed to show {name} with probability 0.8."
            )
    if one.over == "students":
        found.append("From one class it is not known how much the difference varies.")
    return found


def _add_effects(report: CommandReport, effects: Sequence[ChoiceEffect], ahead: int) -> None:
    """Add what one choice does: a table of effects, and why others were not estimated."""
    report.add(Heading("What one choice does"))
    if not effects:
        report.add(Sentence("No choice with a known probability is followed by enough answers."))
        return
    shown = [one for one in effects if not one.refused]
    rows = [
        (
            one.rule,
            one.taught_by,
            f"{one.classes}",
            f"{one.choices}",
            f"{one.effective:.0f}",
            _interval(one.weighted),
            _interval(one.doubly_robust),
        )
        for one in shown
    ]
    if rows:
        header = ("rule", "taught by", "classes", "choices", "effective", "weighted")
        report.add(
            Table((*header, "doubly robust"), rows),
            Sentence(
                f"The change of the share of right answers to the next {ahead} items, in points, "
                "if the rule chooses one item instead of an allowed item at random, with 95 % "
                "intervals over classes.",
                "dim",
            ),
        )
    report.add(
        *(
            Sentence(
                f"{one.rule}, in lessons taught by {one.taught_by}: no estimate, as {one.refused}.",
                "warning",
            )
            for one in effects
            if one.refused
        ),
        Sentence(
            "Whole lessons are not estimated in this way: the probability that a lesson follows "
            "another rule by chance in every round is so small that no lessons are left to "
            "compare. Compare arms for that.",
            "dim",
        ),
    )


def _interval(one: EffectEstimate | None) -> str:
    """Return an estimate with its interval, in points."""
    if one is None:
        return "–"
    return f"{points(one.value)} ({points(one.low)} to {points(one.high)})"


def points(share: float, *, sign: bool = True) -> str:
    """Return a share as points of 100.

    >>> points(0.0512), points(-0.3), points(0.25, sign=False)
    ('+5.1', '-30.0', '25.0')
    """
    return f"{100 * share:+.1f}" if sign else f"{100 * share:.1f}"


def differences_figure(one: ArmComparison) -> Figure:
    """Return the difference of each class, and the mean with its interval."""
    from homeroom import plots

    figure, ax = plots.panel(6.4, 1.4 + 0.22 * min(len(one.classes), 40))
    shown = sorted(one.classes, key=lambda part: part.difference)[-40:]
    ax.axvline(0.0, linewidth=0.8, color="0.6")
    ax.plot([100 * part.difference for part in shown], range(1, len(shown) + 1), "o", color="0.45")
    middle, low, high = (100 * part for part in (one.difference, one.low, one.high))
    ax.errorbar([middle], [0], xerr=[[middle - low], [high - middle]], fmt="D", capsize=4)
    ax.set_yticks(range(len(shown) + 1), ["mean", *(part.classroom[:16] for part in shown)])
    ax.set_xlabel(f"points gained more with {one.arm} than with {one.other}")
    return figure
