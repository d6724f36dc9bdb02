import csv
import json
from typing import Any

import pytest

from homeroom.live.settings import Hashing, Settings


@pytest.fixture
def taught(live: Any) -> str:
    """A class in which two answered."""
    class_id, code = live.make_class()
    students = [live.join(code, name) for name in ("Ada", "=HYPERLINK(1)")]
    live.act(class_id, "phase", phase="teach")
    for student in students:
        student.answer(1).raise_for_status()
    return str(class_id)


def get(live: Any, class_id: str, what: str) -> Any:
    return live.teacher.get(f"/api/classes/{class_id}/{what}").raise_for_status()


def test_answers_come_as_a_table(live: Any, taught: str) -> None:
    answer = get(live, taught, "export.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="class.csv"'
    rows = list(csv.reader(answer.text.splitlines()))
    assert len(rows) == 3
    assert not any(cell.startswith("=") for row in rows for cell in row)  # no formula


def test_everything_comes_as_json(live: Any, taught: str) -> None:
    answer = get(live, taught, "export.json")
    assert answer.headers["content-type"] == "application/json"
    assert "Ada" in json.dumps(answer.json())


def test_answers_come_as_xapi_statements(live: Any, taught: str) -> None:
    answer = get(live, taught, "export.xapi.jsonl")
    statements = [json.loads(line) for line in answer.text.splitlines()]
    assert len(statements) == 2
    assert all(one["verb"]["id"].endswith("/answered") for one in statements)
    assert statements[0]["actor"]["account"]["homePage"].startswith("http://localhost")
    [group] = statements[0]["context"]["contextActivities"]["grouping"]
    assert group["id"].endswith(f"/classes/{taught}")  # so that no two classes are taken for one


def test_the_report_runs_nothing_and_has_its_own_style_only(live: Any, taught: str) -> None:
    answer = get(live, taught, "report")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "script-src" not in policy
    assert "<script" not in answer.text


def test_the_way_in_comes_as_a_qr_code(live: Any, taught: str) -> None:
    answer = get(live, taught, "qr.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.text.startswith("<?xml")


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        (Settings(), "http://localhost/"),
        (Settings(phones="http://192.0.2.7:8000"), "http://192.0.2.7:8000/"),
        (Settings(origin="http://school.example"), "http://school.example/"),
    ],
)
def test_the_code_leads_to_where_phones_reach_the_server(
    opened: Any, monkeypatch: pytest.MonkeyPatch, settings: Settings, address: str
) -> None:
    import segno

    seen: list[str] = []
    make = segno.make

    def noted(link: str, **how: Any) -> Any:
        seen.append(link)
        return make(link, **how)

    monkeypatch.setattr(segno, "make", noted)
    live = opened(
        Settings(origin=settings.origin, phones=settings.phones, hashing=Hashing(1, 8, 1))
    )
    live.sign_in()
    class_id, code = live.make_class()
    get(live, class_id, "qr.svg")
    assert seen == [f"{address}?code={code}"]
