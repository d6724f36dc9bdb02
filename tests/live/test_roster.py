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
