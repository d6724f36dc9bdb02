"""``homeroom write score``: how well letters are written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeroom._checks import InputError
from homeroom._words import counted
from homeroom.cli.screen import Screen
from homeroom.cli.write_options import JsonOption, ModelOptions, say_left_out

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

    Each score is a defect from 0 (as in the model letter) to 1. They are
    inspired by the BHK, a test of handwriting, and are never a diagnosis.
    Letters that cannot be scored are named, and left out.

    [bold]Examples[/bold]
    $ homeroom write score ada.inkml
    $ homeroom write score f.dat --letter f --json
    $ homeroom write score ada.inkml --model mine.inkml
    """
    screen = Screen(as_json=json)
    left_out: list[str] = []
    inks = dict(enumerate(which.read(file, left_out), start=1))
    left_out += _dots(inks, file)
    scores = _scored(inks, which, left_out)
    if not scores:
        raise InputError(f"No letter of {file} can be scored. {left_out[0]}")
    say_left_out(left_out)
    _show(screen, inks, scores)
    screen.result(
        {
            "file": str(file),
            "letters": [_as_values(n, inks[n], one) for n, one in scores.items()],
            "mean": _mean(scores),
            "left_out": left_out,
        }
    )


def _dots(inks: dict[int, Ink], file: Path) -> list[str]:
    """Return a sentence for each letter that is a mere dot."""
    from homeroom.handwriting.scores import checks

    return [f"{file}, letter {n} {checks.DOT}." for n, ink in inks.items() if not checks.moves(ink)]


def _scored(inks: dict[int, Ink], which: ModelOptions, left_out: list[str]) -> dict[int, Scores]:
    """Return the scores of each letter that can be scored, by its number."""
    from homeroom.handwriting.letters import LETTERS
    from homeroom.handwriting.scores import checks, score_each

    lines: dict[str, dict[int, Ink]] = {}
    for number, ink in inks.items():
        if checks.moves(ink):
            lines.setdefault(ink.letter or "", {})[number] = ink
    found: dict[int, Scores] = {}
    for letter, own in lines.items():
        if which.model is None and letter not in LETTERS:
            left_out.append(
                f"{counted(len(own), 'letter')} {letter!r}: there is no model of it. Draw one, and "
                "name its file with --model."
            )
        else:
            scores = score_each(list(own.values()), which.model_of(letter))
            found |= dict(zip(own, scores, strict=True))
    return dict(sorted(found.items()))


def _show(screen: Screen, inks: dict[int, Ink], scores: dict[int, Scores]) -> None:
    header = ("letter", "writer", "distortion", "rotation", "leans", "shakiness", "average")
    shown = list(scores.items())[:MAX_SHOWN]
    screen.table(header, [_row(n, inks[n], one) for n, one in shown])
    if len(scores) > MAX_SHOWN:
        screen.say(f"  and {len(scores) - MAX_SHOWN} more; --json has all", style="dim")
    for number, one in shown:
        if one.note:
            screen.say(f"  {number}: {one.note}", style="yellow")
    means = ", ".join(f"{name} {value:.2f}" for name, value in _mean(scores).items())
    screen.say(f"On average: {means}.")
    screen.say(
        "Each is a defect, from 0 as in the model to 1. BHK-inspired, never a diagnosis.",
        style="dim",
    )


def _row(number: int, ink: Ink, one: Scores) -> tuple[str, ...]:
    return (
        f"{number}: {ink.letter}",
        (ink.writer or "")[:20],
        f"{one.distortion:.2f}",
        f"{one.rotation:.2f}",
        f"{one.angle:+.0f}°",
        f"{one.shakiness:.2f}",
        f"{one.average:.2f}",
    )


def _as_values(number: int, ink: Ink, one: Scores) -> dict[str, Any]:
    names = ("distortion", "rotation", "shakiness", "average", "angle", "tremor")
    return {
        "number": number,
        "letter": ink.letter,
        "writer": ink.writer,
        **{name: getattr(one, name) for name in names},
        "mirrored": one.mirrored,
        "reversed": one.reversed,
        "note": one.note,
    }


def _mean(scores: dict[int, Scores]) -> dict[str, float]:
    names = ("distortion", "rotation", "shakiness", "average")
    total = {name: sum(getattr(one, name) for one in scores.values()) for name in names}
    return {name: total[name] / len(scores) for name in names}
