"""What a student's page is told, and what children wrote."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from homeroom.live.messages.words import Count, Kind, Open, Phase, Strokes


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
    """How many answers a student has given, and how many of them were right."""

    answered: Count
    judged: Count = Field(
        description="The answers that `right` counts: not those of a test that is not over, nor "
        "those to items without a label."
    )
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
