"""``homeroom paper``: reproduce the paper's figures and check its claims."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from homeroom._checks import InputError, counted
from homeroom.cli.cluster import WorkOptions
from homeroom.cli.command import Output, command
from homeroom.cli.output import count_bars
from homeroom.cli.result import Result

if TYPE_CHECKING:
    from homeroom.studies.paper import PaperSettings

EVERYTHING = "all"
MARKS = {"holds": "✓", "holds with a condition": "~", "does not hold": "✗", "not measured": "?"}


def describe_figures() -> dict[str, str]:
    """Return the names of the figures, and the settings with their values."""
    from homeroom.studies.paper import FIGURES, PaperSettings

    settings = " ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in vars(PaperSettings()).items()
    )
    printed = ", ".join(name for name, figure in FIGURES.items() if not figure.summary)
    others = [f"{name:<14}{one.summary}" for name, one in FIGURES.items() if one.summary]
    return {
        "printed": textwrap.fill(printed, 64),
        "others": "\n".join(others),
        "settings": textwrap.fill(settings, 64),
    }


@command(
    Output(
        "Where the report is written.",
        Path("paper-report"),
        in_place=True,
        earlier="cells.jsonl",
    ),
    texts=describe_figures,
)
def paper(
    figures: list[str] | None = None,
    *,
    quick: bool = False,
    seeds: int | None = None,
    change: list[str] | None = None,
    where: WorkOptions,
    place: Path,
) -> Result:
    """Reproduce the paper's figures, and check its claims against them.

    Writes every figure as SVG, PNG and PDF, the numbers behind it as CSV (and
    Parquet), and report.html with all figures and the table of claims. A run that
    was interrupted resumes where it stopped when it is started again.

    [bold]Figures of the paper[/bold] (a number alone is all of its parts)
    {printed}

    [bold]What the paper describes but does not draw[/bold]
    {others}

    [bold]Settings for --set, and their values[/bold]
    {settings}

    [bold]Examples[/bold]
    $ homeroom paper all --quick
    $ homeroom paper 3b 3c --seeds 50
    $ homeroom paper 3e --set group_magnitude=static --out other
    $ homeroom paper all --scheduler tcp://scheduler:8786

    Parameters
    ----------
    figures : [FIGURE...|all]
        Which figures, from the lists above; all by default.
    quick
        A quick look: two classes per point, fewer points, no PDFs.
    seeds
        The number of classes per point. [default: 20]
    change : --set NAME=VALUE
        Change a setting. May be repeated.
    """
    from homeroom.studies.paper import QUICK_VERDICTS, PaperPlan, reproduce

    names = choose_figures(figures or [EVERYTHING])
    settings = change_settings([*(change or []), *([] if seeds is None else [f"seeds={seeds}"])])
    with where.start() as executor, count_bars("measuring", "drawing") as progress:
        found = reproduce(names, PaperPlan(settings, quick=quick), place, executor, progress)
    values = {
        "folder": str(place),
        "seconds": found.seconds,
        "settings": settings.as_json(),
        "quick": quick,
        "figures": names,
        "claims": [claim.as_json() for claim in found.claims],
    }
    result = Result("The paper's claims" if found.claims else "The paper's figures", values)
    for claim in found.claims:
        mark = MARKS[claim.verdict.value]
        result.sentence(f"\n{mark} {claim.text}: {claim.verdict_text}", "bold")
        result.sentence(f"  {claim.evidence}.", "dim")
    if any(claim.quick for claim in found.claims):
        result.sentence(f"\n{QUICK_VERDICTS}")
    drawn, seconds = counted(len(found.tables), "figure"), counted(round(found.seconds), "second")
    result.sentence(f"\n{drawn} in {seconds}. Open {place / 'report.html'}")
    return result


def choose_figures(texts: list[str]) -> list[str]:
    """Return the figures that texts name: all, one by name, or all of one number."""
    from homeroom.studies.paper import FIGURES

    chosen: set[str] = set()
    for text in texts:
        parts = {name for name in FIGURES if name == text or (name[:-1] == text and text.isdigit())}
        chosen |= set(FIGURES) if text == EVERYTHING else parts
        if text != EVERYTHING and not parts:
            raise InputError(
                f"There is no figure called {text!r}: choose one of {', '.join(FIGURES)}, "
                f"or {EVERYTHING}."
            )
    return [name for name in FIGURES if name in chosen]


def change_settings(changes: list[str]) -> PaperSettings:
    """Return the default settings with changes, given as NAME=VALUE."""
    from homeroom.studies.paper import PaperSettings

    settings = PaperSettings()
    for text in changes:
        settings = settings.change(text)
    return settings
