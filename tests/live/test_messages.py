import pytest
from pydantic import ValidationError

from homeroom.live.messages.common import InkPoint, Problem, to_json
from homeroom.live.messages.requests import Answer, Regroup, WrittenLetter
from homeroom.live.messages.views import RoundError


def test_a_call_brings_nothing_that_was_not_asked_for() -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        Answer.model_validate({"round": 1, "item": "x", "answer": 1, "student": "another"})


@pytest.mark.parametrize("answer", [0, 2, "yes", None, 1.5])
def test_an_answer_is_yes_or_no(answer: object) -> None:
    with pytest.raises(ValidationError, match="Input should be 1 or -1"):
        Answer.model_validate({"round": 1, "item": "x", "answer": answer})


@pytest.mark.parametrize("lam", [float("nan"), float("inf"), -1.0])
def test_lambda_is_a_number_that_one_can_reckon_with(lam: float) -> None:
    with pytest.raises(ValidationError, match=r"finite number|greater than or equal to 0"):
        Regroup.model_validate({"lam": lam})


def test_ink_stays_on_the_sheet_and_has_an_end() -> None:
    with pytest.raises(ValidationError, match="less than or equal to 1000000"):
        InkPoint(x=1e7, y=0, t=0)
    with pytest.raises(ValidationError, match="at most 50 items"):
        WrittenLetter(round=1, strokes=[[InkPoint(x=0, y=0, t=0)]] * 51)


def test_a_problem_is_a_sentence() -> None:
    told = {"detail": "No.", "code": "paused", "values": {}}
    assert Problem(detail="No.", code="paused").model_dump() == told


def test_a_response_has_only_fields_that_are_declared() -> None:
    point = {"round": 1, "total": 0.5, "unsure": 0.25}
    assert to_json(RoundError, point) == '{"round":1,"total":0.5,"unsure":0.25}'
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        to_json(RoundError, {**point, "more": 1})


def test_a_response_has_only_finite_numbers() -> None:
    with pytest.raises(ValidationError, match="finite number"):
        to_json(RoundError, {"round": 1, "total": float("nan"), "unsure": 0.0})
