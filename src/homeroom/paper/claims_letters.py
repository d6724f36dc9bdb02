"""The claims of section 6.3 about the letters that children are shown.

``T`` counts examples shown by the teacher, ``S`` those that a student sees on average. CT teaches
the class together, CTwP in groups, IT one by one (see :mod:`homeroom.paper.claims`). The docstring
of a judge states what it checks. The defects of a letter are distortion, rotation and shakiness; a
type of children has two of them, and is *spared* the third.
"""

from __future__ import annotations

import numpy as np

from homeroom._checks import counted
from homeroom.handwriting.generators import KINDS
from homeroom.paper.claims import (
    ClaimVerdict,
    Finding,
    PaperClaim,
    Tables,
    UnmeasuredError,
    diversities_of,
    individuals_are_best,
    means_of,
    verdict,
)
from homeroom.paper.claims_insects import CONSIDERABLY_BETTER, MANY_MORE
from homeroom.paper.letter_trends import FEWEST, lessons_of, long_lessons, spared_defect, trend
from homeroom.paper.rows import Rows, where

LITTLE = 0.5
"""Letters have little of a defect if it is at most this fraction of the mean in the pool."""

CHOSEN = (
    "The paper leaves the loss, the limit of good and its sharpness open; our values were chosen "
    "because letters improve with them"
)
"""The choices were made by looking at the outcome, so the evidence has to state it."""


def shaky_and_rotated(tables: Tables) -> Finding:
    """Little distortion; rotation and shakiness fall, also among letters to be corrected."""
    return _letters_improve(tables["6a"], "shaky+rotated")


def distorted_and_shaky(tables: Tables) -> Finding:
    """Little rotation; distortion and shakiness fall, also among letters to be corrected."""
    return _letters_improve(tables["6b"], "distorted+shaky")


def distorted_and_rotated(tables: Tables) -> Finding:
    """Little shakiness; distortion and rotation fall, also among letters to be corrected."""
    return _letters_improve(tables["6c"], "distorted+rotated")


def _letters_improve(rows: Rows, kind: str) -> Finding:
    """Judge whether the letters for a type have little of one defect and less of the others."""
    lessons, bad = _long_enough(rows, kind)
    spared = trend(lessons, spared_defect(kind))
    defects = {defect: trend(lessons, defect) for defect in KINDS[kind]}
    among_bad = {defect: trend(bad, defect) for defect in KINDS[kind]}
    little, fall = spared.share <= LITTLE, all(one.falls for one in defects.values())
    milder = all(one.falls for one in among_bad.values())
    changes, bad_changes = (
        "; ".join(f"{defect} goes from {one}" for defect, one in found.items())
        for found in (defects, among_bad)
    )
    return verdict(holds=little and fall and milder, partly=little or fall), (
        f"{spared_defect(kind)} is {spared.share:.2f} of the mean in the pool (limit {LITTLE:g}); "
        f"from the first third of a lesson to the last, {changes}, means over "
        f"{counted(len(lessons), 'class', 'classes')}, ρ the rank correlation with the round. Good "
        f"letters are mixed in from early on; among the letters to be corrected, {bad_changes}. "
        f"{CHOSEN}"
    )


def _long_enough(rows: Rows, who: str) -> tuple[list[Rows], list[Rows]]:
    """Return the lessons for a type, and the letters to be corrected in each."""
    lessons = lessons_of(rows, who)
    if not lessons or min(len(lesson) for lesson in lessons) < FEWEST:
        raise UnmeasuredError(f"a lesson for {who} has fewer than {FEWEST} letters")
    bad = [where(lesson, good=False) for lesson in lessons]
    if min(len(lesson) for lesson in bad) < FEWEST // 2:
        raise UnmeasuredError(f"a lesson for {who} has almost no letters to be corrected")
    return lessons, bad


def other_letters_are_alike(tables: Tables) -> Finding:
    """Little of the spared defect and less and less of the others, for every letter and type."""
    held, of, missed = _count_described(where(tables["letters"], variation=""), "letter")
    return verdict(holds=held == of, partly=2 * held > of), (
        f"as described for {held} of {of} pairs of a letter and a type of children, by the means "
        f"of a few classes and all letters shown, without intervals{_except(missed)}"
    )


def open_choices_do_not_matter(tables: Tables) -> Finding:
    """Little of the spared defect and less of the others, for every change of one open choice."""
    rows = [row for row in tables["letters"] if row["variation"]]
    held, of, missed = _count_described(rows, "variation")
    return verdict(holds=held == of, partly=2 * held > of), (
        f"as described for {held} of {of} pairs of a changed choice and a type of children, by the "
        f"means of a few classes (the network: of one), without intervals{_except(missed)}"
    )


def _count_described(rows: Rows, name: str) -> tuple[int, int, list[str]]:
    """Return for how many values and types lessons are as described, of how many, and the rest."""
    held, of, missed = 0, 0, []
    for value in dict.fromkeys(row[name] for row in rows):
        for kind in KINDS:
            lessons = long_lessons(where(rows, **{name: value}), kind)
            if not lessons:
                continue
            of += 1
            if _as_described(lessons, kind):
                held += 1
            else:
                missed.append(f"{value} {kind}")
    if not of:
        raise UnmeasuredError(f"no lesson has {FEWEST} letters")
    return held, of, missed


def _as_described(lessons: list[Rows], kind: str) -> bool:
    """Return whether letters have little of the spared defect, and less and less of the others."""
    defects = [trend(lessons, defect) for defect in KINDS[kind]]
    little = trend(lessons, spared_defect(kind)).share <= LITTLE
    return little and all(one.last < one.first and one.order < 0 for one in defects)


def _except(missed: list[str]) -> str:
    """Return the pairs that are not as described, in words; at most six."""
    if not missed:
        return ""
    return f" (not for {', '.join(missed[:6])}{' and others' if len(missed) > 6 else ''})"


def costs_are_as_for_insects(tables: Tables) -> Finding:
    """Fewest in all for the whole class; fewest per child for individuals, then for groups."""
    totals, means, places = (
        means_of(tables["6e"], "T"),
        means_of(tables["6f"], "S"),
        diversities_of(tables["6e"]),
    )
    fewest = bool((totals["CT"] <= np.minimum(totals["CTwP-Opt"], totals["IT"]) + 1e-9).all())
    many = bool((totals["IT"] >= MANY_MORE * totals["CTwP-Opt"]).all())
    alone, evidence = individuals_are_best(tables["6f"])
    share = (means["CTwP-Opt"] / means["CT"])[places > 1]
    better = bool((share <= CONSIDERABLY_BETTER).all())
    parts = [fewest and many, alone is ClaimVerdict.HOLDS, better]
    return verdict(holds=all(parts), partly=any(parts)), (
        f"T = {totals['CT'][-1]:.0f} as a whole class, {totals['CTwP-Opt'][-1]:.0f} in groups, "
        f"{totals['IT'][-1]:.0f} individually with {places[-1]:g} types; a child in a group sees "
        f"{share.min():.2f} to {share.max():.2f} times as many letters as in the whole class "
        f"(limit {CONSIDERABLY_BETTER:g}); {evidence}"
    )


CLAIMS = (
    PaperClaim(
        "Handwriting: for shaky and rotated writing, examples are not distorted, and progressively "
        "smoother and upright",
        "section 6.3, figure 6a",
        ("6a",),
        shaky_and_rotated,
    ),
    PaperClaim(
        "Handwriting: for distorted and shaky writing, examples are upright, with decreasing "
        "distortion and shakiness",
        "section 6.3, figure 6b",
        ("6b",),
        distorted_and_shaky,
    ),
    PaperClaim(
        "Handwriting: likewise for distorted and rotated writing: smooth, less and less distorted, "
        "more and more upright",
        "section 6.3, figure 6c (drawn, not stated)",
        ("6c",),
        distorted_and_rotated,
    ),
    PaperClaim(
        "Handwriting: similar results apply for the other letters",
        "section 6.3",
        ("letters",),
        other_letters_are_alike,
    ),
    PaperClaim(
        "Handwriting: the examples are as described for all choices that the paper leaves open",
        "section 6.3 (not stated: a check of our choices)",
        ("letters",),
        open_choices_do_not_matter,
    ),
    PaperClaim(
        "Handwriting: the convergence plots have similar characteristics as those of the insects",
        "section 6.3 (stated, not drawn)",
        ("6e", "6f"),
        costs_are_as_for_insects,
    ),
)
