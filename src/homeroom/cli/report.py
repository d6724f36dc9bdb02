"""The reports: one HTML page each, with everything in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from homeroom import _plugins, plots
from homeroom.classroom import Classroom, LargeClass
from homeroom.cli.describe import class_in_words, engine_in_words, thing_in_words
from homeroom.cli.screen import Screen
from homeroom.lessons import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from homeroom.advice import Certificate, Comparison, Frontier

Pictures = dict[str, tuple["Figure", str]]
"""Figures and their captions, by file name."""


def say_where(screen: Screen, out: Path | None) -> None:
    """Say where the report is."""
    if out is not None:
        screen.gap()
        screen.say(f"The report is at {out / 'report.html'}", style="bold")


def group_rows(record: Record) -> list[tuple[str, str, str]]:
    """Return a row for each group: its number, students, rounds."""
    return [
        (str(group + 1), str(size), str(rounds))
        for group, (size, rounds) in enumerate(
            zip(record.sizes, record.transcript.rounds, strict=True)
        )
    ]


def lesson_figures(record: Record, watched: Mapping[str, int]) -> Pictures:
    """Return the pictures of a lesson: its error, and its groups if there are several."""
    own = {who: record.watched_errors[:, column] for column, who in enumerate(watched)}
    figure, ax = plots.panel(6.4, 3.6)
    plots.error_curve(record.errors, students=own, goal=record.goal_line, ax=ax)
    caption = "How the class comes closer to the target, round by round, on a logarithmic scale."
    if own:
        caption += " The thin lines are single students, slow and fast, near and far."
    pictures: Pictures = {"error": (figure, caption)}
    if len(record.transcript.rounds) > 1:
        pictures["groups"] = (group_figure(record), GROUP_CAPTION)
    return pictures


MAX_POINTS = 500
"""At how many rounds a curve is worked out at most: more cannot be told apart in a picture."""

GROUP_CAPTION = (
    "Rounds for each group, the groups that need most first. "
    "A bar is as wide as its group is large, so its area is the work of its students."
)


def group_figure(record: Record) -> Figure:
    """Return the bars of a lesson's groups, those that need most first."""
    order = np.argsort(-record.transcript.rounds, kind="stable")
    figure, ax = plots.panel(6.4, 3.2)
    plots.group_bars(record.sizes[order], record.transcript.rounds[order], ax=ax)
    return figure


STUDENT_HEADER = ("student", "rate", "distance before", "after")


def lesson_page(
    room: Classroom | LargeClass,
    record: Record,
    pictures: Pictures,
    students: Sequence[Sequence[str]],
) -> plots.Page:
    """Return the report of one lesson."""
    page = plots.Page("A lesson")
    page.text(
        f"A class of {class_in_words(room, record)}, taught by "
        f"{thing_in_words(record.settings['teacher'])}; goal: "
        f"{thing_in_words(record.settings['goal'])}; groups: "
        f"{thing_in_words(record.settings['groups'])}."
    )
    page.numbers(
        [
            ("rounds, T", f"{record.rounds}"),
            ("examples a student saw, S", f"{record.workload:.1f}"),
            ("error before", f"{record.errors[0]:.3g}"),
            ("error after", f"{record.errors[-1]:.3g}"),
        ]
    )
    page.text(f"The lesson stopped because {record.stopped_because.value}.")
    if record.engine != "exact" or record.verified is not None:
        page.text("; ".join(f"{name}: {text}" for name, text in engine_in_words(record)) + ".")
    for drawn, caption in pictures.values():
        page.figure(drawn, caption)
    if students:
        page.heading("Four students" if len(students) == 4 else "Students")
        page.table(STUDENT_HEADER, students)
    if 1 < len(record.transcript.rounds) <= 100:
        page.heading("Groups")
        page.table(("group", "students", "rounds"), group_rows(record))
    page.footer(_foot())
    return page


def comparison_rows(
    comparison: Comparison,
) -> tuple[list[str], list[list[str]], list[tuple[int, int]]]:
    """Return header, rows and best cells of a comparison's table."""
    header = ["way", "groups", "T", "S", *(f"λ={lam:g}" for lam in comparison.lambdas)]
    rows, best = [], []
    for number, way in enumerate(comparison.ways):
        costs = [f"{way.cost(lam):.0f}" if way.reached else "–" for lam in comparison.lambdas]
        rows.append([way.name, str(way.groups), str(way.rounds), f"{way.workload:.1f}", *costs])
        best += [
            (number, 4 + column)
            for column, lam in enumerate(comparison.lambdas)
            if way.reached and comparison.best(lam) is way
        ]
    return header, rows, best


def comparison_figures(comparison: Comparison) -> Pictures:
    """Return the pictures of a comparison: what the ways cost."""
    figure, ax = plots.panel(6.4, 3.6)
    comparison.plot(ax=ax)
    caption = (
        "What each way costs, T + λ S, against the weight λ of the students' workload. "
        "Grey lies under the cheapest."
    )
    pictures: Pictures = {"cost": (figure, caption)}
    if comparison.frontier:
        figure, ax = plots.panel(6.4, 3.8)
        comparison.frontier.plot(ax, others=comparison.named)
        pictures["frontier"] = (figure, FRONTIER_CAPTION)
    return pictures


FRONTIER_CAPTION = (
    "What more groups buy: the least a student has to see, for every number of examples the "
    "teacher shows. No split of the class lies below the line; dots are the cheapest for some λ, "
    "with their groups and the students taught alone."
)


def frontier_table(frontier: Frontier) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return header and rows of what more groups buy; the middle ones left out if they are many."""
    from homeroom.advice.frontier import CORNER_HEADER, corner_rows

    rows = corner_rows(frontier)
    if len(rows) > MAX_CORNERS:
        half = MAX_CORNERS // 2
        rows = [*rows[:half], ("...",) + ("",) * (len(CORNER_HEADER) - 1), *rows[-half:]]
    return CORNER_HEADER, rows


MAX_CORNERS = 24
"""Rows of that table at most."""


def comparison_page(room: Classroom, comparison: Comparison, pictures: Pictures) -> plots.Page:
    """Return the report of a comparison."""
    page = plots.Page("Ways of teaching a class")
    page.text(f"A class of {class_in_words(room)}.")
    _add_comparison(page, comparison)
    for drawn, caption in pictures.values():
        page.figure(drawn, caption)
    if comparison.frontier:
        page.table(*frontier_table(comparison.frontier))
        page.text(
            "Each row is cheapest for some λ. It costs the teacher so many examples more than the "
            "row above (more T), and spares every student so many (less S)."
        )
    page.footer(_foot())
    return page


def _add_comparison(page: plots.Page, comparison: Comparison) -> None:
    header, rows, best = comparison_rows(comparison)
    page.table(header, rows, best=best)
    page.text(
        "T is how many examples the teacher shows, S how many a student sees on average. The "
        "columns with λ are the cost T + λ S: the larger λ, the more the students' time counts. "
        "The cheapest way of each column is bold."
    )
    missed = [way.name for way in comparison.ways if not way.reached]
    if missed:
        page.text(f"The goal was not reached: {', '.join(missed)}.")


def certificate_figure(certificate: Certificate, record: Record) -> Figure:
    """Return what is proved and what a simulation needs, in one picture."""
    figure, ax = plots.panel(6.4, 3.6)
    rounds = certificate.rounds or record.rounds
    at = np.linspace(0.0, rounds, min(rounds, MAX_POINTS) + 1).round()
    bound = np.array([certificate.bound(int(number)) for number in at])
    plots.error_curve(
        record.errors,
        students={"proved: never above this": bound},
        at=at,
        goal=record.goal_line,
        label="simulated",
        ax=ax,
    )
    ax.set_xlim(0, float(max(1, rounds, record.rounds)))
    return figure


def certificate_page(
    room: Classroom, certificate: Certificate, record: Record, pictures: Pictures
) -> plots.Page:
    """Return the report of a certificate."""
    page = plots.Page("How many rounds are enough")
    page.text(f"A class of {class_in_words(room)}.")
    proved = "none" if certificate.rounds is None else str(certificate.rounds)
    page.numbers([("rounds proved enough", proved), ("rounds in a simulation", str(record.rounds))])
    page.text(f"{certificate}")
    for drawn, caption in pictures.values():
        page.figure(drawn, caption)
    page.footer(_foot())
    return page


def groups_page(record: Record, rows: Sequence[Sequence[str]], pictures: Pictures) -> plots.Page:
    """Return the report of a split."""
    page = plots.Page("Who learns with whom")
    page.text(f"Groups: {thing_in_words(record.settings['groups'])}.")
    if len(rows) <= 100:
        page.table(GROUP_HEADER, rows)
    for drawn, caption in pictures.values():
        page.figure(drawn, caption)
    page.footer(_foot())
    return page


GROUP_HEADER = ("group", "students", "slowest", "fastest", "rounds")


def demo_page(room: Classroom, comparison: Comparison, pictures: Pictures) -> plots.Page:
    """Return the demo's report."""
    page = plots.Page("One class, three ways to teach it")
    page.text(
        f"A class like the paper's: {class_in_words(room)}. Everybody starts somewhere else and "
        "learns at another pace, and all are to arrive at the same target: the class's mean "
        "squared distance is to fall to 0.1. The teacher sees where everybody is and shows one "
        "example a round."
    )
    page.numbers([(f"rounds, {way.name}", str(way.rounds)) for way in comparison.ways])
    page.heading("What each way costs")
    _add_comparison(page, comparison)
    drawn, caption = pictures["cost"]
    page.figure(drawn, caption)
    for name, heading in (
        ("error", "The whole class, one lesson"),
        ("groups", "In groups of about the same pace"),
        ("individuals", "Everybody alone"),
    ):
        page.heading(heading)
        drawn, caption = pictures[name]
        page.figure(drawn, caption)
    page.footer(_foot())
    return page


def _foot() -> str:
    return f"Made by homeroom {_plugins.version()}."
