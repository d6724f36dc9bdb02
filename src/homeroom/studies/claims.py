"""What a claim of the paper is, and what its judges read off the measured tables.

A judge returns a verdict and the evidence for it, in words. Its docstring states what it checks. It
raises :class:`UnmeasuredError` if a table is too small or too degenerate for a verdict.

Claims use the paper's symbols: ``T`` is the number of examples that the teacher shows, ``S`` the
mean number that a student sees. The ways of teaching are CT (the whole class together), CTwP-Opt
(groups by rate or by knowledge), CTwP-Rand (groups at random) and IT (individuals). The diversity
is the width of the interval from which rates or initial states are drawn.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom.studies.figures import WAY_NAMES
from homeroom.studies.rows import Rows, column, fit_line, mean_curve, seeds_of, where

Tables: TypeAlias = Mapping[str, Rows]
"""The measured rows by figure."""

STEADY = 0.8
"""The least part of its speed that a lesson must keep from its middle to its last third.

A geometric fall keeps all of it, ``exp(-sqrt(t))`` 0.77, a power of ``t`` about 0.6 to 0.78.
"""


class ClaimVerdict(Enum):
    """Whether the measurements support a claim."""

    HOLDS = "holds"
    CONDITION = "holds with a condition"
    FAILS = "does not hold"
    UNMEASURED = "not measured"


class UnmeasuredError(Exception):
    """The reason why a table does not allow a verdict."""


Finding: TypeAlias = tuple[ClaimVerdict, str]
"""A verdict, and the evidence for it in words."""


@dataclass(frozen=True)
class JudgedClaim:
    """A claim of the paper with its verdict.

    Parameters
    ----------
    text
        What the paper states.
    place
        Where it does.
    verdict
        Whether that is so.
    evidence
        What was measured.
    quick
        Whether that was a quick run, of few classes and points.
    """

    text: str
    place: str
    verdict: ClaimVerdict
    evidence: str
    quick: bool = False

    @property
    def verdict_text(self) -> str:
        """The verdict in words; that of a quick run is marked."""
        return f"{self.verdict.value} (quick run)" if self.quick else self.verdict.value

    def as_json(self) -> dict[str, str | bool]:
        """Return the claim as plain values by name."""
        named = {"claim": self.text, "place": self.place, "verdict": self.verdict.value}
        return {**named, "evidence": self.evidence, "quick": self.quick}


@dataclass(frozen=True)
class PaperClaim:
    """A claim of the paper, and how it is judged.

    Parameters
    ----------
    text
        What the paper states.
    place
        Where it does.
    needs
        The figures whose tables the judge reads.
    judge
        Returns a verdict and its evidence.
    """

    text: str
    place: str
    needs: tuple[str, ...]
    judge: Callable[[Tables], Finding]

    def check(self, tables: Tables) -> JudgedClaim:
        """Judge the claim; a mean over lessons that did not all reach their goal is unfinished."""
        try:
            with np.errstate(divide="ignore", invalid="ignore"):
                found, evidence = self.judge(tables)
        except UnmeasuredError as reason:
            found, evidence = ClaimVerdict.UNMEASURED, str(reason)
        evidence = re.sub(r"[+-]?\bnan\b%?", "(unfinished)", evidence)
        return JudgedClaim(self.text, self.place, found, evidence)


def paper_claim(
    text: str, place: str, *needs: str
) -> Callable[[Callable[[Tables], Finding]], PaperClaim]:
    """Return a decorator that turns a judge into the claim; arguments as for the class."""
    return lambda judge: PaperClaim(text, place, needs, judge)


def verdict(*, holds: bool, partly: bool = False) -> ClaimVerdict:
    """Return the verdict on a claim that holds, holds in part, or does not hold."""
    if holds:
        return ClaimVerdict.HOLDS
    return ClaimVerdict.CONDITION if partly else ClaimVerdict.FAILS


def diversities_of(rows: Rows) -> Floats:
    """Return the diversities in the rows."""
    return np.unique(column(rows, "diversity"))


def means_of(rows: Rows, y: str, ways: Iterable[str] = WAY_NAMES) -> dict[str, Floats]:
    """Return for each way of teaching the mean of ``y`` at each diversity; at least two."""
    if len(diversities_of(rows)) < 2:
        raise UnmeasuredError("fewer than two diversities were measured")
    means = {way: mean_curve(where(rows, way=way), "diversity", y)[1] for way in ways}
    if len({len(curve) for curve in means.values()}) > 1:
        raise UnmeasuredError("not every way of teaching was measured at every diversity")
    if not any(curve.any() for curve in means.values()):
        raise UnmeasuredError("no way of teaching needed any examples")
    return means


def curve_of(rows: Rows, x: str, y: str, *, least: int = 2) -> tuple[Floats, Floats]:
    """Return ``x`` and the means of ``y``, which must have ``least`` points and not all be 0."""
    places, means, _ = mean_curve(rows, x, y)
    if len(places) < least:
        raise UnmeasuredError(f"{y} was measured at only {len(places)} values of {x}")
    if not means.any():
        raise UnmeasuredError(f"{y} is 0 at every {x}")
    return places, means


def straightness(x: Floats, y: Floats, name: str) -> float:
    """Return R^2 of the line of T (``y``) against ``x``, called ``name``; NaN if a lesson failed.

    Values of T without spread are refused.
    """
    if np.ptp(y) == 0:
        raise UnmeasuredError(f"T is the same at every {name}")
    return fit_line(x, y)[2]


@dataclass(frozen=True)
class ErrorDescents:
    """How the error falls in some lessons, one value per lesson.

    Parameters
    ----------
    rounds
        The number of rounds.
    straight
        R^2 of the logarithm of the error against rounds.
    worst
        The largest fraction of the error that a round leaves.
    last
        The fraction that a round of the last third leaves, as a geometric mean.
    kept
        The fall of the logarithm per round in the last third, relative to the middle third.
    proved
        The largest fraction that a round can leave according to the theorem.
    """

    rounds: Floats
    straight: Floats
    worst: Floats
    last: Floats
    kept: Floats
    proved: Floats

    @property
    def steady(self) -> bool:
        """Whether the fall is geometric: straight, no slower than proved, and not slowing down."""
        return bool(
            (self.straight > 0.9).all()
            and (self.last <= self.proved + 1e-9).all()
            and self.kept.mean() >= STEADY
        )

    def __str__(self) -> str:
        return (
            f"log error against rounds is straight with R² ≥ {self.straight.min():.3f} in each of "
            f"{len(self.rounds)} classes ({self.rounds.min():.0f} to {self.rounds.max():.0f} "
            f"rounds); in the last third a round leaves at most {self.last.max():.4f} of the error "
            f"(the theorem proves r = {self.proved.min():.4f}), and log error falls "
            f"{self.kept.mean():.2f} times as fast as in the middle third (a geometric fall: 1; "
            f"exp(-√t): 0.77; powers of t: less; required: {STEADY})"
        )


def error_descents(rows: Rows) -> ErrorDescents:
    """Return how the error falls in every lesson of the rows."""
    lessons = [where(rows, seed=seed) for seed in seeds_of(rows)]
    if not lessons or min(len(lesson) for lesson in lessons) < 7:
        raise UnmeasuredError("a lesson has fewer than six rounds, too few for a trend")
    found = [_descent(column(own, "error"), column(own, "bound")) for own in lessons]
    return ErrorDescents(*np.array(found).T)


def _descent(errors: Floats, bounds: Floats) -> tuple[float, ...]:
    """Return the values of :class:`ErrorDescents` for one lesson, in the order of its fields."""
    if not (errors > 0).all() or np.ptp(errors) == 0:
        raise UnmeasuredError("the error of a lesson is 0 or does not change")
    logs, rounds = np.log(errors), len(errors) - 1
    third = rounds // 3
    middle = (logs[third] - logs[-1 - third]) / (rounds - 2 * third)
    last = float(logs[-1 - third] - logs[-1]) / third
    return (
        rounds,
        fit_line(np.arange(len(errors), dtype=float), logs)[2],
        float((errors[1:] / errors[:-1]).max()),
        math.exp(-last),
        last / middle,
        bounds[1] / bounds[0],
    )


def fewer_for_students(rows: Rows, at: str) -> Finding:
    """Compare S (examples per student) of groups with S of the whole class.

    ``at`` is the format of a diversity, such as ``"diversity {:g}"``.
    """
    means, places = means_of(rows, "S"), diversities_of(rows)
    fewer = means["CTwP-Opt"] < means["CT"] - 1e-9
    never_more = bool((means["CTwP-Opt"] <= means["CT"] + 1e-9).all())
    nowhere = "nowhere" if not fewer.any() else "at some diversities, but not at the highest"
    start = f"from {at.format(places[_run_start(fewer)])} on" if fewer[-1] else nowhere
    elsewhere = "nowhere higher" if never_more else "but higher elsewhere"
    return verdict(holds=never_more and bool(fewer[-1]), partly=bool(fewer[-1])), (
        f"S of groups is lower {start}, {elsewhere}: {means['CTwP-Opt'][-1]:.0f} compared with "
        f"{means['CT'][-1]:.0f} at {at.format(places[-1])}"
    )


def fewer_for_the_teacher(rows: Rows, at: str) -> Finding:
    """Compare T (examples of the teacher) of groups with T of the whole class; ``at`` as above."""
    means, places = means_of(rows, "T", ("CT", "CTwP-Opt")), diversities_of(rows)
    fewer = means["CTwP-Opt"] < means["CT"] - 1e-9
    some = "never need fewer" if not fewer.any() else "need fewer, but not at the highest diversity"
    need = f"need fewer from {at.format(places[_run_start(fewer)])} on" if fewer[-1] else some
    return verdict(holds=bool(fewer[-1]), partly=bool(fewer.any())), (
        f"groups {need}: T = {means['CTwP-Opt'][-1]:.0f} compared with {means['CT'][-1]:.0f} at "
        f"{at.format(places[-1])}"
    )


def _run_start(holds: npt.NDArray[np.bool_]) -> int:
    """Return where the last unbroken run of true values starts."""
    return len(holds) - int(np.argmin([*holds[::-1], False]))


def individuals_are_best(rows: Rows) -> Finding:
    """Compare S (examples per student) of individuals with the best of the other ways."""
    means = means_of(rows, "S")
    others = np.minimum(means["CT"], np.minimum(means["CTwP-Opt"], means["CTwP-Rand"]))
    ratio = others / means["IT"]
    return verdict(holds=bool((ratio > 1).all()), partly=bool((ratio > 1).any())), (
        f"the next best way takes {ratio.min():.1f} to {ratio.max():.1f} times as many examples "
        f"per student, depending on diversity (at the highest, S = {means['IT'][-1]:.1f} for "
        "individuals)"
    )
