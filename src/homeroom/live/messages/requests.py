"""The bodies of requests."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, FailFast, Field
from pydantic_core import PydanticCustomError

from homeroom.live.classbook.writing import MOST_POINTS, MOST_STROKES
from homeroom.live.messages.common import (
    EXTRA,
    AnswerNumber,
    InkPoint,
    LetterForm,
    Phase,
    RequestModel,
)


class FirstPassword(RequestModel):
    """The teacher's first password, and the token in the link that the server prints."""

    password: str = Field(max_length=1000)
    setup_token: str = Field(max_length=200)


class SignIn(RequestModel):
    """The teacher's password."""

    password: str = Field(max_length=1000)


class NewExperiment(RequestModel):
    """Ways of teaching to compare in a lesson."""

    arms: list[Annotated[str, Field(min_length=1, max_length=60)]] = Field(
        default_factory=lambda: ["homeroom", "random"],
        min_length=2,
        max_length=4,
        description='"homeroom", "random", "easy-first", or a registered teacher.',
    )
    explore: float = Field(0.1, ge=0, le=1, description="The share of choices made at random.")
    rounds: int = Field(15, ge=1, le=200, description="The number of items that each arm sees.")


class Consent(RequestModel):
    """Whether a student takes part in the experiment."""

    agrees: bool


class NewClass(RequestModel):
    """A class to create."""

    name: str = Field(min_length=1, max_length=80, pattern=r"\S")
    activity: str = Field(max_length=100)
    goal: float = Field(
        0.1, gt=0, le=10, description="The share of wrong answers at which the lesson is over."
    )
    retention_days: int = Field(
        30, ge=1, le=3650, description="Days without an event after which the class is deleted."
    )
    reveal: Literal["all", "teacher"] = Field(
        "all",
        description="When the right answer is shown: all have answered, or the teacher shows it.",
    )
    discussion: float = Field(
        0, ge=0, le=600, description="Seconds between showing the right answer and the next item."
    )
    timer: float | None = Field(
        None,
        ge=0,
        le=600,
        description="Seconds for the last answers once almost all students have answered: 20 by "
        "default, 0 for no limit.",
    )
    experiment: NewExperiment | None = Field(
        None, description="The first lesson compares these ways of teaching."
    )
    form: LetterForm = Field(
        "own", description="The forms of a handwritten letter: each student's own, or one style."
    )


class NextLesson(RequestModel):
    """The next lesson of a class. Settings that are left out keep their values.

    Except for ``experiment``: without it, the lesson compares nothing.
    """

    activity: str = Field(max_length=100)
    goal: float | None = Field(None, gt=0, le=10)
    retention_days: int | None = Field(None, ge=1, le=3650)
    reveal: Literal["all", "teacher"] | None = None
    discussion: float | None = Field(None, ge=0, le=600)
    timer: float | None = Field(None, ge=0, le=600)
    experiment: NewExperiment | None = Field(
        None, description="The lesson compares these ways of teaching; without them it does not."
    )
    form: LetterForm | None = None


class NewPhase(RequestModel):
    """The phase to begin."""

    phase: Phase


class PresentRound(RequestModel):
    """The round that the page shows: one that is over is refused."""

    round: int = Field(ge=0, le=100_000)


class NewTimer(RequestModel):
    """How long the last students have to answer once almost all others have."""

    seconds: float = Field(ge=0, le=600, description="0 for as long as they need.")


class PauseTimer(PresentRound):
    """Whether to stop the countdown of a round, or to let it begin again."""

    paused: bool


class PauseClass(RequestModel):
    """Whether to pause the class or to resume it."""

    paused: bool


class LockClass(RequestModel):
    """Whether to refuse new students."""

    locked: bool


class StudentIds(RequestModel):
    """Some students of a class."""

    students: list[Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]] = Field(
        min_length=1, max_length=1000
    )


class Review(RequestModel):
    """Whether students who have finished get items to review; otherwise they pause."""

    review: bool


class NextItem(RequestModel):
    """The item to show next."""

    item: str = Field(max_length=200)


class Regroup(RequestModel):
    """How to split the class: at the lowest cost T + ``lam`` S, or by a rule."""

    lam: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] | None = Field(
        None, description="The weight of the examples that a student sees."
    )
    groups: str | None = Field(
        None, max_length=60, description='"whole", "by-rate", "by-knowledge:k=3", ...'
    )


class Join(RequestModel):
    """The code of a class, and the name of a student who wants to join."""

    code: str = Field(max_length=40)
    nickname: str = Field(min_length=1, max_length=100)


class SeatCode(RequestModel):
    """A code with which a student rejoins the class under their earlier name."""

    code: str = Field(max_length=40)


class Answer(RequestModel):
    """A student's answer to the current item."""

    round: int = Field(ge=0, le=100_000)
    item: str = Field(max_length=200)
    answer: AnswerNumber = Field(description="The value of one of the options.")
    seconds: float | None = Field(
        None, ge=0, le=86_400, description="Seconds the item was shown before the answer, if known."
    )


def _refuse_much_ink(strokes: Any) -> Any:
    """Refuse too many points, or fields of points, before models are made of them."""
    if not isinstance(strokes, list):
        return strokes
    lists = [stroke for stroke in strokes if isinstance(stroke, list)]
    if sum(map(len, lists)) > MOST_POINTS:
        most = {"strokes": MOST_STROKES, "points": MOST_POINTS}
        raise PydanticCustomError("strokes", "Too many points", most)
    fields = len(InkPoint.model_fields)
    if any(isinstance(one, dict) and len(one) > fields for stroke in lists for one in stroke):
        raise PydanticCustomError(EXTRA, "Extra inputs are not permitted")
    return strokes


Ink = Annotated[
    list[Annotated[list[InkPoint], Field(min_length=1, max_length=MOST_POINTS), FailFast()]],
    Field(min_length=1, max_length=MOST_STROKES),
    FailFast(),
    BeforeValidator(_refuse_much_ink),
]


class WrittenLetter(RequestModel):
    """A letter that a student wrote."""

    round: int = Field(ge=0, le=100_000)
    strokes: Ink
