"""``homeroom write score`` and ``generate``: score letters, and write letters as children might."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from homeroom._checks import InputError, counted
from homeroom.cli.command import Bounds, Output, Seed, command
from homeroom.cli.result import Result

if TYPE_CHECKING:
    from homeroom.handwriting.ink import Ink
    from homeroom.handwriting.scores import Scores

MOST_ROWS = 40
"""The most letters that are printed on the screen."""

MOST_REMARKS = 10
"""The most sentences about skipped letters that are printed."""

UPSIDE_DOWN = "Most of these letters look upside down. If y grows upwards in this file, add --y-up."

FEWEST_TURNED, BADLY_WRITTEN, CLEARLY_BETTER = 5, 0.7, 0.06
"""Letters look upside down if they are at least so many, their mean distortion is at least so
large, and it falls by more than so much when they are flipped."""

SCORES = ("distortion", "rotation", "shakiness")
NUMBERS = (*SCORES, "average", "angle", "tremor")
"""What the JSON document has of a letter that can be scored."""

MEANING = (
    "Each score is a defect, from 0 (as in the model) to 1. Inspired by the BHK, not a diagnosis."
)


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """The letters.

    Parameters
    ----------
    letter
        The letter that was meant. [default: as stated in the file]
    model : FILE
        A teacher's drawing of how the letter should look; the first letter of the file.
        [default: the forms that come with homeroom]
    form : NAME
        How the letter is written: print, cursive, or the name of one form.
        [default: chosen per child from their first letters]
    forms : FILE
        A file of forms: each letter in it is one, as from homeroom write forms.
    y_up
        y grows upwards in this file.
    """

    letter: str | None = None
    model: Path | None = None
    form: str | None = None
    forms: Path | None = None
    y_up: bool = False

    def read(self, path: Path, left_out: list[str]) -> list[Ink]:
        """Return the letters of a file; those of one name if ``--letter`` is given.

        A sentence for each letter that cannot be read is appended to ``left_out``.
        """
        from homeroom.handwriting.files import read_ink

        inks = read_ink(path, letter=self.letter, y_up=self.y_up, leave_out=left_out.append)
        if self.letter is not None:
            wanted = [ink for ink in inks if ink.letter == self.letter]
            others = ", ".join(sorted({str(ink.letter) for ink in inks}))
            problem = f"has no letter {self.letter!r}, but {others[:80]}: name another with"
        else:
            wanted = [ink for ink in inks if ink.letter is not None]
            problem = "does not state which letter it holds: add --letter, as in"
            if 0 < len(wanted) < len(inks):
                unnamed = counted(len(inks) - len(wanted), "letter")
                left_out.append(f"{path} has {unnamed} without a name: add --letter f.")
        if not wanted:
            raise InputError(f"{path} {problem} --letter f.")
        return wanted

    def forms_of(self, letter: str) -> Mapping[str, Ink]:
        """Return the ways in which the letter may be written, by name."""
        from homeroom.handwriting.files import read_ink
        from homeroom.handwriting.letters import forms_of, model_from, select_forms
        from homeroom.handwriting.scores.form_learning import read_forms

        if self.model is not None:
            if self.form is not None or self.forms is not None:
                raise InputError("--model is one form: leave out --form and --forms.")
            return {self.model.stem: model_from(replace(read_ink(self.model)[0], letter=letter))}
        known = forms_of(letter) if self.forms is None else read_forms(self.forms, letter)
        return select_forms(known, self.form)


def add_left_out(result: Result, left_out: Sequence[str]) -> None:
    """Add which letters were skipped and why: the first few, and how many more."""
    result.values["left_out"] = left_out
    for text in left_out[:MOST_REMARKS]:
        result.sentence(f"Left out: {text}", remark=True)
    if len(left_out) > MOST_REMARKS:
        more = len(left_out) - MOST_REMARKS
        result.sentence(f"Left out: {more} more; --json has all.", remark=True)


@command()
def score(file: Path, which: ModelOptions) -> Result:
    """Score letters against a model: how distorted, rotated and shaky each is.

    Each score is a defect from 0 (as in the model letter) to 1. The scores are
    inspired by the BHK, a handwriting test, and are not a diagnosis. Each child's
    letters are compared with the form that they fit best, in print or cursive; a
    letter that fits no form has no scores. Letters that cannot be scored are
    listed.

    [bold]Examples[/bold]
    $ homeroom write score ada.inkml
    $ homeroom write score f.jsonl --letter f --json
    $ homeroom write score ada.inkml --model mine.inkml
    $ homeroom write score ada.inkml --form print

    Parameters
    ----------
    file : FILE
        Letters: InkML or JSON lines.
    """
    left_out: list[str] = []
    inks = dict(enumerate(which.read(file, left_out), start=1))
    scores = score_letters(inks, which, left_out, file)
    if not scores:
        raise InputError(f"No letter of {file} can be scored. {left_out[0]}")
    fitting = [one for one in scores.values() if one.fits]
    mean = {name: _mean([getattr(one, name) for one in fitting]) for name in NUMBERS[:4]}
    letters = [_describe_score(number, inks[number], one) for number, one in scores.items()]
    result = Result("Scores", {"file": str(file), "letters": letters, "mean": mean})
    add_left_out(result, left_out)
    result.table(
        ("letter", "writer", "form", "distortion", "rotation", "leans", "shakiness", "average"),
        [_score_row(number, inks[number], one) for number, one in scores.items()],
        most=MOST_ROWS,
    )
    for number, one in list(scores.items())[:MOST_ROWS]:
        if one.note:
            result.sentence(f"  {number}: {one.note}", "warning")
    if not which.y_up and _look_upside_down(inks, which, scores):
        result.sentence(UPSIDE_DOWN, "warning")
    if fitting:
        each = ", ".join(f"{name} {value:.2f}" for name, value in mean.items())
        result.sentence(f"On average: {each}.")
    result.sentence(MEANING, "dim")
    return result


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def score_letters(
    inks: Mapping[int, Ink], which: ModelOptions, left_out: list[str], file: Path
) -> dict[int, Scores]:
    """Return the scores of each letter that can be scored, by number.

    A sentence for each letter that is only a dot, or a whole page, or has no model, is appended to
    ``left_out``.
    """
    from homeroom.handwriting.letters import has_forms
    from homeroom.handwriting.scores import score_each
    from homeroom.handwriting.scores.score import why_not_scorable

    by_letter: dict[str, dict[int, Ink]] = {}
    for number, ink in inks.items():
        if why := why_not_scorable(ink):
            left_out.append(f"{file}, letter {number} {why}.")
        else:
            by_letter.setdefault(ink.letter or "", {})[number] = ink
    scores: dict[int, Scores] = {}
    for letter, numbered in by_letter.items():
        if which.model is None and which.forms is None and not has_forms(letter):
            left_out.append(
                f"{counted(len(numbered), 'letter')} {letter!r}: there is no model of it. Draw "
                "one, and name its file with --model."
            )
        else:
            each = score_each(list(numbered.values()), which.forms_of(letter))
            scores |= dict(zip(numbered, each, strict=True))
    return dict(sorted(scores.items()))


def _look_upside_down(
    inks: Mapping[int, Ink], which: ModelOptions, scores: Mapping[int, Scores]
) -> bool:
    """Return whether letters are badly written, but clearly less so if y grows upwards."""
    from homeroom.handwriting.files.ink_format import flipped

    usual = _mean_distortion(scores)
    if len(scores) < FEWEST_TURNED or usual < BADLY_WRITTEN:
        return False
    turned = {number: flipped(inks[number]) for number in scores}
    return _mean_distortion(score_letters(turned, which, [], Path())) < usual - CLEARLY_BETTER


def _mean_distortion(scores: Mapping[int, Scores]) -> float:
    """Return the mean distortion; a letter that fits no form has the greatest."""
    return sum(one.distortion if one.fits else 1.0 for one in scores.values()) / len(scores)


def _score_row(number: int, ink: Ink, one: Scores) -> tuple[str, ...]:
    scores = (one.distortion, one.rotation, one.angle, one.shakiness, one.average)
    formats = ("{:.2f}", "{:.2f}", "{:+.0f}°", "{:.2f}", "{:.2f}")
    texts = zip(scores, formats, strict=True)
    return (
        f"{number}: {ink.letter}",
        (ink.writer or "")[:20],
        one.form if one.fits else "fits none",
        *("-" if math.isnan(score) else text.format(score) for score, text in texts),
    )


def _describe_score(number: int, ink: Ink, one: Scores) -> dict[str, Any]:
    """Return the scores of a letter as plain values."""
    names = ("form", *NUMBERS, "mirrored", "reversed", "note")
    about = {"number": number, "letter": ink.letter, "writer": ink.writer}
    return about | {name: getattr(one, name) for name in names}


@dataclass(frozen=True, kw_only=True)
class KnobOptions:
    """The knobs: a number, or a range as in 0.1:0.3.

    Parameters
    ----------
    distortion : X|LOW:HIGH
        Distortion of the form, 0 to 0.95. [default: drawn at random]
    rotation : X|LOW:HIGH
        Degrees turned to the right, -90 to 90. [default: drawn at random]
    shakiness : X|LOW:HIGH
        How much the line trembles, 0 to 0.95. [default: drawn at random]
    shear : X|LOW:HIGH
        Slant, -1 to 1; a style, not a defect. [default: drawn at random]
    aspect : X|LOW:HIGH
        Width relative to height, a factor. [default: drawn at random]
    size : X|LOW:HIGH
        Size relative to the model, a factor. [default: drawn at random]
    tempo : X|LOW:HIGH
        Speed relative to the usual speed, a factor. [default: drawn at random]
    """

    distortion: str | None = None
    rotation: str | None = None
    shakiness: str | None = None
    shear: str | None = None
    aspect: str | None = None
    size: str | None = None
    tempo: str | None = None

    def settings(self) -> dict[str, Any]:
        """Return the knobs that were given, as numbers or pairs."""
        texts = vars(self).items()
        return {name: parse_range(text, name) for name, text in texts if text is not None}


def parse_range(text: str, name: str) -> float | tuple[float, float]:
    """Return a number, or the ends of a range such as 0.1:0.3."""
    try:
        ends = [float(part) for part in text.split(":")]
    except ValueError:
        ends = []
    if len(ends) not in (1, 2):
        raise InputError(
            f"--{name} must be a number or a range, as in 0.2 or 0.1:0.3, but is {text!r}."
        )
    return ends[0] if len(ends) == 1 else (ends[0], ends[1])


@command(
    Output(
        "Write the letters here: .svg is a sheet to look at, .inkml and .jsonl are ink.",
        endings=(".svg", ".inkml", ".jsonl"),
    )
)
def generate(
    letter: str,
    knobs: KnobOptions,
    *,
    n: Annotated[int, Bounds(1, 100_000)] = 20,
    generator: str = "kinematic",
    bias: float | None = None,
    seed: Seed = 0,
) -> Result:
    """Write letters as children might, well and badly, each one different.

    A network accepts the knobs within the range that it was trained on; an error
    states that range.

    [bold]Examples[/bold]
    $ homeroom write generate f -n 20 --out sheet.svg
    $ homeroom write generate a --rotation 10:30 --shakiness 0.4 --out ink.jsonl
    $ homeroom write generate g --generator lstm --bias 1 --out sheet.svg
    $ homeroom write generate g --generator lstm --shakiness 0.5 --rotation -20:20

    Parameters
    ----------
    letter : LETTER
        Which letter.
    n : -n
        The number of letters.
    generator : NAME|FILE
        What writes the letters: kinematic, lstm, or the .npz file of your own network.
    bias
        How neatly a network writes, 0 to 10. [default: 0, as in its training data]
    seed
        The random seed: the same seed gives the same letters.
    """
    from homeroom.handwriting.files import write_ink
    from homeroom.handwriting.generators.dispatch import generate_letters
    from homeroom.handwriting.letters import LETTERS, model_letter
    from homeroom.handwriting.scores.measurement import read

    settings = knobs.settings() | ({} if bias is None else {"bias": bias})
    if bias is not None and generator == "kinematic":
        raise InputError("--bias sets how a network writes: add --generator lstm.")
    inks = generate_letters(letter, n, seed, generator=generator, **settings)
    result = Result(
        f"{counted(n, 'letter')} {letter!r} by the {generator} generator",
        {"letter": letter, "letters": n, "seed": seed, "generator": generator},
        file=lambda path: write_ink(inks, path, ruled=path.suffix == ".svg"),
    )
    if letter in LETTERS:
        scores = read(inks, model_letter(letter)).table  # one row per letter, columns as SCORES
        mean = scores.mean(axis=0)
        result.values |= {"scores": scores, "mean": mean}
        each = ", ".join(f"{name} {value:.2f}" for name, value in zip(SCORES, mean, strict=True))
        result.sentence(f"On average: {each}.", "dim")
    return result
