"""``homeroom paper``: reproduce the paper's figures and check its claims."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeroom._checks import InputError, counted
from homeroom.cli.cluster import SchedulerOption, WorkersOption, executor_for
from homeroom.cli.output import ForceOption, JsonOption, check_unused, count_bars, show
from homeroom.cli.report import CommandReport, Sentence

if TYPE_CHECKING:
    from homeroom.paper import Settings
    from homeroom.paper.report import ReproductionResult

EVERYTHING = "all"
MARKS = {"holds": "✓", "holds with a condition": "~", "does not hold": "✗", "not measured": "?"}


def paper(  # noqa: PLR0917 - the options of a command
    figures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FIGURE...|all]", help="Which figures, from the lists above; all by default."
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the report is written.")
    ] = Path("paper-report"),
    force: ForceOption = False,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="A quick look: two classes per point, fewer points, no PDFs."),
    ] = False,
    seeds: Annotated[
        int | None, typer.Option(help="The number of classes per point.", show_default="20")
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a setting. May be repeated."),
    ] = None,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    json: JsonOption = False,
) -> None:
    """Reproduce the paper's figures, and check its claims against them.

    Writes every figure as SVG, PNG and PDF, the numbers behind it as CSV (and
    Parquet), and report.html with all figures and the table of claims. A run that
    was interrupted resumes where it stopped when it is started again.

    [bold]Figures of the paper[/bold] (a number alone is all of its parts)
    1b, 2, 3a, 3b, 3c, 3d, 3e, 3f, 4a, 4b, 4c, 4d, 4e, 4f
    5a, 5b, 5c, 6a, 6b, 6c, 6d

    [bold]What the paper describes but does not draw[/bold]
    who           which students take longer
    hyperplanes   how four of a hundred students in the plane change
    dip           why the whole class dips at diversity 0.15
    rules         groups and class with one rule for the magnitude
    4-radius      insects, by the radius of the ball of examples
    attention     students who do not attend to every example
    boredom       students who attend less after redundant examples
    knowledge-t   diverse knowledge: examples the teacher shows
    knowledge-s   diverse knowledge: examples a student sees
    6e, 6f, 6g    what teaching to write costs, as 4d, 4e and 4f
    letters       what is shown for other letters, and with other choices
    random-rates, noisy-w, langevin, pool      the robust settings, pools
    rank, accuracy, size                       rounds by k, 1/ε, N
    bounds        the theorems' bounds over measured curves
    mean          teaching along the mean gap stalls
    sensitivity   every choice that the paper leaves open, varied

    [bold]Settings for --set, and their values[/bold]
    students=300 dimensions=25 eps=0.1 example_radius=2 seeds=20
    knowledge_dimensions=10 slowest=0.1 greatest_diversity=0.5
    mixed_slowest=0.05 mixed_fastest=0.25 rate_law=uniform
    target_length=1 states=normal spread=1 state_radius=inf centre=3
    cluster_spread=0.1 knowledge_rate=0.1 knowledge_width=0
    noise=sphere whole_magnitude=static group_magnitude=dynamic
    stop=own crowd_students=60 crowd_rate=0.05 crowd_eps=0.2
    crowd_radius=2 crowd_noise=0.1 insects=0 pen_letter=f
    pen_form=school pen_children=60 pen_rate=0.05 pen_eps=0.2 pen_pool=1000
    pen_generator=kinematic pen_best=0.1 pen_sharpness=3
    pen_loss=logistic

    [bold]Examples[/bold]
    $ homeroom paper all --quick
    $ homeroom paper 3b 3c --seeds 50
    $ homeroom paper 3e --set group_magnitude=static --out other
    $ homeroom paper all --scheduler tcp://scheduler:8786
    """
    from homeroom.paper import Plan
    from homeroom.paper.report import reproduce

    names = _chosen(figures or [EVERYTHING])
    settings = _settings(seeds, change or [])
    if not _is_of_a_run(out):
        check_unused(out, force=force)
    with (
        executor_for(workers, scheduler) as executor,
        count_bars("measuring", "drawing") as progress,
    ):
        result = reproduce(names, Plan(settings, quick=quick), out, executor, progress)
    values = {
        "folder": str(out),
        "seconds": result.seconds,
        "settings": settings.as_json(),
        "figures": names,
        "claims": [claim.as_json() for claim in result.claims],
    }
    show(_report(result, values), json=json)


def _report(result: ReproductionResult, values: dict[str, Any]) -> CommandReport:
    """Return the report: the verdict on each claim, and where the page is."""
    report = CommandReport("The paper's claims" if result.claims else "The paper's figures", values)
    for claim in result.claims:
        verdict = claim.verdict.value
        report.add(
            Sentence(f"\n{MARKS[verdict]} {claim.text}: {verdict}", "bold"),
            Sentence(f"  {claim.evidence}.", "dim"),
        )
    figures = counted(len(result.tables), "figure")
    seconds = counted(round(result.seconds), "second")
    report.add(Sentence(f"\n{figures} in {seconds}. Open {result.folder / 'report.html'}"))
    return report


def _is_of_a_run(out: Path) -> bool:
    """Return whether a folder belongs to an earlier run, finished or not, which continues."""
    folders = all((out / part).is_dir() for part in ("figures", "data"))
    return folders or (out / "cells.jsonl").is_file()


def _chosen(asked: list[str]) -> list[str]:
    """Return the figures that texts name, each once, in the order of the paper."""
    from homeroom.paper import FIGURES

    chosen = {name for one in asked for name in _parts(one, list(FIGURES))}
    return [name for name in FIGURES if name in chosen]


def _parts(asked: str, known: list[str]) -> list[str]:
    """Return the figures that a text names: all, one by name, or all of one number."""
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
    """Return the default settings with changes, given as NAME=VALUE, and the number of seeds."""
    from homeroom.paper import Settings

    settings = Settings()
    for text in (*changes, *([] if seeds is None else [f"seeds={seeds}"])):
        settings = settings.changed(text)
    return settings
