from __future__ import annotations

import tracemalloc
import zipfile
from pathlib import Path

import pytest

from homeroom.crowd import Roster
from homeroom.crowd.reading import one_roster

USERS_1_2 = (
    "sourcedId,status,dateLastModified,enabledUser,username,userIds,givenName,familyName,"
    "middleName,identifier,email,sms,phone,agentSourcedIds,grades,password,userMasterIdentifier,"
    "resourceSourcedIds,preferredGivenName,preferredMiddleName,preferredFamilyName,"
    "primaryOrgSourcedId,pronouns\n"
    's1,,,true,ada,"{LDAP:a-1},{LTI:k1}",Augusta,King,,,,,,,,,,,Ada,,Lovelace,o1,\n'
    "s2,,,true,ben,,Ben,Stone,,,,,,,,,,,,,,o1,\n"
    "t1,,,true,tess,,Tess,Teacher,,,,,,,,,,,,,,o1,\n"
)
"""All columns of OneRoster 1.2: nobody's role is among them."""

ROLES = (
    "sourcedId,status,dateLastModified,userSourcedId,roleType,role,beginDate,endDate,"
    "orgSourcedId,userProfileSourcedId\n"
    "r1,,,s1,primary,student,,,o1,\nr2,,,s2,primary,student,,,o1,\n"
    "r3,,,t1,primary,teacher,,,o1,\nr4,tobedeleted,,t1,secondary,student,,,o1,\n"
)


def test_one_roster_1_2_says_who_is_a_student_in_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "users.csv").write_text(USERS_1_2)
    (tmp_path / "roles.csv").write_text(ROLES)
    roster = Roster.read(tmp_path)
    assert roster.students == ("s1", "s2")
    assert roster == Roster.read(tmp_path / "users.csv")
    assert roster.names["s1"] == "Ada Lovelace"
    assert {roster.names[number] for number in ("ada", "a-1", "k1")} == {"Ada Lovelace"}
    assert "t1" not in roster.names


def test_the_zip_of_an_export_will_do(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("export/users.csv", USERS_1_2)
        archive.writestr("export/roles.csv", ROLES)
        archive.writestr("export/orgs.csv", "sourcedId\no1\n")
    assert Roster.read(path).students == ("s1", "s2")


def test_an_export_without_users_and_a_broken_one_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("orgs.csv", "sourcedId\no1\n")
    with pytest.raises(ValueError, match=r"holds no users.csv: is it an export of OneRoster\?"):
        Roster.read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("users.csv", USERS_1_2)
    monkeypatch.setattr(one_roster, "MAX_UNPACKED", 10)
    with pytest.raises(ValueError, match=r"holds a users.csv of more than 1 GiB: unpack it first"):
        Roster.read(path)
    path.write_bytes(b"PK no zip")
    with pytest.raises(ValueError, match=r"export.zip cannot be read: it is damaged or cut off"):
        Roster.read(path)
    with pytest.raises(ValueError, match=r"There is no file .*none.zip"):
        Roster.read(tmp_path / "none.zip")
    (tmp_path / "users.csv").write_text(USERS_1_2)
    (tmp_path / "roles.csv").write_text("sourcedId,role\nr1,student\n")
    with pytest.raises(ValueError, match=r"roles.csv must have the column userSourcedId"):
        Roster.read(tmp_path)
    (tmp_path / "people.csv").write_text("name\nAda\n")
    with pytest.raises(
        ValueError, match=r"must have the column sourcedId, as a users.csv of OneRoster, but has"
    ):
        Roster.read(tmp_path / "people.csv")
    (tmp_path / "people.xlsx").touch()
    with pytest.raises(ValueError, match=r"people.xlsx must end in .csv, .* to be a roster: save"):
        Roster.read(tmp_path / "people.xlsx")


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
    monkeypatch.setattr(one_roster, "opened", None)
    with pytest.raises(
        ValueError, match=r"users.csv would fill \d\d+\.\d GiB of memory, more than .*--max-gib"
    ):
        Roster.read(many)


def test_only_students_count_against_the_limit(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_roster, "ROW_BYTES", 0)  # nothing at a glance
    assert len(Roster.read(many, max_bytes=600_000).students) == 1000
    with pytest.raises(ValueError, match=r"users.csv would fill .* more than the limit"):
        Roster.read(many, max_bytes=400_000)


def test_what_a_roster_is_thought_to_take_is_what_it_takes(many: Path) -> None:
    many.write_text(many.read_text().replace("teacher", "student"))
    known = one_roster.students(many)
    thought = sum(one_roster.CELL_BYTES * len(row) + sum(map(len, row.values())) for row in known)
    tracemalloc.start()
    try:
        Roster.read(many)
        assert tracemalloc.get_traced_memory()[1] == pytest.approx(thought, rel=0.4)
    finally:
        tracemalloc.stop()


def test_roles_count_against_the_limit(tmp_path: Path) -> None:
    (tmp_path / "users.csv").write_text(USERS_1_2)
    rows = "".join(f"r{k},s{k},student\n" for k in range(1000))
    (tmp_path / "roles.csv").write_text("sourcedId,userSourcedId,role\n" + rows)
    with pytest.raises(ValueError, match=r"roles.csv would fill .* more than the limit"):
        Roster.read(tmp_path, max_bytes=100_000)


def test_a_roster_with_rows_of_another_width_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "users.csv"
    path.write_text("sourcedId,givenName\ns1,Ada\ns2,Ben,Stone\n")
    with pytest.raises(ValueError, match="more or fewer cells than the header: 1 of them"):
        Roster.read(path)


def test_an_export_with_several_rosters_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for school in ("north", "south"):
            archive.writestr(f"{school}/users.csv", "sourcedId,givenName\ns1,Ada\n")
    with pytest.raises(ValueError, match=r"export.zip holds several users.csv: unpack it"):
        Roster.read(path)
