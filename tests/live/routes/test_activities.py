import io
import zipfile
from typing import Any

import pytest

from homeroom.live.access.middleware import PICTURE_POLICY

TABLE = b"item,label,explanation\na,yes,because\nb,no,\nc,yes,\nd,no,\n"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def upload(live: Any, *files: tuple[str, bytes], name: str = "Mine") -> Any:
    parts = [("files", (file, data)) for file, data in files]
    return live.teacher.post("/api/activities", data={"name": name}, files=parts)


def zipped(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def test_insects_and_letters_are_built_in(live: Any) -> None:
    listed = live.teacher.get("/api/activities").json()["activities"]
    kinds = {one["id"]: one["kind"] for one in listed}
    assert kinds["insects"] == "quiz"
    assert kinds["letter-f"] == "writing"
    assert all(one["built_in"] for one in listed)


def test_an_activity_is_shown_with_its_answers(live: Any) -> None:
    shown = live.teacher.get("/api/activities/insects").json()
    assert shown["options"] == ["butterfly", "moth"]
    assert shown["mapped"]
    assert {one["label"] for one in shown["items"]} == {"butterfly", "moth"}
    picture = live.teacher.get(shown["items"][0]["picture"])
    assert picture.headers["content-type"] == "image/svg+xml"


def test_a_table_is_uploaded_used_and_deleted(live: Any) -> None:
    made = upload(live, ("quiz.csv", TABLE)).json()
    assert (made["name"], made["items"], made["built_in"]) == ("Mine", 4, False)
    class_id, _ = live.make_class(made["id"])
    path = f"/api/activities/{made['id']}"
    refused = live.teacher.delete(path)
    assert refused.status_code == 409
    assert "uses this activity" in refused.json()["detail"]
    live.teacher.delete(f"/api/classes/{class_id}")
    assert live.teacher.delete(path).json() == {"ok": True}
    assert live.teacher.get(path).status_code == 404
    assert live.teacher.delete(path).status_code == 404


def test_the_teacher_can_choose_the_question(live: Any) -> None:
    sent = {"name": "Mine", "question": " Is it so? "}
    files = [("files", ("quiz.csv", TABLE))]
    made = live.teacher.post("/api/activities", data=sent, files=files).json()
    assert made["question"] == "Is it so?"


def test_a_script_in_an_item_is_only_a_text(live: Any) -> None:
    script = b"<script>alert(1)</script>"
    table = b"item,label,text,explanation\n" + b"".join(
        b"%d,%s,%s,%s\n" % (number, label, script, script)
        for number, label in enumerate((b"yes", b"no", b"yes", b"no"))
    )
    made = upload(live, ("quiz.csv", table), name="<b>bold</b>").json()
    shown = live.teacher.get(f"/api/activities/{made['id']}")
    assert shown.headers["content-type"] == "application/json"
    assert shown.json()["items"][0]["text"] == script.decode()
    class_id, code = live.make_class(made["id"])
    live.join(code)
    live.act(class_id, "phase", phase="pretest").raise_for_status()
    report = live.teacher.get(f"/api/classes/{class_id}/report")
    assert report.headers["content-type"] == "application/json"
    assert report.json()["activity_name"] == "<b>bold</b>"


def test_a_script_in_a_drawing_does_not_run(live: Any) -> None:
    """Uploaded drawings are refused, and built-in ones are sent with a sandbox policy."""
    refused = upload(live, ("quiz.csv", b"item,label,picture\n" + b"a,yes,a.svg\n"), ("a.svg", SVG))
    assert refused.status_code == 422
    shown = live.teacher.get("/api/activities/insects").json()
    picture = live.teacher.get(shown["items"][0]["picture"])
    assert picture.headers["content-security-policy"] == PICTURE_POLICY
    assert "sandbox" in PICTURE_POLICY
    assert "script-src" not in PICTURE_POLICY
    assert picture.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", ["../evil.csv", "/etc/evil.csv", "a/../../evil.csv", "..\\e.csv"])
def test_a_zip_with_paths_that_lead_outside_is_refused(live: Any, name: str) -> None:
    refused = upload(live, ("bad.zip", zipped(**{name: TABLE})))
    assert refused.status_code == 422
    assert refused.json()["detail"]


@pytest.mark.slow
def test_a_zip_bomb_is_refused(live: Any) -> None:
    bomb = zipped(**{"items.csv": TABLE, "zeros.png": b"\0" * 300_000_000})
    assert len(bomb) < 1_000_000
    assert upload(live, ("bomb.zip", bomb)).status_code in (413, 422)


def test_a_picture_bomb_is_refused(live: Any) -> None:
    """A few bytes that declare 100,000 pixels in width and height."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")
    table = b"item,label,picture\na,yes,a.png\nb,no,\nc,yes,\nd,no,\n"
    refused = upload(live, ("quiz.csv", table), ("a.png", b"\x89PNG\r\n\x1a\n" + body))
    assert refused.status_code in (413, 422)


@pytest.mark.slow
def test_a_table_bomb_is_refused(live: Any) -> None:
    many = b"item,label\n" + b"".join(b"%d,yes\n" % number for number in range(200_000))
    wide = b"item,label," + b",".join(b"c%d" % number for number in range(50_000)) + b"\na,yes\n"
    deep = b'item,label\n"' + b"a" * 5_000_000
    for bomb in (many, wide, deep):
        assert upload(live, ("quiz.csv", bomb)).status_code in (413, 422)


@pytest.mark.parametrize(
    "files",
    [
        [("quiz.txt", b"hello")],
        [("bad.zip", b"this is no zip")],
        [("quiz.csv", b"\xff\xfe\x00\x01")],
        [("quiz.csv", TABLE), ("quiz2.csv", TABLE)],
    ],
)
def test_an_upload_that_is_not_an_activity_is_refused(live: Any, files: Any) -> None:
    refused = upload(live, *files)
    assert refused.status_code == 422
    assert isinstance(refused.json()["detail"], str)


def test_built_in_activities_cannot_be_deleted(live: Any) -> None:
    refused = live.teacher.delete("/api/activities/insects")
    assert refused.status_code == 409
    assert "is built in and cannot be deleted" in refused.json()["detail"]


def test_only_students_of_a_class_get_its_pictures(live: Any) -> None:
    made = upload(live, ("quiz.csv", TABLE)).json()
    class_id, code = live.make_class()
    _, other = live.make_class(made["id"])
    [item, *_] = live.teacher.get("/api/activities/insects").json()["items"]
    ada, ben = live.join(code, "Ada"), live.join(other, "Ben")
    live.act(class_id, "phase", phase="teach").raise_for_status()
    seen = ada.view["item"]["picture"]
    assert live.browser().get(seen).status_code == 401
    assert ben.browser.get(seen).status_code == 404
    assert ada.browser.get(seen).status_code == 200
    assert live.teacher.get(item["picture"]).status_code == 200
    assert ada.browser.get(item["picture"]).status_code == 404  # its id would give it away


def test_a_picture_sent_to_a_student_does_not_name_its_item(live: Any) -> None:
    class_id, code = live.make_class()
    ada = live.join(code, "Ada")
    live.act(class_id, "phase", phase="teach").raise_for_status()
    item = live.board(class_id)["next"]["item"]
    sent = ada.browser.get(ada.view["item"]["picture"]).raise_for_status()
    assert item not in sent.text
    assert "insect-" not in sent.text
    assert item not in str(sent.headers)
    assert not {"etag", "last-modified", "content-disposition"} & set(sent.headers)
    named = live.teacher.get(f"/api/activities/insects/items/{item}/picture")
    assert named.content == sent.content


def test_a_teacher_who_joins_their_own_class_sees_its_pictures(live: Any) -> None:
    class_id, code = live.make_class()
    live.teacher.post("/api/join", json={"code": code, "nickname": "Me"}).raise_for_status()
    live.act(class_id, "phase", phase="teach").raise_for_status()
    shown = live.teacher.get("/api/me").json()["item"]["picture"]
    assert live.teacher.get(shown).status_code == 200


@pytest.mark.parametrize("item", ["nothing", "..%2F..%2Fetc%2Fpasswd", "%00", "a%2Fb"])
def test_an_unknown_picture_is_not_found(live: Any, item: str) -> None:
    assert live.teacher.get(f"/api/activities/insects/items/{item}/picture").status_code == 404


def test_only_uploads_of_a_teacher_are_read(live: Any) -> None:
    """Otherwise fifty megabytes of a stranger would be parsed and stored before the refusal."""
    sent: list[Any] = []

    async def receive() -> Any:
        raise AssertionError("the body was read")

    async def send(message: Any) -> None:
        sent.append(message)

    headers = {
        "host": "localhost",
        "origin": "http://localhost",
        "content-type": "multipart/form-data; boundary=x",
        "content-length": "40000000",
        "cookie": "homeroom_teacher=guessed",
    }
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": "POST",
        "path": "/api/activities",
        "raw_path": b"/api/activities",
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("192.0.2.1", 5),
        "server": ("localhost", 80),
    }
    live.teacher.portal.call(live.teacher.app, scope, receive, send)
    assert sent[0]["status"] == 401
    assert b"Sign in as the teacher first" in sent[1]["body"]


def test_an_activity_is_edited_and_classes_keep_the_old_one(live: Any) -> None:
    """Pictures stay with items that have no new one; an unused activity is simply replaced."""
    import io

    from PIL import Image

    drawn = io.BytesIO()
    Image.new("RGB", (4, 4)).save(drawn, "PNG")
    table = b"item,label\nduck,bird\nhen,bird\nbat,other\nbee,other\n"
    sent = [
        ("files", ("a.csv", table, "text/csv")),
        ("files", ("duck.png", drawn.getvalue(), "image/png")),
    ]
    old = live.teacher.post("/api/activities", data={"name": "Birds"}, files=sent).json()["id"]
    live.make_class(old)

    def edited(base: str, **more: str) -> Any:
        new = [("files", ("a.csv", table + b"cow,other\n", "text/csv"))]
        data = {"name": "Birds 2", "base": base, **more}
        return live.teacher.post("/api/activities", data=data, files=new)

    new = edited(old, replace="true").raise_for_status().json()
    assert new["items"] == 5
    page = live.teacher.get(f"/api/activities/{new['id']}").json()
    assert page["items"][0]["picture"] is not None
    ids = [one["id"] for one in live.teacher.get("/api/activities").json()["activities"]]
    assert new["id"] in ids
    assert old not in ids
    assert live.teacher.get(f"/api/activities/{old}").status_code == 200
    copy = edited(new["id"]).raise_for_status().json()["id"]
    assert copy != new["id"]
    assert edited(copy, replace="true").status_code == 201
    assert live.teacher.get(f"/api/activities/{copy}").status_code == 404
    assert edited("0" * 16).json()["code"] == "no_activity"
    assert edited("../etc").status_code == 422
    assert edited("times-tables").json()["items"] == 5  # of a built-in activity, too
    assert edited("times-tables", replace="true").status_code == 201
    assert edited("insects").json()["code"] == edited("leaves").json()["code"] == "activity_mapped"
    built_in = live.teacher.get("/api/activities").json()["activities"]
    assert {one["id"] for one in built_in if one["mapped"]} == {"insects", "leaves"}


def test_a_spreadsheet_and_a_heic_photo(live: Any) -> None:
    def sent(*files: tuple[str, bytes]) -> Any:
        parts = [("files", (name, data, "application/octet-stream")) for name, data in files]
        return live.teacher.post("/api/activities", data={"name": "Sheet"}, files=parts)

    refused = sent(("birds.xlsx", b"PK\x03\x04 but not a zip"))
    assert (refused.status_code, refused.json()["code"]) == (422, "spreadsheet")
    table = b"item,label\nduck,bird\nhen,bird\nbat,other\nbee,other\n"
    heic = b"\0\0\0\x18ftypheic" + b"\0" * 40
    refused = sent(("birds.csv", table), ("duck.jpg", heic))
    assert (refused.status_code, refused.json()["code"]) == (422, "picture_heic")
