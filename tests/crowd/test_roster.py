from __future__ import annotations

from pathlib import Path

import pytest

from homeroom.crowd import Answers
from homeroom.crowd.roster import RosterNames

USERS = """"sourcedId","status","enabledUser","role","username","givenName","familyName"
"s1","active","true","student","ada","Ada","Müller"
"s2","","true","student","ben","Ben","Stone"
"s3","","true","student","ben2","Ben","Stone"
"s4","tobedeleted","true","student","gone","Gone","Away"
"s5","inactive","true","student","away","Also","Away"
"t1","active","true","teacher","tea","Tess","Teacher"
"""


@pytest.fixture
def users(tmp_path: Path) -> Path:
    path = tmp_path / "users.csv"
    path.write_text(USERS, encoding="latin-1")
    return path


def test_numbers_and_user_names_become_names(users: Path) -> None:
    answers = Answers.from_arrays(["s1", "ben", "x9"], ["moth"] * 3, [1, 0, 1])
    named = RosterNames.read(users).name(answers)
    assert named.people == ("Ada Müller", "Ben Stone (s2)", "x9")
    assert named.notes == (
        "annotators who are not on the roster, under their id: 1",
        "students on the roster without an answer: 1",
    )
    assert named.yes.tolist() == answers.yes.tolist()


def test_teachers_and_former_students_are_not_students(users: Path) -> None:
    assert RosterNames.read(users).students == ("s1", "s2", "s3")
    assert {"t1", "s4", "s5"}.isdisjoint(RosterNames.read(users).names)


def test_the_folder_of_an_export_is_read(users: Path) -> None:
    assert RosterNames.read(users.parent).students == ("s1", "s2", "s3")


def test_a_preferred_name_counts(tmp_path: Path) -> None:
    path = tmp_path / "users.csv"
    path.write_text(
        "sourcedId,givenName,familyName,preferredGivenName\ns1,Adelaide,Lo,Ada\ns2,,,\n"
    )
    assert dict(RosterNames.read(path).names) == {"s1": "Ada Lo", "s2": "s2"}


def test_a_roster_of_other_students_is_refused(users: Path) -> None:
    answers = Answers.from_arrays(["7", "8"], ["moth"] * 2, [1, 0])
    with pytest.raises(
        ValueError,
        match=r"No annotator is on the roster: it has .*, but '7', '8' answered\.$",
    ):
        RosterNames.read(users).name(answers)


def test_one_student_under_two_ids_is_refused(users: Path) -> None:
    answers = Answers.from_arrays(["s1", "ada"], ["moth"] * 2, [1, 0])
    with pytest.raises(ValueError, match=r"The table uses several ids for 'Ada Müller'"):
        RosterNames.read(users).name(answers)


def test_a_table_that_is_not_a_roster_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "users.csv"
    path.write_text("id,name\n1,Ada\n")
    with pytest.raises(
        ValueError,
        match=r"has the columns 'id', 'name', but must have sourcedId too, as OneRoster's use",
    ):
        RosterNames.read(path)
    path.write_text("sourcedId,role\n1,teacher\n")
    with pytest.raises(ValueError, match=r"has no students: is it a users.csv of OneRoster\?"):
        RosterNames.read(path)


def test_an_id_that_several_share_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "users.csv"
    path.write_text(
        "sourcedId,givenName,email,userIds\n"
        's1,Ada,home@x,"{LDAP:a}"\ns2,Ben,home@x,"{LDAP:a}"\ns3,Eve,eve@x,"{LDAP:e}"\n'
    )
    names = {"s1": "Ada", "s2": "Ben", "s3": "Eve", "eve@x": "Eve", "e": "Eve"}
    assert dict(RosterNames.read(path).names) == names


def test_two_students_with_one_number_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "users.csv"
    path.write_text("sourcedId,givenName\ns1,Ada\ns1,Ada\n")
    assert RosterNames.read(path).students == ("s1",)
    path.write_text("sourcedId,givenName\ns1,Ada\ns1,Ben\n")
    with pytest.raises(ValueError, match=r"several students with the sourcedId 's1', such as 'Ada"):
        RosterNames.read(path)


def test_a_student_of_another_class_keeps_their_id(users: Path) -> None:
    (users.parent / "classes.csv").write_text("sourcedId,title\nc1,7b\n")
    (users.parent / "enrollments.csv").write_text(
        "classSourcedId,userSourcedId,role\nc1,s2,student\nc1,s3,student\nc1,t1,teacher\n"
    )
    answers = Answers.from_arrays(["s1", "ben"], ["moth"] * 2, [1, 0])
    named = RosterNames.read(users.parent, of_class="7B").name(answers)
    assert named.people == ("s1", "Ben Stone (s2)")
    assert named.notes == (
        "names of students in the class '7B' only",
        "annotators who are not in the class '7B', under their id: 1",
        "students in the class '7B' without an answer: 1",
    )
    others = Answers.from_arrays(["s1", "x"], ["moth"] * 2, [1, 0])
    with pytest.raises(ValueError, match="No annotator is in the class '7B': it has 'b"):
        RosterNames.read(users.parent, of_class="7B").name(others)
