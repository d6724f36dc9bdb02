"""What the teacher's page is told of a class."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from homeroom.live.messages.words import Count, Kind, Open, Phase, Place


class Band(BaseModel):
    """A number, and where it lies with a probability of nine in ten."""

    middle: float
    low: float
    high: float


class BoardStudent(Open):
    """A student as the teacher sees her."""

    id: str
    name: str
    here: bool
    joined: bool
    answered: bool
    answers: Count = Field(description="How much she has answered or written in all.")
    p_right: Band | None
    state: Place | None
    ellipse: list[Place] | None
    group: int | None
    rate_words: str | None
    honest: bool | float | None


class BoardItem(Open):
    """An item on the class's map."""

    id: str
    place: Place | None
    label: str
    picture: str | None
    text: str | None
    species: str | None = Field(None, description="Of a built-in insect: the code of its species.")


class Target(Open):
    """The rule as a line on the map."""

    normal: Place
    offset: float


class ErrorPoint(BaseModel):
    """The class's error after a round, and how much of it is only not known."""

    round: int
    total: float
    unsure: float


class Reason(Open):
    """The numbers behind a choice."""

    by: str = Field(description='"lesson", or "teacher" for what she chose herself.')
    wrong: float | None = Field(None, description="How many would answer wrong.")
    of: int | None = Field(None, description="Of how many.")
    off: float | None = Field(None, description="The part of the error that seeing it takes off.")


class Next(Open):
    """What is shown, and why."""

    item: str
    label: str
    why: str
    reason: Reason | None = None
    group: str | None = None


class LastExample(Open):
    """What a group saw in the last round that is over, and how many were right."""

    group: str | None
    item: str
    label: str
    explanation: str | None
    species: str | None = Field(None, description="Of a built-in insect: the code of its species.")
    answers: Count
    right: Count


class Group(Open):
    """A group of the class."""

    name: str
    size: Count
    colour: Count


class Board(Open):
    """All that the teacher's page shows of a class."""

    class_: str = Field(alias="class")
    name: str
    activity: str
    activity_name: str
    kind: Kind
    phase: Phase
    paused: bool
    locked: bool = Field(description="Whether the door is closed to all who are not in it yet.")
    round: int
    version: int
    students: list[BoardStudent]
    items: list[BoardItem]
    target: Target | None
    errors: list[ErrorPoint]
    next: Next | None
    last: list[LastExample]
    groups: list[Group]
    counts: dict[str, int]
    code: str
    retention_days: int
    trouble: Literal["store", "failed"] | None = Field(
        default=None,
        description="Why the class cannot continue: nothing can be stored, or something failed.",
    )
    finished: list[str] | None = Field(
        default=None, description="Why there is nothing more to show, in short words."
    )
