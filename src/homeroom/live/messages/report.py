"""What a report is told of a class."""

from __future__ import annotations

from pydantic import BaseModel, Field

from homeroom.live.messages.board import Band, BoardItem, ErrorPoint, Reason
from homeroom.live.messages.view import Letters
from homeroom.live.messages.words import Count, Kind, Open


class ReportStudent(Open):
    """What is told of a student: her answers, and what they say."""

    id: str
    name: str
    answered: Count
    judged: Count = Field(description="The answers to items with a label, which `right` counts.")
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
