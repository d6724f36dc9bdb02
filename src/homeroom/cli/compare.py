"""``homeroom compare``: compare ways of teaching a class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from homeroom._checks import InputError, cost
from homeroom.classroom import Classroom
from homeroom.cli.options import ClassOptions, LessonOptions, grouping, lesson_option
from homeroom.cli.output import ResultOptions, lesson_bar, result_option
from homeroom.cli.report import (
    Chart,
    CommandReport,
    Facts,
    Heading,
    Sentence,
    Table,
    class_as_values,
    class_in_words,
    record_as_values,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from homeroom.advice import Comparison, Frontier

MOST_CORNERS = 25
"""The most rows of the table of splits; of a longer one, the middle rows are left out."""


def compare(
    which: ClassOptions,
    lesson: LessonOptions,
    result: ResultOptions,
    *,
    lambdas: Annotated[
        str, result_option("Weights λ of the students' workload.")
    ] = "0,1,10,100,1000",
    ways: Annotated[
        list[str] | None,
        lesson_option(
            "A grouping to compare. May be repeated.",
            "--way",
            metavar="NAME[:KEY=VALUE,...]",
            show_default="whole class, by rate, at random, individuals",
        ),
    ] = None,
    frontier: Annotated[
        bool | None,
        lesson_option(
            "Also search for the best groups by rate, and show what more groups gain.",
            "--frontier/--no-frontier",
            show_default="on without --way, if it takes only seconds",
        ),
    ] = None,
) -> None:
    """Compare ways of teaching a class: together, in groups, one by one.

    If the teacher shows T examples and a student sees S on average, a way of
    teaching costs T + λ S.

    [bold]Examples[/bold]
    $ homeroom compare students.csv --lambdas 0,1,10,100
    $ homeroom compare students.csv --way by-rate --way by-knowledge:k=3
    $ homeroom compare students.csv --way best:lam=5,by=both --frontier
    """
    from homeroom.advice import compare as compare_ways

    room = which.room()
    weights = _numbers(lambdas)
    settings = lesson.settings(which.max_bytes)
    chosen = {text: grouping(text, room) for text in _each_once(ways)} if ways else None
    with result.folder() as out:
        with lesson_bar("Comparing") as progress:
            comparison = compare_ways(
                room,
                ways=chosen,
                lambdas=weights,
                max_rounds=lesson.max_rounds,
                seed=which.seed,
                frontier=frontier,
                progress=progress,
                **settings,
            )
        report = CommandReport("Ways of teaching", comparison_values(room, comparison))
        report.add(Facts([("class", class_in_words(room))]))
        add_comparison(report, comparison)
        if comparison.frontier:
            add_frontier(report, comparison, comparison.frontier)
        out.write(report)
    result.show(report)


def _each_once(ways: list[str]) -> list[str]:
    """Return the ways; refuse one that is given twice."""
    for way in ways:
        if ways.count(way) > 1:
            raise InputError(f"--way {way} is given twice: leave one out.")
    return ways


def _numbers(text: str) -> list[float]:
    """Return the numbers in a text such as 0,1,10."""
    try:
        numbers = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        numbers = []
    if not numbers:
        raise InputError(
            f"--lambdas must be numbers separated by commas, as in 0,1,10, but is {text!r}."
        )
    return numbers


def add_comparison(report: CommandReport, comparison: Comparison) -> None:
    """Add the table of costs, the weights for which each way is best, and the chart of costs."""
    header, rows, best = comparison_table(comparison)
    missed = [way.name for way in comparison.ways if not way.reached]
    report.add(
        Table(header, rows, best=best),
        Facts(
            [
                (way.name, f"best at λ = {', '.join(lams)}")
                for way in comparison.ways
                if (
                    lams := [
                        f"{lam:g}" for lam in comparison.lambdas if _wins(comparison, way, lam)
                    ]
                )
            ]
        ),
        Sentence(
            "T: examples the teacher shows. S: examples a student sees, on average. The columns "
            "with λ are the cost T + λ S: the larger λ, the more the students' time counts. The "
            "lowest cost of each column is marked.",
            "dim",
        ),
    )
    if missed:
        has = "it has" if len(missed) == 1 else "they have"
        report.add(
            Sentence(
                f"✗ Not learnt: the goal was not reached by {', '.join(missed)}, so {has} no cost.",
                remark=True,
            )
        )
    report.add(
        Chart(
            "cost",
            lambda: _cost_figure(comparison),
            "The cost T + λ S of each way, against the weight λ of the students' workload. The "
            "grey band marks the cheapest way.",
        )
    )


def _wins(comparison: Comparison, way: Any, lam: float) -> bool:
    """Return whether a way reaches the goal and costs least at this weight."""
    return bool(way.reached) and comparison.best(lam) is way


def comparison_table(
    comparison: Comparison,
) -> tuple[list[str], list[list[str]], list[tuple[int, int]]]:
    """Return header, rows and best cells, as (row, column), of the table of costs."""
    header = ["way", "groups", "T", "S", *(f"λ={lam:g}" for lam in comparison.lambdas)]
    rows, best = [], []
    for number, way in enumerate(comparison.ways):
        costs = [cost(way.cost(lam)) if way.reached else "–" for lam in comparison.lambdas]
        rows.append([way.name, str(way.groups), str(way.rounds), f"{way.workload:.1f}", *costs])
        best += [
            (number, 4 + column)
            for column, lam in enumerate(comparison.lambdas)
            if _wins(comparison, way, lam)
        ]
    return header, rows, best


def _cost_figure(comparison: Comparison) -> Figure:
    from homeroom import plots

    figure, ax = plots.panel(6.4, 3.6)
    comparison.plot(ax=ax)
    return figure


def add_frontier(report: CommandReport, comparison: Comparison, frontier: Frontier) -> None:
    """Add what more groups gain: the table of the best splits, and its chart."""

    def draw() -> Figure:
        from homeroom import plots

        figure, ax = plots.panel(6.4, 3.8)
        frontier.plot(ax, others=comparison.named)
        return figure

    report.add(
        Heading("What more groups gain"),
        frontier_table(frontier),
        Sentence(
            "Each row is cheapest for some λ. Compared with the row above, the teacher shows more "
            "examples (more T), and a student sees fewer on average (less S).",
            "dim",
        ),
        Chart(
            "frontier",
            draw,
            "The smallest average workload for every number of examples the teacher shows. No "
            "split by rate that was found lies below the line. Dots are the cheapest splits for "
            "some λ, with their number of groups and of students taught alone.",
        ),
    )


def frontier_table(frontier: Frontier) -> Table:
    """Return the table of the splits that are cheapest for some weight.

    Only the first and the last rows of a long table are shown.
    """
    from homeroom.advice.frontier import CORNER_HEADER, corner_rows

    rows = corner_rows(frontier)
    if len(rows) > MOST_CORNERS:
        half = (MOST_CORNERS - 1) // 2
        rows = [*rows[:half], ("...",) + ("",) * (len(CORNER_HEADER) - 1), *rows[-half:]]
    return Table(CORNER_HEADER, rows)


def comparison_values(room: Classroom, comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as plain values."""
    return {
        "class": class_as_values(room),
        "lambdas": list(comparison.lambdas),
        "ways": [
            {
                "name": way.name,
                **record_as_values(way.record),
                "costs": [way.cost(lam) for lam in comparison.lambdas],
                "settings": way.record.settings_and_results(),
            }
            for way in comparison.ways
        ],
        "best": [
            {"lambda": lam, "way": comparison.best(lam).name}
            for lam in comparison.lambdas
            if comparison.best(lam).reached
        ],
        "frontier": None if comparison.frontier is None else _splits(comparison.frontier),
    }


def _splits(frontier: Frontier) -> list[dict[str, Any]]:
    """Return the undominated splits that the search found, as plain values."""
    best_from = {split.place: start for split, start, _ in frontier.corners}
    return [
        {
            "rounds": split.rounds,
            "workload": split.workload,
            "groups": split.together,
            "alone": split.alone,
            "best_from_lambda": best_from.get(split.place),
        }
        for split in frontier
    ]
