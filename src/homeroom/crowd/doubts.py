"""What a map should not be trusted with, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from homeroom._words import counted
from homeroom.crowd.answers import Answers
from homeroom.crowd.fitting.dimensions import Choice
from homeroom.crowd.fitting.laplace import Uncertainty
from homeroom.crowd.fitting.posterior import Prior
from homeroom.crowd.fitting.table import Table
from homeroom.crowd.rule import contradiction, expert_rule

NAMED = 3
"""How many of those concerned are named."""
UNKNOWN, SUPPORTED = 0.5, 0.75
"""An axis is not identified if this much of the items' prior variance is left along it; of an axis
that predicts held-out answers, more may be left."""
TELLING = 5
"""How many equal answers make somebody who always says the same."""


def doubts(
    answers: Answers,
    items: npt.NDArray[np.float64],
    sure: Uncertainty,
    prior: Prior = Prior(),
    *,
    supported: bool = False,
) -> tuple[str, ...]:
    """Return a sentence for each reason to doubt the map.

    ``supported`` says that its axes predict held-out answers.
    """
    table = Table.of(answers)
    if not items.shape[1]:
        return tuple(_apart(answers, table))
    return (
        *_unanswered(answers, table),
        *_apart(answers, table),
        *_sparse(answers, table, items.shape[1]),
        *_alike(sure, prior, SUPPORTED if supported else UNKNOWN),
        *_always_the_same(answers, table),
        *_conditional(sure),
        *_seldom_told(answers, items.shape[1]),
        *_contradicted(answers, items, prior),
    )


NO_MAP = (
    "The answers support no map, only how often each annotator says yes: collect more answers per "
    "item, or ask for a map all the same with dimensions=1 (--dimensions 1)."
)
"""The error where a map is needed and there is none."""


def without_map(answers: Answers, chosen: Choice, dimensions: int) -> tuple[str, ...]:
    """Return a sentence if the map has no axis, or fewer than held-out answers would support.

    Parameters
    ----------
    answers
        The answers that the map was made of.
    chosen
        What held-out answers support.
    dimensions
        How many axes of these are identified, and so used.
    """
    losses, best = chosen.held_out, chosen.dimensions
    if dimensions and dimensions == best:
        return ()
    result = (
        f"The map has {counted(dimensions, 'axis', 'axes')}" if dimensions else "There is no map"
    )
    if dimensions == best:
        why = (
            f"an axis would predict held-out answers no better than each annotator's share of "
            f"{answers.positive!r} does (log loss {losses[1]:.3f}, {losses[0]:.3f} without)"
        )
    else:
        why = (
            f"{counted(best, 'axis', 'axes')} would predict held-out answers better (log loss "
            f"{losses[best]:.3f}, {losses[dimensions]:.3f} with {dimensions or 'none'}), but the "
            "items have too few answers to be placed"
        )
    return (f"{result}: {why}. Collect more answers per item.",)


def identified(sure: Uncertainty, prior: Prior = Prior()) -> bool:
    """Return whether items have places along every axis that held-out answers support."""
    return bool((_variance_left(sure, prior) <= SUPPORTED).all())


def no_guide(dimensions: int, before: int, shared: int) -> tuple[str, ...]:
    """Return a sentence if an earlier map cannot say how this one is to lie.

    Parameters
    ----------
    dimensions, before
        How many the new map and the earlier one have.
    shared
        How many items both have.
    """
    if before != dimensions:
        why = f"has {counted(before, 'dimension')}, and this one {dimensions}"
    elif shared < dimensions:
        why = f"has {shared or 'none'} of these items"
    else:
        return ()
    return (f"The earlier map {why}: it is no guide, and the new map does not lie as it lay.",)


def _unanswered(answers: Answers, table: Table) -> Iterator[str]:
    none = np.flatnonzero(table.answers_by_item() == 0)
    if len(none):
        yield (
            f"Nobody answered {counted(len(none), 'item')} ({_named(answers.items, none)}): "
            "where they lie on the map means nothing."
        )
    silent = np.flatnonzero(table.answers_by_person() == 0)
    if len(silent):
        yield (
            f"{counted(len(silent), 'person', 'people')} answered nothing "
            f"({_named(answers.people, silent)}): where they lie on the map means nothing."
        )


def _apart(answers: Answers, table: Table) -> Iterator[str]:
    """Islands of items can be turned and mirrored each for itself, and no answer minds."""
    asked = table.answers_by_item() > 0
    sizes = np.bincount(table.islands[asked])
    if (sizes > 0).sum() > 1:
        others = np.flatnonzero(asked & (table.islands != sizes.argmax()))
        yield (
            f"The answers fall into {(sizes > 0).sum()} parts that have neither people nor items "
            f"in common ({counted(len(others), 'item')} outside the largest: "
            f"{_named(answers.items, others)}): how these lie to each other means nothing. Make a "
            "map of each."
        )


def _sparse(answers: Answers, table: Table, dimensions: int) -> Iterator[str]:
    """A place has as many numbers as dimensions, a line one more; each needs a few answers."""
    by_item, by_person = table.answers_by_item(), table.answers_by_person()
    kinds = (
        ("items", "places", answers.items, by_item, 3 * dimensions),
        ("people", "places and groups", answers.people, by_person, 3 * (dimensions + 1)),
    )
    for what, guessed, names, counts, needed in kinds:
        few = np.flatnonzero((counts > 0) & (counts < needed))
        if len(few):
            yield (
                f"{len(few)} of {len(names)} {what} have fewer than {needed} answers "
                f"({_named(names, few)}): too few for {counted(dimensions, 'dimension')}, so that "
                f"their {guessed} are guesses."
            )


def _alike(sure: Uncertainty, prior: Prior, most: float) -> Iterator[str]:
    left = _variance_left(sure, prior)
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


def _variance_left(sure: Uncertainty, prior: Prior) -> npt.NDArray[np.float64]:
    """Return the share of the items' prior variance that is left along each axis."""
    left: npt.NDArray[np.float64] = np.einsum("iaa->a", sure.items)
    return left / len(sure.items) / prior.items**2


def _always_the_same(answers: Answers, table: Table) -> Iterator[str]:
    counts, yes = table.answers_by_person(), table.yes_by_person()
    for word, same in ((answers.positive, yes == counts), (answers.negative, yes == 0)):
        who = np.flatnonzero(same & (counts >= TELLING))
        if len(who):
            number = counted(len(who), "person", "people")
            yield (
                f"{number} always said {word!r} ({_named(answers.people, who)}): how they weigh "
                "the items cannot be known, only that their threshold is far off."
            )


def _conditional(sure: Uncertainty) -> Iterator[str]:
    if not sure.joint:
        yield (
            "The uncertainty of items does not count that people are uncertain too (and the other "
            "way round), as there are too many of them, or too few answers: intervals are too "
            "narrow."
        )


def _seldom_told(answers: Answers, dimensions: int) -> Iterator[str]:
    """The expert is put on the map like a person, and needs as many answers, of both kinds."""
    known = answers.labels[np.isfinite(answers.labels)]
    needed = 3 * (dimensions + 1)
    if len(known) and (known == known[0]).all():
        words = (answers.positive, answers.negative)
        one, other = words if known[0] > 0 else words[::-1]
        yield (
            f"All of the expert's labels are {one!r} ({counted(len(known), 'item')}): nothing says "
            f"where that ends, and the target is a guess. Add labels that are {other!r}."
        )
    elif 0 < len(known) < needed:
        yield (
            f"The expert's label is known of {counted(len(known), 'item')} only: too few for "
            f"{counted(dimensions, 'dimension')}, so that the target is a guess. It takes {needed}."
        )


def _contradicted(answers: Answers, items: npt.NDArray[np.float64], prior: Prior) -> Iterator[str]:
    if not np.isfinite(answers.labels).any():
        return
    rule = expert_rule(items, answers.labels, prior)
    sentence = contradiction(rule)
    if sentence is not None:
        yield sentence
    seldom = min((answers.labels > 0).sum(), (answers.labels < 0).sum())
    if 0 < seldom <= len(rule.contradicting):
        yield (
            "The rule suits no more of the expert's labels than one answer to all items would, so "
            "that the target is a guess: are the labels those of these items?"
        )


def _named(names: Sequence[str], places: npt.NDArray[np.int64]) -> str:
    """Return the first few names, and that there are more."""
    said = ", ".join(names[place][:40] for place in places[:NAMED].tolist())
    return said if len(places) <= NAMED else f"{said}, ..."
