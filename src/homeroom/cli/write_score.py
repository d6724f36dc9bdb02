"""``homeroom write score``: how well letters are written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeroom.cli.screen import Screen
from homeroom.cli.write_options import JsonOption, ModelOptions

if TYPE_CHECKING:
    from homeroom.handwriting.ink import Ink
    from homeroom.handwriting.scores import Scores

MAX_SHOWN = 40
"""How many letters are printed on the screen."""


def score(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Letters: InkML, JSON lines, UJI or UNIPEN text, or .svc.",
            show_default=False,
        ),
    ],
    which: ModelOptions,
    *,
    json: JsonOption = False,
) -> None:
    """Score letters: how distorted, rotated and shaky each is, against a model.

    Each score is a defect from 0 (as in the model letter) to 1. They are inspired
    by the BHK, a test of handwriting, and are never a diagnosis.

    [bold]Examples[/bold]
    $ homeroom write score ada.inkml
    $ homeroom write score f.dat --letter f --json
    $ homeroom write score ada.inkml --model mine.inkml
    """
    screen = Screen(as_json=json)
    inks = which.read(file)
    scores = _scored(inks, which)
    _show(screen, inks, scores)
    screen.result(
        {
            "file": str(file),
            "letters": [_as_values(ink, one) for ink, one in zip(inks, scores, strict=True)],
            "mean": _mean(scores),
        }
    )


def _scored(inks: list[Ink], which: ModelOptions) -> list[Scores]:
    """Return each letter's scores, all of one letter at a time."""
    from homeroom.handwriting.scores import score_each

    found: dict[int, Scores] = {}
    for letter in dict.fromkeys(ink.letter or "" for ink in inks):
        places = [place for place, ink in enumerate(inks) if ink.letter == letter]
        own = score_each([inks[place] for place in places], which.model_of(letter))
        found |= dict(zip(places, own, strict=True))
    return [found[place] for place in range(len(inks))]


def _show(screen: Screen, inks: list[Ink], scores: list[Scores]) -> None:
    header = ("letter", "writer", "distortion", "rotation", "leans", "shakiness", "average")
    rows = [
        _row(number, ink, one) for number, (ink, one) in enumerate(zip(inks, scores, strict=True))
    ]
    screen.table(header, rows[:MAX_SHOWN])
    if len(rows) > MAX_SHOWN:
        screen.say(f"  and {len(rows) - MAX_SHOWN} more; --json has all", style="dim")
    for number, one in enumerate(scores[:MAX_SHOWN]):
        if one.note:
            screen.say(f"  {number + 1}: {one.note}", style="yellow")
    means = ", ".join(f"{name} {value:.2f}" for name, value in _mean(scores).items())
    screen.say(f"On average: {means}.")
    screen.say(
        "Each is a defect, from 0 as in the model to 1. BHK-inspired, never a diagnosis.",
        style="dim",
    )


def _row(number: int, ink: Ink, one: Scores) -> tuple[str, ...]:
    return (
        f"{number + 1}: {ink.letter}",
        (ink.writer or "")[:20],
        f"{one.distortion:.2f}",
        f"{one.rotation:.2f}",
        f"{one.angle:+.0f}°",
        f"{one.shakiness:.2f}",
        f"{one.average:.2f}",
    )


def _as_values(ink: Ink, one: Scores) -> dict[str, Any]:
    names = ("distortion", "rotation", "shakiness", "average", "angle", "tremor")
    return {
        "letter": ink.letter,
        "writer": ink.writer,
        **{name: getattr(one, name) for name in names},
        "mirrored": one.mirrored,
        "reversed": one.reversed,
        "note": one.note,
    }


def _mean(scores: list[Scores]) -> dict[str, float]:
    names = ("distortion", "rotation", "shakiness", "average")
    return {name: sum(getattr(one, name) for one in scores) / len(scores) for name in names}
