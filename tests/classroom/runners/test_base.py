import numpy as np
import pytest

from homeroom.classroom import AbstractRunner
from homeroom.classroom.runners.base import STRAND, strands, total_of


def test_an_interface_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="abstract"):
        AbstractRunner()  # type: ignore[abstract]


@pytest.mark.parametrize("count", [1, STRAND, STRAND + 1, 3 * STRAND - 1])
def test_strands_are_the_pieces_in_order(count: int) -> None:
    found = list(strands(range(count)))
    assert [piece for strand in found for piece in strand] == list(range(count))
    assert all(len(strand) == STRAND for strand in found[:-1])


def test_a_total_adds_strand_by_strand() -> None:
    parts = np.random.default_rng(0).standard_normal(21).tolist()
    first, second, third = (sum(parts[a + 1 : a + 8], parts[a]) for a in (0, 8, 16))
    assert total_of(parts, 21) == (first + second) + third


def test_a_total_keeps_the_order() -> None:
    assert total_of([[i] for i in range(30)], 30) == [[i][0] for i in range(30)]
