from __future__ import annotations

import time
import tracemalloc

import pytest

from homeroom.live.messages.told import ClassesOffered
from homeroom.live.one_roster import (
    LONGEST_ID,
    MOST_CLASSES,
    MOST_ENROLLMENTS,
    Export,
    SeveralClasses,
    enrolled,
)
from homeroom.live.refused import Refused

CLASSES = "sourcedId,status,title,classCode\n"
ENROLLMENTS = "classSourcedId,userSourcedId,role,status\n"
PEOPLE = {"s1", "s2", "t1"}


def export(classes: str, enrollments: str) -> Export:
    return Export(b"", None, (CLASSES + classes).encode(), (ENROLLMENTS + enrollments).encode())


def offered(classes: str, enrollments: str = "") -> list[tuple[str, str, int]]:
    with pytest.raises(SeveralClasses) as refused:
        enrolled(export(classes, enrollments), PEOPLE, None)
    told = ClassesOffered.model_validate(refused.value.problem)
    return [(one.id, one.title, one.students) for one in told.classes]


def test_the_files_of_an_export_are_found_wherever_they_lie() -> None:
    files = {"x/Users.csv": b"u", "x/classes.csv": b"c", "x/enrollments.csv": b"", "a.csv": b"a"}
    assert Export.of(files) == Export(b"u", None, b"c", None)
    with pytest.raises(Refused, match=r"There is no users.csv in it, as an export"):
        Export.of({"classes.csv": b"c"})


def test_several_classes_are_offered_with_how_many_would_come() -> None:
    rows = (
        "c1,s1,student,\nc1,s1,student,\nc1,s2,STUDENT,active\nc1,t1,teacher,\n"
        "c2,s2,student,tobedeleted\nc2,s1,student,inactive\nc2,gone,student,\nc3,s1,student,\n"
    )
    classes = "c1,,7a,\nc2,active,7b,\nc3,inactive,old,\nc4,tobedeleted,old,\nc1,,again,\n,,x,\n"
    assert offered(classes, rows) == [("c1", "7a", 2), ("c2", "7b", 0)]
    with pytest.raises(SeveralClasses) as refused:
        enrolled(export(classes, rows), PEOPLE, None)
    assert refused.value.status == 409
    assert refused.value.problem["code"] == "roster_classes"
    assert refused.value.problem["values"] == {"classes": 2}


def test_classes_with_one_title_are_told_apart() -> None:
    rows = "c1,,Art,A1\nc2,,Art,A2\nc3,,Art,\nc4,,Music,M\nc5,,Music,M\nc6,,,\n"
    assert [title for _, title, _ in offered(rows)] == [
        "Art (A1)",
        "Art (A2)",
        "Art",
        "Music (M) (c4)",
        "Music (M) (c5)",
        "c6",
    ]


def test_a_long_title_is_cut() -> None:
    ((_, one, _), (_, other, _)) = offered(f"c1,,{'x' * 80},\nc2,,{'x' * 81},\n")
    assert one == "x" * 80
    assert other == "x" * 79 + "…"


def test_who_is_in_the_chosen_class_is_found() -> None:
    school = export("c1,,7a,\nc2,,7b,\n", "c1,s1,student,\nc2,s2,student,\n")
    assert enrolled(school, PEOPLE, "c2") == {"s2"}
    assert enrolled(export("c1,,7a,\n", "c1,s1,student,\n"), PEOPLE, None) == {"s1"}
    assert enrolled(Export(b""), PEOPLE, None) is None
    assert enrolled(export("", "c1,s1,student,\n"), PEOPLE, None) is None


@pytest.mark.parametrize(
    ("school", "chosen", "status", "match"),
    [
        (export("c1,,7a,\n", ""), None, 422, "as a student in the class '7a': choose another"),
        (export("c1,,7a,\nc2,,7b,\n", "c1,s9,student,\n"), "c1", 422, "in the class '7a'"),
        (export("c1,,7a,\n", ""), "c9", 422, "There is no class 'c9' in it: choose again"),
        (export("c1,,7a,\n", ""), "x" * 200, 422, f"There is no class '{'x' * 80}' in it"),
        (Export(b""), "c1", 422, "There is no class 'c1' in it"),
        (
            Export(b"", classes=b"x"),
            None,
            422,
            "There is no enrollments.csv in it: send classes.csv and enrollments.csv to choose a "
            "class, or neither to take everybody",
        ),
        (Export(b"", enrollments=b"x"), None, 422, "There is no classes.csv in it: send"),
        (
            Export(b"", classes=b"title\n7a\n", enrollments=b"x"),
            None,
            422,
            "classes.csv must have the column sourcedId, as in OneRoster",
        ),
        (
            Export(b"", classes=b"sourcedId\nc1\n", enrollments=b"userSourcedId,role\n"),
            None,
            422,
            "enrollments.csv must have the column classSourcedId, as in",
        ),
        (
            export(f"c1,,7a,\n\n{'x' * (LONGEST_ID + 1)},,7b,\n", ""),
            None,
            422,
            "classes.csv has a cell of more than 255 letters in line 3",
        ),
        (
            export("c,,7a,\n" * (MOST_CLASSES + 1), ""),
            None,
            413,
            "classes.csv has 2002 lines, but 2000 are allowed: leave some out",
        ),
        (
            export("c1,,7a,\n", "c1,s1,student,\n" * (MOST_ENROLLMENTS + 1)),
            None,
            413,
            "enrollments.csv has 200002 lines, but 200000 are allowed",
        ),
    ],
)
def test_what_names_no_class_is_refused_with_a_sentence(
    school: Export, chosen: str | None, status: int, match: str
) -> None:
    with pytest.raises(Refused, match=match) as refused:
        enrolled(school, PEOPLE, chosen)
    assert refused.value.status == status


def test_the_largest_export_takes_seconds_and_little_memory() -> None:
    classes = "".join(f"c{k},,{'t' * 300},{'x' * 300}\n" for k in range(MOST_CLASSES))
    rows = "".join(
        f"c{k % MOST_CLASSES},s{k % 20_000},student,{',' * 60}\n" for k in range(MOST_ENROLLMENTS)
    )
    school, people = export(classes, rows), {f"s{k}" for k in range(20_000)}
    tracemalloc.start()
    try:
        with pytest.raises(SeveralClasses) as refused:
            enrolled(school, people, None)
        assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    finally:
        tracemalloc.stop()
    assert sum(one.students for one in refused.value.classes) == 20_000
    began = time.perf_counter()
    assert len(enrolled(school, people, "c7") or ()) == 10
    assert time.perf_counter() - began < 10


def test_a_line_without_end_costs_no_more_than_its_columns() -> None:
    wide = ENROLLMENTS.strip() + ",x" * 1_000_000 + "\nc1,s1,student,\n"
    school = Export(b"", None, b"sourcedId\nc1\n", wide.encode())
    assert enrolled(school, PEOPLE, "c1") == {"s1"}
