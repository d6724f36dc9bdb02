"""Letters: correlations of scores with knobs, and speed; ``real_letters`` has people's letters."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.stats import spearmanr

from benchmarks.hands import other_hand, plain_scores
from benchmarks.timing import Line, take_turns
from homeroom._arrays import Floats
from homeroom.handwriting.generators import Kinematic, Knobs, Ranges
from homeroom.handwriting.generators.knobs import knob_columns
from homeroom.handwriting.letters import LETTERS, model_letter
from homeroom.handwriting.scores import FEATURES, score_all

EACH = 2000
"""Letters of each kind for a correlation, whose own error is about 0.02 then."""

FEW = 400
"""Letters of each kind if only means over all letters are compared."""

OWN, OTHER = 0.88, 0.15
"""Spearman's correlation with a score's own knob, at least; with any other, at most."""


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    tables = {letter: correlations(letter) for letter in LETTERS}
    print(_as_text(tables), end="\n\n")
    yield from _worst(tables)
    yield from _otherwise()
    yield from _speed()


def correlations(letter: str) -> Floats:
    """Return Spearman's correlations of the three scores with the three knobs and with style.

    Shape ``(3, 4)``; the last column is the largest with any of shear, its size, aspect, size and
    tempo. All of them are drawn at random together.
    """
    knobs = Ranges().draw(EACH, (2, ord(letter)))
    return ranked(score_all(Kinematic().write(letter, knobs, 2), letter), knobs)


def ranked(found: Floats, knobs: Sequence[Knobs]) -> Floats:
    """Return the correlations of scores, ``(letters, 3)``, with the knobs behind them.

    Letters without a fitting form have no scores and are left out.
    """
    fits = np.flatnonzero(np.isfinite(found).all(axis=1))
    found, knobs = found[fits], [knobs[i] for i in fits.tolist()]
    dials = knob_columns(knobs)
    dials["rotation"] = np.abs(dials["rotation"])
    style = [dials[name] for name in ("shear", "aspect", "size", "tempo")]
    style.append(np.abs(dials["shear"]))
    rows = []
    for scores in found.T:
        own = [_rank(scores, dials[name]) for name in FEATURES]
        rows.append([*own, max((_rank(scores, one) for one in style), key=abs)])
    return np.array(rows)


def _rank(scores: Floats, knob: Floats) -> float:
    return float(spearmanr(scores, knob).statistic)


def _as_text(tables: dict[str, Floats]) -> str:
    head = "| letter | " + " | ".join(f"{name}: own | other" for name in FEATURES) + " |"
    rows = [head, "| --- |" + " --- | --- |" * len(FEATURES)]
    for letter, one in tables.items():
        cells = [f"{one[k, k]:.2f} | {np.abs(np.delete(one[k], k)).max():.2f}" for k in range(3)]
        rows.append(f"| {letter} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _worst(tables: dict[str, Floats]) -> Iterator[Line]:
    for k, name in enumerate(FEATURES):
        own = {letter: one[k, k] for letter, one in tables.items()}
        least = min(own, key=lambda letter: own[letter])
        what = f"{name}, 1 - Spearman with its own knob, worst letter ({least})"
        yield Line(what, 1.0 - own[least], "allowed", 1.0 - OWN, 1.0, unit="")
        other = {letter: np.abs(np.delete(one[k], k)).max() for letter, one in tables.items()}
        most = max(other, key=lambda letter: other[letter])
        what = f"{name}, Spearman with another knob, worst letter ({most})"
        yield Line(what, float(other[most]), "allowed", OTHER, 1.0, unit="")


def _otherwise() -> Iterator[Line]:
    """Simple definitions on the same letters, and the scores on letters of another generator."""
    plain, other, ours = [], [], []
    for letter in LETTERS:
        knobs = Ranges().draw(FEW, (3, ord(letter)))
        inks = Kinematic().write(letter, knobs, 3)
        ours.append(ranked(score_all(inks, letter), knobs))
        plain.append(ranked(plain_scores(inks, model_letter(letter)), knobs))
        other.append(ranked(score_all(other_hand(letter, knobs, 3), letter), knobs))
    for k, name in enumerate(FEATURES):
        mean = _left(ours, k)
        what = f"{name}, 1 - Spearman with its own knob, mean of letters"
        yield Line(what, mean, "plain definition", _left(plain, k), 1.0, unit="")
        yield Line(what, mean, "another hand", _left(other, k), unit="")
        worst = int(np.argmin([one[k, k] for one in other]))
        what = f"{name}, 1 - Spearman on another hand, worst letter ({LETTERS[worst]})"
        leak = float(np.abs(np.delete(other[worst][k], k)).max())
        yield Line(what, 1.0 - other[worst][k, k], "Spearman with another knob", leak, unit="")


def _left(tables: Sequence[Floats], k: int) -> float:
    return 1.0 - float(np.mean([one[k, k] for one in tables]))


def _speed() -> Iterator[Line]:
    knobs = Ranges().draw(5000)
    inks = Kinematic().write("f", knobs)
    score_all(inks[:10], "f")
    write, score = take_turns(
        lambda: Kinematic().write("f", knobs),
        lambda: score_all(inks, "f"),
        turns=3,
        clock=time.process_time,
    )
    yield Line("5000 letters written, processor time", write, "two seconds", 2.0, 1.0)
    yield Line("5000 letters scored, processor time", score, "two seconds", 2.0, 1.0)
