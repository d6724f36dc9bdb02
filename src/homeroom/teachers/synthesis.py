"""Synthesis of an example for losses without a closed form: a search in the ball.

After the example ``x`` the class's mean squared distance is ``F(x) = mean_j |e_j - eta_j s_j
x|^2``. Student j has the state ``w_j``, the gap ``e_j`` (state minus target) and the learning rate
``eta_j``; ``s_j`` is the slope of the loss at ``<w_j, x>``. ``F`` is not convex, and not even
continuous where slopes or labels jump. So it is evaluated at many starts (the class's principal
directions, its mean gaps, the target, some random points, at several lengths) and minimised by
L-BFGS from the best starts. Then the best points are refined by a pattern search, which needs no
derivative: it tries a star of steps around a point, and shorter steps if none is better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats, fix_sign
from homeroom._descent import descend
from homeroom.classroom import Example
from homeroom.moments import Observation
from homeroom.teachers.candidates import mean_distances, rounding, squared_distances

PRINCIPAL_STARTS = 3
RANDOM_STARTS = 24
LENGTHS = (0.1, 0.25, 0.5, 0.75, 1.0)
"""The lengths of the starts, relative to the radius of the ball."""

SEARCHES = 6
"""The number of descents, from the best starts."""

CENTRES, STARS = 4, 24
"""The number of best points that are refined, and the number of stars for each."""

FIRST_REACH, SHRINK = 0.3, 0.6
"""The length of the first steps relative to the ball's radius, and the factor by which steps
shrink after a star without a better point."""


def synthesise(seen: Observation, rng: np.random.Generator) -> Example | None:
    """Return the best example found in the ball, or ``None`` if none of those tried helps.

    Cost: ``300 + 96 (d + 12)`` evaluations of O(students * d), in blocks, where ``d`` is how many
    numbers an example has; and six descents, of 5 to 20 evaluations with their gradient each.
    """
    tried = class_starts(seen, rng)
    values = _values(seen, tried)
    landscape = Landscape(seen)
    # Each direction only at its best length, so that the descents have different starts.
    lengths = values.reshape(len(LENGTHS), -1)
    each = lengths.argmin(axis=0) * lengths.shape[1] + np.arange(lengths.shape[1])
    first = each[_lowest(values[each], SEARCHES)]
    ends = np.array([landscape.descend(start) for start in tried[first]])
    tried = np.vstack([tried[each], ends])
    values = np.concatenate([values[each], _values(seen, ends)])
    first = _lowest(values, CENTRES)
    best, value = _pattern_search(seen, tried[first], values[first], rng)
    if not value < squared_distances(seen).mean() * (1 - rounding(seen.gaps)):
        return None
    # Most losses do not depend on the sign: then use the sign convention of eigenvectors.
    mirrored = fix_sign(best)
    same = _values(seen, mirrored[None])[0] <= value * (1 + rounding(seen.gaps))
    return seen.example(mirrored if same else best)


def class_starts(seen: Observation, rng: np.random.Generator) -> Floats:
    """Return the starts for a class, shape ``(starts, width)``.

    All directions, both ways, at the first of ``LENGTHS``; then all at the second, and so on.
    """
    xp = _arrays.namespace(seen.gaps)
    vectors = xp.reshape(seen.gaps, (-1, seen.width))
    principal = np.linalg.eigh(_arrays.to_host(vectors.T @ vectors))[1][:, ::-1][
        :, :PRINCIPAL_STARTS
    ]
    answers = seen.target.reshape(-1, seen.width)
    directions = np.vstack(
        [
            principal.T,
            seen.mean_gap.reshape(-1, seen.width),
            answers,
            answers - answers.mean(axis=0),
            rng.standard_normal((RANDOM_STARTS, seen.width)),
        ]
    )
    units = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-300)
    both_ways = np.vstack([units, -units])
    return np.concatenate([seen.example_radius * part * both_ways for part in LENGTHS])


def stars(seen: Observation, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield stars: random steps, shape ``(steps, width)``, about as long as the ball's radius."""
    for _ in range(STARS):
        steps = rng.standard_normal((seen.width + 6, seen.width))
        yield steps * (seen.example_radius / np.sqrt(seen.width))


def within(xs: Floats, radius: float) -> Floats:
    """Return the rows, shortened to ``radius`` where they are longer."""
    lengths = np.linalg.norm(xs, axis=-1, keepdims=True)
    shortened: Floats = xs * np.minimum(1.0, radius / np.maximum(lengths, 1e-300))
    return shortened


def _values(seen: Observation, xs: Floats) -> Floats:
    """Return ``F`` at each row."""
    return mean_distances(seen, xs, seen.labels(xs))


def _lowest(values: Floats, count: int) -> _arrays.Ints:
    """Return the positions of the lowest values, the lowest first."""
    return np.argsort(values, kind="stable")[:count]


def _pattern_search(
    seen: Observation, points: Floats, values: Floats, rng: np.random.Generator
) -> tuple[Floats, float]:
    """Return the best point found in stars around these points, and its value."""
    points, values = points.copy(), values.copy()
    everyone = np.arange(len(points))
    reach = np.full((len(points), 1, 1), FIRST_REACH)
    for steps in stars(seen, rng):
        # Steps in random directions, and some that only change the length, which matters most.
        longer = points[:, None] * (1 + reach * steps[:6, :1] / seen.example_radius)
        tried = np.concatenate([points[:, None] + reach * steps, longer], axis=1)
        tried = within(tried, seen.example_radius)
        found = _values(seen, tried.reshape(-1, seen.width)).reshape(len(points), -1)
        nearest = found.argmin(axis=1)
        better = found[everyone, nearest] < values
        points[better] = tried[everyone, nearest][better]
        values = np.minimum(values, found[everyone, nearest])
        reach[~better] *= SHRINK
    best = int(values.argmin())
    return points[best], float(values[best])


@dataclass(frozen=True, eq=False)
class Landscape:
    """``F`` over the ball, as a function of an unconstrained point.

    The free point ``z`` stands for ``x = radius tanh|z| z/|z|``.
    """

    seen: Observation

    def descend(self, start: Floats) -> Floats:
        """Return the local minimum reached from a start, both in the ball."""
        return self._to_ball(descend(self.value_and_slope, self._to_free(start)))[0]

    def value_and_slope(self, free: Floats) -> tuple[float, Floats]:
        """Return ``F`` and its gradient with respect to a free point, at that point."""
        x, pull_back = self._to_ball(free)
        value, gradient = self.value_and_gradient(x)
        return value, pull_back(gradient)

    def value_and_gradient(self, x: Floats) -> tuple[float, Floats]:
        """Return ``F`` and its gradient at an example.

        The gradient needs the second derivative of the loss, a symmetric matrix, only times one
        vector per student. One finite difference of the slopes gives this product, for any loss.
        """
        seen = self.seen
        xp = _arrays.namespace(seen.gaps)
        shape = (-1, seen.outputs, seen.width)
        gaps, states = xp.reshape(seen.gaps, shape), xp.reshape(seen.states, shape)
        rates, here = seen.rates[:, None], _arrays.like(x, seen.gaps)
        scores, errors = states @ here, gaps @ here
        moves = rates * self._slopes(scores, seen.labels(x))
        length, students = float(x @ x), gaps.shape[0]

        value = float(xp.sum(gaps * gaps) + xp.sum(moves * (length * moves - 2.0 * errors)))
        pull = 2.0 * rates * (length * moves - errors)  # dF/dslope
        bent = self._bend(scores, seen.labels(x), pull)
        weights = bent[:, :, None] * states - 2.0 * moves[:, :, None] * gaps
        gradient = _arrays.to_host(xp.sum(weights, axis=(0, 1)))
        gradient = gradient + 2.0 * float(xp.sum(moves * moves)) * x
        gradient = gradient + self._through_label(x, scores, pull) * seen.target[: seen.width]
        return value / students, gradient / students

    def _slopes(self, scores: Array, label: Floats) -> Array:
        """Return the slopes of the loss at scores, both of shape ``(students, outputs)``."""
        right = _arrays.like(label, scores)
        if self.seen.loss.outputs == 1:
            return self.seen.loss.slopes(scores[:, 0], right)[:, None]
        return self.seen.loss.slopes(scores, right)

    def _bend(self, scores: Array, label: Floats, along: Array) -> Array:
        """Return the second derivative of the loss times ``along``, for each student."""
        size = float(_arrays.namespace(along).max(_arrays.namespace(along).abs(along)))
        if size == 0:
            return 0.0 * along
        step = along * (self._difference / size)
        ahead, behind = self._slopes(scores + step, label), self._slopes(scores - step, label)
        return (ahead - behind) * (0.5 * size / self._difference)

    def _through_label(self, x: Floats, scores: Array, pull: Array) -> float:
        """Return ``dF/dy`` for a real label ``y = <w*, x>``, with the target ``w*``; else 0.

        The label of a class does not change with a small step. ``pull`` is ``dF/dslope``.
        """
        loss = self.seen.loss
        if loss.outputs > 1:
            return 0.0
        right, step = float(self.seen.target @ x), self._difference
        ahead, behind = loss.labels(np.array([right + step, right - step]))
        if abs(ahead - behind - 2 * step) > step:  # a class, not a real number
            return 0.0
        bent = self._slopes(scores, ahead) - self._slopes(scores, behind)
        return float(_arrays.namespace(bent).sum(pull * bent)) / (2 * step)

    @property
    def _difference(self) -> float:
        """The step of the finite difference of slopes: the cube root of the precision."""
        gaps = self.seen.gaps
        difference: float = float(_arrays.namespace(gaps).finfo(gaps.dtype).eps) ** (1 / 3)
        return difference

    def _to_free(self, x: Floats) -> Floats:
        """Return the free point ``z`` that stands for an example in the ball."""
        length = float(np.linalg.norm(x)) / self.seen.example_radius
        if length == 0:
            return x
        free: Floats = np.arctanh(min(length, 1 - 1e-9)) / (length * self.seen.example_radius) * x
        return free

    def _to_ball(self, free: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
        """Return the point in the ball, and a function that pulls a gradient back from there."""
        radius, length = self.seen.example_radius, float(np.linalg.norm(free))
        if length < 1e-12:
            return radius * free, lambda gradient: radius * gradient
        unit, tanh = free / length, float(np.tanh(length))

        def pull_back(gradient: Floats) -> Floats:
            along = float(gradient @ unit) * unit
            back: Floats = radius * ((1 - tanh**2) * along + tanh / length * (gradient - along))
            return back

        return radius * tanh * unit, pull_back
