"""``homeroom write train`` and ``forms``: learn from a folder of your own ink."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from homeroom._checks import InputError, counted
from homeroom._extras import needs
from homeroom.cli.command import Bounds, Output, Seed, command
from homeroom.cli.output import fraction_bar
from homeroom.cli.result import Result
from homeroom.cli.write import add_left_out

if TYPE_CHECKING:
    from homeroom.handwriting.ink import Ink


@command(Output("Where the network is written.", Path("letters.npz"), (".npz",), in_place=True))
def train(
    folder: Path,
    *,
    from_scratch: bool = False,
    steps: Annotated[int | None, Bounds(1)] = None,
    batch: Annotated[int, Bounds(1)] = 32,
    device: str = "",
    seed: Seed = 0,
    place: Path,
) -> Result:
    r"""Train the paper's network on ink of your own, whose writers agreed to it.

    Every file in the folder must state which letters it holds. Training starts
    from the network that comes with homeroom and takes minutes; letters that it
    does not know are trained from scratch. Training that was interrupted resumes
    when it is started again. It needs torch, of the extra homeroom\[train].

    [bold]Examples[/bold]
    $ homeroom write train consented-ink --out ours.npz
    $ homeroom write generate f --generator ours.npz --out sheet.svg

    Parameters
    ----------
    folder : INK_FOLDER
        A folder of ink whose writers agreed to this use.
    from_scratch : --from-scratch, --anew
        Start without the network that comes with homeroom. Needs hundreds of each letter, and hours
        without a GPU.
    steps
        The number of training batches. [default: 600, or 4000 from scratch]
    batch
        The number of letters per batch.
    device
        Where to train: cpu or cuda. [default: a GPU if there is one]
    seed
        The random seed.
    """
    with needs("Training needs torch", "train"):
        import torch  # noqa: F401 - before the ink is read, which takes a while

    from homeroom.handwriting.generators.lstm import LetterModel
    from homeroom.handwriting.generators.lstm.training.train import (
        FINE_TUNING,
        FROM_SCRATCH,
        train_on,
    )

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
            place,
            start=None if from_scratch else start,
            settings=settings,
            tell=lambda now: progress(now.step / now.steps),
        )
    values = {"out": str(place), "letters": names, "inks": len(inks), "card": dict(made.card.story)}
    result = Result("Training", values)
    add_left_out(result, left_out)
    result.sentence(f"Learnt to write {' '.join(names)} from {counted(len(inks), 'letter')}.")
    result.sentence(f"Written: {place}", "bold")
    return result


@command(
    Output(
        "Where the forms are written: .jsonl or .inkml.",
        Path("forms.jsonl"),
        (".jsonl", ".inkml"),
    )
)
def forms(
    folder: Path,
    *,
    letter: str | None = None,
    most: Annotated[int, Bounds(1, 20)] = 5,
    y_up: bool = False,
) -> Result:
    """Learn the forms of letters: the typical ways in which some people write.

    Letters that are written alike form a cluster, and the most typical letter of
    each cluster becomes a form. Use the file in place of the forms that come with
    homeroom, if your writers have learnt other ones.

    [bold]Examples[/bold]
    $ homeroom write forms class-3b --out forms.jsonl
    $ homeroom write score ada.inkml --forms forms.jsonl

    Parameters
    ----------
    folder : INK_FOLDER
        A folder of letters.
    letter
        The letter of files that do not state it. [default: none]
    most
        The most forms of a letter.
    y_up
        y grows upwards in these files.
    """
    from homeroom.handwriting.scores.form_learning import forms_by_letter, write_forms

    left_out: list[str] = []
    inks = read_inks(folder, left_out, letter, y_up=y_up)
    learnt = forms_by_letter(inks, most)
    if not learnt:
        raise InputError(f"{folder} holds no letter with a name: add --letter, as in --letter f.")
    names = {letter: list(of_letter) for letter, of_letter in learnt.items()}
    result = Result("Forms", {"forms": names}, file=lambda path: write_forms(learnt, path))
    add_left_out(result, left_out)
    rows = [(letter, form) for letter, of_letter in names.items() for form in of_letter]
    result.table(("letter", "form"), rows)
    return result


def read_inks(
    folder: Path, left_out: list[str], letter: str | None = None, *, y_up: bool = False
) -> list[Ink]:
    """Return the ink of all files in a folder; unreadable files are appended to ``left_out``."""
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

    inks = read_inks(folder, left_out)
    reasons = [reason_to_skip(ink) for ink in inks]
    for reason, number in Counter(filter(None, reasons)).items():
        left_out.append(f"{counted(number, 'letter')} {reason}.")
    fit = [ink for ink, reason in zip(inks, reasons, strict=True) if not reason]
    if not fit:
        why_not = f" Left out: {left_out[0]}" if left_out else ""
        raise InputError(f"{folder} holds no ink to train on.{why_not}")
    return fit
