"""What the server says in short: that it was done, and what there is."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from homeroom.live.messages.words import Count, Kind, Phase, Problem


class Done(BaseModel):
    """It was done."""

    version: int = Field(description="How many events the class has had, this one included.")


class Acknowledged(Done):
    """An answer is stored safely."""

    acknowledged: Literal[True] = True


class Ok(BaseModel):
    """It was done."""

    ok: Literal[True] = True


class Me(BaseModel):
    """Whether the teacher is signed in, and whether a password is still to be chosen."""

    signed_in: bool
    first: bool
    address: str | None = Field(
        default=None,
        description="Where phones reach this server, if the teacher's address is another.",
    )


class ActivityLine(BaseModel):
    """An activity in a list."""

    id: str
    name: str
    kind: Kind
    items: Count
    built_in: bool
    question: str | None = None


class Activities(BaseModel):
    """All activities."""

    activities: list[ActivityLine]


class ActivityItem(BaseModel):
    """An item of an activity, as the teacher sees it."""

    id: str
    label: str | None
    text: str | None = None
    picture: str | None = None
    explanation: str | None = None


class ActivityPage(BaseModel):
    """An activity with its items."""

    id: str
    name: str
    kind: Kind
    built_in: bool
    question: str
    options: list[str]
    mapped: bool = Field(description="Whether the map is known before anybody answers.")
    items: list[ActivityItem]


class ClassLine(BaseModel):
    """A class in a list."""

    class_: str = Field(alias="class")
    name: str
    activity: str
    activity_name: str
    kind: Kind
    phase: Phase
    students: Count
    code: str


class Classes(BaseModel):
    """All classes."""

    classes: list[ClassLine]


class MadeClass(BaseModel):
    """A class that was made."""

    class_: str = Field(alias="class")
    code: str


class Roster(BaseModel):
    """What came of a roster."""

    students: Count = Field(description="How many names were on it.")
    added: Count = Field(description="How many of them were new.")


class OfferedClass(BaseModel):
    """A class of a school's export, of which the students can be enrolled."""

    id: str = Field(description="Its sourcedId.")
    title: str
    students: Count


class ClassesOffered(Problem):
    """Why nobody was enrolled; if a class must be chosen first, which there are."""

    classes: list[OfferedClass] = Field(default_factory=list)


class OfferedSeat(BaseModel):
    """A code with which a student gets her seat back."""

    code: str
    minutes: int = Field(description="For how long it counts.")
    link: str = Field(description="A link with the code in it.")
    qr: list[str] = Field(description="The link as a QR code: its rows, 1 where it is dark.")


class Way(BaseModel):
    """A way to split the class, and what it costs."""

    rounds: float
    workload: float
    together: int
    alone: int


class Ways(BaseModel):
    """Every way to split the class that no other beats."""

    lam: float
    ways: list[Way]
    best: int | None
    now: Way | None = None


class Joined(BaseModel):
    """Somebody came in."""

    student: str
    nickname: str
    kind: Kind
