"""The posterior probability of a map: a probit likelihood, and Gaussian priors.

Without priors a map could be shifted, scaled or sheared together with its annotators, and no
answer would become more or less probable. Gaussian priors around zero leave only rotations and
reflections::

    x_i ~ N(0, I)    w_j ~ N(0, 1/4 I)    tau_j ~ N(0, 1)    P(yes) = Phi(<w_j, x_i> - tau_j)

Item ``i`` is at ``x_i``. Annotator ``j`` has the line ``(w_j, tau_j)``: weights and a threshold.
``<w_j, x_i> - tau_j`` is the score, and ``Phi`` the normal distribution function.

With K > 2 classes an annotator has a score and a line per class, also called a row. It is near the
crowd's row of that class::

    w_jc ~ N(m_c, s^2 I)    m_c ~ N(0, t^2 I)    P(c) = softmax_c(<w_jc, x_i> - tau_jc)

and the same for thresholds. The best ``m_c`` has a closed form, ``r`` times the mean of the
annotators' rows with ``r = J t^2 / (s^2 + J t^2)`` for J annotators, so it is not a parameter. At
the peak, the rows of an annotator sum to zero over the classes, as only the prior fixes their sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import erfcx

from homeroom._arrays import Floats
from homeroom.crowd.fitting.answer_table import AnswerBlock, AnswerTable
from homeroom.crowd.fitting.parameters import MapParameters

_LARGEST = 35.0
"""Beyond this ``Phi(z)`` is one to the last bit, and ``erfcx(-z / sqrt 2)`` would overflow."""


NARROWEST = 0.05
"""The smallest width of a prior that is estimated. At zero, annotators could not differ."""


class Probit(NamedTuple):
    """The log probability of each answer, and its derivatives with respect to ``z``.

    ``z`` is positive where the model expects the answer.
    """

    log_probability: Floats
    """``log Phi(z)``."""
    slope: Floats
    """Its derivative ``phi(z) / Phi(z)``."""
    curvature: Floats
    """Minus its second derivative: ``slope * (slope + z)``, between 0 and 1."""


def probit(z: Floats) -> Probit:
    """Return the log probability of answers at ``z``, and its derivatives.

    Nothing overflows or underflows, down to ``z = -1e7``. There ``slope + z`` has few digits left,
    so the curvature is limited to 1.

    With ``e = erfcx(-z / sqrt 2)``: ``log Phi(z) = log(e / 2) - z^2 / 2``, and
    ``phi(z) / Phi(z) = sqrt(2 / pi) / e``.

    >>> probit(np.array([0.0])).log_probability, probit(np.array([-1e5])).slope
    (array([-0.69314718]), array([100000.00001]))
    """
    z = np.minimum(z, _LARGEST)
    e = erfcx(z * -math.sqrt(0.5))
    slope = math.sqrt(2 / math.pi) / e
    log_probability = np.log(0.5 * e)
    log_probability -= 0.5 * z * z
    return Probit(log_probability, slope, np.minimum(slope * (slope + z), 1.0))


class ProbitAnswers:
    """Yes-or-no answers under a map: their log probability, and its derivatives in the score.

    ``log_probability`` and ``curvature`` (minus the second derivative) have shape ``(answers,)``.
    """

    def __init__(self, block: AnswerBlock, parameters: MapParameters) -> None:
        answers = probit(block.signs * yes_scores(block, parameters))
        self.log_probability = answers.log_probability
        self.curvature = answers.curvature
        self.slopes = (block.signs * answers.slope)[None]
        """The derivative of the log probability by each score, shape ``(1, answers)``."""

    def subtract_slopes(
        self, block: AnswerBlock, parameters: MapParameters, gradient: MapParameters
    ) -> None:
        """Subtract the derivative of the sum of log probabilities from a gradient."""
        slopes = block.sums(self.slopes[0])
        gradient.items[...] -= slopes.of_items(parameters.people[block.rows])
        gradient.people[block.rows] -= slopes.of_people(parameters.items)
        gradient.thresholds[block.rows] += slopes.person_totals()

    def hessian_product(self, changes: Floats) -> Floats:
        """Return ``H`` times a change of the scores, ``(1, answers)``.

        ``H`` is minus the second derivative of the log probability.
        """
        return self.curvature * changes

    def item_hessians(self, block: AnswerBlock, parameters: MapParameters) -> Floats:
        """Return minus the second derivatives in each item's place, shape ``(items, d * d)``."""
        rows = _outer_products(parameters.people[block.rows])
        return block.sums(self.curvature).of_items(rows)

    def line_hessians(self, block: AnswerBlock, features: Floats) -> Floats:
        """Return minus the second derivatives in each annotator's line ``(w, tau)``.

        There is one row per annotator of the block, with ``(d + 1)^2`` entries.

        ``features`` are the outer products of the items' ``(x, -1)`` with themselves.
        """
        return block.sums(self.curvature).of_people(features)


class SoftmaxAnswers:
    """Answers with K classes under a map: like :class:`ProbitAnswers`, with one score per class.

    It has the same methods; instead of ``curvature`` it has ``chances``, the probabilities ``p`` of
    the classes, shape ``(K, answers)``. ``slopes`` has the same shape. ``H = diag(p) - p p'`` is
    minus the second derivative by the scores.
    """

    def __init__(self, block: AnswerBlock, parameters: MapParameters) -> None:
        lines = np.ascontiguousarray(parameters.lines[block.rows].transpose(2, 1, 0))
        self.weights = lines[:-1].take(block.person, axis=2)
        """The weights of the annotator of each answer, shape ``(d, K, answers)``."""
        self.places = [column.take(block.item) for column in parameters.items.T]
        scores = -lines[-1].take(block.person, axis=1)
        for weights, place in zip(self.weights, self.places, strict=True):
            scores += weights * place
        scores -= scores.max(axis=0)
        positions = np.arange(scores.shape[1])
        log_probability = scores[block.choice, positions].copy()
        chances = np.exp(scores, out=scores)
        total = chances.sum(axis=0)
        chances /= total
        self.log_probability = log_probability - np.log(total)
        self.chances = chances
        self.slopes = -chances
        self.slopes[block.choice, positions] += 1.0

    def subtract_slopes(
        self, block: AnswerBlock, parameters: MapParameters, gradient: MapParameters
    ) -> None:
        gradient.items[...] -= block.item_sums(self._sum_over_classes(self.slopes))
        for axis, place in enumerate(self.places):
            gradient.people[block.rows, :, axis] -= block.person_sums(self.slopes * place).T
        gradient.thresholds[block.rows] += block.person_sums(self.slopes).T

    def _sum_over_classes(self, values: Floats) -> list[Floats]:
        """Return, for each axis of the map, ``sum_c values_c w_c`` per answer."""
        return [(weights * values).sum(axis=0) for weights in self.weights]

    def hessian_product(self, changes: Floats) -> Floats:
        curved: Floats = self.chances * (changes - (self.chances * changes).sum(axis=0))
        return curved

    def item_hessians(self, block: AnswerBlock, parameters: MapParameters) -> Floats:
        # The sum of p_c w_c w_c' over the classes c, less the outer product of the sum of p_c w_c.
        means = self._sum_over_classes(self.chances)
        total = -block.item_sums([one * other for one in means for other in means])
        for chance, (people, _) in zip(self.chances, parameters.outputs, strict=True):
            total += block.sums(chance).of_items(_outer_products(people[block.rows]))
        return total

    def line_hessians(self, block: AnswerBlock, features: Floats) -> Floats:
        """Return minus the second derivatives in each line, without those between two classes.

        The shape is ``(annotators of the block, K, (d + 1)^2)``.
        """
        within = self.chances * (1 - self.chances)
        return np.stack([block.sums(row).of_people(features) for row in within], axis=1)


def evaluate(block: AnswerBlock, parameters: MapParameters) -> ProbitAnswers | SoftmaxAnswers:
    """Return the log probability of a block's answers under a map, and its derivatives."""
    return (
        ProbitAnswers(block, parameters)
        if parameters.classes == 2
        else SoftmaxAnswers(block, parameters)
    )


class Prior(NamedTuple):
    """The widths (standard deviations) of the priors.

    ``items``, ``people`` and ``thresholds`` are the widths for places, weights and thresholds. Only
    the product of the first two matters for the answers. If it is small, an annotator with few
    answers is not taken to be certain. The default product, 0.5, was chosen with the held-out
    answers of one real crowd, and the maps of simulated crowds; from 0.4 to 0.6 the results barely
    differ.
    """

    items: float = 1.0
    people: float = 0.5
    thresholds: float = 1.0
    crowd: float = 0.0
    crowd_thresholds: float = 0.0
    """``crowd`` and this are the widths for the crowd's line, the prior mean of the annotators'
    lines; 0 fixes that mean at zero."""

    def line_precisions(self, dimensions: int) -> Floats:
        """Return the precisions of an annotator's ``(w, tau)``, shape ``(d + 1,)``."""
        return np.append(np.full(dimensions, self.people**-2), self.thresholds**-2)

    def gradient(self, parameters: MapParameters, centre: Floats | None = None) -> MapParameters:
        """Return the gradient of the priors' part of the loss.

        ``centre`` is the prior mean of an annotator's line; by default the crowd's line.
        """
        people, thresholds = parameters.people, parameters.thresholds
        if centre is not None:
            people, thresholds = people - centre[..., :-1], thresholds - centre[..., -1]
        elif self.crowd or self.crowd_thresholds:
            near = self.crowd_lines(parameters)
            people, thresholds = people - near[..., :-1], thresholds - near[..., -1]
        return MapParameters(
            parameters.items / self.items**2,
            people / self.people**2,
            thresholds / self.thresholds**2,
        )

    def crowd_lines(self, parameters: MapParameters) -> Floats:
        """Return the most probable line of the crowd for each class, given the annotators' lines.

        The shape is ``(K, d + 1)``, or ``(d + 1,)`` for yes-or-no answers.
        """
        number = len(parameters.people)
        kinds = (
            (parameters.people, self.people, self.crowd),
            (parameters.thresholds[..., None], self.thresholds, self.crowd_thresholds),
        )
        parts = [
            rows.mean(axis=0) * (number * crowd**2 / (own**2 + number * crowd**2))
            for rows, own, crowd in kinds
        ]
        return np.concatenate(parts, axis=-1)

    @property
    def alone(self) -> Prior:
        """The prior of an annotator if the crowd's line is unknown: mean zero, and wider."""
        return Prior(
            self.items,
            math.hypot(self.people, self.crowd),
            math.hypot(self.thresholds, self.crowd_thresholds),
        )


@dataclass(frozen=True, eq=False)
class Posterior:
    """The loss to minimize: minus the log of likelihood times prior, up to a constant."""

    table: AnswerTable
    prior: Prior = Prior()
    centre: Floats | None = None
    """The prior mean of an annotator's line, if it is known."""

    def loss(self, parameters: MapParameters) -> tuple[float, Floats]:
        """Return the loss and its gradient as a vector. O(answers * d * scores), by blocks."""
        gradient = self.prior.gradient(parameters, self.centre)
        total = self._prior_loss(gradient, parameters)
        for block in self.table.blocks:
            answers = evaluate(block, parameters)
            total -= float(answers.log_probability.sum())
            answers.subtract_slopes(block, parameters, gradient)
        return total, gradient.flat()

    def _prior_loss(self, gradient: MapParameters, parameters: MapParameters) -> float:
        """Return the priors' part of the loss, from its gradient.

        It is quadratic: ``0.5 * gradient' (parameters - centre)``. With the crowd's best line as
        centre, the terms of the line cancel, and the centre need not be subtracted.
        """
        total = 0.5 * float(gradient.flat() @ parameters.flat())
        if self.centre is not None:
            lines = np.broadcast_to(self.centre, gradient.lines.shape)
            total -= 0.5 * float((gradient.lines * lines).sum())
        return total

    def hessian_blocks(self, parameters: MapParameters) -> tuple[Floats, Floats]:
        """Return the second derivatives within each item, and within each line ``(w, tau)``.

        Shapes ``(items, d, d)`` and ``(people, d + 1, d + 1)``, or with K > 2 classes
        ``(people, K, d + 1, d + 1)``; always positive definite. The crowd's line is held fixed.
        """
        d = parameters.dimensions
        features = _outer_products(parameters.features)
        of_people = np.zeros((*parameters.lines.shape[:-1], (d + 1) ** 2))
        of_items = np.zeros((self.table.items, d * d))
        for block in self.table.blocks:
            answers = evaluate(block, parameters)
            of_people[block.rows] = answers.line_hessians(block, features)
            of_items += answers.item_hessians(block, parameters)
        of_items += np.eye(d).ravel() / self.prior.items**2
        of_people += np.diag(self.prior.line_precisions(d)).ravel()
        return (
            of_items.reshape(self.table.items, d, d),
            of_people.reshape(*of_people.shape[:-1], d + 1, d + 1),
        )

    def updated_prior(self, parameters: MapParameters) -> Prior:
        """Return the prior whose widths fit the map, for K > 2 classes: one iteration of EM.

        The widths of weights and thresholds are the root mean squares of the annotators' deviations
        from the crowd's lines, posterior variances included. The widths of the crowd are the root
        mean squares of its lines. An annotator's K rows sum to zero, so means divide by K - 1
        instead of K. No width falls below ``NARROWEST``. The width of places is not changed:
        weights are rescaled instead.
        """
        d = parameters.dimensions
        crowd = self.prior.crowd_lines(parameters)
        of_items, of_people = map(inverses, self.hessian_blocks(parameters))
        places = parameters.items**2 + np.einsum("...aa->...a", of_items)
        own = (parameters.lines - crowd) ** 2 + np.einsum("...aa->...a", of_people)
        correction = len(crowd) / (len(crowd) - 1)
        scale = float(places.mean()) / self.prior.items**2
        parts = (scale * own[..., :d], own[..., d], scale * crowd[:, :d] ** 2, crowd[:, d] ** 2)
        widths = (max(NARROWEST, math.sqrt(correction * float(part.mean()))) for part in parts)
        return Prior(self.prior.items, *widths)

    def mean_log_loss(self, parameters: MapParameters) -> float:
        """Return the mean of ``-log P(answer)``."""
        return -sum(
            float(evaluate(block, parameters).log_probability.sum()) for block in self.table.blocks
        ) / len(self.table)


def yes_scores(block: AnswerBlock, parameters: MapParameters) -> Floats:
    """Return the score ``<w, x> - tau`` of each yes-or-no answer."""
    scores = block.products(parameters.people[block.rows], parameters.items)
    scores -= parameters.thresholds[block.rows].take(block.person)
    return scores


def inverses(blocks: Floats) -> Floats:
    """Return the inverse of each matrix, shape ``(..., d, d)``."""
    return np.asarray(np.linalg.inv(blocks), dtype=np.float64)


def _outer_products(rows: Floats) -> Floats:
    """Return the outer product of each row with itself, flat: ``(rows, d * d)``."""
    return (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
