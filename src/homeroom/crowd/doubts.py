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
UNKNOWN = 0.5
"""An axis is not identified if this much of the items' prior variance is left along it."""
TELLING = 5
"""How many equal answers make somebody who always says the same."""


def doubts(
    answers: Answers, items: npt.NDArray[np.float64], sure: Uncertainty, prior: Prior = Prior()
) -> tuple[str, ...]:
    """Return a sentence for each reason to doubt the map."""
    table = Table.of(answers)
    return (
        *_unanswered(answers, table),
        *_apart(answers, table),
        *_sparse(answers, table, items.shape[1]),
        *_alike(sure, prior),
        *_always_the_same(answers, table),
        *_conditional(sure),
        *_seldom_told(answers, items.shape[1]),
        *_contradicted(answers, items, prior),
    )


def guessing(answers: Answers, chosen: Choice) -> tuple[str, ...]:
    """Return a sentence if a map predicts nothing that it has not seen."""
    if chosen.helps:
        return ()
    losses = chosen.held_out
    return (
        f"The map predicts held-out answers no better than each person's share of "
        f"{answers.positive!r} does (log loss {losses[chosen.dimensions]:.3f} against "
        f"{losses[0]:.3f}): its places, its groups and its target mean nothing.",
    )


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


def _alike(sure: Uncertainty, prior: Prior) -> Iterator[str]:
    left = np.einsum("iaa->a", sure.items) / len(sure.items) / prior.items**2
    instead = "Take fewer dimensions." if len(left) > 1 else "It takes more answers."
    for axis in np.flatnonzero(left > UNKNOWN):
        yield (
            f"Axis {axis + 1} is not identified: people think too much alike (or answered too "
            f"little) for it, and items keep {min(100, 100 * left[axis]):.0f} % of their prior "
            f"variance along it. {instead}"
        )


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
