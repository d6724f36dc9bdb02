"""Letters of people: do the scores hold for hands to which nothing was fitted?

``python -m benchmarks.real_letters FOLDER`` reads a folder with two folders in it: ``uji`` with
letters that people wrote as usual, and ``bad`` with letters written badly on purpose. Without
these, all files in the folder are letters written as usual, of any case, and digits. A letter that
its file does not state is the first character of the name: ``h0.dat`` and ``h1.dat`` contain two
ways to write h. The limit of the fit is varied, and the seven forms that matter most are left out.
"""

from __future__ import annotations

import string
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.ink_formats import read_letters
from benchmarks.timing import Line, take_turns
from homeroom._arrays import Floats
from homeroom.handwriting import Ink, forms_of, score, score_each, typical
from homeroom.handwriting.letters import ALPHABET
from homeroom.handwriting.scores import Scores, form_choice
from homeroom.handwriting.scores.form_choice import choose_forms
from homeroom.handwriting.scores.measurement import read
from homeroom.handwriting.scores.score import Model, why_each_not_scorable

DATA = Path(__file__).parents[2] / "shared" / "data" / "ink"
NAMES = ("distortion", "rotation", "shakiness", "average")
KINDS = {
    "lower-case letters": string.ascii_lowercase,
    "capitals": string.ascii_uppercase,
    "digits": string.digits,
}

LIMITS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)
"""Limits of the fit. Distortions of 0.86 to 0.98 begin there."""

LEFT_OUT = 7
"""The number of forms that are left out in a control: so many were drawn after the letters of
UJIpenchars2 had been seen. Which ones is not recorded, so those that matter most are left out."""

MOST_COMPARED = 1300
"""The most letters that are compared with the forms of every letter; of more, some are left out."""

SeveralInks = Mapping[str, Sequence[Ink]]
"""Inks by letter."""

SeveralScores = Mapping[str, Sequence[Scores]]
"""Scores by letter."""


def lines(folder: Path = DATA) -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    usual = folder / "uji" if (folder / "uji").is_dir() else folder
    adults, bad = letters_in(usual), letters_in(folder / "bad")
    if not adults:
        print(f"Letters of people are left out: there are none in {folder}.")
        return
    bad = {letter: inks for letter, inks in bad.items() if letter in adults}
    writers = {ink.writer for inks in adults.values() for ink in inks}
    print(
        f"{sum(map(len, adults.values()))} letters; writers that are named: {len(writers - {None})}"
    )
    found, worse = scores_of(adults), scores_of(bad)
    print(_as_text(found, worse), end="\n\n")
    yield from _quality(found, worse, "shipped forms")
    yield from _usual(found)
    yield from _own_letter(adults)
    print(_by_limit(adults, bad), end="\n\n")
    yield from _without_forms(adults, bad)
    models = {letter: typical(_scorable(adults[letter])) for letter in worse}
    yield from _quality(
        scores_of({letter: adults[letter] for letter in worse}, models),
        scores_of(bad, models),
        "the adults' typical letters",
    )
    yield from _speed(adults)


def letters_in(folder: Path) -> dict[str, list[Ink]]:
    """Return the letters in the files of a folder that have shipped forms, by letter."""
    found: dict[str, list[Ink]] = {}
    for path in sorted(folder.glob("*.*")):
        for ink in read_letters(path, letter=path.stem[0], leave_out=print):
            found.setdefault(ink.letter or "", []).append(ink)
    return {letter: inks for letter, inks in sorted(found.items()) if letter in ALPHABET}


def scores_of(inks: SeveralInks, models: Mapping[str, Model] | None = None) -> SeveralScores:
    """Return the scores of letters; a dot, a word or a page has none."""
    nan = float("nan")
    found = {}
    for letter, some in inks.items():
        reasons = why_each_not_scorable(some)
        kept = [ink for ink, reason in zip(some, reasons, strict=True) if not reason]
        known = iter(score_each(kept, models[letter] if models else letter) if kept else [])
        none = Scores(nan, nan, nan, nan, nan)
        found[letter] = [none if reason else next(known) for reason in reasons]
    return found


def _scorable(inks: Sequence[Ink]) -> list[Ink]:
    reasons = why_each_not_scorable(inks)
    return [ink for ink, reason in zip(inks, reasons, strict=True) if not reason]


def auc(good: Floats, bad: Floats) -> float:
    """Return how often a bad letter has a worse score than a good one; ties count half.

    >>> auc(np.array([0.1, 0.3]), np.array([0.2, 0.4, 0.5]))
    0.8333333333333334
    """
    return float(placements(good, bad).mean())


def placements(good: Floats, bad: Floats) -> Floats:
    """Return for each bad letter the fraction of good ones that have a better score."""
    below = (good < bad[:, None]).mean(axis=1) + 0.5 * (good == bad[:, None]).mean(axis=1)
    found: Floats = below
    return found


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
    fits = [one for one in scores if one.fits]
    means = [np.mean([getattr(one, name) for one in fits]) if fits else np.nan for name in NAMES]
    unfitting = np.mean([_unfitting(one) for one in scores])
    return [str(len(scores)), *(f"{mean:.2f}" for mean in means), f"{unfitting:.2f}"]


def _at_most(what: str, ours: float, most: float) -> Line:
    return Line(what, ours, "allowed", most, 1.0, unit="")


def _quality(found: SeveralScores, worse: SeveralScores, models: str) -> Iterator[Line]:
    """Letters written badly on purpose should have worse scores.

    A letter without a fitting form counts as the worst; then such letters are left out.
    """
    for unfitting, which in ((1.0, "all"), (None, "only letters with a form")):
        pairs = _pairs(found, worse, unfitting)
        if not pairs:
            continue
        where = f"{models}, {which}"
        not_worse = sum(bad.mean() <= good.mean() for good, bad in pairs)
        yield _at_most(f"{where}: letters of {len(pairs)} not worse if bad", not_worse, 0.5)
        mean = float(np.mean([auc(*pair) for pair in pairs]))
        yield _at_most(f"{where}: 1 - AUC, mean of letters", 1.0 - mean, 0.2)
        pooled = auc(*(np.concatenate(side) for side in zip(*pairs, strict=True)))
        yield _at_most(f"{where}: 1 - AUC, all letters together", 1.0 - pooled, 0.2)


def _pairs(
    found: SeveralScores, worse: SeveralScores, unfitting: float | None
) -> list[tuple[Floats, Floats]]:
    """Return the averages of usual and of bad letters, for each letter that has both."""
    pairs = [
        (averages(found[letter], unfitting=unfitting), averages(some, unfitting=unfitting))
        for letter, some in worse.items()
    ]
    return [(good, bad) for good, bad in pairs if len(good) and len(bad)]


def _usual(found: SeveralScores, which: str = "adults' letters") -> Iterator[Line]:
    unfitting, mirrored, turned = _shares(found)
    yield _at_most(f"{which} without a fitting form", unfitting, 0.10)
    yield _at_most(f"{which} called mirror writing", mirrored, 0.01)
    yield _at_most(f"{which}, median rotation in degrees", turned, 12.0)


def _shares(found: SeveralScores) -> tuple[float, float, float]:
    """Return the fractions without a form and of mirror writing, and the median rotation."""
    every = [one for some in found.values() for one in some]
    return (
        float(np.mean([_unfitting(one) for one in every])),
        float(np.mean([one.mirrored for one in every])),
        float(np.nanmedian([abs(one.angle) for one in every])),
    )


def _own_letter(adults: SeveralInks) -> Iterator[Line]:
    """Letters that fit another letter's forms better than their own."""
    for name, others in KINDS.items():
        inks = [ink for letter in others for ink in _scorable(adults.get(letter, ()))]
        inks = inks[:: -(-len(inks) // MOST_COMPARED) or 1]
        if not inks:
            continue
        forms = np.stack([choose_forms(inks, forms_of(letter)).misfit for letter in others])
        meant = np.array([others.index(ink.letter or "") for ink in inks])
        other = float((forms.argmin(axis=0) != meant).mean())
        yield _at_most(f"adults' letters that fit another letter best, {name}", other, 0.35)


def _by_limit(adults: SeveralInks, bad: SeveralInks) -> str:
    """Return a table of the same figures for other limits of the fit.

    Letters without a form count as the worst, or are left out. The AUC is the mean of letters; then
    follows that in which every bad letter counts once, with its standard error.
    """
    kinds = {"all": 1.0, "with a form": None} if bad else {}
    head = ["limit", "no form", "mirror writing", "rotation"]
    head += [
        f"{what}, {which}" for which in kinds for what in ("not worse", "AUC", "per bad letter")
    ]
    rows = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    for limit in LIMITS:
        with patch.object(form_choice, "UNRECOGNISABLE", limit):
            found, worse = scores_of(adults), scores_of(bad)
        cells = ["{:.3f} | {:.3f} | {:.1f}".format(*_shares(found))]
        for unfitting in kinds.values():
            pairs = _pairs(found, worse, unfitting)
            not_worse = sum(bad.mean() <= good.mean() for good, bad in pairs)
            mean = np.mean([auc(*pair) for pair in pairs])
            every = np.concatenate([placements(*pair) for pair in pairs])
            error = every.std() / np.sqrt(len(every))
            cells += [f"{not_worse} of {len(pairs)}", f"{mean:.3f}"]
            cells += [f"{every.mean():.3f} ± {error:.3f}"]
        rows.append(f"| {limit:g} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _without_forms(adults: SeveralInks, bad: SeveralInks) -> Iterator[Line]:
    """The same without the seven forms whose absence costs most letters.

    Only for letters that were also written badly; no letter loses its last form.
    """
    adults = {letter: inks for letter, inks in adults.items() if letter in bad}
    if not adults:
        return
    apart = {
        letter: {name: read(_scorable(inks), form).form for name, form in forms_of(letter).items()}
        for letter, inks in adults.items()
    }
    missing: list[tuple[str, str]] = []
    for _ in range(LEFT_OUT):
        losses = {
            (letter, name): _lost(own, {name, *(b for a, b in missing if a == letter)})
            - _lost(own, {b for a, b in missing if a == letter})
            for letter, own in apart.items()
            for name in own
            if (letter, name) not in missing and len(own) - _count(missing, letter) > 1
        }
        missing.append(max(losses, key=lambda one: losses[one]))
    print(f"Left out: {'; '.join(f'{letter}: {name}' for letter, name in missing)}.")
    models = {
        letter: {
            name: form for name, form in forms_of(letter).items() if (letter, name) not in missing
        }
        for letter in adults
    }
    found, worse = scores_of(adults, models), scores_of(bad, models)
    control = [
        *_quality(found, worse, f"without {LEFT_OUT} forms"),
        *_usual(found, f"without {LEFT_OUT} forms, adults' letters"),
    ]
    yield from (line._replace(limit=None) for line in control)


def _count(missing: Sequence[tuple[str, str]], letter: str) -> int:
    return sum(one == letter for one, _ in missing)


def _lost(apart: Mapping[str, Floats], missing: set[str]) -> int:
    """Return how many letters have no form left if some are missing."""
    left = np.min([one for name, one in apart.items() if name not in missing], axis=0)
    return int((left > form_choice.UNRECOGNISABLE).sum())


def _speed(adults: SeveralInks) -> Iterator[Line]:
    """Processor time, which other programs barely change."""
    page = [ink for some in adults.values() for ink in _scorable(some)]
    page = page[:: len(page) // 100 or 1][:100]
    by_letter = {letter: [ink for ink in page if ink.letter == letter] for letter in adults}
    one = np.median([_seconds(partial(score, ink, ink.letter or "")) for ink in page])
    yield Line("one letter scored, median, processor time", float(one), "15 ms", 0.015, 1.0)
    many = _seconds(
        lambda: [score_each(inks, letter) for letter, inks in by_letter.items() if inks]
    )
    what = f"a page of {len(page)} letters scored, processor time"
    yield Line(what, many, "two seconds", 2.0, 1.0)


def _seconds(work: Callable[[], object]) -> float:
    """Return the processor time of the fastest of three runs; the first prepares the forms."""
    return take_turns(work, turns=3, clock=time.process_time)[0]


if __name__ == "__main__":
    from benchmarks.__main__ import HEAD, table

    measured = list(lines(*map(Path, sys.argv[1:2])))
    print(table([HEAD, *(line.cells() for line in measured)]))
    sys.exit(not all(line.ok for line in measured))
