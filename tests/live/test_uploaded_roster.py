from __future__ import annotations

import time
import tracemalloc

import pytest

from homeroom.live.messages.responses import ClassChoice
from homeroom.live.refused import Refused
from homeroom.live.roster import (
    MOST_CLASSES,
    MOST_LINES,
    Export,
    SeveralClasses,
    student_ids,
)
from homeroom.tables.one_roster import LONGEST_ID

CLASSES = "sourcedId,status,title,classCode\n"
ENROLLMENTS = "classSourcedId,userSourcedId,role,status\n"
PEOPLE = {"s1", "s2", "t1"}
ROLES = b"userSourcedId,role,status\n"


def export(classes: str, enrollments: str) -> Export:
    return Export(b"", None, (CLASSES + classes).encode(), (ENROLLMENTS + enrollments).encode())


def offered(classes: str, enrollments: str = "c1,s1,student,\n") -> list[tuple[str, str, int]]:
    with pytest.raises(SeveralClasses) as refused:
        student_ids(export(classes, enrollments), PEOPLE, None)
    choice = ClassChoice.model_validate(refused.value.problem)
    return [(one.id, one.title, one.students) for one in choice.classes]


def test_the_files_of_an_export_are_found_in_any_folder() -> None:
    files = {"x/Users.csv": b"u", "x/classes.csv": b"c", "x/enrollments.csv": b"", "a.csv": b"a"}
    assert Export.of(files) == Export(b"u", None, b"c", None)
    assert Export.of({r"x\users.csv": b"u"}) == Export(b"u")
    with pytest.raises(Refused, match=r"The export has no users.csv, as OneRoster"):
        Export.of({"classes.csv": b"c"})


@pytest.mark.parametrize("name", ["users.csv", "roles.csv", "classes.csv", "enrollments.csv"])
def test_two_files_with_one_name_are_refused(name: str) -> None:
    files = {"users.csv": b"u", "a/orgs.csv": b"o", "b/orgs.csv": b"o"}
    assert Export.of(files) == Export(b"u")
    with pytest.raises(Refused, match=f"There are several files '{name}': send only one of them"):
        Export.of({**files, f"a/{name}": b"x", f"B/{name.upper()}": b"y"})


def test_several_classes_are_offered_with_their_numbers_of_students() -> None:
    rows = (
        "c1,s1,student,\nc1,s1,student,\nc1,s2,STUDENT,active\nc1,t1,teacher,\n"
        "c2,s2,student,tobedeleted\nc2,s1,student,inactive\nc2,gone,student,\nc3,s1,student,\n"
    )
    classes = "c1,,7a,\nc2,active,7b,\nc3,inactive,old,\nc4,tobedeleted,old,\nc1,,again,\n,,x,\n"
    assert offered(classes, rows) == [("c1", "7a", 2), ("c2", "7b", 0)]
    with pytest.raises(SeveralClasses) as refused:
        student_ids(export(classes, rows), PEOPLE, None)
    assert refused.value.status == 409
    assert refused.value.problem["code"] == "roster_classes"
    assert refused.value.problem["values"] == {"classes": 2}


def test_classes_with_the_same_title_are_distinguished() -> None:
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


def test_the_students_of_the_chosen_class_are_found() -> None:
    school_export = export("c1,,7a,\nc2,,7b,\n", "c1,s1,student,\nc2,s2,student,\n")
    assert student_ids(school_export, PEOPLE, "c2") == {"s2"}
    assert student_ids(export("c1,,7a,\n", "c1,s1,student,\n"), PEOPLE, None) == {"s1"}
    assert student_ids(Export(b""), PEOPLE, None) is None
    assert student_ids(export("", "c1,s1,student,\n"), PEOPLE, None) is None


def test_without_classes_the_students_are_found_by_their_roles() -> None:
    roles = ROLES + b"s1,student,\nt1,teacher,\ns2,student,inactive\n"
    assert student_ids(Export(b"", roles), PEOPLE, None) == {"s1"}
    assert student_ids(Export(b"", roles), None, None) == {"s1"}


def test_deleted_classes_do_not_count_against_the_limit() -> None:
    gone = "".join(f"g{k},tobedeleted,,\n" for k in range(MOST_CLASSES + 1))
    assert offered(f"c1,,7a,\nc2,,7b,\n{gone}") == [("c1", "7a", 1), ("c2", "7b", 0)]


@pytest.mark.parametrize(
    ("school_export", "chosen", "status", "match"),
    [
        (
            export("c1,,7a,\nc2,,7b,\n", "c1,s9,student,\nc2,s1,student,\n"),
            "c1",
            422,
            "No student is enrolled in the class '7a': choose another",
        ),
        (
            export("c1,tobedeleted,7a,\nc2,inactive,7b,\n", "c1,s1,student,\n"),
            None,
            422,
            "Every class in classes.csv is marked as deleted or has no sourcedId: make a new "
            "export, or leave out classes.csv and enrollments.csv to import all students",
        ),
        (
            export("c1,,7a,\nc2,,7b,\n", "c1,t1,teacher,\nc1,s9,student,\n"),
            None,
            422,
            "According to enrollments.csv, no user in users.csv is a student of any class: make "
            "a new export, or leave out classes.csv and enrollments.csv to import all students",
        ),
        (export("c1,,7a,\n", ""), "c1", 422, "According to enrollments.csv, no user"),
        (export("c1,,7a,\n", ""), "c9", 422, "The export has no class 'c9': choose again"),
        (export("c1,,7a,\n", ""), "x" * 200, 422, f"The export has no class '{'x' * 80}'"),
        (Export(b""), "c1", 422, "The export has no class 'c1'"),
        (
            Export(b"", classes=b"x"),
            None,
            422,
            "The export has no enrollments.csv: send classes.csv and enrollments.csv to choose a "
            "class, or neither to import all students",
        ),
        (Export(b"", enrollments=b"x"), None, 422, "The export has no classes.csv: send"),
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
            f"classes.csv has a cell with more than 255 characters in the row '{60 * 'x'}'",
        ),
        (
            export("".join(f"c{k},,7a,\n" for k in range(MOST_CLASSES + 1)), ""),
            None,
            413,
            "classes.csv has more than 2000 classes: leave some out",
        ),
        (
            export("c1,tobedeleted,,\n" * (MOST_LINES + 1), ""),
            None,
            413,
            "classes.csv has more than 200000 rows: leave some out",
        ),
        pytest.param(
            export("c1,,7a,\n", "c1,s1,student,\n" * (MOST_LINES + 1)),
            None,
            413,
            "enrollments.csv has more than 200000 rows",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            Export(b"", ROLES + b"s1,student,\n" * (MOST_LINES + 1)),
            None,
            413,
            "roles.csv has more than 200000 rows",
            marks=pytest.mark.slow,
        ),
        (Export(b"", b""), None, 422, "roles.csv must have the column userSourcedId, as in One"),
    ],
)
def test_an_export_without_a_usable_class_is_refused(
    school_export: Export, chosen: str | None, status: int, match: str
) -> None:
    with pytest.raises(Refused, match=match) as refused:
        student_ids(school_export, PEOPLE, chosen)
    assert refused.value.status == status


def test_users_without_an_id_are_in_no_class() -> None:
    with pytest.raises(Refused, match=r"users.csv must have the column sourcedId, as in OneRoster"):
        student_ids(export("c1,,7a,\nc2,,7b,\n", "c1,s1,student,\n"), None, None)


def test_endless_accents_take_no_time() -> None:
    """Sorting n of them takes n² steps, during which the server would be blocked."""
    accents = "a" + "\u0315\u0300" * 65_000
    rows = f"c1,s1,student,\nc1,{accents},student,\n{accents},s1,{accents},{accents}\n" * 4
    began = time.perf_counter()
    assert student_ids(export(f"c1,,{accents},{accents}\n", rows), PEOPLE, "c1") == {"s1"}
    assert time.perf_counter() - began < 2


@pytest.mark.slow
def test_the_largest_export_takes_seconds_and_little_memory() -> None:
    classes = "".join(f"c{k},,{'t' * 300},{'x' * 300}\n" for k in range(MOST_CLASSES))
    rows = "".join(
        f"c{k % MOST_CLASSES},s{k % 20_000},student,{',' * 60}\n" for k in range(MOST_LINES)
    )
    school_export, people = export(classes, rows), {f"s{k}" for k in range(20_000)}
    tracemalloc.start()
    try:
        with pytest.raises(SeveralClasses) as refused:
            student_ids(school_export, people, None)
        assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    finally:
        tracemalloc.stop()
    assert sum(one.students for one in refused.value.classes) == 20_000
    began = time.perf_counter()
    assert len(student_ids(school_export, people, "c7") or ()) == 10
    assert time.perf_counter() - began < 10


def test_an_endless_line_costs_no_more_than_its_columns() -> None:
    wide = ENROLLMENTS.strip() + ",x" * 1_000_000 + "\nc1,s1,student,\n"
    school_export = Export(b"", None, b"sourcedId\nc1\n", wide.encode())
    assert student_ids(school_export, PEOPLE, "c1") == {"s1"}
