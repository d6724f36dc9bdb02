import csv
import json
from datetime import datetime
from typing import Any

import pytest

from homeroom.live.routes.downloads import is_local
from homeroom.live.settings import Hashing, ServerSettings


@pytest.fixture
def taught(live: Any) -> str:
    """A class with the answers of two students."""
    class_id, code = live.make_class()
    students = [live.join(code, name) for name in ("Ada", "=HYPERLINK(1)")]
    live.act(class_id, "phase", phase="teach")
    for student in students:
        student.answer(1).raise_for_status()
    return str(class_id)


def get(live: Any, class_id: str, what: str) -> Any:
    return live.teacher.get(f"/api/classes/{class_id}/{what}").raise_for_status()


def test_answers_are_exported_as_a_table(live: Any, taught: str) -> None:
    answer = get(live, taught, "export.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.reader(answer.text.splitlines()))
    assert len(rows) == 3
    assert not any(cell.startswith("=") for row in rows for cell in row)  # no formula


def test_letters_are_exported_as_inkml(live: Any, taught: str) -> None:
    answer = get(live, taught, "export.inkml")
    assert answer.headers["content-type"].startswith("application/inkml+xml")
    assert answer.headers["content-disposition"].endswith('.inkml"')
    assert "<ink" in answer.text


def test_everything_is_exported_as_json(live: Any, taught: str) -> None:
    answer = get(live, taught, "export.json")
    assert answer.headers["content-type"] == "application/json"
    assert "Ada" in json.dumps(answer.json())


def test_answers_are_exported_as_xapi_statements(live: Any, taught: str) -> None:
    answer = get(live, taught, "export.xapi.jsonl")
    statements = [json.loads(line) for line in answer.text.splitlines()]
    assert len(statements) == 2
    assert all(one["verb"]["id"].endswith("/answered") for one in statements)
    assert statements[0]["actor"]["account"]["homePage"].startswith("http://localhost")
    [group] = statements[0]["context"]["contextActivities"]["grouping"]
    assert group["id"].endswith(f"/classes/{taught}")  # so that no two classes are taken for one


@pytest.mark.parametrize("ending", ["csv", "json", "xapi.jsonl"])
def test_a_file_is_named_after_the_class_and_the_day(live: Any, ending: str) -> None:
    class_id, _ = live.make_class(name='3ä: "Moths" / Ωmega')
    day = datetime.fromtimestamp(live.registry.store.events(class_id)[-1].at).astimezone().date()
    answer = get(live, class_id, f"export.{ending}")
    named = f'attachment; filename="3ae-Moths-mega-{day}.{ending}"'
    assert answer.headers["content-disposition"] == named


def test_the_teacher_gets_the_report(live: Any, taught: str) -> None:
    report = get(live, taught, "report").json()
    assert (report["name"], report["counts"]["students"]) == ("5b", 2)
    [first, second] = report["shown"]
    assert (first["answers"], second["answers"]) == (2, 0)
    assert {item["id"] for item in report["items"]} == {first["item"], second["item"]}


def test_a_student_who_was_removed_later_is_in_no_download_of_an_earlier_lesson(live: Any) -> None:
    class_id, code = live.make_class(experiment={"arms": ["homeroom", "easy-first"]})
    ada, ben = live.join(code, "Ada"), live.join(code, "Ben")
    for student in (ada, ben):
        student.browser.post("/api/consent", json={"agrees": True}).raise_for_status()
    for phase in ("pretest", "teach"):
        live.act(class_id, "phase", phase=phase).raise_for_status()
        for student in (ada, ben):
            student.answer().raise_for_status()
    live.act(class_id, "phase", phase="done").raise_for_status()
    live.act(class_id, "lessons", activity="insects").raise_for_status()
    live.act(class_id, "remove", students=[ben.id]).raise_for_status()
    for what in ("export.csv", "export.xapi.jsonl", "report"):
        text = get(live, class_id, f"{what}?lesson=1").text
        assert "Ada" in text
        assert "Ben" not in text
        assert ben.id not in text
    about, *lines = map(
        json.loads, get(live, class_id, "export.experiment.jsonl?lesson=1").text.splitlines()
    )
    assert sum(about["students"].values()) == 1
    assert len({line["student"] for line in lines if "student" in line}) == 1
    report = get(live, class_id, "report?lesson=1").json()
    assert report["counts"]["students"] == 1
    assert sum(row["answers"] for row in report["shown"]) == 1
    assert "Ben" not in get(live, class_id, "export.json").text


def test_letters_of_a_student_who_was_removed_later_are_in_no_download(live: Any) -> None:
    class_id, code = live.make_class("letter-f")
    ada, ben = live.join(code, "Ada"), live.join(code, "Ben")
    live.act(class_id, "phase", phase="teach").raise_for_status()
    for student in (ada, ben):
        body = {"round": 1, "strokes": student.view["writing"]["model"]}
        student.browser.post("/api/ink", json=body).raise_for_status()
    live.act(class_id, "phase", phase="done").raise_for_status()
    live.act(class_id, "lessons", activity="letter-f").raise_for_status()
    live.act(class_id, "remove", students=[ben.id]).raise_for_status()
    for what in ("export.csv", "export.inkml", "export.xapi.jsonl", "report"):
        text = get(live, class_id, f"{what}?lesson=1").text
        assert "Ada" in text
        assert "Ben" not in text
        assert ben.id not in text
    assert get(live, class_id, "report?lesson=1").json()["counts"]["letters"] == 1
    assert get(live, class_id, "history").json()["lessons"][0]["letters"] == 1


def test_only_the_teacher_gets_the_report(live: Any) -> None:
    class_id, code = live.make_class()
    for browser in (live.browser(), live.join(code).browser):
        answer = browser.get(f"/api/classes/{class_id}/report")
        assert (answer.status_code, answer.json()["code"]) == (401, "sign_in_first")


def test_an_unknown_class_has_no_report(live: Any) -> None:
    answer = live.teacher.get("/api/classes/0123456789abcdef/report")
    assert (answer.status_code, answer.json()["code"]) == (404, "no_class")


def test_the_link_to_join_is_available_as_a_qr_code(live: Any, taught: str) -> None:
    answer = get(live, taught, "qr.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.text.startswith("<?xml")


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        (ServerSettings(), "http://localhost/"),
        (ServerSettings(phones="http://192.0.2.7:8000"), "http://192.0.2.7:8000/"),
        (ServerSettings(origin="http://school.example"), "http://school.example/"),
    ],
)
def test_the_qr_code_has_the_address_for_phones(
    opened: Any, monkeypatch: pytest.MonkeyPatch, settings: ServerSettings, address: str
) -> None:
    import segno

    seen: list[str] = []
    make = segno.make

    def noted(link: str, **how: Any) -> Any:
        seen.append(link)
        return make(link, **how)

    monkeypatch.setattr(segno, "make", noted)
    live = opened(
        ServerSettings(origin=settings.origin, phones=settings.phones, hashing=Hashing(1, 8, 1))
    )
    live.sign_in()
    class_id, code = live.make_class()
    get(live, class_id, "qr.svg")
    assert seen == [f"{address}?code={code}"]


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost", True),
        ("127.0.0.2", True),
        ("0.0.0.0", True),
        ("[::1]:8000", True),
        ("[::ffff:127.0.0.1]", True),
        ("[::ffff:192.0.2.7]", False),
        ("[2001:db8::7]", False),
        ("school.example", False),
    ],
)
def test_only_loopback_addresses_are_local(host: str, local: bool) -> None:
    assert is_local(f"http://{host}/") is local
