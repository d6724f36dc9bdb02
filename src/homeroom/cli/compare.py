"""``homeroom compare``: which way of teaching is best for whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeroom._checks import InputError
from homeroom.classroom import Classroom
from homeroom.cli import report
from homeroom.cli.describe import class_as_values, class_in_words, record_as_values
from homeroom.cli.folder import folder
from homeroom.cli.options import ClassOptions, LessonOptions, ResultOptions, grouping
from homeroom.cli.screen import Screen, progress_bar, say_note

if TYPE_CHECKING:
    from homeroom.advice import Comparison, Frontier


def compare(
    which: ClassOptions,
    lesson: LessonOptions,
    result: ResultOptions,
    *,
    lambdas: Annotated[
        str,
        typer.Option(help="Weights of the students' workload.", rich_help_panel="The result"),
    ] = "0,1,10,100,1000",
    ways: Annotated[
        list[str] | None,
        typer.Option(
            "--way",
            metavar="NAME[:KEY=VALUE,...]",
            help="A grouping to compare; may be repeated.",
            rich_help_panel="The lesson",
            show_default="whole class, by rate, at random, individuals",
        ),
    ] = None,
    frontier: Annotated[
        bool | None,
        typer.Option(
            "--frontier/--no-frontier",
            help="Search for the best groups by rate too, and say what more groups buy.",
            rich_help_panel="The lesson",
            show_default="without --way, where it takes seconds",
        ),
    ] = None,
) -> None:
    """Compare ways of teaching a class: together, in groups, one by one.

    The teacher shows T examples, a student sees S on average: a way costs
    T + λ S.

    [bold]Examples[/bold]
    $ homeroom compare pupils.csv --lambdas 0,1,10,100
    $ homeroom compare pupils.csv --way whole --way by-rate --way by-knowledge:k=3
    $ homeroom compare pupils.csv --way best:lam=5,by=both --frontier
    """
    from homeroom.advice import compare as compare_ways

    screen = Screen(as_json=result.json)
    room = which.room()
    weights = _numbers(lambdas)
    settings = lesson.settings(which.max_bytes)
    chosen = {text: grouping(text, room) for text in _once(ways)} if ways else None
    with folder(result.out) as out:
        with progress_bar("Comparing") as progress:
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
        document = comparison_document(room, comparison)
        if out:
            pictures = report.comparison_figures(comparison)
            for name, (drawn, _) in pictures.items():
                out.figure(name, drawn)
            out.page(report.comparison_page(room, comparison, pictures))
            out.result(document)
    screen.title("Ways of teaching")
    screen.facts([("class", class_in_words(room))])
    show_comparison(screen, comparison)
    if comparison.frontier:
        screen.title("What more groups buy")
        screen.table(*report.frontier_table(comparison.frontier))
    screen.result(document)
    report.say_where(screen, result.out)


def _once(ways: list[str]) -> list[str]:
    for way in ways:
        if ways.count(way) > 1:
            raise InputError(f"--way {way} is given twice: leave one out.")
    return ways


def _numbers(text: str) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        numbers = []
    if not numbers:
        raise InputError(
            f"--lambdas must be numbers with commas between, as in 0,1,10, but is {text!r}."
        )
    return numbers


def comparison_document(room: Classroom, comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as plain values."""
    return {
        "class": class_as_values(room),
        "lambdas": list(comparison.lambdas),
        "ways": [
            {
                "name": way.name,
                **record_as_values(way.record),
                "costs": [way.cost(lam) for lam in comparison.lambdas],
                "settings": dict(way.record.settings),
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
    """Return every way to split the class that no other beats, as plain values."""
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


def show_comparison(screen: Screen, comparison: Comparison) -> None:
    """Print the table, and which way is best for which weight."""
    header, rows, best = report.comparison_rows(comparison)
    screen.table(header, rows, best=best)
    missed = [way.name for way in comparison.ways if not way.reached]
    if len(missed) < len(comparison.ways):
        screen.facts(
            [
                (way.name, f"best at λ = {', '.join(lams)}")
                for way in comparison.ways
                if (
                    lams := [
                        f"{lam:g}" for lam in comparison.lambdas if comparison.best(lam) is way
                    ]
                )
            ]
        )
    if missed:
        say_note(
            f"✗ Not learnt: the goal was not reached by {', '.join(missed)}, so "
            f"{'it has' if len(missed) == 1 else 'they have'} no cost."
        )
