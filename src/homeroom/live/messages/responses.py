"""The bodies of responses, except for the views of a class."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from homeroom.live.messages.common import (
    Count,
    Kind,
    Phase,
    Problem,
    ResponseModel,
    Scores,
    Strokes,
)


class Ok(ResponseModel):
    """The request was carried out."""

    ok: Literal[True] = True


class Me(ResponseModel):
    """Whether the teacher is signed in, and whether a password is still to be chosen."""

    signed_in: bool
    first: bool
    address: str | None = Field(
        default=None,
        description="The address for phones, if it is not the one that the teacher uses.",
    )
    local: bool | None = Field(
        default=None, description="Whether only this machine can reach the server: no phone can."
    )


class ActivityLine(ResponseModel):
    """An activity in a list."""

    id: str
    name: str
    kind: Kind
    items: Count
    built_in: bool
    mapped: bool = Field(description="Its items have places on a map, so it cannot be edited.")
    question: str | None
    skipped: list[str] = Field(
        default=[],
        description="Questions of an uploaded file that cannot be asked and were left out.",
    )


class Activities(ResponseModel):
    """All activities."""

    activities: list[ActivityLine]


class ActivityItem(ResponseModel):
    """An item of an activity, as the teacher sees it."""

    id: str
    label: str | None
    text: str | None
    picture: str | None
    explanation: str | None
    question: str | None = Field(description="Its own question, if it has one.")
    options: list[str] = Field(description="Its own answers, if it has some.")


class ActivityPage(ResponseModel):
    """An activity with its items."""

    id: str
    name: str
    kind: Kind
    built_in: bool
    question: str
    options: list[str] = Field(description="The answers to all items without their own.")
    facts: bool = Field(description="Whether each item is learned separately.")
    mapped: bool = Field(description="Whether the map is known before the first answer.")
    items: list[ActivityItem]


class ClassLine(ResponseModel):
    """A class in a list."""

    class_: str = Field(serialization_alias="class")
    name: str
    activity: str
    activity_name: str
    kind: Kind
    phase: Phase
    students: Count
    code: str
    lessons: Count
    created: str = Field(description="When the class was created, in UTC.")
    last: str = Field(description="The time of its last event, in UTC.")


class Classes(ResponseModel):
    """All classes."""

    classes: list[ClassLine]


class CreatedClass(ResponseModel):
    """A class that was created."""

    class_: str = Field(serialization_alias="class")
    code: str


class Restored(ResponseModel):
    """What was added from a backup."""

    classes: Count
    activities: Count
    present: Count = Field(description="The classes of the backup that are here already.")


class RosterResult(ResponseModel):
    """The result of reading a class list."""

    students: Count = Field(description="The number of names on it.")
    added: Count = Field(description="How many of them were new.")


class OfferedClass(ResponseModel):
    """A class of a school's export, whose students can be enrolled."""

    id: str = Field(description="Its sourcedId.")
    title: str
    students: Count


class ClassChoice(Problem):
    """Why no student was enrolled, and the classes of which one must be chosen first."""

    classes: list[OfferedClass] = Field(default_factory=list)


class OfferedSeat(ResponseModel):
    """A code with which a student gets their seat back, once."""

    code: str
    minutes: int = Field(description="How long it is valid.")
    link: str = Field(description="A link with the code.")
    qr: list[str] = Field(
        description="The link as a QR code: its rows, 1 where it is dark. Empty where the server "
        "listens on this machine only."
    )


class SplitCost(ResponseModel):
    """What a way to split the class costs."""

    rounds: float = Field(description="Examples that the teacher shows in total.")
    workload: float = Field(description="Examples that a student sees, on average.")
    together: int = Field(description="The number of groups with several students.")
    alone: int = Field(description="The number of students who are taught alone.")


class SplitCosts(ResponseModel):
    """All ways to split the class that no other way beats."""

    lam: float
    ways: list[SplitCost]
    best: int | None = Field(description="The index of the cheapest way for ``lam``.")
    now: SplitCost | None = Field(description="The cost of the present groups.")


class JoinLink(ResponseModel):
    """How students join a class."""

    code: str
    address: str = Field(description="What students type into their browsers.")
    local: bool = Field(description="Whether only this machine can reach that address.")
    qr: list[str] = Field(description="The link as a QR code: its rows, 1 where it is dark.")


class JoinedClass(ResponseModel):
    """The seat of a student who joined."""

    student: str
    nickname: str
    kind: Kind


class RobotLetter(ResponseModel):
    """A letter that the robot wrote."""

    strokes: Strokes


class LetterResult(ResponseModel):
    """The scores of a student's letter, and the letter that the robot writes next."""

    scores: Scores = Field(description="From 0 (like the form) to 1.")
    form: str = Field(description="The form that the letter was compared with.")
    next: RobotLetter | None
