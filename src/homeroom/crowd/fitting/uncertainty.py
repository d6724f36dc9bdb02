"""The uncertainty of a map: the Gaussian that fits the posterior at its peak (Laplace's method).

All second derivatives form one matrix, ``[[X, C'], [C, P]]``, with a block ``X_i`` per item and
``P_j`` per annotator on the diagonal, and a block ``C_ji`` per answer. Annotators are eliminated:
the inverse of ``S = X - C' P^-1 C`` holds the covariances of the items, and
``P^-1 + P^-1 C S^-1 C' P^-1`` those of the annotators. Rotations do not count as uncertainty, as
maps are compared after rotating one onto the other. So rotations are held fixed, separately for
every connected component of items.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from homeroom._arrays import Floats, Ints
from homeroom.crowd.fitting.answer_table import AnswerBlock
from homeroom.crowd.fitting.parameters import MapParameters
from homeroom.crowd.fitting.posterior import (
    Posterior,
    ProbitAnswers,
    SoftmaxAnswers,
    evaluate,
    inverses,
)

MAX_SIZE, MAX_PAIRS = 6000, 10**9
"""Joint covariances are computed up to this many coordinates of items (600 MB), and this many pairs
of coordinates, summed over annotators and scores (about a minute)."""


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """Covariances of a map: of each item, and of each annotator's weights and threshold.

    Parameters
    ----------
    items
        Shape ``(items, d, d)``.
    people
        Shape ``(people, d + 1, d + 1)``: the weights, then the threshold. With K > 2 classes one
        matrix per class, shape ``(people, K, d + 1, d + 1)``.
    joint
        Whether the covariances of items include the uncertainty of annotators, and vice versa. If
        not, they are too small. This happens on very large maps, and where the joint matrix is not
        positive definite, as with too few answers.
    """

    items: Floats
    people: Floats
    joint: bool = True


def laplace(posterior: Posterior, found: MapParameters) -> Uncertainty:
    """Return the uncertainty of a map.

    ``found`` is the map at the peak of ``posterior``. With more than two classes, the prior mean of
    the annotators' lines (the crowd's lines) is held fixed.

    Cost: O(items^3 d^3), and for each annotator O(a^2 d^2) per score, with their a answers.
    """
    of_items, of_people = posterior.hessian_blocks(found)
    items = inverses(of_items)
    people = inverses(of_people) if found.classes == 2 else _line_covariances(posterior, found)
    pairs = float(((posterior.table.answers_by_person() * found.dimensions) ** 2).sum())
    shared = None
    if found.items.size <= MAX_SIZE and pairs * len(found.outputs) <= MAX_PAIRS:
        shared = _invert(_without_annotators(posterior, found, of_items))
    if shared is None:
        return Uncertainty(items, people, joint=False)
    for one in _annotators(posterior, found):
        effect = one.covariance @ one.cross
        more = effect @ shared[np.ix_(one.columns, one.columns)] @ effect.T
        people[one.person] += more if found.classes == 2 else _within_classes(more, found.classes)
    number, d = found.items.shape
    grid = shared.reshape(number, d, number, d)
    return Uncertainty(np.ascontiguousarray(np.einsum("iaib->iab", grid)), people)


def _line_covariances(posterior: Posterior, found: MapParameters) -> Floats:
    """Return the covariance of each annotator's line (w, tau) for each class, with the items fixed.

    Shape ``(people, K, d + 1, d + 1)``.
    """
    return np.array(
        [
            _within_classes(inverses(precision), found.classes)
            for block in posterior.table.blocks
            for precision in _precisions(posterior, block, evaluate(block, found), found)
        ]
    )


def _within_classes(covariance: Floats, classes: int) -> Floats:
    """Return the blocks of one annotator's covariance within each class.

    Shape ``(K, d + 1, d + 1)``. ``covariance`` is that of all K lines together. It is first
    projected onto lines that sum to zero over the classes.
    """
    size = len(covariance) // classes
    grid = covariance.reshape(classes, size, classes, size)
    grid = grid - grid.mean(axis=0)
    grid = grid - grid.mean(axis=2)[:, :, None]
    return np.ascontiguousarray(np.einsum("cacb->cab", grid))


def _without_annotators(posterior: Posterior, found: MapParameters, of_items: Floats) -> Floats:
    """Return ``X - C' P^-1 C`` with rotations held fixed."""
    number, d = found.items.shape
    matrix = np.zeros((number * d, number * d))
    places = np.arange(number)
    matrix.reshape(number, d, number, d)[places, :, places, :] = of_items
    for one in _annotators(posterior, found):
        matrix[np.ix_(one.columns, one.columns)] -= one.cross.T @ one.covariance @ one.cross
    for columns, moves in _rotations(found.items, posterior.table.components):
        for column, move in zip(columns.tolist(), moves.tolist(), strict=True):
            matrix[column, columns] += move * moves  # row by row, without a second matrix
    return matrix


def _rotations(items: Floats, components: Ints) -> Iterator[tuple[Ints, Floats]]:
    """Yield, for each component and each plane, the columns of its items and their moves.

    ``moves`` states how fast a rotation moves them. It is not scaled: adding ``moves moves'`` gives
    the rotation the precision ``|moves|^2``, so it stays almost fixed.
    """
    for component in np.unique(components):
        here = np.flatnonzero(components == component)
        for first, second in combinations(range(items.shape[1]), 2):
            move = np.zeros((len(here), items.shape[1]))
            move[:, first], move[:, second] = -items[here, second], items[here, first]
            yield _columns(here, items.shape[1]), move.ravel()


def _columns(items: Ints, d: int) -> Ints:
    """Return the columns of these items among the coordinates of all items."""
    return (items[:, None] * d + np.arange(d)).ravel()


class AnnotatorBlock(NamedTuple):
    """The part of the second derivatives that belongs to one annotator.

    ``columns`` are those of the items that they answered. ``cross`` is their ``C`` and
    ``covariance`` their ``P^-1``, over the lines of all classes.
    """

    person: int
    columns: Ints
    cross: Floats
    covariance: Floats


def _annotators(posterior: Posterior, found: MapParameters) -> Iterator[AnnotatorBlock]:
    """Yield the block of each annotator.

    With the scores ``u_c = <w_c, x> - tau_c``, the slopes ``g`` of the log probability by them,
    ``H`` minus its second derivatives, and the weights ``W`` with a row ``w_c`` per class, the
    block of an answer for ``(w_c, tau_c)`` and ``x`` is ``(x, -1) (H W)_c' - g_c [I; 0]``.
    """
    d, features = found.dimensions, found.features
    tops = np.eye(d + 1, d)
    for block in posterior.table.blocks:
        answers = evaluate(block, found)
        curved = _curved_weights(block, answers, found)
        precisions = _precisions(posterior, block, answers, found)
        for row, precision in enumerate(precisions):
            here = slice(block.first[row], block.first[row + 1])
            items = block.item[here].astype(np.int64)
            cross = features[items].T[None, :, :, None] * curved[:, None, here, :]
            cross -= tops[:, None, :] * answers.slopes[:, None, here, None]
            yield AnnotatorBlock(
                block.rows.start + row,
                _columns(items, d),
                cross.reshape(len(precision), -1),
                inverses(precision),
            )


def _curved_weights(
    block: AnswerBlock, answers: ProbitAnswers | SoftmaxAnswers, found: MapParameters
) -> Floats:
    """Return ``H W`` for each answer, shape ``(scores, answers, d)``.

    ``W`` are the weights of its annotator, one row per score; ``H`` is that of :func:`_annotators`.
    """
    rows = [people[block.rows].take(block.person, axis=0) for people, _ in found.outputs]
    changes = [
        answers.hessian_product(np.array([row[:, axis] for row in rows]))
        for axis in range(rows[0].shape[1])
    ]
    return np.stack(changes, axis=-1) if changes else np.zeros((len(rows), len(block.item), 0))


def _precisions(
    posterior: Posterior,
    block: AnswerBlock,
    answers: ProbitAnswers | SoftmaxAnswers,
    found: MapParameters,
) -> Iterator[Floats]:
    """Yield for each annotator ``P_j``, the second derivatives by the lines of all classes."""
    features, scores = found.features, len(found.outputs)
    prior = np.diag(np.tile(posterior.prior.line_precisions(found.dimensions), scores))
    size = len(prior)
    for row in range(len(block.first) - 1):
        here = slice(block.first[row], block.first[row + 1])
        known = features[block.item[here]]
        if isinstance(answers, ProbitAnswers):
            yield (answers.curvature[here, None] * known).T @ known + prior
            continue
        chances = answers.chances[:, here]
        spread = (chances.T[:, :, None] * known[:, None, :]).reshape(-1, size)
        precision = prior - spread.T @ spread
        grid = precision.reshape(scores, size // scores, scores, size // scores)
        places = np.arange(scores)
        grid[places, :, places, :] += (chances[:, None, :] * known.T) @ known
        yield precision


def _invert(matrix: Floats) -> Floats | None:
    """Return the inverse of a positive definite matrix; ``None`` if it is not positive definite."""
    factor, failed = lapack.dpotrf(matrix.T, lower=0, overwrite_a=1)
    if failed:
        return None
    inverse: Floats = lapack.dpotri(factor, lower=0, overwrite_c=1)[0]
    inverse += np.triu(inverse, 1).T  # LAPACK leaves zeros below the diagonal
    return inverse
