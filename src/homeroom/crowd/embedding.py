"""A map of items and annotators, fitted to nothing but their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, softmax

from homeroom import _arrays, _notebook, plots
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, counted, whole
from homeroom.classroom import Classroom
from homeroom.crowd.answer_arrays import label_codes
from homeroom.crowd.answers import Answers
from homeroom.crowd.clusters import clusters
from homeroom.crowd.fitting.answer_table import AnswerTable
from homeroom.crowd.fitting.dimensions import choose_dimensions
from homeroom.crowd.fitting.parameters import MapParameters, canonical_rotation, rotation_onto
from homeroom.crowd.fitting.posterior import Posterior, Prior
from homeroom.crowd.fitting.search import fit_lines, most_probable, promising_starts
from homeroom.crowd.fitting.uncertainty import Uncertainty, laplace
from homeroom.crowd.map_warnings import (
    NO_MAP,
    better_without,
    check_enough,
    fewer_axes,
    identified,
    map_warnings,
    not_aligned,
)
from homeroom.crowd.rule import ExpertRule, expert_rule
from homeroom.pools import DirectionPool

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Who = str | int | npt.ArrayLike
"""Names or positions (counted from 0) of annotators or items: one, or several in a list."""

STARTS, MANY = 4, 200_000
"""The number of starts of the search, and the number of answers above which one is enough."""


class Newcomer(NamedTuple):
    """A new annotator on a map: ``w``, ``tau``, and the covariance of ``(w, tau)``.

    With more than two classes, each has a leading axis for the classes.
    """

    weights: Floats
    threshold: float | Floats
    covariance: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Embedding:
    """A map on which an item is a point, and an annotator is a line with a yes-side.

    Annotator ``j`` says yes to item ``i`` with probability ``Phi(<w_j, x_i> - tau_j)``, where
    ``Phi`` is the normal distribution function (Welinder, Branson, Perona and Belongie 2010). With
    K > 2 classes, an annotator has a region per class, and says ``c`` with probability
    ``softmax_c(<w_jc, x_i> - tau_jc)``. Create a map with :meth:`fit`.

    Parameters
    ----------
    items
        The places of the items, ``x``, shape ``(items, dimensions)``.
    people
        The weights of the annotators, ``w``, shape ``(people, dimensions)``, or
        ``(people, K, dimensions)``.
    thresholds
        The value above which they say yes, ``tau``, shape ``(people,)``, or ``(people, K)``.
    item_names, person_names
        The names of items and annotators, in the order of the rows.
    labels
        The expert's label of each item: +1, -1, or nan; with K > 2 classes a position in
        ``classes``, or nan.
    log_loss
        The mean of ``-log P(answer)`` over the answers that the map was fitted to.
    uncertainty
        The covariances of all items and annotators.
    held_out
        The log loss of held-out answers for each number of dimensions that was tried, where 0
        means thresholds only. If the number was given: empty for two classes, and only that number
        for more.
    warnings
        Reasons to doubt the map, as sentences.
    classes
        The names of the answers. With two, the negative one comes first.
    prior
        The prior that the map was fitted with.
    dawid_skene
        The log loss of held-out answers under Dawid and Skene's model, if it was computed.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> person, item = np.divmod(np.arange(600), 30)
    >>> says_yes = (item < 15) ^ (rng.random(600) < 0.1)
    >>> answers = Answers.from_arrays(person, item, says_yes)
    >>> found = Embedding.fit(answers, dimensions=1)
    >>> found
    Embedding(30 items, 20 annotators, 1 dimension, log loss 0.249)
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
    classes: tuple[str, ...] = ("no", "yes")
    prior: Prior = Prior()
    dawid_skene: float | None = None

    def __post_init__(self) -> None:
        for name in ("items", "people", "thresholds", "labels"):
            object.__setattr__(self, name, _arrays.freeze(getattr(self, name)))

    @classmethod
    def fit(
        cls,
        answers: Answers,
        *,
        dimensions: int | None = None,
        seed: int = 0,
        previous: Embedding | None = None,
        starts: int | None = None,
        progress: Callable[[float], None] | bool | None = None,
    ) -> Embedding:
        """Return the most probable map.

        Parameters
        ----------
        answers
            The answers.
        dimensions
            The number of axes. By default that of ``previous``, if it has axes; else it is chosen
            automatically: the number that predicts held-out answers best, from 0 to 4 (with many
            classes up to K - 1, at most 8). An automatic choice also drops axes along which the
            answers do not determine the items' places. With 0 axes there is no map, only each
            annotator's thresholds.
        seed
            For the choice of held-out answers, and for all starts but the first.
        previous
            An earlier map of some of the items. The search starts from it, and the new map is
            rotated to match it, so that a live map does not jump.
        starts
            The number of starts of the search. By default four, or only the most promising one if
            there are so many answers that the others do not help.
        progress
            ``True`` shows a bar. A function is called repeatedly with the fraction that is done,
            from 0 to 1.

        Raises
        ------
        ValueError
            If these answers are not enough for any map.
        """
        if progress is True:
            with _notebook.progress_bar("Fitting the map") as move:
                return cls.fit(
                    answers,
                    dimensions=dimensions,
                    seed=seed,
                    previous=previous,
                    starts=starts,
                    progress=move,
                )
        check_enough(answers)
        if starts is None:
            starts = STARTS if len(answers) <= MANY else 1
        whole(starts, "starts", at_least=1)
        report = progress if callable(progress) else (lambda _: None)
        most = min(len(answers.items), len(answers.people))
        chosen = None
        if dimensions is None and previous is not None and previous.dimensions:
            dimensions = min(previous.dimensions, most)
        if dimensions is not None:
            whole(dimensions, "dimensions", at_least=1, at_most=most)
        automatic = dimensions is None
        if automatic or len(answers.classes) > 2:  # classes: the prior's width has to be chosen
            chosen = choose_dimensions(
                answers, given=dimensions, seed=seed, progress=lambda now: report(0.5 * now)
            )
            dimensions = chosen.dimensions
        assert dimensions is not None
        prior = Prior() if chosen is None else chosen.prior
        posterior = Posterior(AnswerTable.of(answers), prior)
        steps, first = count(1), 0.0 if chosen is None else 0.5
        while True:
            found, uncertainty = _fit(
                posterior,
                answers,
                dimensions,
                previous,
                number=starts,
                seed=seed,
                tick=lambda: report(first + (0.95 - first) * (1 - 0.98 ** next(steps))),
            )
            if not automatic or identified(uncertainty):
                break
            dimensions -= 1
        report(1.0)
        warnings: tuple[str, ...] = ()
        if chosen is not None:
            warnings = fewer_axes(answers, chosen, dimensions) if automatic else ()
            warnings += better_without(chosen, dimensions)
        if previous is not None:
            shared = len(_shared(answers.items, previous.item_names)[0])
            warnings += not_aligned(dimensions, previous.dimensions, shared)
        warnings += map_warnings(answers, found.items, uncertainty, prior, supported=automatic)
        return cls(
            *found,
            answers.items,
            answers.people,
            answers.labels,
            posterior.mean_log_loss(found),
            uncertainty,
            {} if chosen is None else chosen.held_out,
            warnings,
            answers.classes,
            prior,
            None if chosen is None else chosen.dawid_skene,
        )

    @property
    def dimensions(self) -> int:
        """The number of axes; 0 if there are only thresholds, and no map."""
        return int(self.items.shape[1])

    def check_has_axes(self) -> None:
        """Raise ``InputError`` if the map has no axes."""
        if not self.dimensions:
            raise InputError(NO_MAP)

    def probability(self, person: Who, item: Who) -> float | Floats:
        """Return the probability that an annotator says yes to an item.

        Both are names or positions counted from 0. Both may be lists of the same length, which are
        combined pair by pair; the result is then an array. With more than two classes, the last
        axis has the probability of each class.
        """
        whose = self._positions(person, self._person_positions, "person")
        which = self._positions(item, self._item_positions, "item")
        try:
            np.broadcast_shapes(whose.shape, which.shape)
        except ValueError:
            raise InputError(
                "`person` and `item` are combined pair by pair, so they must have the same length, "
                f"but have the shapes {whose.shape} and {which.shape}."
            ) from None
        scores = self._parameters.certainty(whose, which)
        chance = ndtr(scores) if len(self.classes) == 2 else softmax(scores, axis=-1)
        return float(chance) if np.ndim(chance) == 0 else np.asarray(chance)

    def newcomer(self, items: Who, yes: npt.ArrayLike) -> Newcomer:
        """Return the line of a new annotator who gave these answers; the items stay in place.

        Parameters
        ----------
        items
            The answered items, as names or positions.
        yes
            The answer to each item: the name of its class, or its position in ``classes``. With two
            classes also ``True`` for yes and ``False`` for no.
        """
        if np.ndim(items) > 1 or np.size(items) == 0:
            raise InputError(
                f"`items` must be a list of at least one item, but has shape {np.shape(items)}."
            )
        places = np.atleast_1d(self._positions(items, self._item_positions, "item"))
        said, expected = np.atleast_1d(np.asarray(yes)), "`yes` must be names of classes"
        classes, centre = len(self.classes), None
        if classes > 2:
            centre = self.prior.crowd_lines(self._parameters)
        else:
            expected = "`yes` must be True or False, names of classes"
            said = said.astype(np.int64) if said.dtype.kind == "b" else said
        named = {name: code for code, name in enumerate(self.classes)}
        said = self._positions(said, named, "class", expected)
        if said.shape != places.shape:
            raise InputError(
                f"`yes` must have one answer for each of the {len(places)} items, "
                f"but has shape {said.shape}."
            )
        zeros = np.zeros(len(places), dtype=np.int32)
        table = AnswerTable.sort(
            1,
            len(self.items),
            zeros,
            places.astype(np.int32),
            said.astype(np.int8),
            classes=classes,
        )
        lines, covariances = fit_lines(self.items, table, self.prior, centre=centre)
        threshold = float(lines[0, -1]) if classes == 2 else lines[0, :, -1]
        return Newcomer(lines[0, ..., :-1], threshold, covariances[0])

    def rule(self) -> ExpertRule:
        """Return the best straight rule for the expert's labels, and which items contradict it."""
        self.check_has_axes()
        return expert_rule(self.items, self.labels, self.prior, classes=len(self.classes))

    @property
    def experts(self) -> Ints:
        """The expert's answer to each item as a position in ``classes``; -1 if it is not known."""
        return label_codes(self.labels, len(self.classes))

    def target(self) -> Floats:
        """Return the target ``(w*, -tau*)`` of teaching: the expert's rule, shape ``(d + 1,)``.

        With K > 2 classes, the rules of all classes concatenated, shape ``(K (d + 1),)``.
        """
        return self.rule().target

    def groups(self, k: int | None = None, *, seed: int = 0) -> Ints:
        """Return the group of each annotator, shape ``(people,)``, counted from 0.

        Group 0 is the largest. Annotators who would give similar answers share a group. The number
        of groups is chosen automatically if it is not given; see
        :func:`homeroom.crowd.clusters.clusters`.
        """
        self.check_has_axes()
        return clusters(self._parameters, self.uncertainty.people, k, seed=seed)

    def to_classroom(
        self,
        rate: float = 0.05,
        example_radius: float = 2.0,
        *,
        target: npt.ArrayLike | None = None,
    ) -> Classroom:
        """Return the annotators as a class to be taught the expert's rule.

        A state is ``(w, -tau)``: the sign of its product with an example ``(x, 1)`` decides between
        yes and no. With K > 2 classes a state has K of these, one after the other, as the losses
        with classes expect it: ``GradientLearner(Logistic(classes=K))``.

        Parameters
        ----------
        rate
            The learning rate of all annotators.
        example_radius
            The largest length of an example.
        target
            Another target than :meth:`target`, of the same shape.
        """
        self.check_has_axes()
        return Classroom(
            np.concatenate([self.people, -self.thresholds[..., None]], axis=-1).reshape(
                len(self.people), -1
            ),
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
        from homeroom.crowd import map_file

        map_file.save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Embedding:
        """Read a map from a ``.npz`` file, and check it."""
        from homeroom.crowd import map_file

        return map_file.load(path)

    @property
    def _parameters(self) -> MapParameters:
        return MapParameters(self.items, self.people, self.thresholds)

    @cached_property
    def _item_positions(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.item_names)}

    @cached_property
    def _person_positions(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.person_names)}

    def _positions(
        self, who: Who, places: dict[str, int], kind: str, expected: str | None = None
    ) -> Ints:
        """Return names or positions as positions, in the given shape.

        ``places`` has the position of each name. ``kind`` and ``expected`` are words for errors.
        """
        named = np.asarray(who)
        if named.dtype.kind in "OT" and all(isinstance(name, str) for name in named.flat):
            named = named.astype(np.str_)  # a column of pandas
        if named.dtype.kind == "U":
            unknown = next((name for name in named.ravel().tolist() if name not in places), None)
            if unknown is not None:
                raise InputError(f"There is no {kind} called {unknown[:40]!r} on this map.")
            found = [places[name] for name in named.ravel().tolist()]
            return np.array(found, dtype=np.int64).reshape(named.shape)
        inside = named.dtype.kind in "iu" and bool(((named >= 0) & (named < len(places))).all())
        if not inside:
            raise InputError(
                f"{expected or f'`{kind}` must be names'}, or positions from 0 to "
                f"{len(places) - 1}, but is {str(who)[:80]}."
            )
        return named.astype(np.int64)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the items on the first two axes, coloured by the expert's labels.

        ``homeroom crowd map`` draws annotators and groups as well. A notebook shows the plot,
        unless it is drawn on given axes.
        """
        self.check_has_axes()
        first = self.items[:, 0]
        second = self.items[:, 1] if self.dimensions > 1 else np.zeros(len(first))
        with plots.drawing(ax) as drawn:
            names = [*enumerate(self.classes)]
            if len(names) == 2:
                names.reverse()  # yes first
            for number, (code, name) in enumerate(names):
                own = self.experts == code
                if not own.any():
                    continue
                colour, mark = plots.COLOURS[number % len(plots.COLOURS)], "os^Dv*P"[number % 7]
                drawn.scatter(
                    first[own],
                    second[own],
                    s=14,
                    color=colour,
                    marker=mark,
                    label=f"expert: {name}",
                )
            rest = ~np.isfinite(self.labels)
            if rest.any():
                drawn.scatter(first[rest], second[rest], s=14, color="#5c5c5c", label="no label")
            drawn.set(xlabel="axis 1", ylabel="axis 2" if self.dimensions > 1 else "")
            if not rest.all():
                drawn.legend()
            return drawn

    def _repr_html_(self) -> str:
        rows = [
            ("items", f"{len(self.items):,}"),
            ("annotators", f"{len(self.people):,}"),
            ("dimensions", self.dimensions),
            (
                f"log loss ({np.log(len(self.classes)):.3f} would be guessing)",
                f"{self.log_loss:.3f}",
            ),
            ("items with an expert's label", int(np.isfinite(self.labels).sum())),
        ]
        draw = (lambda: plots.picture(self.plot)) if self.dimensions else None
        return _notebook.html("A map of items and annotators", (), rows, draw)

    def __repr__(self) -> str:
        size = f"{counted(len(self.items), 'item')}, {counted(len(self.people), 'annotator')}"
        axes = counted(self.dimensions, "dimension")
        return f"Embedding({size}, {axes}, log loss {self.log_loss:.3f})"


def _fit(
    posterior: Posterior,
    answers: Answers,
    dimensions: int,
    previous: Embedding | None,
    *,
    number: int,
    seed: int,
    tick: Callable[[], None],
) -> tuple[MapParameters, Uncertainty]:
    """Return the most probable map with this many axes, and its uncertainty.

    ``number`` is the number of starts, and ``tick`` is called after each step of the search.
    """
    if not dimensions:
        items = np.zeros((len(answers.items), 0))
        lines, covariances = fit_lines(items, posterior.table, posterior.prior)
        return MapParameters.of(items, lines), Uncertainty(
            np.zeros((len(items), 0, 0)), covariances
        )
    starts = _starts(posterior, answers, dimensions, previous, number=number, seed=seed)
    found = most_probable(posterior, starts, tick=tick)
    found = found.rotate(_rotation(found, answers.items, previous))
    return found, laplace(posterior, found)


def _starts(
    posterior: Posterior,
    answers: Answers,
    dimensions: int,
    previous: Embedding | None,
    *,
    number: int,
    seed: int,
) -> Iterator[MapParameters]:
    """Yield about ``number`` maps to start the search from.

    First the previous map, if it has the same number of axes, then maps that the answers suggest.
    """
    if previous is not None and previous.dimensions == dimensions:
        number = max(1, number - 1)
        items = np.zeros((len(answers.items), dimensions))
        here, there = _shared(answers.items, previous.item_names)
        items[here] = previous.items[there]
        yield MapParameters.of(items, fit_lines(items, posterior.table, posterior.prior)[0])
    rng = np.random.default_rng(seed)
    yield from promising_starts(posterior.table, dimensions, posterior.prior, number, rng)


def _rotation(found: MapParameters, names: Sequence[str], previous: Embedding | None) -> Floats:
    """Return the rotation that matches the previous map, or else the canonical one."""
    if previous is not None and previous.dimensions == found.dimensions:
        here, there = _shared(names, previous.item_names)
        if len(here) >= found.dimensions:
            return rotation_onto(found.items[here], previous.items[there])
    return canonical_rotation(found)


def _shared(names: Sequence[str], others: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the positions, in both lists, of the names that both contain."""
    places = {name: place for place, name in enumerate(others)}
    both = [(here, places[name]) for here, name in enumerate(names) if name in places]
    found = np.array(both, dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]
