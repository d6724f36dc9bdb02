"""What section 6.3 says about the letters that children are shown, and what was measured."""

from __future__ import annotations

import numpy as np

from homeroom._words import counted
from homeroom.handwriting.generators import KINDS
from homeroom.paper.claim import Finding, Tables, UnmeasuredError, Verdict, claim, verdict
from homeroom.paper.claim_readings import means_of, places_of
from homeroom.paper.claims_classes import alone_is_best
from homeroom.paper.drawing import where
from homeroom.paper.figure import Rows
from homeroom.paper.pen_trends import FEWEST, Trend, least_of, lessons_of, trend

HARDLY = 0.5
"""Letters hardly have a defect if they have at most half as much of it as is usual in the pool."""

CHOSEN = (
    "The paper leaves the loss, the limit of good and its sharpness open; ours were chosen among "
    "others because letters get better with them"
)
"""A verdict on choices that were made by looking at the outcome has to say so."""

MANY_MORE = 3.0
CONSIDERABLY = 0.75
"""A quarter less is considerably better, as for the insects."""


@claim(
    "Handwriting: for shaky and rotated writing, examples are not distorted, and progressively "
    "smoother and upright",
    "section 6.3, figure 6a",
    needs=("6a",),
)
def shaky_and_rotated(tables: Tables) -> Finding:
    """Little distortion; rotation and shakiness fall, also among letters to be corrected."""
    return _judged(tables["6a"], "shaky+rotated")


@claim(
    "Handwriting: for distorted and shaky writing, examples are upright, with decreasing "
    "distortion and shakiness",
    "section 6.3, figure 6b",
    needs=("6b",),
)
def distorted_and_shaky(tables: Tables) -> Finding:
    """Little rotation; distortion and shakiness fall, also among letters to be corrected."""
    return _judged(tables["6b"], "distorted+shaky")


@claim(
    "Handwriting: likewise for distorted and rotated writing: smooth, less and less distorted, "
    "more and more upright",
    "section 6.3, figure 6c (drawn, not said)",
    needs=("6c",),
)
def distorted_and_rotated(tables: Tables) -> Finding:
    """Little shakiness; distortion and rotation fall, also among letters to be corrected."""
    return _judged(tables["6c"], "distorted+rotated")


def _judged(rows: Rows, kind: str) -> Finding:
    lessons, bad = _long_enough(rows, kind)
    spared = trend(lessons, least_of(kind))
    poor = {defect: trend(lessons, defect) for defect in KINDS[kind]}
    alone = {defect: trend(bad, defect) for defect in KINDS[kind]}
    hardly, fall = spared.share <= HARDLY, all(one.falls for one in poor.values())
    milder = all(one.falls for one in alone.values())
    told, told_bad = (
        "; ".join(f"{defect} goes from {one}" for defect, one in found.items())
        for found in (poor, alone)
    )
    return verdict(holds=hardly and fall and milder, partly=hardly or fall), (
        f"{least_of(kind)} is {spared.share:.2f} of what is usual among the letters to choose from "
        f"({HARDLY:g} is asked); from the first third of a lesson to the last {told}, means over "
        f"{counted(len(lessons), 'class', 'classes')}, ρ the rank correlation with the round. Good "
        f"letters come in between from early on; of those to be corrected alone {told_bad}. "
        f"{CHOSEN}"
    )


def _long_enough(rows: Rows, who: str) -> tuple[list[Rows], list[Rows]]:
    """Return the lessons for a type, and what is to be corrected in each."""
    lessons = lessons_of(rows, who)
    if not lessons or min(len(lesson) for lesson in lessons) < FEWEST:
        raise UnmeasuredError(f"some lesson for {who} has less than {FEWEST} letters")
    bad = [where(lesson, good=False) for lesson in lessons]
    if min(len(lesson) for lesson in bad) < FEWEST // 2:
        raise UnmeasuredError(f"some lesson for {who} has hardly a letter to be corrected")
    return lessons, bad


@claim(
    "Handwriting: similar results apply for the other letters",
    "section 6.3",
    needs=("letters",),
)
def other_letters_are_alike(tables: Tables) -> Finding:
    """The spared defect stays low and both others fall, for every letter and type."""
    held, of, missed = _as_told(where(tables["letters"], variation=""), "letter")
    return verdict(holds=held == of, partly=2 * held > of), (
        f"as told for {held} of {of} pairs of a letter and a type of children, by the means of a "
        f"few classes{_but(missed)}"
    )


@claim(
    "Handwriting: the examples are as told whatever the paper leaves open",
    "section 6.3 (not said: our own check of our choices)",
    needs=("letters",),
)
def open_choices_do_not_matter(tables: Tables) -> Finding:
    """The same for every change of one choice."""
    rows = [row for row in tables["letters"] if row["variation"]]
    held, of, missed = _as_told(rows, "variation")
    return verdict(holds=held == of, partly=2 * held > of), (
        f"as told for {held} of {of} pairs of a changed choice and a type of children{_but(missed)}"
    )


def _as_told(rows: Rows, name: str) -> tuple[int, int, list[str]]:
    """Return for how many values and types letters are as told, of how many, and the others."""
    held, of, missed = 0, 0, []
    for value in dict.fromkeys(row[name] for row in rows):
        for kind in KINDS:
            lessons = lessons_of(where(rows, **{name: value}), kind)
            lessons = [lesson for lesson in lessons if len(lesson) >= FEWEST]
            if not lessons:
                continue
            of += 1
            if as_told(lessons, kind):
                held += 1
            else:
                missed.append(f"{value} {kind}")
    if not of:
        raise UnmeasuredError(f"no lesson has {FEWEST} letters")
    return held, of, missed


def as_told(lessons: list[Rows], kind: str) -> bool:
    """Tell whether letters hardly have the spared defect, and less and less of the two others."""
    poor: list[Trend] = [trend(lessons, defect) for defect in KINDS[kind]]
    hardly = trend(lessons, least_of(kind)).share <= HARDLY
    return hardly and all(one.last < one.first and one.order < 0 for one in poor)


def _but(missed: list[str]) -> str:
    if not missed:
        return ""
    return f" (not for {', '.join(missed[:6])}{' and others' if len(missed) > 6 else ''})"


@claim(
    "Handwriting: the convergence plots have similar characteristics as those of the insects",
    "section 6.3 (said, not drawn)",
    needs=("6e", "6f"),
)
def costs_are_as_for_insects(tables: Tables) -> Finding:
    """Together fewest in all and alone many more; alone best for a child, groups better than CT."""
    totals, means, places = (
        means_of(tables["6e"], "T"),
        means_of(tables["6f"], "S"),
        places_of(tables["6e"]),
    )
    fewest = bool((totals["CT"] <= np.minimum(totals["CTwP-Opt"], totals["IT"]) + 1e-9).all())
    many = bool((totals["IT"] >= MANY_MORE * totals["CTwP-Opt"]).all())
    alone, told = alone_is_best(tables["6f"])
    share = (means["CTwP-Opt"] / means["CT"])[places > 1]
    better = bool((share <= CONSIDERABLY).all())
    parts = [fewest and many, alone is Verdict.HOLDS, better]
    return verdict(holds=all(parts), partly=any(parts)), (
        f"T = {totals['CT'][-1]:.0f} together, {totals['CTwP-Opt'][-1]:.0f} in groups, "
        f"{totals['IT'][-1]:.0f} alone at {places[-1]:g} types; a child in a group sees "
        f"{share.min():.2f} to {share.max():.2f} of the whole class's letters ({CONSIDERABLY:g} is "
        f"asked); {told}"
    )
