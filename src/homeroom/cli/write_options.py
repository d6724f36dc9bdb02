"""What the commands about handwriting share: which letters, held against which model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from homeroom._checks import InputError
from homeroom._words import counted
from homeroom.cli.screen import say_note

if TYPE_CHECKING:
    from homeroom.handwriting.ink import Ink

_THE_LETTERS = "The letters"

MOST_SAID = 10
"""How many sentences about letters that do not count are printed."""


@dataclass(frozen=True)
class ModelOptions:
    """Which letter it is meant to be, and how that should look."""

    letter: Annotated[
        str | None,
        typer.Option(
            help="Which letter was meant.",
            rich_help_panel=_THE_LETTERS,
            show_default="what the file says",
        ),
    ] = None
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="How the letter should look, drawn by a teacher; the file's first letter counts.",
            rich_help_panel=_THE_LETTERS,
            show_default="a cursive letter that comes with homeroom",
        ),
    ] = None

    def read(self, path: Path, left_out: list[str]) -> list[Ink]:
        """Return the letters of a file, each with its name, if asked for only those of one name.

        To ``left_out`` comes a sentence for each that cannot be read.
        """
        from homeroom.handwriting.files import read_ink

        inks = read_ink(path, letter=self.letter, leave_out=left_out.append)
        if self.letter is None:
            return _named(inks, path, left_out)
        own = [ink for ink in inks if ink.letter == self.letter]
        if not own:
            others = sorted({str(ink.letter) for ink in inks})
            raise InputError(
                f"{path} has no letter {self.letter!r}, but {', '.join(others)[:80]}: "
                "name another with --letter."
            )
        return own

    def model_of(self, letter: str) -> Ink:
        """Return how the letter should look."""
        from homeroom.handwriting.files import read_ink
        from homeroom.handwriting.letters import model_from, model_letter

        if self.model is None:
            return model_letter(letter)
        return model_from(replace(read_ink(self.model)[0], letter=letter))


def _named(inks: Sequence[Ink], path: Path, left_out: list[str]) -> list[Ink]:
    named = [ink for ink in inks if ink.letter is not None]
    if not named:
        raise InputError(
            f"{path} does not say which letter it holds: add --letter, as in --letter f."
        )
    if len(named) < len(inks):
        unnamed = counted(len(inks) - len(named), "letter")
        left_out.append(f"{path} has {unnamed} without a name: add --letter, as in --letter f.")
    return named


def say_left_out(sentences: Sequence[str]) -> None:
    """Say on stderr which letters do not count, and why: the first few, and how many more."""
    for sentence in sentences[:MOST_SAID]:
        say_note(f"Left out: {sentence}")
    if len(sentences) > MOST_SAID:
        say_note(f"Left out: {len(sentences) - MOST_SAID} more; --json has all.")


def the_letter(inks: Sequence[Ink]) -> str:
    """Return the letter that all of these are, or ask for one of several."""
    found = sorted({ink.letter or "" for ink in inks})
    if len(found) > 1:
        raise InputError(
            f"A lesson is about one letter, but the files hold {', '.join(found)[:80]}: choose "
            f"one, as with --letter {found[0]}."
        )
    return found[0]


SeedOption = Annotated[
    int,
    typer.Option(min=0, help="The same seed gives the same letters.", rich_help_panel=_THE_LETTERS),
]
GeneratorOption = Annotated[
    str,
    typer.Option(
        metavar="NAME|FILE",
        help="Who writes: kinematic, lstm, or the .npz file of a network of your own.",
        rich_help_panel=_THE_LETTERS,
    ),
]
JsonOption = Annotated[
    bool,
    typer.Option(
        "--json", help="Print the result as one JSON document.", rich_help_panel="The result"
    ),
]


def refuse_no_file(out: Path, option: str, endings: Sequence[str]) -> None:
    """Refuse a path that could not be written in the end, before the work."""
    if out.suffix.lower() not in endings:
        raise InputError(f"{option} must end in {' or '.join(endings)}, but is {out}.")
    if not out.parent.is_dir():
        raise InputError(f"There is no folder {out.parent} for {option}: make it first.")
    if out.is_dir():
        raise InputError(f"{option} must name a file, but {out} is a folder.")
