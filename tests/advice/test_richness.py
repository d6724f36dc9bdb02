import numpy as np
import pytest

from homeroom import (
    Classroom,
    DirectionPool,
    PoolTeacher,
    richness,
    teach,
)


def test_synthesised_examples_have_richness_one() -> None:
    room = Classroom.sample(students=12, dimensions=3)
    assert richness(room, teach(room)) == pytest.approx(1.0, abs=1e-9)


def test_richness_equals_the_ratio_computed_by_hand() -> None:
    """u'Wu / lambda_1(W), W built from the students and its eigenvalues by `eigvalsh`."""
    room = Classroom.sample(students=12, dimensions=3, seed=2)
    rows = np.random.default_rng(1).standard_normal((5, 3))
    record = teach(room, teacher=PoolTeacher(DirectionPool(rows)))
    gaps, rates = room.gaps.copy(), room.rates
    shares = []
    for x in record.examples.xs:
        g = x @ x
        weights = rates * g * (2 - rates * g)
        matrix = (weights[:, None] * gaps).T @ gaps / len(gaps)
        shares.append(x @ matrix @ x / g / np.linalg.eigvalsh(matrix)[-1])
        gaps -= (rates * (gaps @ x))[:, None] * x
    assert richness(room, record) == pytest.approx(np.array(shares), rel=1e-9)
