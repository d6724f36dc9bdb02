import io
import time
import tracemalloc
import zipfile

import pytest

from homeroom.live.refused import Refused
from homeroom.live.roster import names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ada\nBen\n", ["Ada", "Ben"]),
        ("name\nAda\n\n  Ben  Lee \n", ["Ada", "Ben Lee"]),
        ("Nr;Name\n1;Ada\n2;Ben\n", ["Ada", "Ben"]),
        ("First name\tLast name\nAda\tLovelace\nBen\t\n", ["Ada L.", "Ben"]),
        ("\ufeffname\nChloé\n", ["Chloé"]),
        ('name\n"Lee, Ada"\n', ["Lee, Ada"]),
        ("givenName,familyName,role\nAda,L,student\nBen,M,teacher\nCy,N,\n", ["Ada L.", "Cy N."]),
        ("name,role\nAda\n", ["Ada"]),
        (
            "givenName,familyName,preferredGivenName\nAugusta,King,Ada\nBen,Lee,\n",
            ["Ada K.", "Ben L."],
        ),
        ("name\nAda\nBen\nADA\n", ["Ada", "Ben"]),
        ("name\nJose\u0301\n", ["Jos\u00e9"]),
        ("status,givenName\nactive,Ada\ntobedeleted,Ben\n,Cy\n", ["Ada", "Cy"]),
        (
            "givenName,familyName\nAda,Lee\nAda,Lovelace\nBen,M\n",
            ["Ada Lee", "Ada Lovelace", "Ben M."],
        ),
    ],
)
def test_names_are_found_in_the_files_that_schools_have(text: str, names: list[str]) -> None:
    assert names_in(text.encode()) == names


def test_an_old_encoding_is_understood() -> None:
    assert names_in("name\nJürgen\n".encode("latin-1")) == ["Jürgen"]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"name\n", b"name,age\n,7\n"])
def test_a_file_without_names_is_refused(data: bytes) -> None:
    with pytest.raises(Refused, match="There are no names in this file: give it a column `name`"):
        names_in(data)


def test_a_file_with_too_many_names_is_refused() -> None:
    many = "\n".join(f"student {number}" for number in range(1001)).encode()
    with pytest.raises(Refused, match="up to 1000 students, but the file names 1001"):
        names_in(many)


def test_a_name_that_is_too_long_is_refused() -> None:
    with pytest.raises(Refused, match=r"up to 40 letters, but 'x+' has more"):
        names_in(b"name\n" + b"x" * 41)


def test_what_is_no_csv_is_refused() -> None:
    with pytest.raises(Refused, match="cannot be read as CSV: field larger than field limit"):
        names_in(b'name\n"' + b"x" * 200_000)


USERS_1_2 = (
    b"sourcedId,status,enabledUser,username,givenName,familyName,userMasterIdentifier,"
    b"preferredGivenName,preferredFamilyName\n"
    b"s1,,true,ada,Augusta,King,,Ada,Lovelace\n"
    b"s2,,true,ben,Ben,Stone,,,\n"
    b"s3,tobedeleted,true,cy,Cy,Gone,,,\n"
    b"t1,,true,tess,Tess,Teacher,,,\n"
)
ROLES = (
    b"sourcedId,status,userSourcedId,roleType,role\n"
    b"r1,,s1,primary,student\nr2,,s2,primary,student\nr5,,s3,primary,student\n"
    b"r3,,t1,primary,teacher\nr4,tobedeleted,t1,secondary,student\n"
)


def zipped(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def test_one_roster_1_2_says_who_is_a_student_in_a_file_of_its_own() -> None:
    assert names_in(USERS_1_2, ROLES) == ["Ada L.", "Ben S."]
    export = {"export/users.csv": USERS_1_2, "export/roles.csv": ROLES, "export/orgs.csv": b"x"}
    assert names_in(zipped(**export)) == ["Ada L.", "Ben S."]


def test_one_roster_1_1_says_so_in_the_file_itself() -> None:
    users = b"sourcedId,status,role,givenName,familyName\n1,,student,Ada,L\n2,,teacher,Tess,T\n"
    assert names_in(users) == names_in(zipped(**{"users.csv": users})) == ["Ada L."]


def test_one_roster_1_2_without_its_roles_is_refused() -> None:
    for data in (USERS_1_2, zipped(**{"users.csv": USERS_1_2})):
        with pytest.raises(Refused, match="does not say who is a student: send the zip with its"):
            names_in(data)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (zipped(**{"orgs.csv": b"x"}), "There is no users.csv in it, as an export"),
        (zipped(), "There is no users.csv in it"),
        (b"PK\x03\x04 no zip", "The zip cannot be read"),
        (zipped(**{"users.csv": b"x" * (17 << 20)}), "The zip unpacks to more than 16 MiB"),
        (zipped(**{"../users.csv": USERS_1_2}), "The zip has a file outside of itself"),
        (zipped(**{"users.csv": b"", "roles.csv": ROLES}), "There are no names in this file"),
        (zipped(**{"users.csv": USERS_1_2, "roles.csv": b""}), "There are no names in this file"),
        (zipped(**{"users.csv": USERS_1_2, "roles.csv": b"a\nb"}), "no names in this file"),
    ],
)
def test_an_export_that_is_none_is_refused_with_a_sentence(data: bytes, match: str) -> None:
    with pytest.raises(Refused, match=match) as refused:
        names_in(data)
    assert refused.value.status in (413, 422)


@pytest.mark.parametrize(
    ("users", "roles"),
    [
        (USERS_1_2 + b"1,,,A,,\n" * 1_000_000, ROLES),
        (USERS_1_2, ROLES + b"1,student\n" * 1_000_000),
    ],
)
def test_a_table_without_end_is_refused_before_it_fills_the_memory(
    users: bytes, roles: bytes
) -> None:
    """Forty thousand bytes, packed, would take a gigabyte."""
    bomb = zipped(**{"users.csv": users, "roles.csv": roles})
    assert len(bomb) < 100_000
    tracemalloc.start()
    try:
        with pytest.raises(Refused, match=r"up to 1000 students, but the file names 1\d{6}\."):
            names_in(bomb)
        assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    finally:
        tracemalloc.stop()


def test_columns_without_end_are_not_looked_at() -> None:
    users = b"sourcedId,role,givenName" + b",x" * 1_000_000 + b"\n" + b"1,student,Ada\n" * 200
    began = time.perf_counter()
    assert names_in(users) == ["Ada"]
    assert time.perf_counter() - began < 5
