"""The declarations of the messages: what they accept, and that the pages have the same types."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from homeroom.live.messages.common import EXTRA, InkPoint, Problem, to_json
from homeroom.live.messages.requests import Answer, Join, Regroup, WrittenLetter
from homeroom.live.messages.views import ErrorPoint


def test_a_request_with_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        Answer.model_validate({"round": 1, "item": "x", "answer": 1, "student": "another"})
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        WrittenLetter.model_validate({"round": 1, "strokes": [[{"x": 0, "y": 0, "t": 0, "z": 1}]]})


@pytest.mark.parametrize("answer", [0, 9, -2, "yes", None, 1.5])
def test_an_answer_is_the_number_of_an_option(answer: object) -> None:
    with pytest.raises(ValidationError, match="Input should be -1, 1, 2, 3"):
        Answer.model_validate({"round": 1, "item": "x", "answer": answer})


@pytest.mark.parametrize("lam", [float("nan"), float("inf"), -1.0])
def test_lambda_must_be_finite_and_not_negative(lam: float) -> None:
    with pytest.raises(ValidationError, match=r"finite number|greater than or equal to 0"):
        Regroup.model_validate({"lam": lam})


def test_ink_is_limited() -> None:
    with pytest.raises(ValidationError, match="less than or equal to 1000000"):
        InkPoint(x=1e7, y=0, t=0)
    with pytest.raises(ValidationError, match="at most 50 items"):
        WrittenLetter(round=1, strokes=[[InkPoint(x=0, y=0, t=0)]] * 51)


def test_points_are_counted_before_models_are_made() -> None:
    """Each of these points would be an error."""
    point: dict[str, float] = {}
    for strokes in ([[point] * 5001], [[point] * 500] * 11):
        with pytest.raises(ValidationError) as refused:
            WrittenLetter.model_validate({"round": 1, "strokes": strokes})
        assert [error["type"] for error in refused.value.errors()] == ["strokes"]


@pytest.mark.parametrize(
    "strokes",
    [[[{}] * 5000], [[{str(number): 1 for number in range(5000)}]]],
    ids=["points", "one"],
)
def test_invalid_ink_has_few_errors(strokes: object) -> None:
    with pytest.raises(ValidationError) as refused:
        WrittenLetter.model_validate({"round": 1, "strokes": strokes})
    assert refused.value.error_count() <= 3


def test_many_unknown_fields_are_one_error() -> None:
    with pytest.raises(ValidationError) as refused:
        Join.model_validate({str(number): 1 for number in range(10_000)})
    assert [error["type"] for error in refused.value.errors()] == [EXTRA]


def test_a_problem_has_a_sentence_and_a_code() -> None:
    values = {"detail": "No.", "code": "paused", "values": {}}
    assert Problem(detail="No.", code="paused").model_dump() == values


def test_a_response_has_only_fields_that_are_declared() -> None:
    point: dict[str, Any] = {
        "round": 1,
        "total": 0.5,
        "unsure": 0.25,
        "low": 0.125,
        "distance": 2.0,
    }
    plain = '{"round":1,"total":0.5,"unsure":0.25,"low":0.125,"distance":2.0}'
    assert to_json(ErrorPoint(**point)) == plain
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        ErrorPoint(**{**point, "more": 1})


def test_a_response_has_only_finite_numbers() -> None:
    with pytest.raises(ValidationError, match="finite number"):
        ErrorPoint(round=1, total=float("nan"), unsure=0.0, low=0.0, distance=0.0)


@pytest.mark.slow
def test_the_pages_have_the_types_that_the_server_declares() -> None:
    """``npm run messages`` would not change ``web/src/api/schema.ts``."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    npm = shutil.which("npm", path=path)
    assert npm, "npm comes with the development requirements: install them, or run `make test`"
    web = Path(__file__).parents[2] / "web"
    done = subprocess.run(
        [npm, "run", "--silent", "messages", "--", "--check"],
        cwd=web,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (
        f"{done.stderr}Run `npm --prefix web ci` if the generator is missing, else "
        "`npm --prefix web run messages`, and commit web/src/api/schema.ts."
    )
