"""``homeroom write score`` and ``generate``: score letters, and write letters as children might."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeroom._checks import InputError, counted
from homeroom.cli.options import in_panel
from homeroom.cli.output import ForceOption, JsonOption, check_file_to_write, result_option, show
from homeroom.cli.report import CommandReport, Sentence, Table

if TYPE_CHECKING:
    from homeroom.handwriting.ink import Ink
    from homeroom.handwriting.scores import Scores

letters_option = in_panel("The letters")
knob_option = in_panel("The knobs: a number, or a range as in 0.1:0.3")

MOST_ROWS = 40
"""The most letters that are printed on the screen."""

MOST_REMARKS = 10
"""The most sentences about skipped letters that are printed."""

UPSIDE_DOWN = "Most of these letters look upside down. If y grows upwards in this file, add --y-up."

FEWEST_TURNED, BADLY_WRITTEN, CLEARLY_BETTER = 5, 0.7, 0.06
"""Letters look upside down if they are at least so many, their mean distortion is at least so
large, and it falls by more than so much when they are flipped."""

SCORES = ("distortion", "rotation", "shakiness")
MEANING = (
    "Each score is a defect, from 0 (as in the model) to 1. Inspired by the BHK, not a diagnosis."
)

SeedOption = Annotated[
    int, letters_option("The random seed: the same seed gives the same letters.", min=0)
]
GeneratorOption = Annotated[
    str,
    letters_option(
        "What writes the letters: kinematic, lstm, or the .npz file of your own network.",
        metavar="NAME|FILE",
    ),
]


@dataclass(frozen=True)
class ModelOptions:
    """Which letter was meant, and how it should look."""

    letter: Annotated[
        str | None,
        letters_option("The letter that was meant.", show_default="as stated in the file"),
    ] = None
    model: Annotated[
        Path | None,
        letters_option(
            "A teacher's drawing of how the letter should look; the first letter of the file.",
            metavar="FILE",
            show_default="the forms that come with homeroom",
        ),
    ] = None
    form: Annotated[
        str | None,
        letters_option(
            "How the letter is written: print, cursive, or the name of one form.",
            metavar="NAME",
            show_default="chosen per child from their first letters",
        ),
    ] = None
    forms: Annotated[
        Path | None,
        letters_option(
            "A file of forms: each letter in it is one, as from homeroom write forms.",
            metavar="FILE",
        ),
    ] = None
    y_up: Annotated[
        bool,
        letters_option("y grows upwards in this file, as in most collections in UNIPEN text."),
    ] = False

    def read(self, path: Path, left_out: list[str]) -> list[Ink]:
        """Return the letters of a file; those of one name if ``--letter`` is given.

        A sentence for each letter that cannot be read is appended to ``left_out``.
        """
        from homeroom.handwriting.files import read_ink

        up = True if self.y_up else None  # None: as usual in the format of the file
        inks = read_ink(path, letter=self.letter, y_up=up, leave_out=left_out.append)
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


def _named(inks: Sequence[Ink], path: Path, left_out: list[str]) -> list[Ink]:
    named = [ink for ink in inks if ink.letter is not None]
    if not named:
        raise InputError(
            f"{path} does not state which letter it holds: add --letter, as in --letter f."
        )
    if len(named) < len(inks):
        unnamed = counted(len(inks) - len(named), "letter")
        left_out.append(f"{path} has {unnamed} without a name: add --letter, as in --letter f.")
    return named


def add_left_out(report: CommandReport, left_out: Sequence[str]) -> None:
    """Add which letters were skipped and why: the first few, and how many more."""
    report.add(*(Sentence(f"Left out: {each}", remark=True) for each in left_out[:MOST_REMARKS]))
    if len(left_out) > MOST_REMARKS:
        more = len(left_out) - MOST_REMARKS
        report.add(Sentence(f"Left out: {more} more; --json has all.", remark=True))


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
    """Score letters against a model: how distorted, rotated and shaky each is.

    Each score is a defect from 0 (as in the model letter) to 1. The scores are
    inspired by the BHK, a handwriting test, and are not a diagnosis. Each child's
    letters are compared with the form that they fit best, in print or cursive; a
    letter that fits no form has no scores. Letters that cannot be scored are
    listed.

    [bold]Examples[/bold]
    $ homeroom write score ada.inkml
    $ homeroom write score f.dat --letter f --json
    $ homeroom write score ada.inkml --model mine.inkml
    $ homeroom write score ada.inkml --form print
    """
    left_out: list[str] = []
    inks = dict(enumerate(which.read(file, left_out), start=1))
    left_out += _unscorable(inks, file)
    scores = _scored(inks, which, left_out)
    if not scores:
        raise InputError(f"No letter of {file} can be scored. {left_out[0]}")
    names = (*SCORES, "average")
    fitting = [one for one in scores.values() if one.fits]
    mean = {name: _mean([getattr(one, name) for one in fitting]) for name in names}
    report = CommandReport(
        "Scores",
        {
            "file": str(file),
            "letters": [_score_values(n, inks[n], one) for n, one in scores.items()],
            "mean": mean,
            "left_out": left_out,
        },
    )
    add_left_out(report, left_out)
    report.add(
        Table(
            ("letter", "writer", "form", "distortion", "rotation", "leans", "shakiness", "average"),
            [_score_row(n, inks[n], one) for n, one in scores.items()],
            most=MOST_ROWS,
        ),
        *(
            Sentence(f"  {number}: {one.note}", "warning")
            for number, one in list(scores.items())[:MOST_ROWS]
            if one.note
        ),
        *(
            [Sentence(UPSIDE_DOWN, "warning")]
            if not which.y_up and _look_upside_down(inks, which, scores)
            else []
        ),
        *(
            [Sentence(f"On average: {', '.join(f'{n} {mean[n]:.2f}' for n in names)}.")]
            if fitting
            else []
        ),
        Sentence(MEANING, "dim"),
    )
    show(report, json=json)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _unscorable(inks: dict[int, Ink], file: Path) -> list[str]:
    """Return a sentence for each letter that is only a dot, or a whole page."""
    from homeroom.handwriting.scores.score import why_not_scorable

    reasons = {number: why_not_scorable(ink) for number, ink in inks.items()}
    return [f"{file}, letter {number} {why}." for number, why in reasons.items() if why]


def _scored(inks: dict[int, Ink], which: ModelOptions, left_out: list[str]) -> dict[int, Scores]:
    """Return the scores of each letter that can be scored, by number.

    A sentence for each letter without a model is appended to ``left_out``.
    """
    from homeroom.handwriting.letters import has_forms
    from homeroom.handwriting.scores import score_each
    from homeroom.handwriting.scores.score import why_not_scorable

    by_letter: dict[str, dict[int, Ink]] = {}
    for number, ink in inks.items():
        if not why_not_scorable(ink):
            by_letter.setdefault(ink.letter or "", {})[number] = ink
    found: dict[int, Scores] = {}
    for letter, own in by_letter.items():
        if which.model is None and which.forms is None and not has_forms(letter):
            left_out.append(
                f"{counted(len(own), 'letter')} {letter!r}: there is no model of it. Draw one, and "
                "name its file with --model."
            )
        else:
            scores = score_each(list(own.values()), which.forms_of(letter))
            found |= dict(zip(own, scores, strict=True))
    return dict(sorted(found.items()))


def _look_upside_down(
    inks: dict[int, Ink], which: ModelOptions, scores: Mapping[int, Scores]
) -> bool:
    """Return whether letters are badly written, but clearly less so if y grows upwards."""
    from homeroom.handwriting.files.ink_format import flipped

    usual = _distortion(scores)
    if len(scores) < FEWEST_TURNED or usual < BADLY_WRITTEN:
        return False
    turned = _scored({number: flipped(inks[number]) for number in scores}, which, [])
    return _distortion(turned) < usual - CLEARLY_BETTER


def _distortion(scores: Mapping[int, Scores]) -> float:
    """Return the mean distortion; a letter that fits no form has the greatest."""
    return sum(one.distortion if one.fits else 1.0 for one in scores.values()) / len(scores)


def _score_row(number: int, ink: Ink, one: Scores) -> tuple[str, ...]:
    return (
        f"{number}: {ink.letter}",
        (ink.writer or "")[:20],
        one.form if one.fits else "fits none",
        _number(one.distortion),
        _number(one.rotation),
        _number(one.angle, "+.0f", "°"),
        _number(one.shakiness),
        _number(one.average),
    )


def _number(value: float, how: str = ".2f", unit: str = "") -> str:
    return "-" if math.isnan(value) else f"{value:{how}}{unit}"


def _score_values(number: int, ink: Ink, one: Scores) -> dict[str, Any]:
    names = (*SCORES, "average", "angle", "tremor")
    return {
        "number": number,
        "letter": ink.letter,
        "writer": ink.writer,
        "form": one.form,
        **{name: _known(getattr(one, name)) for name in names},
        "mirrored": one.mirrored,
        "reversed": one.reversed,
        "note": one.note,
    }


def _known(value: float | None) -> float | None:
    """Return a number, or ``None`` if there is no score (nan)."""
    return None if value is None or math.isnan(value) else value


def _knob(what: str) -> Any:
    return knob_option(what, metavar="X|LOW:HIGH", show_default="drawn at random")


@dataclass(frozen=True)
class KnobOptions:
    """How letters are written."""

    distortion: Annotated[str | None, _knob("Distortion of the form, 0 to 0.95.")] = None
    rotation: Annotated[str | None, _knob("Degrees turned to the right, -90 to 90.")] = None
    shakiness: Annotated[str | None, _knob("How much the line trembles, 0 to 0.95.")] = None
    shear: Annotated[str | None, _knob("Slant, -1 to 1; a style, not a defect.")] = None
    aspect: Annotated[str | None, _knob("Width relative to height, a factor.")] = None
    size: Annotated[str | None, _knob("Size relative to the model, a factor.")] = None
    tempo: Annotated[str | None, _knob("Speed relative to the usual speed, a factor.")] = None

    def settings(self) -> dict[str, Any]:
        """Return the knobs that were given, as numbers or pairs."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: _range(text, name) for name, text in given.items() if text is not None}


def _range(text: str, name: str) -> float | tuple[float, float]:
    try:
        ends = [float(part) for part in text.split(":")]
    except ValueError:
        ends = []
    if len(ends) not in (1, 2):
        raise InputError(
            f"--{name} must be a number or a range, as in 0.2 or 0.1:0.3, but is {text!r}."
        )
    return ends[0] if len(ends) == 1 else (ends[0], ends[1])


def generate(
    letter: Annotated[
        str, typer.Argument(metavar="LETTER", help="Which letter.", show_default=False)
    ],
    knobs: KnobOptions,
    *,
    n: Annotated[int, letters_option("The number of letters.", "-n", min=1, max=100_000)] = 20,
    generator: GeneratorOption = "kinematic",
    bias: Annotated[
        float | None,
        letters_option(
            "How neatly a network writes, 0 to 10.", show_default="0, as in its training data"
        ),
    ] = None,
    seed: SeedOption = 0,
    out: Annotated[
        Path | None,
        result_option(
            "Write the letters here: .svg is a sheet to look at, .inkml and .jsonl are ink.",
            metavar="FILE",
        ),
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Write letters as children might, well and badly, each one different.

    A network accepts the knobs within the range that it was trained on; an error
    states that range.

    [bold]Examples[/bold]
    $ homeroom write generate f -n 20 --out sheet.svg
    $ homeroom write generate a --rotation 10:30 --shakiness 0.4 --out ink.jsonl
    $ homeroom write generate g --generator lstm --bias 1 --out sheet.svg
    $ homeroom write generate g --generator lstm --shakiness 0.5 --rotation -20:20
    """
    from homeroom.handwriting.files import write_ink
    from homeroom.handwriting.generators.dispatch import generate_letters
    from homeroom.handwriting.letters import LETTERS, model_letter
    from homeroom.handwriting.scores.measurement import read

    settings = knobs.settings() | ({} if bias is None else {"bias": bias})
    if bias is not None and generator == "kinematic":
        raise InputError("--bias sets how a network writes: add --generator lstm.")
    if out is not None:
        check_file_to_write(out, force=force)
    inks = generate_letters(letter, n, seed, generator=generator, **settings)
    if out is not None:
        write_ink(inks, out, ruled=out.suffix.lower() == ".svg")
    report = CommandReport(
        f"{counted(n, 'letter')} {letter!r} by the {generator} generator",
        {"letter": letter, "letters": n, "seed": seed, "generator": generator},
    )
    if letter in LETTERS:
        scores = read(inks, model_letter(letter)).table  # one row per letter, columns as SCORES
        mean = scores.mean(axis=0)
        report.values |= {"scores": scores, "mean": mean}
        each = ", ".join(f"{name} {value:.2f}" for name, value in zip(SCORES, mean, strict=True))
        report.add(Sentence(f"On average: {each}.", "dim"))
    if out is not None:
        report.values["out"] = str(out)
        report.add(Sentence(f"The letters are at {out}", "bold"))
    show(report, json=json)
