"""Letters of people: do the scores hold for hands to which nothing was fitted?

``python -m benchmarks.real_letters FOLDER`` reads a folder with two folders in it: ``uji`` with
letters that adults wrote as usual, and ``bad`` with letters written badly on purpose. The name of a
file begins with its letter: ``h0.dat`` and ``h1.dat`` contain two ways to write h.
"""

from __future__ import annotations

import string
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from benchmarks.timing import Line, take_turns
from homeroom._arrays import Floats
from homeroom.handwriting import Ink, forms_of, read_ink, score, score_each, typical
from homeroom.handwriting.scores import Scores
from homeroom.handwriting.scores.form_choice import choose_forms

DATA = Path(__file__).parents[2] / "shared" / "data" / "ink"
NAMES = ("distortion", "rotation", "shakiness", "average")

SeveralScores = Mapping[str, Sequence[Scores]]
"""Scores by letter."""


def lines(folder: Path = DATA) -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    adults, bad = (letters_in(folder / kind) for kind in ("uji", "bad"))
    if not adults:
        print(f"Letters of people are left out: there are none in {folder}.")
        return
    found = {letter: score_each(inks, letter) for letter, inks in adults.items()}
    worse = {letter: score_each(inks, letter) for letter, inks in bad.items() if letter in adults}
    print(_as_text(found, worse), end="\n\n")
    yield from _quality(found, worse, "shipped forms")
    yield from _usual(found)
    yield from _own_letter(adults)
    models = {letter: typical(inks) for letter, inks in adults.items()}
    yield from _quality(
        {letter: score_each(adults[letter], models[letter]) for letter in worse},
        {letter: score_each(bad[letter], models[letter]) for letter in worse},
        "the adults' typical letters",
    )
    yield from _speed(adults)


def letters_in(folder: Path) -> dict[str, list[Ink]]:
    """Return the letters in the files of a folder, by the first character of their names."""
    found: dict[str, list[Ink]] = {}
    for path in sorted(folder.glob("*.*")):
        found.setdefault(path.stem[0], []).extend(read_ink(path, letter=path.stem[0]))
    return found


def auc(good: Floats, bad: Floats) -> float:
    """Return how often a bad letter has a worse score than a good one; ties count half.

    >>> auc(np.array([0.1, 0.3]), np.array([0.2, 0.4, 0.5]))
    0.8333333333333334
    """
    ranks = rankdata(np.concatenate([good, bad]))[len(good) :]
    return float((ranks.mean() - (len(bad) + 1) / 2) / len(good))


def averages(scores: Sequence[Scores], *, unfitting: float | None = 1.0) -> Floats:
    """Return the average scores; ``unfitting`` for letters without a fitting form, or none."""
    rows = [unfitting if _unfitting(one) else one.average for one in scores]
    return np.array([row for row in rows if row is not None])


def _unfitting(one: Scores) -> bool:
    return not one.fits


def _as_text(found: SeveralScores, worse: SeveralScores) -> str:
    head = ["letter", "adults", *NAMES, "no form", "bad", *NAMES, "no form", "AUC"]
    rows = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    for letter, good in found.items():
        cells = [letter, *_row(good)]
        if letter in worse:
            cells += [*_row(worse[letter]), f"{auc(averages(good), averages(worse[letter])):.2f}"]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _row(scores: Sequence[Scores]) -> list[str]:
    means = [np.nanmean([getattr(one, name) for one in scores]) for name in NAMES]
    unfitting = np.mean([_unfitting(one) for one in scores])
    return [str(len(scores)), *(f"{mean:.2f}" for mean in means), f"{unfitting:.2f}"]


def _at_most(what: str, ours: float, most: float) -> Line:
    return Line(what, ours, "allowed", most, 1.0, unit="")


def _quality(found: SeveralScores, worse: SeveralScores, models: str) -> Iterator[Line]:
    """Letters written badly on purpose should have worse scores.

    A letter without a fitting form counts as the worst; then such letters are left out.
    """
    for unfitting, which in ((1.0, "all"), (None, "only letters with a form")):
        pairs = [
            (averages(found[letter], unfitting=unfitting), averages(some, unfitting=unfitting))
            for letter, some in worse.items()
        ]
        pairs = [(good, bad) for good, bad in pairs if len(good) and len(bad)]
        where = f"{models}, {which}"
        not_worse = sum(bad.mean() <= good.mean() for good, bad in pairs)
        yield _at_most(f"{where}: letters of {len(pairs)} not worse if bad", not_worse, 0.5)
        mean = float(np.mean([auc(*pair) for pair in pairs]))
        yield _at_most(f"{where}: 1 - AUC, mean of letters", 1.0 - mean, 0.2)
        pooled = auc(*(np.concatenate(side) for side in zip(*pairs, strict=True)))
        yield _at_most(f"{where}: 1 - AUC, all letters together", 1.0 - pooled, 0.2)


def _usual(found: SeveralScores) -> Iterator[Line]:
    every = [one for some in found.values() for one in some]
    unfitting = float(np.mean([_unfitting(one) for one in every]))
    yield _at_most("adults' letters without a fitting form", unfitting, 0.10)
    mirrored = float(np.mean([one.mirrored for one in every]))
    yield _at_most("adults' letters called mirror writing", mirrored, 0.01)
    turned = float(np.nanmedian([abs(one.angle) for one in every]))
    yield _at_most("adults' letters, median rotation in degrees", turned, 12.0)


def _own_letter(adults: Mapping[str, Sequence[Ink]]) -> Iterator[Line]:
    """Letters that fit another letter's forms better than their own."""
    kinds = {"lower-case letters": string.ascii_lowercase, "digits": string.digits}
    for name, others in kinds.items():
        own = [letter for letter in adults if letter in others]
        inks = [ink for letter in own for ink in adults[letter]]
        if not inks:
            continue
        forms = np.stack([choose_forms(inks, forms_of(letter)).fit for letter in others])
        meant = np.array([others.index(ink.letter or "") for ink in inks])
        other = float((forms.argmin(axis=0) != meant).mean())
        yield _at_most(f"adults' letters that fit another letter best, {name}", other, 0.35)


def _speed(adults: Mapping[str, Sequence[Ink]]) -> Iterator[Line]:
    page = [ink for some in adults.values() for ink in some][::10][:100]
    by_letter = {letter: [ink for ink in page if ink.letter == letter] for letter in adults}
    one, many = take_turns(
        lambda: score(page[0], page[0].letter or ""),
        lambda: [score_each(inks, letter) for letter, inks in by_letter.items() if inks],
        turns=5,
    )
    yield Line("one letter scored", one, "15 ms", 0.015, 1.0)
    yield Line(f"a page of {len(page)} letters scored", many, "two seconds", 2.0, 1.0)


if __name__ == "__main__":
    from benchmarks.__main__ import HEAD, table

    measured = list(lines(*map(Path, sys.argv[1:2])))
    print(table([HEAD, *(line.cells() for line in measured)]))
    sys.exit(not all(line.ok for line in measured))
