"""Baselines in plain NumPy, written directly from the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom import Classroom
from homeroom._arrays import Floats


class TextbookClass:
    """Classroom teaching with static magnitude (Algorithm 1), everything from scratch."""

    def __init__(self, room: Classroom) -> None:
        self.gaps: Floats = np.array(room.gaps)
        self.rates: Floats = np.asarray(room.rates)
        self.g = min(1.0 / float(self.rates.max()), room.example_radius**2)
        self.weights = self.rates * self.g * (2.0 - self.rates * self.g)

    @property
    def error(self) -> float:
        """The class's mean squared distance."""
        return float(squared_distances(self.gaps).mean())

    def round(self) -> None:
        """Build W, find its top eigenvector, show it; nothing is noted."""
        W = (self.weights[:, None] * self.gaps).T @ self.gaps / len(self.gaps)
        x = np.sqrt(self.g) * np.linalg.eigh(W)[1][:, -1]
        self.gaps -= (self.rates * (self.gaps @ x))[:, None] * x

    def lesson(self, eps: float) -> list[float]:
        """Teach until the class is close, and return the error at the start and of each round."""
        errors = [self.error]
        while errors[-1] > eps:
            self.round()
            errors.append(self.error)
        return errors


class TextbookPool:
    """One student and a pool of fixed items: the item that leaves the smallest distance."""

    def __init__(self, gap: Floats, rate: float, items: Floats) -> None:
        self.gap = np.array(gap)
        self.rate = rate
        self.items = items
        self.squared_lengths = (items**2).sum(axis=1)
        self.shown: list[int] = []
        self.errors = [float(self.gap @ self.gap)]

    def choose(self) -> int:
        """Return the item after which the squared distance is least."""
        after = self.gap - self.rate * (self.items @ self.gap)[:, None] * self.items
        return int((after**2).sum(axis=1).argmin())

    def choose_in_closed_form(self) -> int:
        """Return the same item from ``eta <e, x>^2 (2 - eta |x|^2)``."""
        answers = self.items @ self.gap
        help_each: Floats = answers**2 * (2.0 - self.rate * self.squared_lengths)
        return int(help_each.argmax())

    def round(self, *, closed_form: bool = False) -> None:
        """Choose an item, show it, and note the error."""
        item = self.choose_in_closed_form() if closed_form else self.choose()
        x = self.items[item]
        self.gap -= self.rate * (x @ self.gap) * x
        self.shown.append(item)
        self.errors.append(float(self.gap @ self.gap))


@dataclass(frozen=True)
class PaperLesson:
    """The settings of a lesson that the paper describes, for :func:`teach_by_the_paper`.

    Parameters
    ----------
    chooses
        ``"best"`` for Algorithm 1; the baselines ``"random"`` and ``"mean"``.
    magnitude, safe
        The rule for the length of an example: ``"static"``, ``"dynamic"`` or ``"joint"``; and
        whether it must be so short that no student moves away.
    directions, items
        A pool of directions of any length, or of fixed items (appendix C); any vector unless given.
    state_error
        The length of the error of each observed state (section 4.1).
    matrix_error
        The operator norm of the error of the observed ``W`` (appendix A.1).
    history, known_weights
        The standard deviation of random rates that the teacher observes after each round (section
        4.2), and whether the true weights are known instead.
    sigma, beta
        Students with random rates (section 4.2), and Langevin students (appendix A.2).
    eps, everyone
        The goal: Eq. 2, or Eq. 1 for every student.
    max_rounds
        The limit.
    """

    chooses: str = "best"
    magnitude: str = "static"
    safe: bool = False
    directions: Floats | None = None
    items: Floats | None = None
    state_error: float = 0.0
    matrix_error: float = 0.0
    history: float | None = None
    known_weights: bool = False
    sigma: float = 0.0
    beta: float = np.inf
    eps: float = 0.1
    everyone: bool = False
    max_rounds: int = 100_000


class Taught(NamedTuple):
    """The errors at the start and after each round, the final states, and why it stopped."""

    errors: list[float]
    states: Floats
    stop: str


def teach_by_the_paper(
    room: Classroom, lesson: PaperLesson, rng: np.random.Generator | None = None
) -> Taught:
    """Teach a class as a whole, with everything computed from scratch in each round.

    ``rng`` is split into three streams: for the teacher, the observer and the students.
    """
    streams = (np.random.default_rng(0) if rng is None else rng).spawn(3)
    for_teacher, for_observer, for_students = streams
    states = np.array(room.states, dtype=np.float64).reshape(room.students, room.outputs, -1)
    target = np.array(room.target, dtype=np.float64).reshape(room.outputs, -1)
    rates, radius = np.array(room.rates, dtype=np.float64), room.example_radius
    drawn: list[Floats] = []
    errors: list[float] = []
    while True:
        gaps = states - target
        squared = (gaps**2).sum(axis=(1, 2))
        errors.append(float(squared.mean()))
        worst = np.sqrt(squared.max()) if lesson.everyone else squared.mean()
        if worst <= lesson.eps:
            return Taught(errors, states, "GOAL")
        if len(errors) > lesson.max_rounds:
            return Taught(errors, states, "ROUNDS")
        x = _choose(_observe(gaps, rates, drawn, lesson, for_observer), lesson, radius, for_teacher)
        if x is None:
            return Taught(errors, states, "STUCK")
        used = (
            rates + lesson.sigma * for_students.standard_normal(len(rates))
            if lesson.sigma
            else rates
        )
        drawn.append(used)
        states = states - used[:, None, None] * (gaps @ x)[:, :, None] * x
        if np.isfinite(lesson.beta):
            noise = for_students.standard_normal((len(rates), gaps[0].size)).reshape(gaps.shape)
            states = states + np.sqrt(2.0 * rates / lesson.beta)[:, None, None] * noise
        lengths = np.sqrt((states**2).sum(axis=(1, 2)))
        states = (
            states * np.minimum(1.0, room.state_radius / np.maximum(lengths, 1e-300))[:, None, None]
        )


class _Seen(NamedTuple):
    """What the teacher observes: gaps, rates, their squares, the error of ``W``, and ``1 / max``.

    ``longest`` is the squared length up to which random rates move no student away on average.
    """

    gaps: Floats
    rates: Floats
    squares: Floats
    noise: Floats
    gentle: float
    longest: float

    def weigh(self, g: float) -> Floats:
        """Return ``W``, the matrix of Algorithm 1, for the squared length ``g``."""
        weights = 2.0 * g * self.rates - g**2 * self.squares
        W: Floats = np.einsum("j,jki,jkl->il", weights, self.gaps, self.gaps) / len(self.gaps)
        return W + self.noise

    def best_length(self, squared: Floats) -> float:
        """Return the best squared length, given squared gaps or their parts in a direction."""
        return float(self.rates @ squared) / float(self.squares @ squared)


def _observe(
    gaps: Floats,
    rates: Floats,
    drawn: list[Floats],
    lesson: PaperLesson,
    rng: np.random.Generator,
) -> _Seen:
    """Return the class as the teacher observes it, before a round."""
    size = gaps.shape[2]
    seen = _Seen(gaps, rates, rates**2, np.zeros((size, size)), 1.0 / rates.max(), np.inf)
    if lesson.state_error:
        noise = rng.standard_normal((len(gaps), gaps[0].size))
        noise *= lesson.state_error / np.sqrt((noise**2).sum(axis=1, keepdims=True))
        return seen._replace(gaps=gaps + noise.reshape(gaps.shape))
    if lesson.matrix_error:
        noise = rng.standard_normal((size, size))
        noise = noise + noise.T
        return seen._replace(noise=noise * lesson.matrix_error / np.linalg.norm(noise, 2))
    if lesson.history is None:
        return seen
    variance = lesson.history**2
    known = variance + rates**2
    gentle = float((rates / known).min())
    seen = seen._replace(squares=known, gentle=gentle, longest=2.0 * gentle)
    if lesson.known_weights or not drawn:
        return seen
    past, mean = len(drawn), np.mean(drawn, axis=0)
    squares = (past - 1) / past * variance + mean**2
    heard = 2.0 * mean - gentle * squares >= 0.0  # negative weights count as zero
    return seen._replace(rates=mean * heard, squares=squares * heard) if heard.any() else seen


def _choose(
    seen: _Seen, lesson: PaperLesson, radius: float, rng: np.random.Generator
) -> Floats | None:
    """Return the next example, or ``None`` if no example helps."""
    longest = min(radius**2, 2.0 * seen.gentle if lesson.safe else seen.longest)
    length = np.sqrt(min(seen.gentle, radius**2))
    if lesson.chooses == "random":
        if lesson.items is not None:
            return np.asarray(lesson.items[rng.integers(len(lesson.items), size=1)[0]])
        if lesson.directions is not None:
            u = lesson.directions[rng.integers(len(lesson.directions), size=1)[0]]
        else:
            u = rng.standard_normal(seen.gaps.shape[2])
        return np.asarray(length * u / np.linalg.norm(u))
    if lesson.chooses == "mean":
        mean = seen.gaps.mean(axis=0)[0]
        return np.asarray(length * mean / np.linalg.norm(mean))
    if lesson.items is not None:
        return _best_item(seen, lesson.items[(lesson.items**2).sum(axis=1) <= longest * (1 + 1e-9)])
    squared = (seen.gaps**2).sum(axis=(1, 2))
    g = seen.gentle if lesson.magnitude == "static" else seen.best_length(squared)
    g = min(g, longest)
    value, u = _best_direction(seen.weigh(g), lesson.directions)
    while lesson.magnitude == "joint":
        along = min(seen.best_length(((seen.gaps @ u) ** 2).sum(axis=1)), longest)
        better, v = _best_direction(seen.weigh(along), lesson.directions)
        done = not better > value * (1.0 + 1e-10)
        if better > value:
            value, g, u = better, along, v
        if done:
            break
    return np.sqrt(g) * u if value > 1e-30 or seen.noise.any() else None


def _best_direction(W: Floats, directions: Floats | None) -> tuple[float, Floats]:
    """Return the greatest ``u' W u`` and its unit vector, among all or among these directions."""
    if directions is None:
        values, vectors = np.linalg.eigh(W)
        return float(values[-1]), vectors[:, -1]
    units = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    helps = np.array([u @ W @ u for u in units])
    best = int(helps.argmax())
    return float(helps[best]), units[best]


def _best_item(seen: _Seen, items: Floats) -> Floats | None:
    """Return the item after which the class is closest, if there is one that helps."""
    helps = [float(x @ seen.weigh(float(x @ x)) @ x / (x @ x)) for x in items]
    best = int(np.argmax(helps)) if len(items) else -1
    return items[best] if best >= 0 and helps[best] > 1e-30 else None


def squared_distances(gaps: Floats) -> Floats:
    """Return each student's squared distance: one pass that every method needs."""
    squared: Floats = (gaps**2).sum(axis=1)
    return squared


def same(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> None:
    """Stop the run if the two did not come to the same result."""
    np.testing.assert_allclose(np.asarray(ours, float), np.asarray(theirs, float), rtol=1e-9)
