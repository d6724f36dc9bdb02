"""What pages say."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from homeroom.live.messages.words import Phase, Point, Said


class FirstPassword(Said):
    """The password, and the token of the link that was printed at the start."""

    password: str = Field(max_length=1000)
    setup_token: str = Field(max_length=200)


class Password(Said):
    """The teacher's password."""

    password: str = Field(max_length=1000)


class NewClass(Said):
    """A class to be made."""

    name: str = Field(min_length=1, max_length=80, pattern=r"\S")
    activity: str = Field(max_length=100)
    goal: float = Field(
        0.1, gt=0, le=10, description="When the class has it: the mean squared distance."
    )
    retention_days: int = Field(
        30, ge=1, le=3650, description="After how many days without an event it is deleted."
    )


class NewPhase(Said):
    """What the class is to do now."""

    phase: Phase


class Pause(Said):
    """Whether the class is to stop for a while."""

    paused: bool


class Door(Said):
    """Whether the door is to be closed to all who are not in the class yet."""

    locked: bool


class Students(Said):
    """Some students of a class."""

    students: list[Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]] = Field(
        min_length=1, max_length=1000
    )


class Override(Said):
    """What is to be shown next."""

    item: str = Field(max_length=200)


class Regroup(Said):
    """How to split the class: best for ``lam``, or by a rule."""

    lam: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] | None = None
    groups: str | None = Field(
        None, max_length=60, description='"whole", "by-rate", "by-knowledge:k=3", ...'
    )


class Join(Said):
    """Who wants to come in, and where."""

    code: str = Field(max_length=40)
    nickname: str = Field(min_length=1, max_length=100)


class SeatCode(Said):
    """A code with which somebody gets her seat back."""

    code: str = Field(max_length=40)


class Answer(Said):
    """A student's answer to the item she is asked about."""

    round: int = Field(ge=0, le=100_000)
    item: str = Field(max_length=200)
    answer: Literal[1, -1]


Drawn = Annotated[
    list[Annotated[list[Point], Field(min_length=1, max_length=5000)]],
    Field(min_length=1, max_length=50),
]


class Writing(Said):
    """What a child wrote."""

    round: int = Field(ge=0, le=100_000)
    strokes: Drawn
