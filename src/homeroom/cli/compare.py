"""``homeroom compare``: compare ways of teaching a class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from homeroom._checks import InputError, cost
from homeroom.classroom import Classroom
from homeroom.cli.command import command
from homeroom.cli.options import ClassOptions, LessonOptions, find_grouping
from homeroom.cli.output import lesson_bar
from homeroom.cli.result import (
    Result,
    class_as_values,
    class_in_words,
    record_as_values,
)

if TYPE_CHECKING:
    from homeroom.advice import Comparison, Frontier

MOST_CORNERS = 25
"""The most rows of the table of splits that are printed."""


@command()
def compare(
    which: ClassOptions,
    lesson: LessonOptions,
    *,
    lambdas: str = "0,1,10,100,1000",
    ways: list[str] | None = None,
    frontier: bool | None = None,
) -> Result:
    """Compare ways of teaching a class: together, in groups, one by one.

    If the teacher shows T examples and a student sees S on average, a way of
    teaching costs T + λ S.

    [bold]Examples[/bold]
    $ homeroom compare students.csv --lambdas 0,1,10,100
    $ homeroom compare students.csv --way by-rate --way by-knowledge:k=3
    $ homeroom compare students.csv --way best:lam=5,by=rate --frontier

    Parameters
    ----------
    lambdas
        Weights λ of the students' workload.
    ways : --way NAME[:KEY=VALUE,...]
        A grouping to compare. May be repeated.
        [default: whole class, by rate, at random, by knowledge, individuals]
    frontier
        Also search for good groups by rate and knowledge, and show what more groups gain.
        [default: on without --way, if it takes only seconds]
    """
    from homeroom.advice import compare as compare_ways

    room = which.room()
    for way in ways or ():
        if ways and ways.count(way) > 1:
            raise InputError(f"--way {way} is given twice: leave one out.")
    with lesson_bar("Comparing") as progress:
        comparison = compare_ways(
            room,
            ways={text: find_grouping(text, room) for text in ways} if ways else None,
            lambdas=parse_numbers(lambdas),
            seed=which.seed,
            frontier=frontier,
            progress=progress,
            **lesson.settings(),
        )
    result = Result("Ways of teaching", comparison_values(room, comparison))
    result.facts([("class", class_in_words(room))])
    add_comparison(result, comparison)
    if comparison.frontier:
        add_frontier(result, comparison, comparison.frontier)
    return result


def parse_numbers(text: str) -> list[float]:
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


def list_best(comparison: Comparison) -> dict[str, list[float]]:
    """Return the weights for which each way reaches the goal and costs least, by its name."""
    best: dict[str, list[float]] = {}
    for lam in comparison.lambdas:
        if comparison.best(lam).reached:
            best.setdefault(comparison.best(lam).name, []).append(lam)
    return best


def add_comparison(result: Result, comparison: Comparison) -> None:
    """Add the table of costs, the weights for which each way is best, and the chart of costs."""
    best, rows, marked = list_best(comparison), [], []
    for number, way in enumerate(comparison.ways):
        costs = [cost(way.cost(lam)) if way.reached else None for lam in comparison.lambdas]
        rows.append([way.name, way.groups, way.rounds, f"{way.workload:.1f}", *costs])
        places = enumerate(comparison.lambdas, start=4)
        marked += [(number, place) for place, lam in places if lam in best.get(way.name, ())]
    header = ["way", "groups", "T", "S", *(f"λ={lam:g}" for lam in comparison.lambdas)]
    result.table(header, rows, best=marked)
    for name in (way.name for way in comparison.ways if way.name in best):
        result.facts([(name, f"best at λ = {', '.join(f'{lam:g}' for lam in best[name])}")])
    result.sentence(
        "T: examples the teacher shows. S: examples a student sees, on average. The columns with "
        "λ are the cost T + λ S: the larger λ, the more the students' time counts. The lowest cost "
        "of each column is marked; ways that are not listed may cost less.",
        "dim",
    )
    if missed := [way.name for way in comparison.ways if not way.reached]:
        has = "it has" if len(missed) == 1 else "they have"
        text = f"✗ Not learnt: the goal was not reached by {', '.join(missed)}, so {has} no cost."
        result.sentence(text, remark=True)
    result.chart(
        "cost",
        comparison.plot,
        "The cost T + λ S of each way, against the weight λ of the students' workload. The grey "
        "band marks the cheapest way.",
    )


def add_frontier(result: Result, comparison: Comparison, frontier: Frontier) -> None:
    """Add what more groups gain: the table of the best splits, and its chart."""
    from homeroom.advice.frontier import CORNER_HEADER, corner_rows

    result.heading("What more groups gain")
    result.table(CORNER_HEADER, corner_rows(frontier), most=MOST_CORNERS)
    result.sentence(
        "Each row is, for some λ, the cheapest of the splits that were searched: by rate, by "
        "knowledge, and by both. Compared with the row above, the teacher shows more examples "
        "(more T), and a student sees fewer on average (less S).",
        "dim",
    )
    result.chart(
        "frontier",
        lambda ax: frontier.plot(ax, others=comparison.named),
        "The smallest average workload that was found for every number of examples the teacher "
        "shows. None of the splits by rate, by knowledge or by both that were searched lies below "
        "the line. Dots are the cheapest of them for some λ, with their number of groups and of "
        "students taught alone.",
        height=3.8,
    )


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
        "frontier": None if comparison.frontier is None else _describe_splits(comparison.frontier),
    }


def _describe_splits(frontier: Frontier) -> list[dict[str, Any]]:
    """Return the undominated splits that the search found, as plain values."""
    best_from = {split.place: start for split, start, _ in frontier.corners}
    names = {"rounds": "rounds", "workload": "workload", "groups": "together", "alone": "alone"}
    return [
        {name: getattr(split, attribute) for name, attribute in names.items()}
        | {"best_from_lambda": best_from.get(split.place)}
        for split in frontier
    ]
