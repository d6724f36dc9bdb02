"""The shape of everything that is said between the pages and the server."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from homeroom.live.refused import CODES

Phase = Literal["lobby", "pretest", "teach", "posttest", "done"]
Kind = Literal["quiz", "writing"]
Place = tuple[float, float]
Count = Annotated[int, Field(ge=0)]


class Said(BaseModel):
    """What a page says; nothing else may come with it."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """Why something was not done."""

    detail: str = Field(description="One sentence for whoever asked.")
    code: str = Field(
        description="The same in short, for a page in another language.",
        json_schema_extra={"enum": sorted(CODES["refused"])},
    )
    values: dict[str, str | int | float] = Field(
        default_factory=dict, description="What the sentence tells: numbers, names."
    )


# What pages say


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


class Point(BaseModel):
    """Where the pen was, when, and how hard it was pressed."""

    x: Annotated[float, Field(ge=-1e6, le=1e6)]
    y: Annotated[float, Field(ge=-1e6, le=1e6)]
    t: Annotated[float, Field(ge=0, le=1e6, description="Seconds.")]
    p: Annotated[float, Field(ge=0, le=1)] | None = None


Strokes = list[list[Point]]
Drawn = Annotated[
    list[Annotated[list[Point], Field(min_length=1, max_length=5000)]],
    Field(min_length=1, max_length=50),
]


class Writing(Said):
    """What a child wrote."""

    round: int = Field(ge=0, le=100_000)
    strokes: Drawn


# What the server says


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


class Open(BaseModel):
    """What may grow: more fields than these can come."""

    model_config = ConfigDict(extra="allow")


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
    groups: list[Group]
    counts: dict[str, int]
    code: str
    retention_days: int
    finished: list[str] | None = Field(
        default=None, description="Why there is nothing more to show, in short words."
    )


class Option(BaseModel):
    """An answer that can be given."""

    value: Literal[1, -1]
    label: str


class ShownItem(Open):
    """An item to look at."""

    id: str
    picture: str | None = None
    text: str | None = None


class Question(ShownItem):
    """An item that is asked about."""

    question: str | None = None
    options: list[Option]


class Feedback(Open):
    """What is told to who has answered."""

    right: bool | None
    label: str
    explanation: str | None = None
    species: str | None = Field(None, description="Of a built-in insect: the code of its species.")


class Example(Feedback):
    """The example before the present one."""

    item: ShownItem


class Progress(BaseModel):
    """How much a student has answered, and how much of it right."""

    answered: Count
    right: Count
    rounds: Count


class Robot(BaseModel):
    """What the robot wrote."""

    strokes: Strokes


class Sheet(Open):
    """What a child's page needs: the letter, its model, and what the robot wrote."""

    letter: str
    box: tuple[float, float, float, float]
    model: Strokes
    robot: Robot | None


class View(Open):
    """All that a student's page shows her."""

    kind: Kind
    activity: str
    phase: Phase
    paused: bool
    round: int
    version: int
    nickname: str
    item: Question | None
    answered: bool
    feedback: Feedback | None
    example: Example | None
    progress: Progress
    group: str | None = None
    writing: Sheet | None = None


class Ink(BaseModel):
    """What was seen in a child's letter, and what the robot writes next."""

    scores: dict[str, float] = Field(description="Defects from 0 (as the model) to 1.")
    next: Robot | None


class Letters(Open):
    """What the children of a class wrote, over time."""

    letter: str
    box: tuple[float, float, float, float]
    model: Strokes
    students: list[dict[str, Any]]


class ReportStudent(Open):
    """What is told of a student: her answers, and what they say."""

    id: str
    name: str
    answered: Count
    right: Count
    rounds: Count
    p_right: Band | None
    rate_words: str | None
    honest: bool | float | None


class ReportShown(BaseModel):
    """What a group saw in a round, why, and how many were right."""

    round: int
    group: str | None
    item: str
    answers: Count
    right: Count
    skipped: bool
    reason: Reason | None


class ReportCounts(BaseModel):
    """How much there was."""

    students: Count
    examples: Count
    letters: Count


class ReportWriting(Letters):
    """The model, and everybody's first and last letter."""


class Report(Open):
    """What a class did and what came of it, for a page to be printed."""

    name: str
    activity: str
    activity_name: str
    kind: Kind
    began: str = Field(description="When the class was made, in UTC.")
    last: str = Field(description="When something happened in it last, in UTC.")
    retention_days: int
    goal: float
    counts: ReportCounts
    before: float | None = Field(description="The part of the pre-test's answers that was right.")
    after: float | None = Field(description="The part of the post-test's answers that was right.")
    errors: list[ErrorPoint]
    students: list[ReportStudent]
    shown: list[ReportShown]
    items: list[BoardItem] = Field(description="The items that were shown.")
    writing: ReportWriting | None
