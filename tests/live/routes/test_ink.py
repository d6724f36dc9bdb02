from typing import Any

import pytest

from homeroom.live.messages.view import Ink, Letters, View


@pytest.fixture
def writing(live: Any) -> tuple[str, Any]:
    """A class of one that writes."""
    class_id, code = live.make_class("letter-l")
    ada = live.join(code)
    live.act(class_id, "phase", phase="teach").raise_for_status()
    return class_id, ada


def test_a_child_writes_and_the_robot_writes_back(live: Any, writing: Any) -> None:
    class_id, ada = writing
    view = ada.view
    View.model_validate(view)
    assert (view["kind"], view["round"], view["writing"]["robot"]) == ("writing", 1, None)
    model = view["writing"]["model"]
    told = ada.browser.post("/api/ink", json={"round": 1, "strokes": model}).json()
    Ink.model_validate(told)
    assert max(told["scores"].values()) < 0.1  # the model itself
    assert told["next"]["strokes"]
    assert ada.view["round"] == 2
    again = ada.browser.post("/api/ink", json={"round": 1, "strokes": model})
    assert again.status_code == 200  # sent again: counted once
    letters = live.teacher.get(f"/api/classes/{class_id}/letters").json()
    Letters.model_validate(letters)
    assert [len(one["tries"]) for one in letters["students"]] == [1]


@pytest.mark.parametrize(
    "strokes",
    [
        [],
        [[]],
        [[{"x": 0, "y": 0}]],
        [[{"x": "NaN", "y": 0, "t": 0}]],
        [[{"x": 1e300, "y": 0, "t": 0}]],
        [[{"x": 0, "y": 0, "t": 0}]],
        [[{"x": 0, "y": 0, "t": 1}, {"x": 1, "y": 0, "t": 0}]],
        [[{"x": 0, "y": 0, "t": 0}]] * 51,
        "ink",
    ],
)
def test_what_no_pen_wrote_is_refused(writing: Any, strokes: Any) -> None:
    _, ada = writing
    refused = ada.browser.post("/api/ink", json={"round": 1, "strokes": strokes})
    assert refused.status_code == 422
    assert isinstance(refused.json()["detail"], str)


def test_nothing_is_written_in_a_quiz(live: Any) -> None:
    _, code = live.make_class()
    stroke = [[{"x": 0, "y": 0, "t": 0}, {"x": 1, "y": 1, "t": 1}]]
    refused = live.join(code).browser.post("/api/ink", json={"round": 1, "strokes": stroke})
    assert refused.status_code == 404
    assert "nothing is written" in refused.json()["detail"]
