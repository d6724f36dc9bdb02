"""``homeroom paper``: the paper's figures and claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from homeroom._checks import InputError
from homeroom.cli.screen import Screen

if TYPE_CHECKING:
    from homeroom.paper import Settings
    from homeroom.paper.report import Result

EVERYTHING = "all"
MARKS = {
    "holds": "✓",
    "holds with a condition": "~",
    "does not hold": "✗",
    "not measured": "?",
}


def paper(  # noqa: PLR0917 - the options of a command
    figures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FIGURE...|all]", help="Which figures, from the lists above; all unless given."
        ),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where everything goes.")] = Path(
        "paper-report"
    ),
    quick: Annotated[
        bool, typer.Option("--quick", help="A quick look: two classes, fewer points, no PDFs.")
    ] = False,
    seeds: Annotated[
        int | None, typer.Option(help="Classes for each point.", show_default="20")
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a setting; may be given often."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            help="How many processes; the numbers do not depend on it.",
            show_default="one for each core",
        ),
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run on this Dask scheduler instead.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the result as one JSON document.")
    ] = False,
) -> None:
    """Reproduce the paper: its figures, and its claims held against them.

    You get every figure as SVG, PNG and PDF, the numbers behind it as CSV (and
    Parquet), and report.html with all of it and the table of claims. A run that
    was stopped, however roughly, goes on where it was when started again.

    [bold]Figures of the paper[/bold] (a number alone is all of its parts)
    1b, 2, 3a, 3b, 3c, 3d, 3e, 3f, 4a, 4b, 4c, 4d, 4e, 4f
    5a, 5b, 5c, 6a, 6b, 6c, 6d

    [bold]What it describes but does not draw[/bold]
    who           which students take longer
    dip           why the whole class dips at diversity 0.15
    knowledge-t   diverse knowledge: what the teacher needs
    knowledge-s   diverse knowledge: what a student sees
    6e, 6f, 6g    what teaching to write costs, as 4d, 4e and 4f
    letters       what is shown for other letters, and with other choices
    random-rates, noisy-w, langevin, pool      the robust settings, pools
    rank, accuracy, size                       rounds against k, 1/ε, N
    bounds        the theorems' bounds over measured curves
    mean          teaching along the mean gap stalls
    sensitivity   every choice that the paper leaves open, varied

    [bold]Settings for --set, and their values[/bold]
    students=300 dimensions=25 eps=0.1 example_radius=2 seeds=20
    knowledge_dimensions=10 slowest=0.1 mixed_slowest=0.05
    mixed_fastest=0.25 rate_law=uniform target_length=1 states=normal
    spread=1 state_radius=inf centre=3 cluster_spread=0.1
    knowledge_rate=0.1 knowledge_width=0 noise=sphere
    whole_magnitude=static group_magnitude=dynamic stop=own
    crowd_students=60 crowd_rate=0.05 crowd_eps=0.2 crowd_noise=0.1
    insects=0 pen_letter=f pen_children=60 pen_rate=0.05 pen_eps=0.2
    pen_pool=1000 pen_generator=kinematic pen_best=0.1 pen_sharpness=3
    pen_loss=logistic

    [bold]Examples[/bold]
    $ homeroom paper all --quick
    $ homeroom paper 3b 3c --seeds 50
    $ homeroom paper 3e --set group_magnitude=static --out other
    $ homeroom paper all --scheduler tcp://scheduler:8786
    """
    from homeroom.paper import Plan
    from homeroom.paper.report import reproduce

    screen = Screen(as_json=json)
    names = _chosen(figures or [EVERYTHING])
    settings = _settings(seeds, change or [])
    with _executor(workers, scheduler) as executor, _progress() as progress:
        result = reproduce(names, Plan(settings, quick=quick), out, executor, progress)
    _show(screen, result)
    screen.result(
        {
            "folder": str(out),
            "seconds": result.seconds,
            "settings": settings.as_json(),
            "figures": names,
            "claims": [claim.as_json() for claim in result.claims],
        }
    )


def _chosen(asked: list[str]) -> list[str]:
    from homeroom.paper import FIGURES

    chosen = {name for one in asked for name in _parts(one, list(FIGURES))}
    return [name for name in FIGURES if name in chosen]


def _parts(asked: str, known: list[str]) -> list[str]:
    """Return the figures that are meant: all, one by its name, or those of a number."""
    if asked == EVERYTHING:
        return known
    parts = [name for name in known if name == asked or (name[:-1] == asked and asked.isdigit())]
    if not parts:
        raise InputError(
            f"There is no figure called {asked!r}: choose one of {', '.join(known)}, "
            f"or {EVERYTHING}."
        )
    return parts


def _settings(seeds: int | None, changes: list[str]) -> Settings:
    from homeroom.paper import Settings

    settings = Settings()
    for text in (*changes, *([] if seeds is None else [f"seeds={seeds}"])):
        settings = settings.changed(text)
    return settings


@contextmanager
def _executor(workers: int | None, scheduler: str | None) -> Iterator[Executor]:
    import os

    from homeroom.paper import processes

    if scheduler is not None:
        from homeroom.cli.cluster import connected

        with connected(scheduler) as client:
            yield client.get_executor()
        return
    if workers is not None and workers < 1:
        raise InputError(f"--workers must be at least 1, but is {workers}.")
    with processes(workers or os.cpu_count() or 1) as executor:
        yield executor


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar with the time left on stderr while cells are measured and figures drawn."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    console = Console(stderr=True, highlight=False)
    bar = Progress(
        TextColumn("{task.description:>9}"),
        BarColumn(bar_width=32, complete_style="blue", finished_style="blue"),
        MofNCompleteColumn(),
        TimeLeft(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        tasks = {name: bar.add_task(name, total=None) for name in ("measuring", "drawing")}
        yield lambda what, done, of: bar.update(tasks[what], completed=done, total=of)


def _show(screen: Screen, result: Result) -> None:
    if result.claims:
        screen.title("The paper's claims")
        for claim in result.claims:
            verdict = claim.verdict.value
            screen.gap()
            screen.say(f"{MARKS[verdict]} {claim.text}: {verdict}", style="bold")
            screen.say(f"  {claim.evidence}.", style="dim")
    screen.gap()
    screen.say(
        f"{len(result.tables)} figures in {result.seconds:.0f} seconds. "
        f"Open {result.folder / 'report.html'}"
    )
