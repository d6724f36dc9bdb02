"""From a file to answers."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeroom.crowd import Answers

if TYPE_CHECKING:
    from tests.conftest import Rows, Write


DUCKS = Path(__file__).parents[4] / "shared" / "data" / "ducks"

LEARNERS = Path(__file__).parents[4] / "shared" / "data" / "learners"

BAD: list[tuple[str, dict[str, Any], str]] = [
    ("", {}, r"answers.csv is empty: it needs a header such as student,item,answer"),
    ("\n \n", {}, r"answers.csv is empty"),
    ("student,item,answer\n", {}, r"answers.csv has no answers: a table needs one row per answer"),
    ("student,item,answer\nAda\n", {}, r"no answers \(rows with more or fewer cells"),
    ("student,item,answer\nAda,moth,\n", {}, r"no answers \(rows without an answer .*: 1;"),
    ("a,b,c\n1,2,x\n", {}, r"no column for the student and the item and the answer: it has 'a', "),
    ("student,answer,Q\nAda,1,2\n", {}, r"no column for the item: .* \(--column item='Q'\)"),
    ("student,answer\nAda,1\n", {}, r"no column for the item: .*\{'item': '...'\}"),
    ("student,item,answer\nAda,a,b\nBen,a,b\n", {}, r"answers 'b', and it is not known which me"),
    ("student,item,answer\nAda,a,0\nBen,a,-1\n", {}, r"positive='-1' or positive='0' \(--pos"),
    (
        "student,item,answer\n" + "".join(f"A,i{n},c{n}\n" for n in range(51)),
        {},
        r"has 51 different answers \('c0', .*\), but may have at most 50",
    ),
    (
        "student,item,answer,truth\nA,a,1,1\nB,a,2,1\nC,a,3,1\n",
        {"positive_labels": ["1"]},
        r"is for two answers, but .* has 3 \('1', '2', '3'\)",
    ),
    (
        "student,item,correct\nA,a,1\nB,a,0\nC,a,.5\n",
        {},
        r"must have two: round partly right answers",
    ),
    (
        "student,item,answer,correct\nA,a,cat,1\nB,a,cat,0\n",
        {},
        r"not known which means yes: .*, or read whether it was right: --column correct='corr",
    ),
    (
        "student,item,answer,Is-Correct\nA,a,5,1\nB,a,6,0\nC,a,7,0\n",
        {},
        r"has 3 different answers .*: name the one to read, --column correct='Is-Correct' or",
    ),
    ("student,item,answer\nA,a,1\n", {"keep": "best"}, r"`keep` must be 'last' or 'first'"),
    ("student,item,answer\nA,a,1\nB,a,0\n", {"positive": "2"}, r"`positive` must be one of .*'2'"),
    (
        "student,item,answer\nA,a,1\n",
        {"columns": {"who": "x"}},
        r"`columns` must say where to find",
    ),
    (
        "student,item,answer\nA,a,1\n",
        {"columns": {"item": "itme"}},
        r"no column 'itme' for the item: it has 'student', .* Did you mean 'item'\?",
    ),
    (
        "who,item,answer\nA,a,1\n",
        {"columns": {"student": "who", "item": "who"}},
        r"has one column 'who', but it is named for the student and the item: name another",
    ),
    (
        "student,item,answer\nA,a,1\n",
        {"positive_labels": ["1"]},
        r"`positive_labels` names '1', but the expert's labels are none",
    ),
    (
        "student,item,item,answer\nA,a,b,1\n",
        {},
        r"has 2 columns 'item', any of which could be the item",
    ),
    ("student,q1,q1\nA,0,1\n", {}, r"has several columns for the item 'q1'"),
    ("student,item,answer,label\nA,a,1,1\nB,a,0,0\n", {}, r"several expert's labels for item 'a'"),
    (
        "student,item,answer,label\nA,a,1,x\n",
        {},
        r"label of item 'a' is 'x', which is neither 'yes'",
    ),
    ('student,item,answer\n"A,a,1\n' + "x" * 200_000, {}, r"quotation mark that is never closed"),
    ("student,item,answer\nA,a,1\n", {"encoding": "klingon"}, r"no encoding called 'klingon'"),
    ("student,item,answer\nÄ,a,1\n", {"encoding": "ascii"}, r"is not written in ascii"),
    ("student,item,answer\nA\0,a,1\n", {}, r"is not text: it contains bytes that text never has"),
]


@pytest.mark.parametrize(("text", "options", "sentence"), BAD, ids=[row[2] for row in BAD])
def test_invalid_tables_are_refused_in_one_sentence(
    write: Write, text: str, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence) as refusal:
        Answers.read(write(text), **options)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 400


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"positive": 1},
            r"`positive` must be text as written in the table, as in '1', but is int",
        ),
        (
            {"columns": {"student": 2}},
            r"`columns\['student'\]` must be text .* as in '2', but is int",
        ),
        ({"columns": ["student"]}, r"`columns` must map parts to names of columns, .*but is list"),
        ({"positive_labels": ["1", 1]}, r"`positive_labels\[1\]` must be text .* but is int"),
    ],
)
def test_words_of_a_table_must_be_text(
    write: Write, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(TypeError, match=sentence):
        Answers.read(write("student,item,answer,truth\nA,a,1,1\nB,a,0,1\n"), **options)


def test_missing_and_unknown_files_are_refused(write: Write, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"There is no file .*none.csv"):
        Answers.read(tmp_path / "none.csv")
    with pytest.raises(ValueError, match=r"must end in .csv, .tsv, .* to be a table of answers"):
        Answers.read(write("x", "answers.doc"))
    with pytest.raises(ValueError, match=r"cannot be read: it is damaged or cut off"):
        Answers.read(write("no parquet", "answers.parquet"))


HOSTILE = st.one_of(
    st.binary(max_size=300),
    st.text("student,item,answer\n\t;|\"' #01yn.-+é\x00{}[]:", max_size=300).map(str.encode),
    st.lists(
        st.lists(st.sampled_from(["", "0", "1", "2", "a", '"', "student", "item", "label", "NA"])),
        max_size=12,
    ).map(lambda rows: "\n".join(",".join(row) for row in rows).encode()),
)


@given(content=HOSTILE, ending=st.sampled_from(["csv", "txt", "jsonl", "parquet"]))
def test_any_file_is_read_or_refused_in_one_line(content: bytes, ending: str) -> None:
    """Any file is read, or refused by a ValueError of one line; nothing else happens."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"answers.{ending}"
        path.write_bytes(content)
        try:
            said = repr(Answers.read(path))
        except ValueError as refusal:
            said = str(refusal)
    assert said
    assert "\n" not in said
    assert "(0 answers" not in said


@pytest.mark.skipif(not DUCKS.is_dir(), reason="the real data are not here")
def test_the_ducks_are_read_without_the_line_of_their_sizes(write: Write) -> None:
    sizes, rows = (DUCKS / "labels.txt").read_text().split("\n", 1)
    with pytest.raises(ValueError, match=f"{sizes}.*delete that line"):
        Answers.read(DUCKS / "labels.txt")
    answers = Answers.read(
        write(rows, "labels.txt"), labels=DUCKS / "classes.yaml", positive_labels=["0", "2"]
    )
    assert (len(answers.items), len(answers.people), len(answers)) == (240, 53, 9600)
    assert not answers.dropped
    assert int((answers.labels > 0).sum()) == 100
    majority = np.bincount(answers.item, answers.yes) / np.bincount(answers.item) > 0.5
    by_name = answers.labels[np.argsort([int(item) for item in answers.items])]
    order = np.argsort([int(item) for item in answers.items])
    right = (majority[order] == (by_name > 0)).mean()
    assert right == pytest.approx(0.69, abs=0.01)


@pytest.mark.skipif(not LEARNERS.is_dir(), reason="the real data are not here")
def test_real_learners_are_read_one_species_against_the_rest() -> None:
    answers = Answers.read(LEARNERS / "butterflies_crop.csv", positive="1")
    assert answers.negative == "not 1"
    assert np.isfinite(answers.labels).all()
    assert answers.times is not None


MIXED = "student,item,answer,truth\n" + "\n".join(
    f"{student},{item},{answer},{truth}"
    for student, answers in {
        "Ada": ("yes", "0", "unsure"),
        "Ben": ("true", "no", "1"),
        "Cleo": ("y", "n", "?"),
    }.items()
    for item, answer, truth in zip("abc", answers, ("true", "no", "unsure"), strict=True)
)


def test_words_for_the_same_answer_are_counted_together_and_listed(write: Write) -> None:
    answers = Answers.read(write(MIXED), positive="yes", missing=["unsure"])
    assert (len(answers), int(answers.yes.sum())) == (7, 4)
    assert answers.merged == {
        "yes": {"yes": 1, "true": 1, "1": 1, "y": 1},
        "no": {"0": 1, "no": 1, "n": 1},
        "no answer": {"unsure": 1, "?": 1},
    }
    assert ("merged", "'0' (1), 'no' (1), 'n' (1) as 'no'") in answers.summary()
    np.testing.assert_array_equal(answers.labels, [1.0, -1.0, np.nan])


def test_the_rest_counts_as_no_and_is_listed(write: Write) -> None:
    answers = Answers.read(write(MIXED.replace("unsure", "moth")), positive="yes")
    assert (len(answers), int(answers.yes.sum()), answers.negative) == (8, 4, "not yes")
    assert answers.merged["not yes"] == {"0": 1, "moth": 1, "no": 1, "n": 1}
    np.testing.assert_array_equal(answers.labels, [1.0, -1.0, -1.0])


def test_longer_words_of_doubt_get_a_note_with_the_flag(write: Write) -> None:
    table = write(MIXED.replace("unsure", "I'm not sure (blurred)"))
    (note,) = (one for one in Answers.read(table, positive="yes").notes if "missing" in one)
    assert note.startswith('"I\'m not sure (blurred)" counted as answers; if they mean that')
    assert note.endswith("""(--missing "I'm not sure (blurred)")""")
    clear = Answers.read(table, positive="yes", missing=["I'm not sure (blurred)"])
    assert not any("missing" in one for one in clear.notes)
    assert clear.merged["no answer"] == {"I'm not sure (blurred)": 1, "?": 1}


def test_words_that_mean_no_answer_are_a_list(write: Write) -> None:
    with pytest.raises(TypeError, match=r"`missing` must be a list of words, as in \['unsure'"):
        Answers.read(write(MIXED), missing="unsure")


EXPECTED = [("Ada", "moth", True), ("Ada", "wasp", False), ("Ben", "moth", False)]


def test_triples_without_a_header(write: Write, rows: Rows) -> None:
    answers = Answers.read(write("moth Ada 1\nwasp Ada 0\nmoth Ben 0\n", "labels.txt"))
    assert rows(answers) == EXPECTED
    assert "there is no header" in answers.notes


def test_columns_without_a_header_can_be_named_by_number(write: Write, rows: Rows) -> None:
    path = write("Ada,moth,9:00,1\nAda,wasp,9:01,0\nBen,moth,9:02,0\n")
    columns = {"student": "1", "item": "2", "answer": "4"}
    assert rows(Answers.read(path, columns=columns)) == EXPECTED


@pytest.mark.parametrize("first", ["3 2 3", "30 20 300"])
def test_a_first_line_of_sizes_is_refused(write: Write, first: str) -> None:
    path = write(f"{first}\n0 0 1\n1 0 0\n0 1 0\n", "labels.txt")
    with pytest.raises(ValueError, match=f"{first}.*as_read"):
        Answers.read(path)
    assert len(Answers.read(path, as_read=True)) == 4


def test_a_first_line_that_is_an_answer_is_read_as_one(write: Write) -> None:
    assert len(Answers.read(write("0 0 1\n1 0 0\n", "labels.txt"))) == 2
    assert len(Answers.read(write("5 5 2\n1 0 1\n1 1 1\n1 2 1\n", "l.txt"), positive="2")) == 4


@pytest.mark.parametrize(
    "comment",
    [
        "#student\titem\tanswer",
        "# by hand\n# worker\ttask\tlabel",
        "# columns: student\titem\tanswer",
        '# "student"\t"item"\t"answer"',
    ],
)
def test_a_comment_above_the_table_may_give_the_order(
    write: Write, rows: Rows, comment: str
) -> None:
    answers = Answers.read(write(comment + "\n\nAda\tmoth\tyes\nBen\tmoth\tno\n", "a.tsv"))
    assert rows(answers) == [("Ada", "moth", True), ("Ben", "moth", False)]


@pytest.mark.parametrize(
    "comment", ['# of "the" lab', "# student,item", "# item", "# each,item,answer,by,student"]
)
def test_a_comment_without_column_names_gives_no_order(
    write: Write, rows: Rows, comment: str
) -> None:
    answers = Answers.read(write(comment + "\nmoth,Ada,yes\nmoth,Ben,no\n"))
    assert rows(answers) == [("Ada", "moth", True), ("Ben", "moth", False)]


def test_three_or_more_answers_are_classes_as_written(write: Write) -> None:
    table = "student,item,answer,truth\nA,a,Owl,owl\nB,a,kite,\nA,b,OWL,gull\nB,b,10,\nC,b,9,\n"
    answers = Answers.read(write(table))
    assert answers.classes == ("9", "10", "gull", "kite", "Owl")
    assert [answers.classes[code] for code in answers.choices] == ["Owl", "kite", "Owl", "10", "9"]
    assert [answers.classes[code] for code in answers.experts] == ["Owl", "gull"]
    with pytest.raises(ValueError, match="one of 5 classes, not yes or no"):
        _ = answers.yes


def test_an_answer_column_that_the_user_names_is_read_as_classes(write: Write) -> None:
    path = write("student,item,answer,correct\nA,a,x,1\nB,a,y,0\nC,a,z,0\n")
    assert Answers.read(path, columns={"answer": "answer"}).classes == ("x", "y", "z")
    assert Answers.read(path, columns={"correct": "correct"}).classes == ("wrong", "right")
    assert Answers.read(path, positive="x").classes == ("not x", "x")


def test_two_named_answers_are_two_classes(write: Write) -> None:
    """Nobody has to say which of them is the positive one, but a label yes needs it."""
    text = "student,item,answer,truth\nAda,a,wasp,wasp\nBen,a,moth,wasp\nBen,b,wasp,moth\n"
    answers = Answers.read(write(text))
    assert (answers.classes, answers.yes.tolist()) == (("moth", "wasp"), [True, False, True])
    assert answers.labels.tolist() == [1, -1]
    labels = write("item,label\na,1\nb,0\n", "labels.csv")
    with pytest.raises(ValueError, match="positive_labels="):
        Answers.read(write(text), labels=labels)
    named = Answers.read(write(text), labels=labels, positive="moth")
    assert named.labels.tolist() == [1, -1]
