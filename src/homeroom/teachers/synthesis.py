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

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats, fix_sign
from homeroom._descent import descend
from homeroom.classroom import Example
from homeroom.moments import Observation
from homeroom.teachers.candidates import mean_distances, measure_error, rounding

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


PLANE_ANGLES, PLANE_LENGTHS = 96, 32
"""The grid on which an example for one student is searched for."""

PLANE_SECTORS, PLANE_CENTRES = 16, 4
"""The number of sectors of the plane, and of those whose best point is refined."""

PLANE_ZOOMS, PLANE_SHRINK = 14, 0.4
"""How often a point is refined, and by which factor the steps shrink each time."""


def synthesise(seen: Observation, rng: np.random.Generator) -> Example | None:
    """Return the best example found in the ball, or ``None`` if none of those tried helps.

    Cost: ``300 + 96 (d + 12)`` evaluations of O(students * d), in blocks, where ``d`` is how many
    numbers an example has; and six descents, of 5 to 20 evaluations with their gradient each. For
    one student with one output: 5,000 evaluations in the plane of state and target, about 2 ms.
    """
    alone = seen.gaps.shape[0] == seen.outputs == 1 and seen.width > 1
    best, value = _search_plane(seen) if alone else _search(seen, rng)
    if not value < measure_error(seen) * (1 - rounding(seen.gaps)):
        return None
    # Most losses do not depend on the sign: then use the sign convention of eigenvectors.
    mirrored = fix_sign(best)
    same = _measure(seen, mirrored[None])[0] <= value * (1 + rounding(seen.gaps))
    return seen.example(mirrored if same else best)


def _search_plane(seen: Observation) -> tuple[Floats, float]:
    """Return the best example for one student, and the squared distance after it.

    It is in the plane of state and target: any other direction changes neither answer, and only
    adds to the distance. A grid of angles and lengths, then finer ones around its best points.
    """
    plane = np.linalg.qr(np.vstack([seen.target, _arrays.to_host(seen.states)]).T)[0].T

    def to_examples(polar: Floats) -> Floats:  # angles, and lengths relative to the radius
        lengths = seen.example_radius * np.minimum(polar[:, 1], 1.0)
        units = np.column_stack([np.cos(polar[:, 0]), np.sin(polar[:, 0])])
        xs: Floats = lengths[:, None] * (units @ plane)
        return xs

    spacing = np.array([2.0 * np.pi / PLANE_ANGLES, 1.0 / PLANE_LENGTHS])
    grid = np.indices((PLANE_ANGLES, PLANE_LENGTHS)).reshape(2, -1).T + np.array([0.0, 1.0])
    steps = np.indices((7, 7)).reshape(2, -1).T / 3.0 - 1.0
    tried = grid * spacing
    values = _measure(seen, to_examples(tried))
    # The best point of each sector, so that not all are in one valley.
    sectors = values.reshape(PLANE_SECTORS, -1)
    each = sectors.argmin(axis=1) + sectors.shape[1] * np.arange(PLANE_SECTORS)
    best = tried[each[_find_lowest(values[each], PLANE_CENTRES)]]
    for _ in range(PLANE_ZOOMS):
        tried = best[:, None] + spacing * steps
        values = _measure(seen, to_examples(tried.reshape(-1, 2))).reshape(len(best), -1)
        best = tried[np.arange(len(best)), values.argmin(axis=1)]
        spacing = spacing * PLANE_SHRINK
    lowest = int(values.min(axis=1).argmin())
    return to_examples(best[lowest : lowest + 1])[0], float(values[lowest].min())


def _search(seen: Observation, rng: np.random.Generator) -> tuple[Floats, float]:
    """Return the best point found in the ball, and the mean squared distance after it."""
    tried = draw_starts(seen, rng)
    values = _measure(seen, tried)
    landscape = Landscape(seen)
    # Each direction only at its best length, so that the descents have different starts.
    lengths = values.reshape(len(LENGTHS), -1)
    each = lengths.argmin(axis=0) * lengths.shape[1] + np.arange(lengths.shape[1])
    first = each[_find_lowest(values[each], SEARCHES)]
    ends = np.array([landscape.descend(start) for start in tried[first]])
    tried = np.vstack([tried[each], ends])
    values = np.concatenate([values[each], _measure(seen, ends)])
    first = _find_lowest(values, CENTRES)
    return _pattern_search(seen, tried[first], values[first], rng)


def draw_starts(seen: Observation, rng: np.random.Generator) -> Floats:
    """Return the starts for a class, shape ``(starts, width)``.

    All directions, both ways, at the first of ``LENGTHS``; then all at the second, and so on.
    """
    xp = _arrays.namespace(seen.gaps)
    vectors = xp.reshape(seen.gaps, (-1, seen.width))
    axes = np.linalg.eigh(_arrays.to_host(vectors.T @ vectors))[1][:, ::-1]
    answers = seen.target.reshape(-1, seen.width)
    directions = np.vstack(
        [
            axes[:, :PRINCIPAL_STARTS].T,
            seen.mean_gap.reshape(-1, seen.width),
            answers,
            answers - answers.mean(axis=0),
            rng.standard_normal((RANDOM_STARTS, seen.width)),
        ]
    )
    units = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-300)
    both_ways = np.vstack([units, -units])
    return np.concatenate([seen.example_radius * part * both_ways for part in LENGTHS])


def shorten_rows(xs: Floats, radius: float) -> Floats:
    """Return the rows, shortened to ``radius`` where they are longer."""
    lengths = np.linalg.norm(xs, axis=-1, keepdims=True)
    shortened: Floats = xs * np.minimum(1.0, radius / np.maximum(lengths, 1e-300))
    return shortened


def _measure(seen: Observation, xs: Floats) -> Floats:
    """Return ``F`` at each row."""
    return mean_distances(seen, xs, seen.labels(xs))


def _find_lowest(values: Floats, count: int) -> _arrays.Ints:
    """Return the positions of the lowest values, the lowest first."""
    return np.argsort(values, kind="stable")[:count]


def _pattern_search(
    seen: Observation, points: Floats, values: Floats, rng: np.random.Generator
) -> tuple[Floats, float]:
    """Return the best point found in stars around these points, and its value."""
    points, values = points.copy(), values.copy()
    every = np.arange(len(points))
    reach = np.full((len(points), 1, 1), FIRST_REACH)
    for _ in range(STARS):
        steps = rng.standard_normal((seen.width + 6, seen.width))
        steps *= seen.example_radius / np.sqrt(seen.width)
        # Steps in random directions, and some that only change the length, which matters most.
        longer = points[:, None] * (1 + reach * steps[:6, :1] / seen.example_radius)
        tried = np.concatenate([points[:, None] + reach * steps, longer], axis=1)
        tried = shorten_rows(tried, seen.example_radius)
        distances = _measure(seen, tried.reshape(-1, seen.width)).reshape(len(points), -1)
        nearest = distances.argmin(axis=1)
        better = distances[every, nearest] < values
        points[better] = tried[every, nearest][better]
        values = np.minimum(values, distances[every, nearest])
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
