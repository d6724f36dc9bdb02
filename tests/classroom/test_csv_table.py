"""A class as .csv, by hand, from a spreadsheet, or broken."""

import csv
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import Classroom
from homeroom.classroom.files import load
from tests.bad_input import refuse

GOOD = """\
# homeroom: state_radius=9.0 example_radius=1.5
student,rate,w1,w2
Ada,0.2,1.0,0.5
Ben,0.1,0.0,0.3
target,,0.6,0.8
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "class.csv"


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def is_refused(path: Path) -> bool:
    """Return whether the file is refused by a ValueError that names it; other errors are raised."""
    refusal = ""
    try:
        load(path)
    except ValueError as reason:
        refusal = str(reason)
    assert not refusal or str(path) in refusal
    return bool(refusal)


def check_good(room: Classroom) -> None:
    assert room.names == ("Ada", "Ben")
    assert room.rates.tolist() == [0.2, 0.1]
    assert room.states.tolist() == [[1.0, 0.5], [0.0, 0.3]]
    assert room.target.tolist() == [0.6, 0.8]
    assert (room.state_radius, room.example_radius) == (9.0, 1.5)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.rstrip("\n"),
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        GOOD.replace("\n", "\n\n \n"),
        GOOD.replace("0.5", '"0.5"').replace("Ben", '"Ben"'),
        GOOD.replace("student,rate", " Student , RATE"),
        GOOD.replace("target", " TARGET "),
        GOOD.replace("1.0,", " 1.0 ,").replace("0.5", "+5e-1"),
        GOOD.replace(",", ";"),
        GOOD.replace(",", "\t"),
        GOOD.replace(",", "|"),
        GOOD.replace("target,,", "target,-,").replace(",", " "),
        GOOD.replace(",", ";").replace(".", ",").replace("9,0", "9.0").replace("1,5", "1.5"),
        "sep=;\n" + GOOD.replace(",", ";"),
        GOOD.encode("utf-16"),
        GOOD.replace("1.5\n", "1.5,,,\n").replace("target", ",,,\ntarget"),
        '"# homeroom: state_radius=9.0 example_radius=1.5";;;\n'
        + GOOD.split("\n", 1)[1].replace(",", ";"),
        GOOD.replace("student,rate,w1,w2", "Pupil,Learning Rate,W1,W2"),
        GOOD.replace("student,rate,w1,w2", "name,learning_rate,algebra,geometry"),
        "".join(line + ",\n" for line in GOOD.splitlines()),
    ],
    ids=["plain", "no last newline", "byte order mark", "Windows", "old Mac", "blank lines",
         "quotes", "header in capitals", "target in capitals", "spaces and signs", "semicolons",
         "tabs", "bars", "blanks", "decimal commas", "announced semicolons", "UTF-16",
         "blank rows of a spreadsheet", "quoted comment", "other names", "no w1", "last comma"],
)  # fmt: skip
def test_tables_written_in_many_ways_are_the_same_class(path: Path, text: str | bytes) -> None:
    check_good(load(written(path, text)))


def test_columns_may_stand_in_any_order_and_others_are_left_alone(path: Path) -> None:
    text = "w2,age,rate,w1,student\n0.5,11,0.2,1.0,Ada\n0.3,?,0.1,0.0,Ben\n0.8,,,0.6,target\n"
    room = load(written(path, text), state_radius=9.0, example_radius=1.5)
    check_good(room)


def test_names_are_optional_and_the_target_may_be_in_a_separate_file(path: Path) -> None:
    written(path, "rate,w1,w2\n0.2,1.0,0.5\n")
    for text in ("w1,w2\n0.6,0.8\n", "student,w1,w2\ntarget,0.6,0.8\n", GOOD):
        target = written(path.with_name("target.csv"), text)
        room = load(path, target=target)
        assert room.names is None
        assert room.target.tolist() == [0.6, 0.8]


HEAD = "student,rate,w1\n"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "no header"),
        ("\n \n", "no header"),
        ("# comment\n" * 100 + GOOD, "no header"),
        (HEAD, "no students"),
        (HEAD + "\n \n", "no students"),
        ("student,rate\nAda,0.2\n", "w1, w2, .* student, rate"),
        ("student,w1\nAda,0.2\ntarget,1\n", "column rate.* --column rate=Speed"),
        ("w1\n1.0\n2.0\n", "column rate"),
        ("w1\n1.0\n", "no states"),
        ("student;rate;w1\nA;0,2;1,0\ntarget;;0.5\n", "'0,2'.*'0.5'"),
        ("student;rate;w1\nA;0,2;1,0,5\ntarget;;1\n", "Column w1 .* row 1 .*'1.0.5'"),
        ("rate,algebra,Algebra\n0.2,1,2\n", "'algebra'"),
        ("student,rate,age,name\nA,0.2,old,x\n", "Column age .* row 1 .*'old'"),
        (HEAD + "target,,1\n", "no states"),
        (HEAD + "Ada,0.2,1.0\n", "no target"),
        (HEAD + "A,0.2,1\ntarget,,1\nTarget,,1\n", "one target row, but has 2"),
        (HEAD + "A,0.2,1\nB,,1\ntarget,,1\n", "Column rate .* row 2 .*''"),
        (HEAD + ",,\nA,0.2,1\ntarget,,\n", "Column w1 .* row 2 .*''"),
        (HEAD + "A,0.2,one\ntarget,,1\n", "Column w1 .* row 1 .*'one'"),
        (HEAD + "A,0.2,1_0\ntarget,,1\n", "Column w1 .* row 1 .*'1_0'"),
        (HEAD + "A,0.2\ntarget,,1\n", "3 cells .* row 1 .* has 2"),
        (HEAD + " \nA,0.2,1\nB,0,2,1\ntarget,,1\n", "3 cells .* row 2 .* has 4"),
        (HEAD + '"A,0.2,1\ntarget,,1\n', "3 cells .* row 1 .* has 1"),
        (HEAD + "A,0.2,1e309\ntarget,,1\n", "`states` .*finite"),
        (HEAD + "A,0.2,nan\ntarget,,1\n", "`states` .*finite"),
        (HEAD + "A,0.2,1\ntarget,,-inf\n", "`target` .*finite"),
        (HEAD + "A,-0.2,1\ntarget,,1\n", "`rates` .*positive"),
        (GOOD.replace("9.0", "wide"), "state_radius=wide"),
        (GOOD.replace("9.0", "0.5"), "`target` .*state_radius=0.5"),
        (GOOD.encode("utf-16")[:-1], "utf-16"),
        (bytes(random.Random(0).randbytes(5000)), "not text"),
        (b"\0" * 5000, "not text"),
        ("x" * 300_000 + "\n1\n", "cannot be read"),
        pytest.param(
            ",".join(f"w{i}" for i in range(1, 100_002)), "100001", marks=pytest.mark.slow
        ),
    ],
    ids=range(34),
)
def test_tables_that_make_no_class_are_refused(path: Path, text: str | bytes, named: str) -> None:
    with pytest.raises(ValueError, match=named) as refusal:
        load(written(path, text))
    assert str(path) in str(refusal.value)
    assert len(str(refusal.value)) < 500 + len(str(path))
    assert str(refusal.value).isprintable()


def test_names_come_back_whatever_is_in_them(path: Path) -> None:
    names = ["Zoë", "O'Neil, Jr.", 'Ann "A" B', " padded ", "two\nlines", "car\rriage", "", "#7",
             '"', "学生", "x" * 1000, "\u2028", "="]  # fmt: skip
    room = Classroom(np.ones((len(names), 2)), np.full(len(names), 0.1), [0, 0], names=names)
    room.save(path)
    assert load(path).names == tuple(names)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert [row[0] for row in rows[2:]] == [*names, "target"]


def test_blanks_around_a_name_count_only_in_files_of_homeroom(path: Path) -> None:
    text = HEAD + ' Ada ,0.1,1\n" Ben ",0.2,2\ntarget,,0\n'
    assert load(written(path, text)).names == ("Ada", "Ben")
    assert load(written(path, "# state_radius=9\n" + text)).names == (" Ada ", " Ben ")


def test_text_in_the_encoding_of_windows_is_read(path: Path) -> None:
    room = load(written(path, GOOD.replace("Ben", "José").encode("latin-1")))
    assert room.names == ("Ada", "José")


def test_a_comma_in_a_name_is_not_a_decimal_comma(path: Path) -> None:
    room = load(written(path, 'name;rate;w1\nLee, Ada;0.25;1\n"Roe; Ben";0.5;2\ntarget;;0\n'))
    assert room.names == ("Lee, Ada", "Roe; Ben")
    assert room.rates.tolist() == [0.25, 0.5]


@pytest.mark.parametrize("first", ["student,rate,tempo,kind", "id,speed,kind,velocidad"])
def test_a_coordinate_may_be_called_like_a_rate_or_a_child_elsewhere(
    path: Path, first: str
) -> None:
    room = load(written(path, f"{first}\nAda,0.2,1.0,0.5\ntarget,,0.6,0.8\n"))
    assert (room.names, room.rates.tolist()) == (("Ada",), [0.2])
    assert room.target.tolist() == [0.6, 0.8]


def test_any_columns_can_be_named(path: Path) -> None:
    text = "Nr;Kind;Tempo;Alter;Algebra;Geometrie\n1;Ada;0,2;11;1,0;0,5\n2;Ben;0,1;12;0,0;0,3\n"
    written(path, text + "3;target;;;0,6;0,8\n")
    names = {"student": "kind", "rate": "Tempo", "states": ["Algebra", "Geometrie"]}
    check_good(load(path, columns=names, state_radius=9.0, example_radius=1.5))
    swapped = load(path, columns=names | {"states": ["Geometrie", "Algebra"]})
    assert swapped.target.tolist() == [0.8, 0.6]
    assert load(path, columns=names | {"states": "Algebra"}).dimensions == 1


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"speed": "w1"}, "'speed'"),
        ({"rate": "Tempo"}, "'Tempo'"),
        ({"rate": ["w1", "w2"]}, "column for"),
        ({"rate": "w1", "states": ["w1"]}, "'w1'"),
    ],
)
def test_columns_that_cannot_be_found_are_named(path: Path, named: Any, message: str) -> None:
    refuse(lambda: load(written(path, GOOD), columns=named), message)


def test_numbers_come_back_to_the_last_digit(path: Path) -> None:
    rng = np.random.default_rng(0)
    states = rng.standard_normal((50, 3)) * 10.0 ** rng.integers(-300, 150, (50, 3))
    room = Classroom(states, rng.random(50) + 5e-324, rng.standard_normal(3), example_radius=1 / 3)
    room.save(path)
    back = load(path)
    assert back.states.tobytes() == room.states.tobytes()
    assert back.rates.tobytes() == room.rates.tobytes()
    assert back.target.tobytes() == room.target.tobytes()
    assert back.example_radius == 1 / 3


def test_one_long_name_does_not_make_every_name_long(path: Path) -> None:
    rows = "".join(f"{i},0.1,1\n" for i in range(20_000))
    written(path, f"student,rate,w1\n{'A' * 100_000},0.1,1\n{rows}target,,0\n")
    assert load(path).students == 20_001  # 8 GB as a NumPy array of texts


def test_a_broken_table_is_either_read_or_refused(path: Path) -> None:
    chance, refused = random.Random(1), 0
    whole = GOOD.encode()
    for _ in range(300):
        data = bytearray(whole[: chance.choice((len(whole), chance.randrange(len(whole))))])
        for _ in range(chance.choice((0, 1, 3, 20))):
            place = chance.randrange(len(data) + 1)
            data[place:place] = chance.choice(
                (b'"', b",", b"\n", b"\r", b"\0", b"w", b"9", b"\xff", b"e", b"target", b"#", b"=")
            )
        refused += is_refused(written(path, bytes(data)))
    assert refused > 100
