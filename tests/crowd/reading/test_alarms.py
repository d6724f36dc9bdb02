"""Tables that may not be what they were read as are refused, and all others are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest

from homeroom import Answers
from homeroom._checks import InputError
from homeroom.cli import run
from homeroom.crowd.reading.alarms import FEWEST_LABELS
from tests.crowd.reading import test_other_programs as files

if TYPE_CHECKING:
    from tests.conftest import Write

DATA = Path(__file__).parents[4] / "shared" / "data"


def long_table(*more: str, words: Sequence[str] = files.BIRDS) -> str:
    rows = (
        f"{files.PEOPLE[p]},{files.ITEMS[i]},{files.word(p, i, words)}" for p, i in files.pairs()
    )
    return "\n".join(["student,item,answer", *rows, *more])


COUNTED = list(enumerate(f"bird-{number}.jpg" for number in range(20)))

ALARMS: dict[str, tuple[str, str]] = {
    "an answer that occurs once": (long_table("Ada,bird-9.jpg,test"), "'test' occurs once"),
    "an annotator whose answers no other gave": (
        long_table("admin,bird-1.jpg,x", "admin,bird-2.jpg,x"),
        "annotator 'admin' has only answers that no other gave, such as 'x'",
    ),
    "a single label of the expert": (
        "\n".join(
            f"{line},{'truth' if n == 0 else 'owl'}"
            for n, line in enumerate(long_table().splitlines())
        ),
        "the expert has the single label 'owl' for 8 items",
    ),
    "changed answers and unused dates": (
        files.csv_text(files.changed_answers(files.BIRDS)),
        "dates in 'when', which is not used: name it, --column time='when'",
    ),
    "first rows unlike the rest": (
        files.csv_text(files.two_headers(files.BIRDS)),
        r"row 1 below the header \('Name of the student', .* is unlike the other rows",
    ),
    "a last row unlike the rest": (
        files.csv_text([*files.with_a_total(files.BIRDS)[:-1], ["Notes", *["1 %"] * 8]]),
        r"the last row below the header \('Notes', ",
    ),
    "numbers of answers by class": (
        files.csv_text([["item", *files.BIRDS], *([i, n % 7, 7 - n % 7, 0] for n, i in COUNTED)]),
        "numbers of answers, one column per class",
    ),
    "different numbers of answers by class": (
        files.csv_text([["item", *files.BIRDS], *([i, n % 2, 5 + n % 3, 0] for n, i in COUNTED)]),
        "numbers of answers, one column per class",
    ),
    "one column per class": (
        files.csv_text(
            [["item", *files.BIRDS], *([i, *np.eye(3, dtype=int)[n % 3]] for n, i in COUNTED)]
        ),
        "numbers of answers, one column per class",
    ),
    "confusions": (",yes,no\nyes,40,10\nno,5,45\n", "rows and columns have the same names"),
    "changed answers and unused versions": (
        files.csv_text(
            [
                [*row[:3], "old" if n > 56 else "version" if n == 0 else 2]
                for n, row in enumerate(files.changed_answers(files.BIRDS))
            ]
        ).replace("old", "1"),
        "name it, --column time='version'",
    ),
    "a misspelt answer": (long_table("Ada,bird-9.jpg,kitte"), "'kitte' occurs once"),
    "a remark as an answer": (long_table("Ada,bird-9.jpg,I cannot see"), "'I cannot see' occurs"),
    "columns about the annotators": (
        files.csv_text(files.with_ages(files.BIRDS)),
        "the column 'age', 'gender' has no answer in common with the others",
    ),
    "a second header among the rows": (
        files.csv_text(files.header_again(files.YES_NO)),
        "are also in the rows: the header is missing, or repeated",
    ),
    "no header": (
        files.csv_text(files.headless(files.BIRDS)),
        "the header is missing, or repeated",
    ),
    "two columns of answers": (
        files.csv_text(files.key_and_response(files.BIRDS)),
        "'answer', 'response' may both hold the answers: name one, --column answer='response'",
    ),
    "a column of majorities": (
        files.csv_text(
            [["item", *"ABCDEFG", "Majority"], *([n, *"yyyynnn", "y"] for n in "pqrstuvw")]
        ),
        "'Majority' may be computed from the answers",
    ),
    "a total of right answers": (
        files.csv_text([["name", *"pqrstuvw", "Total"], *([n, *"10101010", 4] for n in "ABCDEFG")]),
        "'Total' may be computed from the answers",
    ),
    "a key among the annotators": (
        files.csv_text(
            [["name", *files.ITEMS], *([n, *"ynynynyn"] for n in (*"ABCDEFG", "Correct"))]
        ),
        "'Correct' may be computed from the answers, or be a key",
    ),
    "a flag of 0 and 1": (
        "student,item,answer,gold\n"
        + "".join(
            f"{files.PEOPLE[p]},{files.ITEMS[i]},{files.word(p, i, files.YES_NO)},{int(i < 2)}\n"
            for p, i in files.pairs()
        ),
        r"the column 'gold' \('0', '1'\) may say which items have a label",
    ),
    "a flag": (
        files.csv_text(files.flag(files.BIRDS)),
        r"none of the expert's labels \('FALSE', 'TRUE'\) is an answer",
    ),
}


@pytest.mark.parametrize("name", ALARMS)
def test_an_alarm_stops_the_reader_unless_the_user_confirms_it(write: Write, name: str) -> None:
    text, sentence = ALARMS[name]
    path = write(text)
    with pytest.raises(InputError, match=sentence) as refused:
        Answers.read(path)
    assert "--as-read" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(Answers.read(path, as_read=True)) >= (4 if name == "confusions" else 55)


@pytest.mark.parametrize("command", ["embed", "groups", "map", "teach"])
def test_every_command_stops_before_any_result(
    write: Write, command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = write(long_table("Ada,bird-9.jpg,test"))
    assert run(["crowd", command, str(path)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "--as-read" in shown.err
    if command == "embed":
        assert run(["crowd", command, str(path), "--as-read", "--dimensions", "1"]) == 0


def test_what_is_read_rightly_needs_no_confirmation(write: Write) -> None:
    """The remedies that the alarms name are enough."""
    changed = files.changed_answers(files.BIRDS)
    answers = Answers.read(write(files.csv_text(changed)), columns={"time": "when"})
    assert files.misread(answers, files.BIRDS) == []
    in_order = write(files.csv_text([changed[0], *changed[-8:], *changed[1:-8]]))
    assert files.misread(Answers.read(in_order), files.BIRDS) == []
    key = write(files.csv_text(files.key_and_response(files.BIRDS)))
    assert files.misread(Answers.read(key, columns={"answer": "response"}), files.BIRDS) == []
    golden = Answers.read(write(files.csv_text(files.golden(files.BIRDS))))
    assert files.misread(golden, files.BIRDS) == []
    assert any("_golden" in note for note in golden.notes)
    appen = Answers.read(write(files.csv_text(files.appen(files.BIRDS))))
    assert (len(appen), appen.experts.tolist()) == (56, [2, 1, *[-1] * 6])


@pytest.mark.parametrize("respondents", [1, 2, 3, 4, 5, 7])
@pytest.mark.parametrize("words", [files.BIRDS, files.TRUE_FALSE])
@pytest.mark.parametrize("made", [files.qualtrics, files.survey_monkey, files.moodle])
def test_second_headers_and_columns_about_respondents_are_no_answers(
    write: Write,
    made: Callable[[Sequence[str]], files.Rows],
    words: Sequence[str],
    respondents: int,
) -> None:
    headers = {"qualtrics": 3, "survey_monkey": 2, "moodle": 1}[made.__name__]
    try:
        answers = Answers.read(write(files.csv_text(made(words)[: headers + respondents])))
    except InputError:
        assert respondents < 7
    else:
        assert (len(answers.people), len(answers.items)) == (respondents, 8)
        assert {name.casefold() for name in answers.classes} <= {
            "no",
            "yes",
            *map(str.casefold, words),
        }


def test_rejected_answers_do_not_count(write: Write) -> None:
    lines = long_table().splitlines()
    spam = [f"Spam,{item},owl" for item in files.ITEMS]
    for name, yes, no in (
        ("AssignmentStatus", "Approved", "Rejected"),
        ("_tainted", "false", "true"),
    ):
        text = [f"{lines[0]},{name}", *(f"{row},{yes}" for row in lines[1:])]
        answers = Answers.read(write("\n".join([*text, *(f"{row},{no}" for row in spam)])))
        assert files.misread(answers, files.BIRDS) == []
        assert answers.dropped["rows that were skipped, cancelled or rejected"] == len(spam)
    named = "\n".join([f"{lines[0]},verdict", *(f"{row},rejected" for row in lines[1:])])
    kept = Answers.read(
        write(named), columns={"answer": "verdict"}, as_read=True, positive="rejected"
    )
    assert len(kept) == 56


@pytest.mark.parametrize("seed", range(60))
def test_a_rare_class_raises_no_alarm(write: Write, seed: int) -> None:
    """Tables of 8 annotators and 12 items, whose rarest class may be one answer."""
    rng = np.random.default_rng(seed)
    names = np.array(["owl", "kite", "gull", "heron", "crow"])[: rng.integers(3, 6)]
    shares = rng.dirichlet(np.full(len(names), 0.7))
    truth = rng.choice(len(names), 12, p=shares)
    noise = rng.choice(len(names), (8, 12), p=shares)
    cells = names[np.where(rng.random((8, 12)) < 0.7, truth, noise)]
    rows = [
        ["student", *(f"q{n}" for n in range(12))],
        *([f"s{n}", *r] for n, r in enumerate(cells)),
    ]
    if len(set(cells.ravel())) > 1:
        assert len(Answers.read(write(files.csv_text(rows)))) == 96


def test_letters_beside_two_other_texts_are_the_answers(write: Write) -> None:
    rows: files.Rows = [["student", "item", "letter", "room", "colour"]]
    for n, (p, i) in enumerate(files.pairs()):
        about = [["north", "south"][n % 2], ["red", "blue"][n // 7 % 2]]
        rows.append([files.PEOPLE[p], files.ITEMS[i], files.word(p, i)[0].upper(), *about])
    answers = Answers.read(write(files.csv_text(rows)))
    assert files.misread(answers, ("O", "K", "G")) == []


def test_a_column_that_is_another_part_by_its_name_is_not_swapped(write: Write) -> None:
    path = write(long_table(words=files.YES_NO))
    with pytest.raises(InputError, match="'student', which is the student by its name, but is n"):
        Answers.read(path, columns={"answer": "student"})
    both = {"student": "item", "item": "student"}
    assert len(Answers.read(path, columns=both).people) == len(files.ITEMS)


def test_triples_in_another_order_are_refused_with_the_columns_to_name(write: Write) -> None:
    path = write(files.csv_text(files.headless(files.YES_NO)))
    with pytest.raises(InputError, match="--column student=1 --column item=2 --column answer=3"):
        Answers.read(path)
    answers = Answers.read(path, columns={"student": "1", "item": "2", "answer": "3"})
    assert answers.people == tuple(files.PEOPLE)


Size: TypeAlias = tuple[int, int, int]
"""The number of annotators, items, and answers per item."""


def crowd(size: Size, shares: Sequence[float], words: Sequence[str], seed: int) -> str:
    """Return the answers of a crowd of which few are busy, to items of these classes."""
    people, items, per_item = size
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(shares), items, p=shares)
    busy = 1 / np.arange(1, people + 1)
    rows = []
    for item in range(items):
        for who in rng.choice(people, per_item, replace=False, p=busy / busy.sum()):
            is_right = rng.random() < 0.7
            answer = truth[item] if is_right else rng.choice(len(shares), p=shares)
            rows.append(f"{item},w{who},{words[answer]}")
    return "\n".join(["question,worker,answer", *rows])


def zipf(classes: int) -> list[float]:
    weights = 1 / np.arange(1, classes + 1) ** 1.5
    return [float(weight) for weight in weights / weights.sum()]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("size", "shares"),
    [
        ((109, 807, 10), [0.25] * 4),  # the dogs
        ((27, 584, 9), [0.25] * 4),  # the faces
        ((39, 108, 20), [0.45, 0.55]),
        ((60, 300, 5), zipf(30)),  # rare classes
        ((200, 200, 3), zipf(20)),
        ((8, 30, 4), zipf(12)),
    ],
)
def test_crowds_like_the_public_ones_raise_no_alarm(
    write: Write, size: Size, shares: list[float], seed: int
) -> None:
    numbers = list(map(str, range(len(shares))))
    names = ["no", "yes"] if len(shares) == 2 else [f"species {number}" for number in numbers]
    for words in (numbers, names):
        answers = Answers.read(write(crowd(size, shares, words, seed)))
        assert len(answers) == size[1] * size[2]


@pytest.mark.parametrize("seed", range(20))
def test_a_small_matrix_raises_no_alarm(write: Write, seed: int) -> None:
    """Sparse answers of few annotators, of whom the first may differ from all others."""
    rng = np.random.default_rng(seed)
    people, items = rng.integers(3, 12), rng.integers(3, 9)
    cells = rng.choice(["yes", "no", ""], (people, items), p=[0.5, 0.3, 0.2])
    cells[0] = "no"
    cells[1:, :2] = "yes"
    header = ",".join(["student", *(f"q{n}" for n in range(items))])
    rows = [",".join([f"s{n}", *row]) for n, row in enumerate(cells)]
    assert len(Answers.read(write("\n".join([header, *rows])))) == (cells != "").sum()


@pytest.mark.parametrize("by_item", [False, True])
def test_a_class_of_one_item_on_which_all_agree_raises_no_alarm(
    write: Write, by_item: bool
) -> None:
    """Of a class with one item, the first or the last, as in most small tables."""
    truth = ["heron", "kite", "owl", "owl", "kite", "owl", "gull"]
    rows = [["name", *(f"bird-{number}.jpg" for number in range(7))]]
    rows += [[person, *truth] for person in "ABCDEF"]
    if by_item:
        rows = [list(column) for column in zip(*rows, strict=True)]
        rows[0][0] = "item"
    answers = Answers.read(write(files.csv_text(rows)))
    assert (len(answers.people), len(answers.items), len(answers.classes)) == (6, 7, 4)


def test_annotators_that_are_questions_raise_an_alarm_but_addresses_do_not(write: Write) -> None:
    """A matrix without a name of its first column has the students in it, or the questions."""
    for names, is_right in (("What is on {}?", False), ("{}.jpg", False), ("{}@school.org", True)):
        rows = [["", *files.PEOPLE], *([names.format(n), *"abcabca"] for n in "pqrstuvw")]
        path = write(files.csv_text(rows))
        if is_right:
            assert len(Answers.read(path).people) == 8
        else:
            with pytest.raises(InputError, match="look like items"):
                Answers.read(path)


def test_a_flag_beside_words_is_not_taken_for_the_answers(write: Write) -> None:
    """The identifications of iNaturalist: `current` is whether the user changed it later."""
    rows: files.Rows = [["observation", "user", "taxon", "current"]]
    rows += [
        [400 + i, files.PEOPLE[p], files.word(p, i), "false" if (p + i) % 9 == 0 else "true"]
        for p, i in files.pairs()
    ]
    path = write(files.csv_text(rows))
    with pytest.raises(InputError, match="--column answer="):
        Answers.read(path)
    assert Answers.read(path, columns={"answer": "taxon"}).classes == ("gull", "kite", "owl")


def test_a_form_with_one_text_for_several_questions_is_refused(write: Write) -> None:
    rows = [["Timestamp", *["What bird is it?"] * 3]]
    rows += [[files.when(n), *files.BIRDS] for n in range(8)]
    with pytest.raises(InputError, match="several columns for the question"):
        Answers.read(write(files.csv_text(rows)))


def test_rows_of_answers_with_an_unknown_item_are_no_matrix(write: Write) -> None:
    """A small table of answers whose item has an unknown name is refused."""
    said = [(person, item) for item in range(4) for person in range(3)]
    rows = [["document", "user", "layer", "feature", "value"]]
    rows += [[f"d{i}.txt", f"w{p}", "birds", "kind", files.BIRDS[i % 3]] for p, i in said]
    with pytest.raises(InputError, match="several rows per student or item"):
        Answers.read(write(files.csv_text(rows)))


def test_the_sample_files_raise_no_alarm(tmp_path: Path) -> None:
    assert run(["sample", str(tmp_path / "sample")]) == 0
    for name in ("answers.csv", "answers5.csv", "classifications.csv"):
        assert len(Answers.read(tmp_path / "sample" / name)) > 100
    assert len(Answers.read(tmp_path / "sample" / "form.csv", positive="moth")) > 100


@pytest.mark.skipif(not DATA.is_dir(), reason="the real data are not here")
def test_real_answers_raise_no_alarm() -> None:
    assert len(Answers.read(DATA / "learners" / "butterflies_crop.csv")) > 1000


def test_a_few_labels_may_be_the_same(write: Write) -> None:
    lines = long_table().splitlines()
    few = {f"bird-{n}.jpg" for n in range(1, FEWEST_LABELS)}
    text = [f"{line},{'owl' if line.split(',')[1] in few else ''}" for line in lines[1:]]
    answers = Answers.read(write("\n".join([f"{lines[0]},truth", *text])))
    assert (answers.experts >= 0).sum() == FEWEST_LABELS - 1
