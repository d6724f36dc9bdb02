"""No learner left behind: one batch of examples that is best for the worst student.

X. Zhu, J. Liu, M. Lopes: *No Learner Left Behind: On the Complexity of Teaching Multiple Learners
Simultaneously*, IJCAI 2017. Students are ridge regressors with different regularisation
``lambda_j = 1 / eta_j``. After the examples ``X`` with the labels ``X w* + delta`` a student who
started with the gap ``e_j`` has the gap

    (X'X + lambda_j I)^-1 (lambda_j e_j + X' delta)

The teacher chooses examples one by one, each so that the greatest of these gaps is smallest, and
then all labels of the batch together. Check: for two students on a line who start at zero, with
``a = sum x^2``, the gap of both is ``|w*| (lambda_2 - lambda_1) / (2 a + lambda_1 + lambda_2)``,
which no other labels can improve.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from homeroom import _arrays, _checks
from homeroom._arrays import Floats
from homeroom.classroom import Example
from homeroom.moments import Observation
from homeroom.teachers.published.pool_items import AbstractPoolTeacher, LabelledItems, list_examples


class MinimaxBatch(NamedTuple):
    """The students as re-fitted to all examples chosen so far, and those still to be shown."""

    gaps: Floats  # (students, outputs, dimensions)
    spread: Floats  # (X'X + lambda_j I)^-1 for each student
    planned: tuple[Example, ...] = ()


@dataclass(frozen=True)
class MinimaxTeacher(AbstractPoolTeacher):
    """Shows batches of examples after which the worst student is as close as possible.

    Parameters
    ----------
    pool
        Where examples come from; any vector unless given.
    batch
        The number of examples that are chosen together.
    """

    batch: int = 4

    def __post_init__(self) -> None:
        _checks.whole(self.batch, "batch", at_least=1)

    def next(
        self, seen: Observation, memory: MinimaxBatch | None, rng: np.random.Generator
    ) -> tuple[Example | None, MinimaxBatch]:
        batch = _start(seen) if memory is None else memory
        if not batch.planned:
            batch = self._next_batch(batch, seen)
        return batch.planned[0], batch._replace(planned=batch.planned[1:])

    def describe_plan(self, memory: MinimaxBatch | None) -> dict[str, Any] | None:
        if memory is None:
            return None
        return {"worst": float(np.sqrt((memory.gaps**2).sum(axis=(1, 2)).max()))}

    def _next_batch(self, batch: MinimaxBatch, seen: Observation) -> MinimaxBatch:
        """Return the memory with the next batch of examples.

        Their labels are chosen too, if the loss is the squared one and the pool has none.
        """
        listed = list_examples(self.pool, seen)
        gaps, spread, rows = batch.gaps, batch.spread, []
        for _ in range(self.batch):
            rows.append(choose_for_worst(gaps, spread, listed.xs))
            gaps, spread = _refit(gaps, spread, listed.xs[rows[-1]])
        labels = listed.labels[rows]
        if seen.loss.is_quadratic and self.pool.labels is None:
            reach = spread @ listed.xs[rows].T  # what each label adds
            shifts = find_minimax_shifts(gaps[:, 0], reach)
            gaps, labels = gaps + (reach @ shifts)[:, None, :], labels + shifts
        shown = LabelledItems(listed.xs[rows], listed.items[rows], labels)
        return MinimaxBatch(gaps, spread, tuple(shown.example(seen, i) for i in range(len(rows))))


def _start(seen: Observation) -> MinimaxBatch:
    """Return the memory before the first example."""
    gaps = _arrays.to_host(seen.gaps).reshape(seen.gaps.shape[0], seen.loss.outputs, -1)
    return MinimaxBatch(gaps, _arrays.to_host(seen.rates)[:, None, None] * np.eye(seen.width))


def choose_for_worst(gaps: Floats, spread: Floats, xs: Floats) -> int:
    """Return the row of the example after which the farthest student is closest.

    Its label is the right one. ``gaps`` and ``spread`` are those of a :class:`MinimaxBatch`. Cost:
    O(students * examples * dimensions^2).
    """
    towards = spread @ xs.T  # (students, dimensions, examples)
    factors = 1.0 / (1.0 + (xs.T * towards).sum(axis=1))
    answers = gaps @ xs.T * factors[:, None, :]  # (students, outputs, examples)
    after = (gaps**2).sum(axis=(1, 2))[:, None] + (
        answers * (answers * (towards**2).sum(axis=1)[:, None, :] - 2.0 * (gaps @ towards))
    ).sum(axis=1)
    return int(after.max(axis=0).argmin())


def _refit(gaps: Floats, spread: Floats, x: Floats) -> tuple[Floats, Floats]:
    """Return gaps and spread after an example with the right label (Sherman and Morrison)."""
    towards = spread @ x  # (students, dimensions)
    gain = towards / (1.0 + towards @ x)[:, None]
    return (
        gaps - (gaps @ x)[:, :, None] * gain[:, None, :],
        spread - gain[:, :, None] * towards[:, None, :],
    )


def find_minimax_shifts(gaps: Floats, reach: Floats) -> Floats:
    """Return the shifts of the labels that minimise ``max_j |e_j + reach_j shifts|^2``.

    ``gaps`` has shape ``(students, dimensions)``, ``reach`` ``(students, dimensions, labels)``: how
    far a unit of each label moves each gap. SLSQP minimises a limit that no student exceeds.
    """
    scale = float((gaps**2).sum(axis=1).max()) or 1.0
    # A point is the limit, followed by the shifts.
    limit = np.eye(1, reach.shape[2] + 1)[0]

    def below_limit(point: Floats) -> Floats:
        return np.asarray(point[0] - ((gaps + reach @ point[1:]) ** 2).sum(axis=1) / scale)

    def slopes(point: Floats) -> Floats:
        inner = ((gaps + reach @ point[1:])[:, :, None] * reach).sum(axis=1)
        return np.hstack([np.ones((len(gaps), 1)), -2.0 / scale * inner])

    solution: Any = minimize(  # type: ignore[call-overload]  # plain functions do not fit its types
        lambda point: float(point[0]),
        limit,
        jac=lambda _point: limit,
        constraints={"type": "ineq", "fun": below_limit, "jac": slopes},
        method="SLSQP",
        options={"maxiter": 100, "ftol": 1e-12},
    )
    # Right labels have the limit 1; a search that ends above it has found nothing better.
    shifts: Floats = solution.x[1:]
    return shifts if below_limit(np.append(1.0, shifts)).min() > 0.0 else np.zeros_like(shifts)
