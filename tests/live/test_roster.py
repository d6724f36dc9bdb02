import io
import time
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest

from homeroom.live.refused import Refused
from homeroom.live.roster import SeveralClasses, names_in
from tests.tables.test_exports import sheet_cells, write_xlsx


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ada\nBen\n", ["Ada", "Ben"]),
        ("name\nAda\n\n  Ben  Lee \n", ["Ada", "Ben Lee"]),
        ("Nr;Name\n1;Ada\n2;Ben\n", ["Ada", "Ben"]),
        ("First name\tLast name\nAda\tLovelace\nBen\t\n", ["Ada L.", "Ben"]),
        ("\ufeffname\nChloé\n", ["Chloé"]),
        ("Vorname;Nachname\nAnna;Maier\nAnna;Schmidt\n", ["Anna M.", "Anna S."]),
        ("Name;Vorname\nMaier;Anna\nSchmidt;\n", ["Anna M.", "Schmidt"]),
        ("Vorname\nAnna\nBen\n", ["Anna", "Ben"]),
        ("Nom;Prénom;Classe\nDurand;Élise;6A\nMartin;Zoé;6A\n", ["Élise D.", "Zoé M."]),
        ("Apellidos;Nombre\nGarcía López;María\nRuiz;Iñaki\n", ["María G.", "Iñaki R."]),
        ("番号,姓,名\n1,山田,太郎\n2,鈴木,花子\n", ["山田太郎", "鈴木花子"]),
        ("出席番号,氏名\n1,山田太郎\n", ["山田太郎"]),
        ("Nr.;Schüler/in\n1;Ada\n2;Ben\n", ["Ada", "Ben"]),
        ("Lp.;Nazwisko i imię\n1;Kowalska Anna\n", ["Kowalska Anna"]),
        ("Klasse 6a\n\nName;Vorname\nMaier;Ada\nHuber;Ben\n", ["Ada M.", "Ben H."]),
        ("Klasse 6a;;\nNr;Name;Vorname\n1;Maier;Ada\n2;Huber;Ben\n", ["Ada M.", "Ben H."]),
        ("1;Ada\n2;Ben\n3;Cleo\n", ["Ada", "Ben", "Cleo"]),
        ("No;Barn\n1.;Ada\n2.;Ben\n", ["Ada", "Ben"]),
        ("Ada\nBen, the tall\nCleo, new\n", ["Ada", "Ben", "Cleo"]),
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
        (
            "givenName,familyName\nEmma,de Vries\nEmma,De Smet\n",
            ["Emma de Vries", "Emma De Smet"],
        ),
        ("givenName,familyName\nAda,Lee\nADA,LEE\n,Lee\n,\n", ["Ada L.", "Lee"]),
        ("sep=;\nname;seat\nAda;1\n", ["Ada"]),
        ("Pre\u0301nom,Nom\nAda,Lovelace\nBen,Lee\n", ["Ada L.", "Ben L."]),
        ("\u0130sim\nAda\nBen\n", ["Ada", "Ben"]),
        ("AD,SOYADI\nAda,Lovelace\nBen,Lee\n", ["Ada L.", "Ben L."]),
        ("Ad\u0131,Soyad\u0131\nAda,Lovelace\nBen,Lee\n", ["Ada L.", "Ben L."]),
        ("Name of the student,seat\nAda,x\nBen,y\n", ["Ada", "Ben"]),
        ("Name des Kindes;Platz\nAda;x\nBen;y\n", ["Ada", "Ben"]),
        ("student_full_name,seat\nAda,x\nBen,y\n", ["Ada", "Ben"]),
        ("Adı Soyadı\nAda Lovelace\n", ["Ada Lovelace"]),
        ("Schüler (Name),seat\nAda,x\n", ["Ada"]),
        ("Ad van Dijk\nAnna Kind\n", ["Ad van Dijk", "Anna Kind"]),
        ("Student 1.,x\nStudent 2.,y\n", ["Student 1.", "Student 2."]),
        ("Learner A 1\nLearner B 2\nLearner C 3\n", ["Learner A 1", "Learner B 2", "Learner C 3"]),
        ("Pupil Nr 1,x\nPupil Nr 2,y\n", ["Pupil Nr 1", "Pupil Nr 2"]),
        ("seat,Last name\nx,Lovelace\ny,Lee\n", ["Lovelace", "Lee"]),
        ("Class 6a\n\nSurname;seat\nLee;x\nRoe;y\n", ["Lee", "Roe"]),
        ("givenName,familyName\nAda,\ufb01eld\n", ["Ada \ufb01."]),
        ("givenName,familyName\n太郎,\U00020bb7田\n", ["\U00020bb7田太郎"]),
    ],
)
def test_names_are_found_in_common_class_lists(text: str, names: list[str]) -> None:
    assert names_in(text.encode()) == names


def test_a_spreadsheet_is_a_class_list(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    rows = [["Class 6a"], [], ["Last name", "First name"], ["Lee", "Ada"], ["Roe", "Ben"]]
    path = write_xlsx(tmp_path / "list.xlsx", {"One": sheet_cells(rows)})
    assert names_in(path.read_bytes()) == ["Ada L.", "Ben R."]


def test_an_old_encoding_is_read() -> None:
    assert names_in("name\nJürgen\n".encode("latin-1")) == ["Jürgen"]
    assert names_in("name\nZoë “Z”\n".encode("cp1252")) == ["Zoë “Z”"]
    assert names_in("name\nJürgen\n".encode("utf-16")) == ["Jürgen"]


@pytest.mark.parametrize("table", ["{0}\n{0}\n{0}\n", "name\n{0}\n", "{0}\nname\n"])
def test_endless_accents_take_no_time(table: str) -> None:
    """Sorting n of them takes n² steps, during which the server would be blocked."""
    began = time.perf_counter()
    with pytest.raises(Refused, match="up to 40 letters"):
        names_in(table.format("a" + "\u0315\u0300" * 65_000).encode())
    assert time.perf_counter() - began < 1


def test_students_with_the_same_name_have_one_seat_each() -> None:
    """They are numbered, wherever their rows are."""
    head, *rows = (
        "sourcedId,role,givenName,familyName\n",
        "s2,student,Ada,Lovelace\n",
        "s1,student,ADA,Lovelace\n",
        "s3,student,Ada,Lee\n",
        "s4,student,Ada,Lovelace (2)\n",
        "s5,student,,\n",
        "s2,student,Again,Lovelace\n",
    )
    names = ["Ada Lovelace (2)", "ADA Lovelace", "Ada Lee", "Ada Lovelace (2) (2)", "s5"]
    assert names_in((head + "".join(rows)).encode()) == names
    assert names_in((head + "".join(rows[4::-1])).encode()) == names[::-1]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"name\n", b"name,age\n,7\n"])
def test_a_file_without_names_is_refused(data: bytes) -> None:
    with pytest.raises(Refused, match="The file has no names: give it a column `name`"):
        names_in(data)


def test_a_file_with_too_many_names_is_refused() -> None:
    many = "\n".join(f"student {number}" for number in range(1001)).encode()
    with pytest.raises(Refused, match="up to 1000 students, but the file has 1001 names"):
        names_in(many)


def test_a_name_that_is_too_long_is_refused() -> None:
    with pytest.raises(Refused, match=r"up to 40 letters, but 'x+' has more"):
        names_in(b"name\n" + b"x" * 41)


def test_a_file_that_is_not_csv_is_refused() -> None:
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


def test_one_roster_1_2_has_roles_in_a_separate_file() -> None:
    assert names_in({"users.csv": USERS_1_2, "roles.csv": ROLES}) == ["Ada L.", "Ben S."]
    export = {"export/users.csv": USERS_1_2, "export/roles.csv": ROLES, "export/orgs.csv": b"x"}
    assert names_in(zipped(**export)) == ["Ada L.", "Ben S."]


def test_one_roster_1_1_has_roles_in_the_file_of_users() -> None:
    users = b"sourcedId,status,role,givenName,familyName\n1,,student,Ada,L\n2,,teacher,Tess,T\n"
    assert names_in(users) == names_in(zipped(**{"users.csv": users})) == ["Ada L."]


def test_one_roster_1_2_without_its_roles_is_refused() -> None:
    for data in (USERS_1_2, zipped(**{"users.csv": USERS_1_2})):
        with pytest.raises(
            Refused, match="does not state which users are students: send the zip with its"
        ):
            names_in(data)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (zipped(**{"orgs.csv": b"x"}), "The export has no users.csv, as OneRoster"),
        (zipped(), "The export has no users.csv"),
        (b"PK\x03\x04 no zip", "The zip cannot be read"),
        (zipped(**{"users.csv": b"x" * (17 << 20)}), r"\('users.csv'\): up to 16 MiB per file"),
        (zipped(**{"../users.csv": USERS_1_2}), "The zip contains a path that leads outside"),
        (zipped(**{"users.csv": b"", "roles.csv": ROLES}), "The file has no names"),
        (zipped(**{"users.csv": USERS_1_2, "roles.csv": b""}), "does not state which users"),
        (zipped(**{"users.csv": USERS_1_2, "roles.csv": b"a\nb"}), "have the column userSourcedId"),
        (
            zipped(**{"a/users.csv": USERS_1_2, "b/Users.csv": USERS_1_2}),
            "There are several files 'users.csv': send only one of them",
        ),
    ],
)
def test_a_file_that_is_not_an_export_is_refused(data: bytes, match: str) -> None:
    with pytest.raises(Refused, match=match) as refused:
        names_in(data)
    assert refused.value.status in (413, 422)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("users", "roles", "match"),
    [
        (
            USERS_1_2 + b"1,,,A,,\n" * 1_000_000,
            ROLES,
            "The class list has more than 20000 rows: leave some out",
        ),
        (
            USERS_1_2,
            ROLES + b"1,student\n" * 1_000_000,
            "roles.csv has more than 200000 rows: leave some out",
        ),
    ],
)
def test_an_endless_table_is_refused_before_it_fills_the_memory(
    users: bytes, roles: bytes, match: str
) -> None:
    """Forty thousand compressed bytes would take a gigabyte."""
    bomb = zipped(**{"users.csv": users, "roles.csv": roles})
    assert len(bomb) < 100_000
    tracemalloc.start()
    try:
        with pytest.raises(Refused, match=match):
            names_in(bomb)
        assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    finally:
        tracemalloc.stop()


def test_endless_columns_are_not_read() -> None:
    users = b"sourcedId,role,givenName" + b",x" * 1_000_000 + b"\n" + b"1,student,Ada\n" * 200
    began = time.perf_counter()
    assert names_in(users) == ["Ada"]
    assert time.perf_counter() - began < 5


CLASSES = (
    b"sourcedId,status,dateLastModified,title,grades,courseSourcedId,classCode,classType,location,"
    b"schoolSourcedId,termSourcedIds,subjects,subjectCodes,periods\n"
    b"c1,,,Maths 7B,,,7B-M,scheduled,,o1,t1,,,\nc2,active,,Art 7B,,,7B-A,scheduled,,o1,t1,,,\n"
    b"c3,tobedeleted,,Old,,,,scheduled,,o1,t1,,,\n"
)
ENROLLMENTS = (
    b"sourcedId,status,dateLastModified,classSourcedId,schoolSourcedId,userSourcedId,role,primary,"
    b"beginDate,endDate\n"
    b"e1,,,c1,o1,s1,student,,,\ne2,,,c1,o1,t1,teacher,true,,\ne3,,,c1,o1,s3,student,,,\n"
    b"e4,,,c2,o1,s1,student,,,\ne5,active,,c2,o1,s2,student,,,\ne6,,,c9,o1,s2,student,,,\n"
)
SCHOOL = {
    "users.csv": USERS_1_2,
    "roles.csv": ROLES,
    "classes.csv": CLASSES,
    "enrollments.csv": ENROLLMENTS,
}


@pytest.mark.parametrize("sent", [SCHOOL, zipped(**{f"export/{k}": v for k, v in SCHOOL.items()})])
def test_the_names_of_one_class_can_be_chosen(sent: Any) -> None:
    assert names_in(sent, "c1") == ["Ada L."]
    assert names_in(sent, "c2") == ["Ada L.", "Ben S."]
    with pytest.raises(Refused, match="The export has 2 classes: choose one of them"):
        names_in(sent)


def test_the_offered_number_of_students_is_imported() -> None:
    users = b"sourcedId,givenName,familyName\n1,Ada,Lee\n2,Ada,Lee\n3,Emma,d\n4,Emma,D\n5,,\n"
    rows = b"".join(b"c1,%d,student\n" % k for k in range(1, 6))
    sent = {
        "users.csv": users,
        "classes.csv": b"sourcedId\nc1\nc2\n",
        "enrollments.csv": b"classSourcedId,userSourcedId,role\n" + rows,
    }
    with pytest.raises(SeveralClasses) as offered:
        names_in(sent)
    names = names_in(sent, "c1")
    assert len({name.casefold() for name in names}) == len(names) == 5
    assert offered.value.classes[0].students == 5


def test_other_files_of_a_zip_are_not_unpacked() -> None:
    more = {"results.csv": b"x" * (17 << 20), "../orgs.csv": b"x"}
    assert names_in(zipped(**SCHOOL, **more), "c1") == ["Ada L."]
    with pytest.raises(Refused, match=r"'x/classes.csv'.*: up to 16 MiB per file and"):
        names_in(zipped(**{"users.csv": USERS_1_2, "x/classes.csv": more["results.csv"]}))


def test_a_class_with_an_unknown_id_is_refused() -> None:
    with pytest.raises(Refused, match=r"users.csv must have the column sourcedId"):
        names_in({**SCHOOL, "users.csv": b"name\nAda\nBen\n"})


def test_empty_roles_count_as_missing() -> None:
    users = b"sourcedId,role,givenName\n1,student,Ada\n2,teacher,Tess\n"
    assert names_in({"users.csv": users, "roles.csv": b""}) == ["Ada"]


@pytest.mark.parametrize("line_end", [b"\n", b"\r"])
def test_a_list_with_too_many_rows_is_refused(line_end: bytes) -> None:
    rows = [b"name", *(b"Ada" for _ in range(20_001))]
    with pytest.raises(Refused, match="The class list has more than 20000 rows: leave some out"):
        names_in(line_end.join(rows))


def test_an_export_whose_classes_have_no_ids_is_refused() -> None:
    classes = b"sourcedId,title\n,Art\n,Maths\n"
    with pytest.raises(Refused, match=r"is marked as deleted or has no sourcedId: make a new"):
        names_in({**SCHOOL, "classes.csv": classes})


def test_classes_with_long_similar_ids_get_different_titles() -> None:
    one, other = (b"c" * 100 + end for end in (b"1", b"2"))
    classes = b"sourcedId,title\n%s,Art\n%s,Art\n" % (one, other)
    rows = b"classSourcedId,userSourcedId,role\n%s,s1,student\n%s,s1,student\n" % (one, other)
    with pytest.raises(SeveralClasses) as refused:
        names_in({**SCHOOL, "classes.csv": classes, "enrollments.csv": rows})
    assert len({offered.title for offered in refused.value.classes}) == 2


def test_an_export_whose_classes_are_all_deleted_is_refused() -> None:
    gone = CLASSES.replace(b"c1,", b"c1,inactive").replace(b"c2,active", b"c2,tobedeleted")
    with pytest.raises(Refused, match=r"Every class in classes.csv is marked as deleted"):
        names_in({**SCHOOL, "classes.csv": gone})


def test_a_single_class_need_not_be_chosen() -> None:
    one = CLASSES.replace(b"c2,active", b"c2,tobedeleted")
    assert names_in({**SCHOOL, "classes.csv": one}) == ["Ada L."]


def test_an_enrolled_student_needs_no_other_role() -> None:
    assert names_in({**SCHOOL, "roles.csv": b""}, "c2") == ["Ada L.", "Ben S."]
    assert names_in({k: v for k, v in SCHOOL.items() if k != "roles.csv"}, "c1") == ["Ada L."]


@pytest.mark.parametrize("empty", [b"", CLASSES.split(b"\n")[0], b"sourcedId\n\n"])
def test_all_students_of_an_export_without_classes_are_imported(empty: bytes) -> None:
    other = b"" if not empty else ENROLLMENTS
    sent = {**SCHOOL, "classes.csv": empty, "enrollments.csv": other}
    assert names_in(sent) == ["Ada L.", "Ben S."]


def test_one_class_of_a_large_school_can_be_imported() -> None:
    users = "sourcedId,role,givenName\n" + "".join(f"s{k},student,N{k}\n" for k in range(3000))
    rows = "".join(f"c{k % 100},s{k},student\n" for k in range(3000))
    school_export = {
        "users.csv": users.encode(),
        "classes.csv": b"sourcedId\n" + b"".join(b"c%d\n" % k for k in range(100)),
        "enrollments.csv": b"classSourcedId,userSourcedId,role\n" + rows.encode(),
    }
    assert len(names_in(school_export, "c7")) == 30
    with pytest.raises(Refused, match="up to 1000 students, but the file has 3000 names"):
        names_in(school_export["users.csv"])


def test_a_list_without_classes_has_none_to_choose() -> None:
    for sent in (b"name\nAda\n", zipped(**{"users.csv": USERS_1_2, "roles.csv": ROLES})):
        with pytest.raises(Refused, match="The export has no class 'c1': choose again"):
            names_in(sent, "c1")
