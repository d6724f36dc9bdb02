import pytest

from homeroom.live.cells import MOST_COLUMNS, cell, head, lines, tidy
from homeroom.live.refused import Refused


@pytest.mark.parametrize(
    "data",
    [
        "a,b\nä,2\n".encode(),
        "\ufeffa;b\n\n ;\nä;2".encode(),
        "a\tb\nä\t2".encode("latin-1"),
    ],
)
def test_the_lines_of_a_table_are_found_however_it_is_written(data: bytes) -> None:
    first, *_, last = lines(data)
    assert (first, last) == (["a", "b"], ["ä", "2"])


def test_nothing_has_no_lines() -> None:
    assert list(lines(b"")) == list(lines(b"\n\n")) == []


def test_columns_without_end_are_cut_off() -> None:
    (row,) = lines(b"x," * 10_000)
    assert len(row) == MOST_COLUMNS


def test_what_is_no_csv_is_refused() -> None:
    with pytest.raises(Refused, match="cannot be read as CSV: field larger than field limit"):
        list(lines(b'name\n"' + b"x" * 200_000))


def test_cells_are_tidy() -> None:
    assert head([" sourcedId", "ROLE "]) == ["sourcedid", "role"]
    assert cell(["  Ada \n Lee "], 0) == "Ada Lee"
    assert cell(["Ada"], 1) == cell(["Ada"], None) == ""
    assert tidy("Jose\u0301") == "Jos\u00e9"
