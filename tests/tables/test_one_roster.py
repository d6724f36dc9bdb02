from __future__ import annotations

import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from homeroom.crowd import RosterNames
from homeroom.tables import one_roster

USERS_1_2 = (
    "sourcedId,status,dateLastModified,enabledUser,username,userIds,givenName,familyName,"
    "middleName,identifier,email,sms,phone,agentSourcedIds,grades,password,userMasterIdentifier,"
    "resourceSourcedIds,preferredGivenName,preferredMiddleName,preferredFamilyName,"
    "primaryOrgSourcedId,pronouns\n"
    's1,,,true,ada,"{LDAP:a-1},{LTI:k1}",Augusta,King,,,,,,,,,,,Ada,,Lovelace,o1,\n'
    "s2,,,true,ben,,Ben,Stone,,,,,,,,,,,,,,o1,\n"
    "t1,,,true,tess,,Tess,Teacher,,,,,,,,,,,,,,o1,\n"
)
"""All columns of OneRoster 1.2, which has no role here."""

ROLES = (
    "sourcedId,status,dateLastModified,userSourcedId,roleType,role,beginDate,endDate,"
    "orgSourcedId,userProfileSourcedId\n"
    "r1,,,s1,primary,student,,,o1,\nr2,,,s2,primary,student,,,o1,\n"
    "r3,,,t1,primary,teacher,,,o1,\nr4,tobedeleted,,t1,secondary,student,,,o1,\n"
)


CLASSES = (
    "sourcedId,status,dateLastModified,title,grades,courseSourcedId,classCode,classType,location,"
    "schoolSourcedId,termSourcedIds,subjects,subjectCodes,periods\n"
    "c1,,,Maths 7B,07,m7,7B-M,scheduled,,o1,t1,,,\n"
    "c2,,,Art 7B,07,a7,7B-A,scheduled,,o1,t1,,,\n"
    "c3,,,Art 7B,07,a7,7B-B,scheduled,,o1,t1,,,\n"
    "c4,,,Empty,07,a7,,scheduled,,o1,t1,,,\n"
    "c5,tobedeleted,,Old,07,a7,,scheduled,,o1,t1,,,\n"
    "c6,inactive,,Old,07,a7,,scheduled,,o1,t1,,,\n"
    "ART 7B,,,Trap,07,a7,,scheduled,,o1,t1,,,\n"
)
"""All columns of OneRoster 1.1 and 1.2, which are the same."""

ENROLLMENTS = (
    "sourcedId,status,dateLastModified,classSourcedId,schoolSourcedId,userSourcedId,role,primary,"
    "beginDate,endDate\n"
    "e1,,,c1,o1,s1,student,,,\ne2,,,c1,o1,t1,teacher,true,,\ne3,tobedeleted,,c1,o1,s2,student,,,\n"
    "e4,,,c2,o1,s1,student,,,\ne5,,,c2,o1,s2,Student,,,\ne6,,,c3,o1,s2,student,,,\n"
    "e0,inactive,,c1,o1,s2,student,,,\n"
    "e7,,,c4,o1,t1,teacher,,,\ne8,,,c4,o1,s9,student,,,\ne9,,,ART 7B,o1,s2,student,,,\n"
)


@pytest.fixture
def school(tmp_path: Path) -> Path:
    """The folder of a school's export."""
    files = {"users": USERS_1_2, "roles": ROLES, "classes": CLASSES, "enrollments": ENROLLMENTS}
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return tmp_path


def test_one_roster_1_2_keeps_roles_in_a_separate_file(tmp_path: Path) -> None:
    (tmp_path / "users.csv").write_text(USERS_1_2)
    (tmp_path / "roles.csv").write_text(ROLES)
    roster = RosterNames.read(tmp_path)
    assert roster.students == ("s1", "s2")
    assert roster == RosterNames.read(tmp_path / "users.csv")
    assert roster.names["s1"] == "Ada Lovelace"
    assert {roster.names[number] for number in ("ada", "a-1", "k1")} == {"Ada Lovelace"}
    assert "t1" not in roster.names


def test_the_zip_of_an_export_is_read(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("export/users.csv", USERS_1_2)
        archive.writestr("export/roles.csv", ROLES)
        archive.writestr("export/orgs.csv", "sourcedId\no1\n")
    assert RosterNames.read(path).students == ("s1", "s2")


def test_an_export_without_users_and_a_broken_one_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("orgs.csv", "sourcedId\no1\n")
    with pytest.raises(ValueError, match=r"holds no users.csv: is it an export of OneRoster\?"):
        RosterNames.read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("users.csv", USERS_1_2)
    monkeypatch.setattr(one_roster, "MAX_UNPACKED", 10)
    with pytest.raises(ValueError, match=r"holds a users.csv of more than 1 GiB: unpack it first"):
        RosterNames.read(path)
    path.write_bytes(b"PK no zip")
    with pytest.raises(ValueError, match=r"export.zip cannot be read: it is damaged or cut off"):
        RosterNames.read(path)
    with pytest.raises(ValueError, match=r"There is no file .*none.zip"):
        RosterNames.read(tmp_path / "none.zip")
    (tmp_path / "users.csv").write_text(USERS_1_2)
    (tmp_path / "roles.csv").write_text("sourcedId,role\nr1,student\n")
    with pytest.raises(ValueError, match=r"roles.csv has .*, but must have userSourcedId too"):
        RosterNames.read(tmp_path)
    (tmp_path / "people.csv").write_text("name\nAda\n")
    with pytest.raises(
        ValueError, match=r"has the columns 'name', but must have sourcedId too, as OneRoster's use"
    ):
        RosterNames.read(tmp_path / "people.csv")
    (tmp_path / "people.doc").touch()
    with pytest.raises(ValueError, match=r"people.doc must end in .csv, .* to be a roster: save"):
        RosterNames.read(tmp_path / "people.doc")


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A roster of 1000 students and 9000 teachers."""
    path = tmp_path / "users.csv"
    rows = (f"s{k},{'teacher' if k % 10 else 'student'},Given{k},Family{k}" for k in range(10_000))
    path.write_text("sourcedId,role,givenName,familyName\n" + "\n".join(rows) + "\n")
    return path


def test_a_roster_that_is_far_too_large_is_refused_before_it_is_read(
    many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with many.open("r+b") as file:
        file.truncate(2 << 30)  # a hole, which fills no disk
    monkeypatch.setattr(one_roster, "open_table", None)
    with pytest.raises(
        ValueError, match=r"users.csv would fill \d\d+\.\d GiB of memory, more than .*--max-gib"
    ):
        RosterNames.read(many)


def test_only_students_count_against_the_limit(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_roster, "ROW_BYTES", 0)  # nothing at a glance
    assert len(RosterNames.read(many, max_bytes=600_000).students) == 1000
    with pytest.raises(ValueError, match=r"users.csv would fill .* more than the limit"):
        RosterNames.read(many, max_bytes=400_000)


@pytest.mark.slow
def test_the_memory_estimate_of_a_roster_is_right(many: Path) -> None:
    many.write_text(many.read_text().replace("teacher", "student"))
    known = one_roster.students(many, max_bytes=1 << 30)
    thought = sum(one_roster.CELL_BYTES * len(row) + sum(map(len, row.values())) for row in known)
    tracemalloc.start()
    try:
        RosterNames.read(many)
        assert tracemalloc.get_traced_memory()[1] == pytest.approx(thought, rel=0.4)
    finally:
        tracemalloc.stop()


def test_roles_count_against_the_limit(tmp_path: Path) -> None:
    (tmp_path / "users.csv").write_text(USERS_1_2)
    rows = "".join(f"r{k},s{k},student\n" for k in range(1000))
    (tmp_path / "roles.csv").write_text("sourcedId,userSourcedId,role\n" + rows)
    with pytest.raises(ValueError, match=r"roles.csv would fill .* more than the limit"):
        RosterNames.read(tmp_path, max_bytes=100_000)


def test_a_roster_with_rows_of_another_width_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "users.csv"
    path.write_text("sourcedId,givenName\ns1,Ada\ns2,Ben,Stone\n")
    with pytest.raises(ValueError, match="more or fewer cells than the header: 1 of them"):
        RosterNames.read(path)


def test_an_export_with_several_rosters_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for school in ("north", "south"):
            archive.writestr(f"{school}/users.csv", "sourcedId,givenName\ns1,Ada\n")
    with pytest.raises(ValueError, match=r"export.zip holds several users.csv: unpack it"):
        RosterNames.read(path)


def test_the_files_in_a_zip_may_have_upper_case_names(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    for names in (("Users.csv", "ROLES.CSV"), (r"x\users.csv", r"x\roles.csv")):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("users.csv/", "")
            for name, text in zip(names, (USERS_1_2, ROLES), strict=True):
                archive.writestr(name, text)
        assert RosterNames.read(path).students == ("s1", "s2")


@pytest.mark.parametrize(
    ("files", "of_class", "match"),
    [
        (
            {"enrollments.csv": "classSourcedId,userSourcedId\nc1,s1\n"},
            "c1",
            r"export.zip/enrollments.csv has the columns 'classSourcedId', 'userSourcedId', but "
            r"must have role too, as OneRoster's enrollments.csv has\.$",
        ),
        (
            {"users.csv": 'sourcedId\n"s1\n'},
            None,
            r"export.zip/users.csv cannot be read as a table",
        ),
        ({"users.csv": "sourcedId\ns1,x\n"}, None, r"export.zip/users.csv has rows with more or"),
        ({"users.csv": "sourcedId\n\0\n"}, None, r"export.zip/users.csv is not text"),
    ],
)
def test_refusals_name_the_file_in_the_zip(
    school: Path, files: dict[str, str], of_class: str | None, match: str
) -> None:
    path = school / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in school.glob("*.csv"):
            archive.writestr(file.name, files.get(file.name, file.read_text()))
    with pytest.raises(ValueError, match=f"^{school}/{match}") as refused:
        RosterNames.read(path, of_class=of_class)
    assert str(refused.value).count(str(school)) == 1


def test_the_hint_on_quotation_marks_applies_to_a_roster(tmp_path: Path) -> None:
    path = tmp_path / "users.csv"
    path.write_text('sourcedId\n"s1\n')
    with pytest.raises(
        ValueError, match="if none of them encloses a cell of answers or labels, read them as lett"
    ):
        RosterNames.read(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_zip_that_is_packed_in_an_unusual_way_is_refused(tmp_path: Path, method: int) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("users.csv", USERS_1_2)
    whole = path.read_bytes()
    for broken in (whole, whole[:50] + b"\xff" * 8 + whole[58:]):
        path.write_bytes(broken)
        with pytest.raises(
            ValueError, match=r"zip is packed in an unusual way: unpack it first\.$"
        ):
            RosterNames.read(path)


def test_a_damaged_zip_is_read_or_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("users.csv", USERS_1_2)
        archive.writestr("roles.csv", ROLES)
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + b"\xff" * 4 + whole[place + 4 :])
        with suppress(ValueError):
            RosterNames.read(path)


@pytest.mark.parametrize(
    ("of_class", "students"),
    [
        ("c1", ("s1",)),
        (" C1 ", ("s1",)),
        ("maths 7b", ("s1",)),
        ("7b-m", ("s1",)),
        ("7B-A", ("s1", "s2")),
        ("7b-b", ("s2",)),
        ("ART 7B", ("s2",)),  # as one sourcedId is written, though two titles are like it
    ],
)
def test_a_class_is_found_by_its_title_its_code_or_its_number(
    school: Path, of_class: str, students: tuple[str, ...]
) -> None:
    assert RosterNames.read(school, of_class=of_class).students == students
    assert RosterNames.read(school / "users.csv", of_class=of_class).students == students


def test_without_a_class_all_students_count(school: Path) -> None:
    (school / "classes.csv").write_text("no class\n1,2,3\n")
    (school / "enrollments.csv").write_text("")
    assert RosterNames.read(school).students == ("s1", "s2")


def test_a_user_enrolled_as_a_student_needs_no_other_role(school: Path) -> None:
    (school / "roles.csv").unlink()
    assert RosterNames.read(school, of_class="7b-a").students == ("s1", "s2")


def test_a_class_is_found_in_a_zip(school: Path) -> None:
    path = school / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in school.glob("*.csv"):
            archive.write(file, f"export/{file.name}")
    assert RosterNames.read(path, of_class="7b-b").students == ("s2",)
    assert RosterNames.read(path).students == ("s1", "s2")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("old/classes.csv", CLASSES)
    with pytest.raises(ValueError, match=r"export.zip holds several classes.csv: unpack it"):
        RosterNames.read(path, of_class="7b-b")
    assert RosterNames.read(path).students == ("s1", "s2")


@pytest.mark.parametrize(
    ("of_class", "match"),
    [
        (
            "8c",
            r"has no class '8c', by title, classCode or sourcedId; its classes are 'Maths 7B', "
            r"'Art 7B', 'Empty', 'Trap': choose one of them\.$",
        ),
        ("", "has no class '', by title"),
        ("7B", "has no class '7B'"),
        ("Old", "has no class 'Old'"),
        ("x" * 500, f"has no class '{'x' * 60}', by title"),
        (
            "art 7b",
            r"several classes that are called 'art 7b', 'c2' \('Art 7B', '7B-A'\), "
            r"'c3' \('Art 7B', '7B-B'\): choose one by its sourcedId\.$",
        ),
        (
            "empty",
            r"has no students in the class 'empty': no user in users.csv is enrolled in it as a "
            r"student by enrollments.csv\. Choose another class\.$",
        ),
    ],
)
def test_an_ambiguous_or_unknown_class_is_refused(school: Path, of_class: str, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        RosterNames.read(school, of_class=of_class)


def test_only_some_of_many_classes_are_named(school: Path) -> None:
    head, *_ = CLASSES.splitlines()
    width = head.count(",")
    rows = [f"c{k},,,{'Art' if k % 2 else k}{',' * (width - 3)}" for k in range(40)]
    (school / "classes.csv").write_text("\n".join([head, *rows]) + "\n")
    with pytest.raises(
        ValueError, match=r"its classes are '0', 'Art', ('\d+', ){6}\.\.\.: choose one of them\.$"
    ):
        RosterNames.read(school, of_class="Music")
    with pytest.raises(
        ValueError,
        match=r"called 'art', ('c\d+' \('Art'\), ){8}\.\.\.: choose one by its sourcedId",
    ):
        RosterNames.read(school, of_class="art")


@pytest.mark.parametrize(
    ("of_class", "students"),
    [
        ("7B", ("s1",)),  # a sourcedId as it is written, before a title
        ("7b", ("s2",)),  # a title before a code
        ("7c", ("s3",)),  # a code before a sourcedId in other letters
        ("7D", ("s4",)),
        ("Cafe\u0301", ("s4",)),
        ("caf\u00e9", ("s4",)),
    ],
)
def test_the_best_match_for_a_class_counts(
    tmp_path: Path, of_class: str, students: tuple[str, ...]
) -> None:
    rows = "x1,7b,\n7B,a,\nx2,b,7B\nx3,c,7C\n7C,d,x\n7d,Cafe\u0301,y\n"
    (tmp_path / "classes.csv").write_text("sourcedId,title,classCode\n" + rows)
    (tmp_path / "users.csv").write_text("sourcedId\ns1\ns2\ns3\ns4\n")
    (tmp_path / "enrollments.csv").write_text(
        "classSourcedId,userSourcedId,role\n"
        "7B,s1,student\nx1,s2,student\nx3,s3,student\n7d,s4,student\n"
    )
    assert RosterNames.read(tmp_path, of_class=of_class).students == students


@pytest.mark.parametrize(
    ("gone", "match"),
    [
        (["classes.csv"], "comes without classes.csv, which say"),
        (["enrollments.csv"], "comes without enrollments.csv, which say"),
        (
            ["classes.csv", "enrollments.csv"],
            r"comes without classes.csv and enrollments.csv, which say who is in "
            r"the class '7b': give the folder or the \.zip of the whole export, or leave the class "
            r"\(of_class, --class\) out\.$",
        ),
    ],
)
def test_an_export_without_classes_is_refused_if_a_class_is_chosen(
    school: Path, gone: list[str], match: str
) -> None:
    for name in gone:
        (school / name).unlink()
    for path in (school, school / "users.csv"):
        with pytest.raises(ValueError, match=match):
            RosterNames.read(path, of_class="7b")


def test_users_under_another_name_are_of_no_class(school: Path) -> None:
    (school / "users.csv").rename(school / "people.csv")
    with pytest.raises(ValueError, match=r"people.csv comes without classes.csv and enrollments"):
        RosterNames.read(school / "people.csv", of_class="c1")


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("classes.csv", "sourcedId"),
        ("enrollments.csv", "classSourcedId"),
        ("enrollments.csv", "userSourcedId"),
        ("enrollments.csv", "role"),
    ],
)
def test_classes_without_their_columns_are_refused(school: Path, name: str, column: str) -> None:
    path = school / name
    head, rest = path.read_text().split("\n", 1)
    path.write_text(
        ",".join("x" if one == column else one for one in head.split(",")) + "\n" + rest
    )
    with pytest.raises(
        ValueError,
        match=rf"{name} has .*, but must have {column} too, as OneRoster's {name} has\.$",
    ):
        RosterNames.read(school, of_class="c1")


def test_enrollments_count_against_the_limit(school: Path) -> None:
    rows = "".join(f"e{k},,,c1,o1,s{k},student,,,\n" for k in range(1000))
    (school / "enrollments.csv").write_text(ENROLLMENTS + rows)
    with pytest.raises(ValueError, match=r"enrollments.csv would fill .* more than the limit"):
        RosterNames.read(school, of_class="c1", max_bytes=100_000)
    assert RosterNames.read(school, of_class="c2", max_bytes=100_000).students == ("s1", "s2")


@pytest.mark.slow
def test_very_many_classes_take_no_memory(school: Path) -> None:
    """Only some classes are kept in memory, however many there are."""
    head, *_ = CLASSES.splitlines()
    width = head.count(",")
    rows = (f"c{k},,,{'Art' if k % 2 else k}{',' * (width - 3)}\n" for k in range(100_000))
    (school / "classes.csv").write_text(head + "\n" + "".join(rows))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="several classes that are called 'Art'"):
            RosterNames.read(school, of_class="Art")
        assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
    finally:
        tracemalloc.stop()
