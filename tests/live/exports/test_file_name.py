"""What files are called."""

from __future__ import annotations

from datetime import date

import pytest

from homeroom.live.exports import file_name

DAY = date(2026, 3, 4)


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("4b, Tuesday", "4b-Tuesday"),
        ("Ängste & Flüße", "Aengste-Fluesse"),
        ("Année 2", "Annee-2"),
        ('a"; filename="b\r\nx', "a-filename-b-x"),
        ("../../etc/passwd", "etc-passwd"),
        ("三年级", "class"),
        ("   ", "class"),
        ("x" * 200, "x" * 60),
        ("x" * 59 + " y", "x" * 59),
    ],
)
def test_a_name_is_spelled_in_letters_that_any_machine_takes(name: str, called: str) -> None:
    assert file_name(name, DAY, "csv") == f"{called}-2026-03-04.csv"
