"""What the pages show of a class: the student's view, the teacher's board, letters, the report."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from homeroom.live.messages.common import (
    AnswerNumber,
    Box,
    Count,
    Kind,
    LetterForm,
    Phase,
    Place,
    ResponseModel,
    Reveal,
    Scores,
    Strokes,
)
from homeroom.live.messages.responses import RobotLetter

# A student's page


class Option(ResponseModel):
    """A possible answer."""

    value: AnswerNumber = Field(description="1 and -1 if there are two, else from 1 on.")
    label: str


class ShownItem(ResponseModel):
    """An item as students see it."""

    id: str = Field(description="A code in place of the item's id.")
    picture: str | None
    text: str | None


class AskedItem(ShownItem):
    """An item that students are asked about."""

    question: str | None
    options: list[Option]


class Feedback(ResponseModel):
    """The right answer of an item that a student has answered."""

    round: int
    right: bool | None = Field(description="Whether their answer was right; null without one.")
    label: str
    explanation: str | None
    species: str | None = Field(description="The code of a built-in insect's species.")


class PreviousExample(Feedback):
    """The last example before the present round."""

    item: ShownItem


class StudentProgress(ResponseModel):
    """How many answers a student has given, and how many of them were right."""

    answered: Count
    judged: Count = Field(
        description="The answers that `right` counts: not those of a test that is not over, nor "
        "those to items without a label."
    )
    right: Count
    rounds: Count


class WritingSheet(ResponseModel):
    """The letter to write, its model, and the robot's letter."""

    letter: str
    box: Box = Field(description="Left, top, width and height of the sheet; y grows downwards.")
    model: Strokes
    robot: RobotLetter | None = Field(description="Null before the student's first letter.")
    tries: Count = Field(description="How many letters the student has written.")


class StudentExperiment(ResponseModel):
    """A lesson that compares ways of teaching, as a student sees it."""

    agrees: bool | None = Field(description="Whether they take part; null before they choose.")
    begun: bool = Field(description="The class is split: agreeing now is too late.")


class StudentView(ResponseModel):
    """Everything that a student's page shows."""

    class_name: str
    kind: Kind
    activity: str
    activity_name: str
    phase: Phase
    paused: bool
    lesson: int = Field(description="The number of the lesson, counted from 1.")
    round: int
    version: int
    student: str
    nickname: str
    here: bool
    item: AskedItem | None = Field(description="The question to answer, if there is one.")
    seconds_left: Count | None = Field(
        None, description="Seconds until the round ends without the missing answers."
    )
    left: Count = Field(description="Items of this round that are not answered yet.")
    answered: bool
    feedback: Feedback | None
    example: PreviousExample | None
    finished: bool = Field(description="The lesson is over; the teacher begins what follows.")
    resting: bool = Field(description="The lesson continues without this student for now.")
    progress: StudentProgress
    writing: WritingSheet | None
    group: str | None
    experiment: StudentExperiment | None = Field(
        description="Null in a lesson that compares nothing."
    )


# The teacher's page

Trouble = Literal["store", "failed"]
"""Why a class cannot continue."""


class ChanceBand(ResponseModel):
    """A chance of a right answer, with its 90 % credible interval."""

    middle: float
    low: float
    high: float


class BoardStudent(ResponseModel):
    """A student as the teacher sees them."""

    id: str
    name: str
    here: bool
    joined: bool = Field(description="False for a student on the class list who has not joined.")
    signed_out: bool = Field(description="Joining with the student's name takes the seat.")
    answered: bool
    asked: Count = Field(description="Items of this round or test that they are asked.")
    done: Count = Field(description="How many of those they have answered.")
    choice: str | None = Field(description="Their answer in the last round that was shown.")
    right: bool | None = Field(description="Whether that answer was right.")
    answers: Count = Field(description="Answers or letters in this lesson.")
    p_right: ChanceBand | None  # the expected share of right answers
    state: Place | None  # the estimate of what they know, on the axes of the map
    ellipse: list[Place] | None  # the edge of the credible region of that estimate
    group: int | None
    rate_words: str | None  # how fast they learn, in words
    honest: bool | None = Field(description="False if the answers look unrelated to the questions.")
    same_button: Count | None = Field(
        description="In that case, how often they pressed their most frequent button."
    )
    hasty: Count | None = Field(
        description="In that case, how many of their answers came faster than they can be read."
    )


class BoardItem(ResponseModel):
    """An item as the teacher sees it, with its place on the map."""

    id: str
    place: Place | None
    label: str
    picture: str | None
    text: str | None
    question: str | None = Field(description="Its own question, if it has one.")
    species: str | None = Field(description="The code of a built-in insect's species.")
    usable: bool = Field(description="Whether it can be shown as an example.")


class TargetLine(ResponseModel):
    """The rule as a line on the map, ``<normal, place> = offset``, and as a state."""

    normal: Place
    offset: float
    state: Place


class MapRegion(ResponseModel):
    """An answer is right where its ``<normal, place> - offset`` is the largest of all regions."""

    label: str
    normal: Place
    offset: float


class ErrorPoint(ResponseModel):
    """The class's share of wrong answers after a round, and how much of it is uncertainty."""

    round: int
    total: float = Field(description="At most this, with probability 0.95.")
    unsure: float
    low: float = Field(description="The lower end of a 90 % interval.")
    distance: float = Field(description="The expected mean squared distance to the target.")


class ChoiceReason(ResponseModel):
    """The numbers behind the choice of an item. Logs may have more of them."""

    model_config = ConfigDict(extra="ignore")

    by: str = Field(
        description='"lesson"; "teacher" for an item that the teacher chose; "review" for a group '
        "that has finished."
    )
    wrong: float | None = Field(None, description="Expected number of wrong answers.")
    of: int | None = Field(None, description="Number of students.")
    off: float | None = Field(None, description="Fraction by which it reduces the error.")
    unseen: bool | None = Field(None, description="Whether no student has seen it before.")
    cover: str | None = Field(
        None,
        description='On a map: it is "typical" of its answer, or "represents" more of it.',
    )
    instead: str | None = Field(
        None, description="The wrong answer; of several, the most frequent one."
    )
    said: float | None = Field(
        None, description="With more than two answers, how many would give that one."
    )


class Tally(ResponseModel):
    """All answers to an item, after the reveal."""

    counts: list[Count] = Field(description="How often each option was chosen.")
    right: AnswerNumber | None = Field(description="The value of the right option, if known.")


class PresentItem(ResponseModel):
    """The item of a group in this round, and why it was chosen."""

    item: str
    label: str
    why: str
    reason: ChoiceReason | None
    group: str | None
    question: str | None = Field(description="The item's own question, if it has one.")
    explanation: str | None
    species: str | None = Field(description="The code of a built-in insect's species.")
    options: list[Option]
    result: Tally | None = Field(description="The answers, after the reveal.")


class LastExample(ResponseModel):
    """The item of a group in the last round that is over, and how many were right."""

    group: str | None
    item: str
    label: str
    explanation: str | None
    species: str | None = Field(description="The code of a built-in insect's species.")
    answers: Count
    right: Count
    reason: ChoiceReason | None
    question: str | None = Field(description="The item's own question, if it has one.")
    options: list[Option]
    result: Tally


class BoardGroup(ResponseModel):
    """A group of the class."""

    name: str
    size: Count
    colour: Count = Field(description="The colour in the palette of the pages.")
    next: PresentItem | None


class BoardCounts(ResponseModel):
    """How many students there are and have answered, and all answers so far."""

    students: Count
    here: Count
    answered: Count
    waiting: Count
    answers: Count
    right: Count


class BoardArm(ResponseModel):
    """A way of teaching that is compared."""

    arm: str
    group: str
    students: Count


class BoardExperiment(ResponseModel):
    """The experiment of a lesson, as the teacher sees it."""

    arms: list[BoardArm]
    explore: float
    rounds: int
    agreed: Count
    declined: Count
    undecided: Count
    split: bool = Field(description="Whether the students are split into arms.")


class Board(ResponseModel):
    """Everything that the teacher's page shows of a class."""

    class_: str = Field(serialization_alias="class")
    name: str
    activity: str
    activity_name: str
    kind: Kind
    phase: Phase
    paused: bool
    locked: bool = Field(description="Whether new students are refused.")
    round: int
    version: int
    students: list[BoardStudent]
    items: list[BoardItem]
    target: TargetLine | None
    regions: list[MapRegion] = Field(description="With more than two answers: where each is right.")
    errors: list[ErrorPoint]
    goal: float = Field(description="The lesson is over when `errors` is below it.")
    knows: ChanceBand | None = Field(
        description="The share of right answers expected of the class, with its 90 % interval."
    )
    reveal: Reveal = Field(
        description="When students see the right answer: with their own, when all have answered, "
        "or when the teacher shows it."
    )
    discussion: float = Field(description="Seconds before the next item follows.")
    timer: float = Field(
        description="Seconds that the last students have to answer; 0 if there is no limit."
    )
    timer_paused: bool = Field(description="The teacher has stopped the countdown of this round.")
    seconds_left: Count | None = Field(
        None, description="Seconds until the round ends without the missing answers."
    )
    revealed: bool = Field(description="The right answer of this round is being shown.")
    undo: Phase | None = Field(description="The phase to which the teacher can return.")
    resting: list[str] = Field(description="Students without whom the lesson continues.")
    review: bool = Field(description="Students who have finished review instead of pausing.")
    next: PresentItem | None
    last: list[LastExample]
    groups: list[BoardGroup]
    how: str = Field(description="The rule by which the class was split.")
    counts: BoardCounts
    lesson: int = Field(description="The number of the lesson, counted from 1.")
    code: str
    retention_days: int
    trouble: Trouble | None = Field(
        description="Why the class cannot continue: nothing can be stored, or something failed."
    )
    finished: list[str] | None = Field(description="Why the lesson is over, as codes.")
    experiment: BoardExperiment | None = Field(
        description="Null in a lesson that compares nothing."
    )
    form: LetterForm = Field(description="With which forms handwritten letters are compared.")


# The projector


class ProjectedResult(Tally):
    """All answers to an item, after the reveal, and why the right one is right."""

    label: str
    explanation: str | None
    species: str | None = Field(description="The code of a built-in insect's species.")


class ProjectedItem(AskedItem):
    """The question of a group, and the answers to it after the reveal."""

    group: str | None
    result: ProjectedResult | None


class Projector(ResponseModel):
    """Everything that the projector shows of a class; nothing about a single student."""

    name: str
    activity: str
    activity_name: str
    kind: Kind
    letter: str | None
    phase: Phase
    paused: bool
    locked: bool
    round: int
    version: int
    here: Count = Field(description="The number of students who are here.")
    asked: Count = Field(description="How many of them are asked something now.")
    answered: Count = Field(description="How many of those have answered everything.")
    items: list[ProjectedItem]
    seconds_left: Count | None = Field(
        None, description="Seconds until the round ends without the missing answers."
    )
    finished: bool


# The lessons of a class


class RightOf(ResponseModel):
    """A number of answers, and how many of them were right."""

    answers: Count
    right: Count


class LessonParts(ResponseModel):
    """The answers in the tests before and after a lesson, and during it."""

    lesson: int
    before: RightOf | None
    during: RightOf | None
    after: RightOf | None


class LessonLine(LessonParts):
    """A lesson of a class."""

    activity: str
    activity_name: str
    kind: Kind
    began: str = Field(description="The time of its first event, in UTC.")
    last: str = Field(description="The time of its last event, in UTC.")
    students: Count = Field(description="How many students answered.")
    letters: Count


class StudentHistory(ResponseModel):
    """The answers of a student, by lesson; lessons without answers are left out."""

    id: str
    name: str
    lessons: list[LessonParts]


class ItemHistory(ResponseModel):
    """The answers to an item, by lesson."""

    activity: str
    item: str
    label: str
    picture: str | None
    text: str | None
    lessons: list[LessonParts]


class History(ResponseModel):
    """All lessons of a class, and the part of each student and item in them."""

    lessons: list[LessonLine]
    students: list[StudentHistory]
    items: list[ItemHistory]


# Letters and the report


class LetterTry(ResponseModel):
    """A letter that a student wrote."""

    round: int
    strokes: Strokes
    scores: Scores
    form: str = Field(description="The form that it was compared with; empty if not known.")


class StudentLetters(ResponseModel):
    """All letters of a student."""

    id: str
    name: str
    form: str = Field(description="How the student writes the letter; empty before the first.")
    tries: list[LetterTry]


class ClassLetters(ResponseModel):
    """The letters of a class over time, and their model."""

    letter: str
    box: Box
    model: Strokes
    students: list[StudentLetters]


class FirstAndLastLetter(ResponseModel):
    """A student's first letter, and the last one if there are several."""

    id: str
    name: str
    form: str
    letters: Count
    first: LetterTry | None
    last: LetterTry | None


class ReportWriting(ResponseModel):
    """The model, and the first and last letter of each student."""

    letter: str
    box: Box
    model: Strokes
    students: list[FirstAndLastLetter]


class MixUp(ResponseModel):
    """An answer that was given instead of the right one, and how often."""

    right: str
    given: str
    item: str | None = Field(description="The item, if it has options of its own.")
    count: Count


class ReportRepeat(ResponseModel):
    """What the class should repeat."""

    items: list[str]
    confusions: list[MixUp]


class TestedItem(ResponseModel):
    """How many answers to an item were right before, in and after the lesson."""

    item: str
    before: RightOf | None
    during: RightOf | None
    after: RightOf | None


class ReportStudent(StudentProgress):
    """A student in the report: their answers, and the estimates from them."""

    id: str
    name: str
    p_right: ChanceBand | None
    rate_words: str | None
    honest: bool | None
    same_button: Count | None
    hasty: Count | None
    before: RightOf | None = Field(description="Right answers in the pre-test.")
    after: RightOf | None = Field(description="Right answers in the post-test.")
    change: ChanceBand | None = Field(description="The change of the share of right answers.")
    confuses: list[MixUp]


class ReportRow(ResponseModel):
    """The item of a group in a round, why it was chosen, and how many were right."""

    round: int
    group: str | None
    item: str
    answers: Count
    right: Count
    skipped: bool = Field(description="Whether the teacher skipped it.")
    cut_short: bool = Field(description="Whether the next phase began before all had answered.")
    reason: ChoiceReason | None


class ReportCounts(ResponseModel):
    """The numbers of students, examples and letters."""

    students: Count
    examples: Count
    letters: Count


class ReportArm(BoardArm):
    """A way of teaching, and what its students learned."""

    tested: Count = Field(description="Students who took both tests.")
    before: float | None = Field(description="The fraction of right answers in the pre-test.")
    after: float | None = Field(description="The fraction of right answers in the post-test.")
    gain: float | None = Field(description="The mean gain of those who took both tests.")


class ArmDifference(ResponseModel):
    """The difference of gains of two arms, with an interval for the students of this class."""

    arm: str
    other: str
    difference: float
    low: float | None
    high: float | None
    needed: int | None = Field(
        description="At least so many classes show this difference with probability 0.8."
    )


class ReportExperiment(ResponseModel):
    """What an experiment shows in one class."""

    explore: float
    split: bool
    not_taking_part: Count
    arms: list[ReportArm]
    differences: list[ArmDifference]


class Report(ResponseModel):
    """What happened in a class, and what the students learned, for a page to print."""

    name: str
    activity: str
    activity_name: str
    kind: Kind
    lesson: int = Field(description="The number of the lesson, counted from 1.")
    began: str = Field(description="The time of the first event, in UTC.")
    last: str = Field(description="The time of the last event, in UTC.")
    retention_days: int
    goal: float
    counts: ReportCounts
    knows: ChanceBand | None = Field(
        description="The share of right answers expected of the class at the end, with its range."
    )
    before: float | None = Field(description="The fraction of right answers in the pre-test.")
    after: float | None = Field(description="The fraction of right answers in the post-test.")
    change: ChanceBand | None = Field(
        description="The mean change over students who took both tests, with its 90 % interval."
    )
    repeat: ReportRepeat
    errors: list[ErrorPoint]
    students: list[ReportStudent]
    tested: list[TestedItem]
    shown: list[ReportRow]
    items: list[BoardItem] = Field(description="The items that were shown or asked.")
    writing: ReportWriting | None
    experiment: ReportExperiment | None = Field(
        description="Null for a lesson that compares nothing."
    )
