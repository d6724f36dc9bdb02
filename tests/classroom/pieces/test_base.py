import pytest

from homeroom.classroom import AbstractNamedPiece, AbstractPiece
from homeroom.classroom.pieces.base import BLOCK_BYTES, rows_of


@pytest.mark.parametrize("interface", [AbstractPiece, AbstractNamedPiece])
def test_an_interface_cannot_be_made(interface: type) -> None:
    with pytest.raises(TypeError, match="abstract"):
        interface()


def test_rows_fill_a_block_and_there_is_at_least_one() -> None:
    assert rows_of(BLOCK_BYTES, 25) * 25 * 8 <= BLOCK_BYTES
    assert rows_of(BLOCK_BYTES, 10**9) == 1
    assert rows_of(BLOCK_BYTES, 0) == BLOCK_BYTES // 8
