"""``homeroom write train`` and ``forms``: learn from a folder of your own ink."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from homeroom._checks import InputError, counted
from homeroom._extras import needs
from homeroom.cli.options import in_panel
from homeroom.cli.output import (
    ForceOption,
    JsonOption,
    check_file_to_write,
    fraction_bar,
    result_option,
    show,
)
from homeroom.cli.report import CommandReport, Sentence, Table
from homeroom.cli.write import add_left_out

if TYPE_CHECKING:
    from homeroom.handwriting.ink import Ink


training_option = in_panel("Training")


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
    out: Annotated[Path, result_option("Where the network is written.", metavar="FILE")] = Path(
        "letters.npz"
    ),
    force: ForceOption = False,
    from_scratch: Annotated[
        bool,
        training_option(
            "Start without the network that comes with homeroom. Needs hundreds of each letter, "
            "and hours without a GPU.",
            "--from-scratch",
            "--anew",
        ),
    ] = False,
    steps: Annotated[
        int | None,
        training_option(
            "The number of training batches.", min=1, show_default="600, or 4000 from scratch"
        ),
    ] = None,
    batch: Annotated[int, training_option("The number of letters per batch.", min=1)] = 32,
    device: Annotated[
        str, training_option("Where to train: cpu or cuda.", show_default="a GPU if there is one")
    ] = "",
    seed: Annotated[int, training_option("The random seed.", min=0)] = 0,
    json: JsonOption = False,
) -> None:
    r"""Train the paper's network on ink of your own, whose writers agreed to it.

    Every file in the folder must state which letters it holds. Training starts
    from the network that comes with homeroom and takes minutes; letters that it
    does not know are trained from scratch. Training that was interrupted resumes
    when it is started again. It needs torch: pip install 'homeroom\[train]'.

    [bold]Examples[/bold]
    $ homeroom write train consented-ink --out ours.npz
    $ homeroom write generate f --generator ours.npz --out sheet.svg
    """
    _check_torch()
    from homeroom.handwriting.generators.lstm import LetterModel
    from homeroom.handwriting.generators.lstm.training.train import (
        FINE_TUNING,
        FROM_SCRATCH,
        train_on,
    )

    check_file_to_write(out, endings=(".npz",), force=force)
    left_out: list[str] = []
    inks = read_folder(folder, left_out)
    names = tuple(sorted({ink.letter or "" for ink in inks}))
    start = LetterModel.load()
    from_scratch = from_scratch or not set(names) <= set(start.letters)
    usual = FROM_SCRATCH if from_scratch else FINE_TUNING
    settings = replace(
        usual, steps=steps or usual.steps, batch=min(batch, len(inks)), seed=seed, device=device
    )
    with fraction_bar("Training") as progress:
        made = train_on(
            inks,
            out,
            start=None if from_scratch else start,
            settings=settings,
            tell=lambda now: progress(now.step / now.steps),
        )
    report = CommandReport(
        "Training",
        {
            "out": str(out),
            "letters": names,
            "inks": len(inks),
            "left_out": left_out,
            "card": dict(made.card.story),
        },
    )
    add_left_out(report, left_out)
    report.add(
        Sentence(f"Learnt to write {' '.join(names)} from {counted(len(inks), 'letter')}."),
        Sentence(f"The network is at {out}", "bold"),
    )
    show(report, json=json)


def _check_torch() -> None:
    with needs("Training needs torch", "train"):
        import torch  # noqa: F401 - before the ink is read, which takes a while


def forms(
    folder: Annotated[
        Path,
        typer.Argument(metavar="INK_FOLDER", help="A folder of letters.", show_default=False),
    ],
    *,
    out: Annotated[
        Path, result_option("Where the forms are written: .jsonl or .inkml.", metavar="FILE")
    ] = Path("forms.jsonl"),
    letter: Annotated[
        str | None,
        training_option("The letter of files that do not state it.", show_default="none"),
    ] = None,
    most: Annotated[int, training_option("The most forms of a letter.", min=1, max=20)] = 5,
    y_up: Annotated[
        bool,
        training_option("y grows upwards in these files, as in most collections in UNIPEN text."),
    ] = False,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Learn the forms of letters: the typical ways in which some people write.

    Letters that are written alike form a cluster, and the most typical letter of
    each cluster becomes a form. Use the file in place of the forms that come with
    homeroom, if your writers have learnt other ones.

    [bold]Examples[/bold]
    $ homeroom write forms class-3b --out forms.jsonl
    $ homeroom write score ada.inkml --forms forms.jsonl
    """
    from homeroom.handwriting.scores.form_learning import forms_by_letter, write_forms

    check_file_to_write(out, endings=(".jsonl", ".inkml"), force=force)
    left_out: list[str] = []
    inks = _ink_of(folder, left_out, letter, y_up=True if y_up else None)
    found = forms_by_letter(inks, most)
    if not found:
        raise InputError(f"{folder} holds no letter with a name: add --letter, as in --letter f.")
    write_forms(found, out)
    values = {name: list(of_letter) for name, of_letter in found.items()}
    report = CommandReport("Forms", {"out": str(out), "forms": values, "left_out": left_out})
    add_left_out(report, left_out)
    report.add(
        Table(
            ("letter", "form"),
            [(name, form) for name, of_letter in values.items() for form in of_letter],
        ),
        Sentence(f"The forms are at {out}", "bold"),
    )
    show(report, json=json)


def _ink_of(
    folder: Path, left_out: list[str], letter: str | None = None, *, y_up: bool | None = None
) -> list[Ink]:
    """Return the ink of all files in a folder; unreadable files are appended to ``left_out``.

    Without ``y_up``, each file format decides in which direction y grows.
    """
    from homeroom.handwriting.files import read_ink

    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}.")
    inks: list[Ink] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            inks += read_ink(path, letter=letter, y_up=y_up, leave_out=left_out.append)
        except InputError as reason:
            left_out.append(str(reason))
    return inks


def read_folder(folder: Path, left_out: list[str]) -> list[Ink]:
    """Return the ink to train on in a folder; what is skipped is appended to ``left_out``."""
    from homeroom.handwriting.generators.lstm.training.train import reason_to_skip

    inks = _ink_of(folder, left_out)
    why = [reason_to_skip(ink) for ink in inks]
    for words, number in Counter(filter(None, why)).items():
        left_out.append(f"{counted(number, 'letter')} {words}.")
    fit = [ink for ink, words in zip(inks, why, strict=True) if not words]
    if not fit:
        why_not = f" Left out: {left_out[0]}" if left_out else ""
        raise InputError(f"{folder} holds no ink to train on.{why_not}")
    return fit
