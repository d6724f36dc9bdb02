"""A map of items and people, made of nothing but who answered what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from os import PathLike
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from homeroom import _arrays
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, whole
from homeroom._words import counted
from homeroom.classroom import Classroom
from homeroom.crowd.align import canonical, onto
from homeroom.crowd.answers import Answers
from homeroom.crowd.doubts import NO_MAP, doubts, identified, no_guide, without_map
from homeroom.crowd.enough import refuse_too_little
from homeroom.crowd.fitting.climb import climb
from homeroom.crowd.fitting.dimensions import choose_dimensions
from homeroom.crowd.fitting.laplace import Uncertainty, laplace
from homeroom.crowd.fitting.people import people_on
from homeroom.crowd.fitting.point import Point
from homeroom.crowd.fitting.posterior import Posterior
from homeroom.crowd.fitting.starts import starts as promising
from homeroom.crowd.fitting.table import Table
from homeroom.crowd.rule import Rule, expert_rule
from homeroom.crowd.schools import schools
from homeroom.pools import DirectionPool

Who = str | int | npt.ArrayLike
"""Names or places (counted from 0) of people or items: one, or several in a list."""

STARTS, MANY = 4, 200_000
"""From how many places a search starts, and with how many answers one is enough."""


class Newcomer(NamedTuple):
    """Somebody new on a map: ``w``, ``tau``, and the covariance of ``(w, tau)``."""

    weights: Floats
    threshold: float
    covariance: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Embedding:
    """A map on which an item is a point, and a person a line with a yes-side.

    Person ``j`` says yes to item ``i`` with probability ``Phi(<w_j, x_i> - tau_j)`` (Welinder,
    Branson, Perona and Belongie 2010). Make one with :meth:`fit`.

    Parameters
    ----------
    items
        Where the items are, ``x``, shape ``(items, dimensions)``.
    people
        How people weigh the axes, ``w``, shape ``(people, dimensions)``.
    thresholds
        From where on they say yes, ``tau``, shape ``(people,)``.
    item_names, person_names
        Names, in the order of the rows.
    labels
        The expert's label of each item: +1, -1, or nan.
    log_loss
        The mean of ``-log P(answer)`` over the answers that the map was made of.
    uncertainty
        Covariances of every item and person.
    held_out
        The log loss of answers that were held out, for each number of dimensions that was tried,
        from none (each person's share of yes); empty if the number was given.
    warnings
        What the map should not be trusted with, a sentence each.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> person, item = np.divmod(np.arange(600), 30)
    >>> says_yes = (item < 15) ^ (rng.random(600) < 0.1)
    >>> answers = Answers.from_arrays(person, item, says_yes)
    >>> found = Embedding.fit(answers, dimensions=1)
    >>> found
    Embedding(30 items, 20 people, 1 dimension, log loss 0.249)
    >>> round(found.probability("0", "7"), 2), round(found.probability("0", "20"), 2)
    (0.77, 0.11)
    """

    items: Floats
    people: Floats
    thresholds: Floats
    item_names: tuple[str, ...]
    person_names: tuple[str, ...]
    labels: Floats
    log_loss: float
    uncertainty: Uncertainty
    held_out: Mapping[int, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("items", "people", "thresholds", "labels"):
            object.__setattr__(self, name, _arrays.frozen(getattr(self, name)))

    @classmethod
    def fit(
        cls,
        answers: Answers,
        *,
        dimensions: int | None = None,
        seed: int = 0,
        previous: Embedding | None = None,
        starts: int | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Embedding:
        """Return the most probable map.

        Parameters
        ----------
        answers
            Who answered what.
        dimensions
            How many axes the map has; if not given, as many as ``previous`` has, or else as many
            as predict held-out answers best and are identified, from none to four. Without axes
            there are only thresholds, how often each annotator says yes, and no map.
        seed
            For what is held out, and for all starts but the first.
        previous
            An earlier map of some of the items: the search starts from it, and the new map is
            turned to lie as it lay, so that a live map does not jump.
        starts
            From how many places the search starts; if not given, from four, or from the most
            promising one if there are so many answers that the others do not help.
        progress
            Called now and then with how much is done, from 0 to 1.

        Raises
        ------
        ValueError
            If these answers are not enough for any map, in a sentence.
        """
        refuse_too_little(answers)
        if starts is None:
            starts = STARTS if len(answers) <= MANY else 1
        whole(starts, "starts", at_least=1)
        report = progress or (lambda _: None)
        most = min(len(answers.items), len(answers.people))
        chosen = None
        if dimensions is None and previous is not None and previous.dimensions:
            dimensions = min(previous.dimensions, most)
        if dimensions is not None:
            whole(dimensions, "dimensions", at_least=1, at_most=most)
        else:
            chosen = choose_dimensions(answers, seed=seed, progress=lambda now: report(0.5 * now))
            dimensions = chosen.dimensions
        posterior = Posterior(Table.of(answers))
        steps, first = count(1), 0.0 if chosen is None else 0.5
        while True:
            point, sure = _most_probable(
                posterior,
                answers,
                dimensions,
                previous,
                number=starts,
                seed=seed,
                tick=lambda: report(first + (0.95 - first) * (1 - 0.98 ** next(steps))),
            )
            if chosen is None or identified(sure):
                break
            dimensions -= 1
        report(1.0)
        beforehand = () if chosen is None else without_map(answers, chosen, dimensions)
        if previous is not None:
            shared = len(_shared(answers.items, previous.item_names)[0])
            beforehand += no_guide(dimensions, previous.dimensions, shared)
        return cls(
            *point,
            answers.items,
            answers.people,
            answers.labels,
            posterior.mean_log_loss(point),
            sure,
            {} if chosen is None else chosen.held_out,
            (*beforehand, *doubts(answers, point.items, sure, supported=chosen is not None)),
        )

    @property
    def dimensions(self) -> int:
        """How many axes the map has; 0 if there are only thresholds, and no map."""
        return int(self.items.shape[1])

    def check_has_axes(self) -> None:
        """Raise an error that says what to do if the answers support no map."""
        if not self.dimensions:
            raise InputError(NO_MAP)

    def probability(self, person: Who, item: Who) -> float | Floats:
        """Return how likely a person says yes to an item; of several, an array.

        Both may be names or places counted from 0; two lists are taken pair by pair.
        """
        whose = self._places(person, self._person_places, "person")
        which = self._places(item, self._item_places, "item")
        chance = ndtr(Point(self.items, self.people, self.thresholds).certainty(whose, which))
        return float(chance) if np.ndim(chance) == 0 else np.asarray(chance)

    def newcomer(self, items: Who, yes: npt.ArrayLike) -> Newcomer:
        """Return where somebody new belongs who gave these answers; the items stay in place.

        Parameters
        ----------
        items
            The items answered, as names or places.
        yes
            Whether each answer was yes.
        """
        places = np.atleast_1d(self._places(items, self._item_places, "item"))
        said = np.atleast_1d(np.asarray(yes))
        if said.shape != places.shape or said.dtype.kind not in "biu":
            raise InputError(
                f"`yes` must say True or False for each of the {len(places)} items, "
                f"but has shape {said.shape} and dtype {said.dtype}."
            )
        strange = said[(said != 0) & (said != 1)]
        if len(strange):
            raise InputError(
                f"`yes` must say True or False (1 or 0) for each item, but has {strange[0]}."
            )
        zeros = np.zeros(len(places), dtype=np.int32)
        table = Table.sort(1, len(self.items), zeros, places.astype(np.int32), said.astype(bool))
        lines, covariances = people_on(self.items, table)
        return Newcomer(lines[0, :-1], float(lines[0, -1]), covariances[0])

    def rule(self) -> Rule:
        """Return the best straight rule for the expert's labels, and which items contradict it."""
        self.check_has_axes()
        return expert_rule(self.items, self.labels)

    def target(self) -> Floats:
        """Return what is to be taught, ``(w*, -tau*)``: the expert's rule, shape ``(d + 1,)``."""
        return self.rule().target

    def groups(self, k: int | None = None, *, seed: int = 0) -> Ints:
        """Return the group of each person, the largest first: people who would answer alike.

        How many groups is found out if it is not given; see :func:`homeroom.crowd.schools.schools`.
        """
        self.check_has_axes()
        point = Point(self.items, self.people, self.thresholds)
        return schools(point, self.uncertainty.people, k, seed=seed)

    def to_classroom(
        self,
        rate: float = 0.05,
        example_radius: float = 2.0,
        *,
        target: npt.ArrayLike | None = None,
    ) -> Classroom:
        """Return the people as a class to be taught the expert's rule.

        A state is ``(w, -tau)``, so that its product with an example ``(x, 1)`` is what decides
        about yes and no.

        Parameters
        ----------
        rate
            How strongly everybody reacts to an example.
        example_radius
            No example is longer than this.
        target
            What to teach instead of :meth:`target`, shape ``(d + 1,)``.
        """
        self.check_has_axes()
        return Classroom(
            np.column_stack([self.people, -self.thresholds]),
            np.full(len(self.people), float(rate)),
            self.target() if target is None else np.asarray(target, dtype=np.float64),
            example_radius=example_radius,
            names=self.person_names,
        )

    def pool(self) -> DirectionPool:
        """Return the items as directions ``(x, 1)`` that a teacher may scale."""
        self.check_has_axes()
        return DirectionPool(np.column_stack([self.items, np.ones(len(self.items))]))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the map to a ``.npz`` file."""
        from homeroom.crowd import embedding_file

        embedding_file.save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Embedding:
        """Read a map from a ``.npz`` file, checked for being one."""
        from homeroom.crowd import embedding_file

        return embedding_file.load(path)

    @cached_property
    def _item_places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.item_names)}

    @cached_property
    def _person_places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.person_names)}

    def _places(self, who: Who, places: dict[str, int], kind: str) -> Ints:
        """Return names or places as places."""
        named = np.asarray(who)
        if named.dtype.kind == "U":
            unknown = next((name for name in named.ravel().tolist() if name not in places), None)
            if unknown is not None:
                raise InputError(f"There is no {kind} called {unknown[:40]!r} on this map.")
            found = [places[name] for name in named.ravel().tolist()]
            return np.array(found, dtype=np.int64).reshape(named.shape)
        inside = named.dtype.kind in "iu" and bool(((named >= 0) & (named < len(places))).all())
        if not inside:
            raise InputError(
                f"`{kind}` must be names, or places from 0 to {len(places) - 1}, "
                f"but is {str(who)[:80]}."
            )
        return named.astype(np.int64)

    def __repr__(self) -> str:
        size = (
            f"{counted(len(self.items), 'item')}, {counted(len(self.people), 'person', 'people')}"
        )
        axes = counted(self.dimensions, "dimension")
        return f"Embedding({size}, {axes}, log loss {self.log_loss:.3f})"


def _most_probable(
    posterior: Posterior,
    answers: Answers,
    dimensions: int,
    previous: Embedding | None,
    *,
    number: int,
    seed: int,
    tick: Callable[[], None],
) -> tuple[Point, Uncertainty]:
    """Return the most probable map with so many axes, and how uncertain it is."""
    if not dimensions:
        items = np.zeros((len(answers.items), 0))
        lines, covariances = people_on(items, posterior.table, posterior.prior)
        point = Point(items, lines[:, :-1], lines[:, -1])
        return point, Uncertainty(np.zeros((len(items), 0, 0)), covariances)
    begin = _begin(posterior, answers, dimensions, previous, number=number, seed=seed)
    point = climb(posterior, begin, tick=tick)
    point = point.turn(_way_round(point, answers.items, previous))
    return point, laplace(posterior, point)


def _begin(
    posterior: Posterior,
    answers: Answers,
    dimensions: int,
    previous: Embedding | None,
    *,
    number: int,
    seed: int,
) -> Iterator[Point]:
    """Yield where to start: from the previous map, if there is one, and from the answers."""
    if previous is not None and previous.dimensions == dimensions:
        number = max(1, number - 1)
        items = np.zeros((len(answers.items), dimensions))
        here, there = _shared(answers.items, previous.item_names)
        items[here] = previous.items[there]
        lines, _ = people_on(items, posterior.table, posterior.prior)
        yield Point(items, lines[:, :-1], lines[:, -1])
    rng = np.random.default_rng(seed)
    yield from promising(posterior.table, dimensions, posterior.prior, number, rng)


def _way_round(point: Point, names: Sequence[str], previous: Embedding | None) -> Floats:
    """Return the turn after which the map lies as the previous one, or as a map should."""
    if previous is not None and previous.dimensions == point.dimensions:
        here, there = _shared(names, previous.item_names)
        if len(here) >= point.dimensions:
            return onto(point.items[here], previous.items[there])
    return canonical(point)


def _shared(names: Sequence[str], others: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the places of the names that both have, in both."""
    places = {name: place for place, name in enumerate(others)}
    both = [(here, places[name]) for here, name in enumerate(names) if name in places]
    found = np.array(both, dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]
