import time

import pytest

from homeroom.live.sent_table import cell, head, lines


@pytest.mark.parametrize(
    "data",
    [
        "a,b\nä,2\n".encode(),
        "\ufeffa;b\n\n ;\nä;2".encode(),
        "a\tb\nä\t2".encode("latin-1"),
        "a,b\r\nä,2\r\n".encode("utf-16"),
        b"\xfe\xff" + "a;b\nä;2".encode("utf-16-be"),
        "sep=;\r\na;b\r\nä;2\r\n".encode(),
        "\ufeffsep=,\na,b\nä,2\n".encode(),
        "a,b\rä,2\r".encode(),
    ],
)
def test_the_lines_of_a_table_are_found_however_it_is_written(data: bytes) -> None:
    first, *_, last = lines(data)
    assert (first, last) == (["a", "b"], ["ä", "2"])


@pytest.mark.parametrize(
    ("data", "row"),
    [
        (b"Zo\xeb\x93", ["Zoë\u201c"]),
        (b"Zo\xeb\x81", ["Zoë\x81"]),  # which Windows does not know
        (b"sep=x", ["sep=x"]),
    ],
)
def test_a_letter_is_what_windows_takes_it_for(data: bytes, row: list[str]) -> None:
    assert list(lines(data)) == [row]


def test_what_only_begins_as_utf_16_is_refused() -> None:
    with pytest.raises(ValueError, match="it begins as UTF-16, but does not go on so"):
        list(lines("Ada".encode("utf-16") + b"!"))


def test_nothing_has_no_lines() -> None:
    assert list(lines(b"")) == list(lines(b"\n\n")) == []


def test_what_is_no_csv_is_refused() -> None:
    with pytest.raises(ValueError, match="field larger than field limit"):
        list(lines(b'name\n"' + b"x" * 200_000))


def test_cells_are_tidy() -> None:
    assert head([" sourcedId", "ROLE "]) == ["sourcedid", "role"]
    assert cell(["  Ada \n Lee "], 0) == "Ada Lee"
    assert cell(["Ada"], 1) == cell(["Ada"], None) == ""
    assert cell(["Jose\u0301"], 0) == "Jos\u00e9"


def test_accents_without_end_take_no_time() -> None:
    """To order n of them takes n² steps, in which the server does nothing else."""
    accents = "a" + "\u0315\u0300" * 65_000
    began = time.perf_counter()
    assert cell([accents], 0) == accents
    assert time.perf_counter() - began < 0.5
