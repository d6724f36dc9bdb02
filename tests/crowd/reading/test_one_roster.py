from __future__ import annotations

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


def test_a_roster_with_rows_of_another_width_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "users.csv"
    path.write_text("sourcedId,givenName\ns1,Ada\ns2,Ben,Stone\n")
    with pytest.raises(ValueError, match="more or fewer cells than the header: 1 of them"):
        Roster.read(path)
