"""``homeroom write train``: teach the network to write like your own ink."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from homeroom._checks import InputError
from homeroom._extras import needs
from homeroom._words import counted
from homeroom.cli.bar import fraction_bar
from homeroom.cli.screen import Screen
from homeroom.cli.write_options import JsonOption, refuse_no_file, say_left_out

if TYPE_CHECKING:
    from homeroom.handwriting.ink import Ink


def train(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="INK_FOLDER",
            help="A folder of ink whose writers agreed to this use.",
            show_default=False,
        ),
    ],
    *,
    out: Annotated[
        Path,
        typer.Option(metavar="FILE", help="Where the network goes.", rich_help_panel="The result"),
    ] = Path("letters.npz"),
    anew: Annotated[
        bool,
        typer.Option(
            "--anew",
            help="Begin from nothing: needs hundreds of each letter, and hours without a GPU.",
            rich_help_panel="Training",
        ),
    ] = False,
    steps: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How many batches it learns from.",
            rich_help_panel="Training",
            show_default="600, or 4000 from nothing",
        ),
    ] = None,
    batch: Annotated[
        int, typer.Option(min=1, help="Letters in a batch.", rich_help_panel="Training")
    ] = 32,
    device: Annotated[
        str,
        typer.Option(
            help="Where to train, as in cpu or cuda.",
            rich_help_panel="Training",
            show_default="a GPU if there is one",
        ),
    ] = "",
    seed: Annotated[
        int,
        typer.Option(min=0, help="The same seed learns alike.", rich_help_panel="Training"),
    ] = 0,
    json: JsonOption = False,
) -> None:
    r"""Train the paper's network on ink of your own, whose writers agreed to it.

    Every file in the folder must say which letters it holds. The network that
    comes with homeroom learns on from them, in minutes; letters it does not
    know must be learnt from nothing. Training that was stopped goes on where it
    was when started again. It needs torch: pip install 'homeroom\[train]'.

    [bold]Examples[/bold]
    $ homeroom write train consented-ink --out ours.npz
    $ homeroom write generate f --generator ours.npz --out sheet.svg
    """
    _refuse_without_torch()
    from homeroom.handwriting.generators.lstm import LetterModel
    from homeroom.handwriting.generators.lstm.training.school import ANEW, FURTHER, train_on

    screen = Screen(as_json=json)
    refuse_no_file(out, "--out", (".npz",))
    left_out: list[str] = []
    inks = read_folder(folder, left_out)
    say_left_out(left_out)
    names = tuple(sorted({ink.letter or "" for ink in inks}))
    start = LetterModel.load()
    anew = anew or not set(names) <= set(start.letters)
    usual = ANEW if anew else FURTHER
    settings = replace(
        usual, steps=steps or usual.steps, batch=min(batch, len(inks)), seed=seed, device=device
    )
    with fraction_bar("Training") as tell:
        made = train_on(
            inks,
            out,
            start=None if anew else start,
            settings=settings,
            tell=lambda now: tell(now.step / now.steps),
        )
    told = made.card.story
    screen.say(f"Learnt to write {' '.join(names)} from {counted(len(inks), 'letter')}.")
    screen.say(f"The network is at {out}", style="bold")
    screen.result(
        {
            "out": str(out),
            "letters": names,
            "inks": len(inks),
            "left_out": left_out,
            "card": dict(told),
        }
    )


def _refuse_without_torch() -> None:
    with needs("Training needs torch", "train"):
        import torch  # noqa: F401 - before the ink is read, which takes a while


def read_folder(folder: Path, left_out: list[str]) -> list[Ink]:
    """Return the ink of every file in a folder that holds some; what does not count is told."""
    from homeroom.handwriting.files import read_ink
    from homeroom.handwriting.generators.lstm.training.school import unfit

    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}.")
    inks: list[Ink] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            inks += read_ink(path, leave_out=left_out.append)
        except InputError as reason:
            left_out.append(str(reason))
    why = [unfit(ink) for ink in inks]
    for words, number in Counter(filter(None, why)).items():
        left_out.append(f"{counted(number, 'letter')} {words}.")
    fit = [ink for ink, words in zip(inks, why, strict=True) if not words]
    if not fit:
        why_not = f" Left out: {left_out[0]}" if left_out else ""
        raise InputError(f"{folder} holds no ink to learn from.{why_not}")
    return fit
