"""Tables: rules for both .csv and .parquet."""

from pathlib import Path

import numpy as np
import pytest

from homeroom import Classroom
from homeroom.classroom import tables

PATH = Path("class.csv")


def test_columns_are_found_in_any_order_and_case() -> None:
    found = tables.columns(PATH, ["W2", "age", " Rate ", "w1", "STUDENT"])
    assert found == {"student": 4, "rate": 2, "w1": 3, "w2": 0}
    assert list(found) == ["student", "rate", "w1", "w2"]


@pytest.mark.parametrize(
    "header",
    [
        ["student", "rate"],
        ["rate", "w1", "w3"],
        ["rate", "w0", "w1"],
        ["rate", "w01"],
        ["rate", "w1", "w1"],
        ["rate", "W1", "w1"],
        ["rate", "w²"],
        ["rate", "w١"],
        ["rate", "w" + "9" * 5000],
    ],
)
def test_weights_are_numbered_from_one_without_a_gap(header: list[str]) -> None:
    with pytest.raises(
        ValueError,
        match=r"^class\.csv must have the columns w1, w2, \.\.\. "
        r"without a gap, but has [\x20-\x7e]+\.$",
    ) as refusal:
        tables.columns(PATH, header)
    assert len(str(refusal.value)) < 300


def test_without_w1_all_other_columns_are_the_state() -> None:
    header = ["id", "Pupil", "Learning-Rate", "algebra", "", "geometry", "__index_level_0__"]
    found = tables.columns(PATH, header)
    assert found == {"student": 1, "rate": 2, "w1": 3, "w2": 5}  # a second name is no coordinate


@pytest.mark.parametrize("name", ["student", "rate"])
def test_a_column_may_not_be_there_twice(name: str) -> None:
    with pytest.raises(ValueError, match=rf"class\.csv must have one column {name}, but has sev"):
        tables.columns(PATH, [name, name.upper(), "rate", "w1"])


@pytest.mark.slow
def test_there_is_a_limit_to_the_dimensions() -> None:
    header = ["rate", *(f"w{i}" for i in range(1, 100_002))]
    with pytest.raises(ValueError, match=r"class\.csv has 100001 dimensions; at most 100000 are"):
        tables.columns(PATH, header)


def test_radii_are_read_from_words() -> None:
    words = ["#", "state_radius=inf", "example_radius=2.5", "states=7"]
    assert tables.radii_from(PATH, words) == {"state_radius": np.inf, "example_radius": 2.5}
    with pytest.raises(
        ValueError, match=r"class\.csv is not a class: 'state_radius=wide' is not a num"
    ):
        tables.radii_from(PATH, ["state_radius=wide"])


@pytest.mark.parametrize("name", ["target", "TARGET", " Target "])
def test_a_student_cannot_be_called_target_in_a_table(name: str) -> None:
    room = Classroom([[1.0]], [0.1], [0.0], names=[name])
    with pytest.raises(ValueError, match=r"A table cannot hold a student named .* or save the cl"):
        tables.names_of(room)


def test_students_without_names_get_numbers() -> None:
    assert list(tables.names_of(Classroom([[1.0], [2.0]], [0.1, 0.2], [0.0]))) == ["0", "1"]
