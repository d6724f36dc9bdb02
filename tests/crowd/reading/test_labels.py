from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from homeroom.crowd import Answers
from homeroom.crowd.answers import UNANSWERED_LABELS
from homeroom.crowd.reading.labels import labels_from_file

if TYPE_CHECKING:
    from tests.conftest import Write


def test_the_expert_has_a_column(write: Write) -> None:
    path = write("student,item,answer,label\nAda,moth,1,1\nBen,moth,0,1\nBen,wasp,0,-1\n")
    assert Answers.read(path).labels.tolist() == [1, -1]


def test_the_expert_has_a_file(write: Write) -> None:
    path = write("student,item,answer\nAda,moth,yes\nBen,moth,no\nBen,wasp,no\n")
    labels = write("item,label\nmoth,yes\nwasp,no\nbee,no\n", "labels.csv")
    answers = Answers.read(path, labels=labels)
    assert answers.labels.tolist() == [1, -1]
    assert answers.dropped == {UNANSWERED_LABELS: 1}


@pytest.mark.parametrize("positive", [None, "Moth"])
def test_yes_and_no_label_the_answers_in_the_table_s_own_words(
    write: Write, positive: str | None
) -> None:
    path = write("student,item,answer\nAda,a,Moth\nBen,a,Not a moth\nBen,b,Not a moth\n")
    labels = write("item,label\na,yes\nb,no\n", "labels.csv")
    assert Answers.read(path, labels=labels, positive=positive).labels.tolist() == [1, -1]


READ = "student,item,answer\nAda,moth,1\nBen,wasp,0\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("labels.csv", "item,truth\nmoth,1\nwasp,-1\n"),
        ("labels.csv", "moth,yes\nwasp,no\n"),
        ("labels.tsv", "species\titem\tlabel\nx\tmoth\t1\ny\twasp\t0\n"),
        ("labels.txt", "moth 1\nwasp 0\n"),
        ("labels.jsonl", '{"item": "moth", "label": 1}\n{"item": "wasp", "label": 0}\n'),
        ("labels.json", '{"moth": 1, "wasp": 0}'),
        ("labels.json", '{"labels": {"moth": true, "wasp": false}}'),
        ("labels.yaml", "labels: {moth: 1,\n  wasp: 0}\nspecies: {moth: 7}\n"),
        ("labels.yaml", "labels:\n  moth: 1\n  wasp: 0\nversion: 2\n"),
        ("labels.yml", "'moth': 1\n\"wasp\": 0\n"),
        ("labels.json", '{"labels": {"moth": 1, "wasp": 0}, "species": {"moth": 7}}'),
    ],
)
def test_a_file_of_labels_may_be_written_in_many_ways(write: Write, name: str, text: str) -> None:
    answers = Answers.read(write(READ), labels=write(text, name))
    assert answers.labels.tolist() == [1, -1]


def test_one_among_other_numbers_does_not_mean_yes(write: Write) -> None:
    table = write("student,item,answer,label\nAda,a,2,1\nAda,b,2,2\nBen,b,4,2\nBen,c,3,3\n")
    assert Answers.read(table, positive="2").labels.tolist() == [-1.0, 1.0, -1.0]


def test_the_labels_may_use_other_words(write: Write) -> None:
    labels = write("item,species\nmoth,mallard\nwasp,goose\n".replace("species", "label"), "l.csv")
    answers = Answers.read(write(READ), labels=labels, positive_labels=["mallard"])
    assert answers.labels.tolist() == [1, -1]


def test_a_positive_label_may_belong_to_an_unanswered_item(write: Write) -> None:
    labels = write("item,label\nmoth,mallard\nbee,teal\n", "labels.csv")
    answers = Answers.read(write(READ), labels=labels, positive_labels=["mallard", "teal"])
    assert answers.labels[answers.items.index("moth")] == 1
    assert answers.dropped[UNANSWERED_LABELS] == 1


def test_a_gap_is_not_a_label(write: Write) -> None:
    answers = Answers.read(write(READ), labels=write("item,label\nmoth,\nwasp,no\n", "l.csv"))
    assert np.isnan(answers.labels[0])
    assert answers.labels[1] == -1


def test_null_in_yaml_and_json_is_not_a_label(write: Write) -> None:
    for name, text in (
        ("l.yaml", "moth: ~\nwasp: 0\n"),
        ("l.yaml", "moth: null\nwasp: 0\n"),
        ("l.yaml", "moth:\nwasp: 0\n"),
        ("l.json", '{"moth": null, "wasp": 0}'),
    ):
        answers = Answers.read(write(READ), labels=write(text, name))
        known = dict(zip(answers.items, np.isfinite(answers.labels).tolist(), strict=True))
        assert not known["moth"]
        assert known["wasp"]


def test_a_file_of_labels_counts_instead_of_the_column(write: Write) -> None:
    path = write("student,item,answer,truth\nAda,moth,1,0\nBen,wasp,0,0\n")
    answers = Answers.read(path, labels=write("item,label\nmoth,1\n", "labels.csv"))
    assert answers.labels[0] == 1
    assert np.isnan(answers.labels[1])


BAD: list[tuple[str, str, dict[str, Any], str]] = [
    ("l.csv", "item,label\nbee,1\n", {}, r"items such as 'bee', but none of these is in .*'moth'"),
    ("l.csv", "item,label\nmoth,1\nmoth,0\n", {}, r"has two labels for item 'moth' \('1', '0'\)"),
    ("l.csv", "item,label\n", {}, r"has no labels: it needs one row per item"),
    ("l.csv", "", {}, r"must have the columns item and label, but has none"),
    ("l.csv", "a,b,c\n1,2,3\n", {}, r"must have the columns item and label, but has 'a', 'b', 'c'"),
    (
        "l.csv",
        "item,label\nmoth,1\nbee,0,sure\n",
        {},
        r"l.csv has rows with more or fewer cells than the header: 1 of them. Correct them first",
    ),
    ("l.json", "[1]", {}, r"must be one JSON object of items and labels"),
    ("l.json", "{", {}, r"must be one JSON object of items and labels"),
    ("l.yaml", "# nothing yet\n", {}, r"has no labels: it needs pairs such as moth: 1"),
    ("l.yaml", "nothing", {}, r"cannot be read as labels from line 1 on: it needs pairs such as"),
    ("l.yaml", "moth: 1\nmoth: 0", {}, r"has two labels for item 'moth' \('1', '0'\)"),
    ("l.json", '{"moth": 1, "moth": 0}', {}, r"has two labels for item 'moth' \('1', '0'\)"),
    (
        "l.yaml",
        "labels: {moth: 1}\nlabels: {wasp: 0}",
        {},
        r"l.yaml has several parts called 'labels': merge them",
    ),
    (
        "l.json",
        '{"labels": {"moth": 1}, "labels": {"wasp": 0}}',
        {},
        r"l.json has several parts called 'labels': merge them",
    ),
    (
        "l.doc",
        "",
        {},
        r"must end in .csv, .* to be a table of labels \(or in .json or .yaml\): save it as one",
    ),
    (
        "l.yaml",
        "a: {moth: 1}\nb: {moth: 0}",
        {},
        r"must have one label per item, but has several values for 'a': .* call that part label",
    ),
    (
        "l.csv",
        "item,label\nmoth,x\n",
        {},
        r"is 'x', which is neither 'yes' nor 'no': .*--label-yes",
    ),
    (
        "l.csv",
        "item,label\nmoth,x\n",
        {"positive_labels": ["z"]},
        r"`positive_labels` names 'z', but the expert's labels are 'x'",
    ),
]


@pytest.mark.parametrize(
    ("name", "text", "options", "sentence"), BAD, ids=[f"{b[1]!r}: {b[3]}" for b in BAD]
)
def test_invalid_labels_are_refused(
    write: Write, name: str, text: str, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        Answers.read(write(READ), labels=write(text, name), **options)


def test_a_text_is_not_a_list_of_labels(write: Write) -> None:
    labels = write("item,label\nmoth,x\n", "labels.csv")
    with pytest.raises(TypeError, match="`positive_labels` must be a list of labels"):
        Answers.read(write(READ), labels=labels, positive_labels="x")


def test_a_missing_file_of_labels_is_refused(write: Write, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"There is no file .*nowhere.csv"):
        Answers.read(write(READ), labels=tmp_path / "nowhere.csv")


def test_names_of_several_words_are_read_whole(write: Write) -> None:
    path = write("student,item,answer\nAda,tiger moth,1\nBen,moth,0\nBen,a: b,0\n")
    labels = write('tiger moth: 1\nmoth: 0\n"a: b": 1\n', "labels.yaml")
    assert Answers.read(path, labels=labels).labels.tolist() == [1, -1, 1]


def test_errors_in_labels_are_reported_before_the_answers_are_read(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"There is no file .*labels.csv"):
        Answers.read(tmp_path / "answers.csv", labels=tmp_path / "labels.csv")


def test_right_or_wrong_needs_labels_that_say_yes_or_no(write: Write) -> None:
    path = write("student,item,correct\nAda,moth,1\nBen,wasp,0\n")
    with pytest.raises(ValueError, match=r"is 'duck', which is neither 'yes' nor 'no'"):
        Answers.read(path, labels=write("item,label\nmoth,duck\n", "labels.csv"))


@pytest.mark.slow
def test_a_long_file_of_labels_takes_little_memory(write: Write) -> None:
    """A table of answers, given as labels by mistake, may have any number of rows."""
    path = write("item,label\n" + "moth,1\n" * 200_000, "l.csv")
    tracemalloc.start()
    try:
        assert labels_from_file(path) == {"moth": "1"}
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()
