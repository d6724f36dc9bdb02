"""Which answers are enough for a map, and what a map should not be trusted with, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, InputTypeError, counted
from homeroom.crowd.answers import Answers
from homeroom.crowd.fitting.answer_table import AnswerTable
from homeroom.crowd.fitting.dimensions import DimensionChoice
from homeroom.crowd.fitting.posterior import Prior
from homeroom.crowd.fitting.uncertainty import Uncertainty
from homeroom.crowd.rule import contradiction, expert_rule
from homeroom.tables.table import distinct

NAMED = 3
"""How many annotators or items a sentence names."""
UNKNOWN, SUPPORTED = 0.5, 0.75
"""An axis is identified if the answers determine the items' places along it: if at most this
fraction of the items' prior variance remains. The second limit is for axes that predict held-out
answers."""
CONSTANT = 5
"""How many equal answers show that an annotator always gives the same one."""

NO_MAP = (
    "The answers support no map, only how often each annotator says yes: collect more answers per "
    "item, or ask for a map all the same with dimensions=1 (--dimensions 1)."
)
"""The error where a map is needed and there is none."""


def check_enough(answers: Answers) -> None:
    """Refuse answers that are not enough for any map, and say what is missing."""
    if not isinstance(answers, Answers):
        raise InputTypeError(
            "`answers` must be Answers, as Answers.read('answers.csv') returns them, "
            f"but is {type(answers).__name__}."
        )
    if not len(answers):
        raise InputError("There are no answers: a map needs some of two annotators to two items.")
    if len(answers.people) < 2:
        raise InputError(
            f"All answers are of one annotator ({answers.people[0][:40]!r}), but a map shows how "
            "annotators differ: add the answers of others."
        )
    if len(answers.items) < 2:
        raise InputError(
            f"All answers are to one item ({answers.items[0][:40]!r}), but a map shows how items "
            "differ: add answers to others."
        )
    if (answers.choices == answers.choices[0]).all():
        same = answers.classes[answers.choices[0]]
        raise InputError(
            f"All {len(answers)} answers are {same!r}, so annotators and items do not differ: "
            "were the other answers left out?"
        )


def map_warnings(
    answers: Answers,
    items: Floats,
    uncertainty: Uncertainty,
    prior: Prior = Prior(),
    *,
    supported: bool = False,
) -> tuple[str, ...]:
    """Return one sentence per reason to doubt the map.

    ``items`` are their places, shape ``(items, d)``. ``supported`` means that the axes predict
    held-out answers.
    """
    table = AnswerTable.of(answers)
    dimensions = items.shape[1]
    if not dimensions:
        return tuple(_disconnected(answers, table))
    return (
        *_unanswered(answers, table),
        *_disconnected(answers, table),
        *_too_few_answers(answers, table, dimensions),
        *_unidentified(uncertainty, prior, SUPPORTED if supported else UNKNOWN),
        *_constant(answers, table),
        *_too_narrow(uncertainty),
        *_too_few_labels(answers, dimensions),
        *_contradicted(answers, items, prior),
    )


def fewer_axes(answers: Answers, chosen: DimensionChoice, dimensions: int) -> tuple[str, ...]:
    """Return a sentence if the map has no axis, or fewer than held-out answers would support.

    ``dimensions`` is how many of the chosen axes are identified, and so used.
    """
    losses, best = chosen.held_out, chosen.dimensions
    if dimensions and dimensions == best:
        return ()
    result = (
        f"The map has {counted(dimensions, 'axis', 'axes')}" if dimensions else "There is no map"
    )
    if dimensions == best:
        share = f"share of {answers.positive!r} does"
        if len(answers.classes) > 2:
            share = "shares of the classes do"
        why = (
            f"an axis would predict held-out answers no better than each annotator's {share} "
            f"(log loss {losses[1]:.3f}, {losses[0]:.3f} without)"
        )
    else:
        why = (
            f"{counted(best, 'axis', 'axes')} would predict held-out answers better (log loss "
            f"{losses[best]:.3f}, {losses[dimensions]:.3f} with {dimensions or 'none'}), but the "
            "items have too few answers to be placed"
        )
    return (f"{result}: {why}. Collect more answers per item.",)


def better_without(chosen: DimensionChoice, dimensions: int) -> tuple[str, ...]:
    """Return a sentence if Dawid and Skene's model predicts held-out answers better."""
    if not chosen.better_without or dimensions not in chosen.held_out:
        return ()
    instead = "the map" if dimensions else "without axes"
    return (
        "Dawid and Skene's model (one truth, and each annotator's confusions) predicts held-out "
        f"answers better than the map does (log loss {chosen.dawid_skene:.3f}, "
        f"{chosen.held_out[dimensions]:.3f} by {instead}): take the items' labels from it, "
        "dawid_skene(answers), or consensus.csv of crowd embed --out.",
    )


def not_aligned(dimensions: int, before: int, shared: int) -> tuple[str, ...]:
    """Return a sentence if an earlier map cannot determine how this one is rotated.

    ``before`` is its number of dimensions, and ``shared`` the number of items that both have.
    """
    if before != dimensions:
        why = f"has {counted(before, 'dimension')}, and this one {dimensions}"
    elif shared < dimensions:
        why = f"has {shared or 'none'} of these items"
    else:
        return ()
    return (f"The earlier map {why}: the new map could not be rotated to match it.",)


def identified(uncertainty: Uncertainty, prior: Prior = Prior()) -> bool:
    """Return whether every axis is identified, by the limit for axes that predict answers."""
    return bool((_variance_left(uncertainty, prior) <= SUPPORTED).all())


def _unanswered(answers: Answers, table: AnswerTable) -> Iterator[str]:
    """Yield sentences on items and annotators without an answer."""
    none = np.flatnonzero(table.answers_by_item() == 0)
    if len(none):
        yield (
            f"{counted(len(none), 'item')} got no answer ({_named(answers.items, none)}): "
            "their places on the map mean nothing."
        )
    silent = np.flatnonzero(table.answers_by_person() == 0)
    if len(silent):
        yield (
            f"{counted(len(silent), 'annotator')} gave no answer "
            f"({_named(answers.people, silent)}): their lines on the map mean nothing."
        )


def _disconnected(answers: Answers, table: AnswerTable) -> Iterator[str]:
    """Yield a sentence if the answers fall into components without common annotators or items.

    A component can be rotated by itself without any effect on the answers.
    """
    asked = table.answers_by_item() > 0
    sizes = np.bincount(table.components[asked])
    if (sizes > 0).sum() > 1:
        others = np.flatnonzero(asked & (table.components != sizes.argmax()))
        yield (
            f"The answers fall into {(sizes > 0).sum()} parts that have neither annotators nor "
            f"items in common ({counted(len(others), 'item')} outside the largest: "
            f"{_named(answers.items, others)}): their places relative to each other mean nothing. "
            "Make a map of each."
        )


def _too_few_answers(answers: Answers, table: AnswerTable, dimensions: int) -> Iterator[str]:
    """Yield sentences on items and annotators with fewer than three answers per number on the map.

    A place has as many numbers as dimensions, a line one more.
    """
    by_item, by_person = table.answers_by_item(), table.answers_by_person()
    kinds = (
        ("items", "places", answers.items, by_item, 3 * dimensions),
        ("annotators", "lines and groups", answers.people, by_person, 3 * (dimensions + 1)),
    )
    for what, guessed, names, counts, needed in kinds:
        few = np.flatnonzero((counts > 0) & (counts < needed))
        if len(few):
            yield (
                f"{len(few)} of {len(names)} {what} have fewer than {needed} answers "
                f"({_named(names, few)}): too few for {counted(dimensions, 'dimension')}, so "
                f"their {guessed} are guesses."
            )


def _unidentified(uncertainty: Uncertainty, prior: Prior, most: float) -> Iterator[str]:
    """Yield a sentence per axis that is not identified, and a milder one above ``UNKNOWN``.

    An axis is not identified if more than ``most`` of the prior variance is left along it.
    """
    left = _variance_left(uncertainty, prior)
    for axis, share in enumerate(left.tolist()):
        kept = f"items keep {min(100, 100 * share):.0f} % of their prior variance along it"
        if share > most:
            instead = "Take fewer dimensions." if len(left) > 1 else "It takes more answers."
            yield (
                f"Axis {axis + 1} is not identified: annotators think too much alike, or answered "
                f"too little, and {kept}. {instead}"
            )
        elif share > UNKNOWN:
            yield f"Places along axis {axis + 1} are rough: {kept}. It takes more answers per item."


def _variance_left(uncertainty: Uncertainty, prior: Prior) -> Floats:
    """Return the share of the items' prior variance that remains along each axis."""
    left: Floats = np.einsum("iaa->a", uncertainty.items)
    return left / len(uncertainty.items) / prior.items**2


def _constant(answers: Answers, table: AnswerTable) -> Iterator[str]:
    """Yield a sentence per class on the annotators who give no other answer."""
    counts, by_class = table.answers_by_person(), table.choices_by_person()
    for word, chosen in zip(answers.classes[::-1], by_class.T[::-1], strict=True):
        who = np.flatnonzero((chosen == counts) & (counts >= CONSTANT))
        if len(who):
            yield (
                f"{counted(len(who), 'annotator')} always said {word!r} "
                f"({_named(answers.people, who)}): how they weigh the items cannot be known, only "
                "that their threshold is far off."
            )


def _too_narrow(uncertainty: Uncertainty) -> Iterator[str]:
    """Yield a sentence if the uncertainty of items leaves out that of annotators."""
    if not uncertainty.joint:
        yield (
            "The uncertainty of items does not include that of annotators (and vice versa), as "
            "there are too many of them, or too few answers: intervals are too narrow."
        )


def _too_few_labels(answers: Answers, dimensions: int) -> Iterator[str]:
    """Yield a sentence if the expert's labels are too few, or all the same, to find the target.

    The expert is placed like an annotator, and needs as many answers.
    """
    known = answers.experts[answers.experts >= 0]
    needed = 3 * (dimensions + 1)
    if len(known) and (known == known[0]).all():
        one = answers.classes[known[0]]
        others = " or ".join(repr(name) for name in answers.classes if name != one)
        yield (
            f"All of the expert's labels are {one!r} ({counted(len(known), 'item')}): where that "
            f"ends is unknown, and the target is a guess. Add labels that are {others}."
        )
    elif 0 < len(known) < needed:
        yield (
            f"The expert labelled only {counted(len(known), 'item')}: too few for "
            f"{counted(dimensions, 'dimension')}, so the target is a guess. It takes {needed}."
        )


def _contradicted(answers: Answers, items: Floats, prior: Prior) -> Iterator[str]:
    """Yield a sentence if the expert's labels do not fit a straight rule."""
    if not np.isfinite(answers.labels).any():
        return
    rule = expert_rule(items, answers.labels, prior, classes=len(answers.classes))
    sentence = contradiction(rule)
    if sentence is not None:
        yield sentence
    experts = answers.experts[answers.experts >= 0]
    fewest = len(experts) - np.bincount(experts).max()
    if 0 < fewest <= len(rule.contradicting):
        yield (
            "The rule fits no more of the expert's labels than one answer to all items would, so "
            "the target is a guess: are the labels those of these items?"
        )


def _named(names: Sequence[str], places: Ints) -> str:
    """Return the names at the first few of these positions, in words."""
    said = ", ".join(distinct([names[place] for place in places[:NAMED].tolist()], 40))
    return said if len(places) <= NAMED else f"{said}, ..."
