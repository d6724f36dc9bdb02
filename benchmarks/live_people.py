"""The six simulated classes of people, taught over HTTP by a running server.

The students answer through the calls of their pages, and everything that is measured is what the
teacher's page shows. Facts are taught twice: as a table with two labels, and with options per item.
"""

from __future__ import annotations

import asyncio
import csv
import io
import math
import os
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from benchmarks import simulated_people as people
from benchmarks.live import Caller, serving
from benchmarks.simulated_people import PeopleLesson, SimulatedClass
from benchmarks.timing import Line
from homeroom._arrays import Ints
from homeroom.goals import Interval
from homeroom.live.activities import insects

CLASSES = int(os.environ.get("LIVE_PEOPLE_CLASSES", "1"))
"""The number of classes of each kind."""

LONGEST = 120.0
"""Seconds after which a class that does not continue is given up."""

PASSWORD = "a password"


def lines() -> Iterator[Line]:
    """Teach classes of each kind, and compare with what is required."""
    with school() as taught:
        for seed in range(CLASSES):
            yield from _of_each_kind(taught, seed)


def _of_each_kind(taught: Teach, seed: int) -> Iterator[Line]:
    of = f"class {seed}"
    never = taught(people.constant(seed), rounds=60)
    yield _count("never learns: declared done in 60 rounds", never.done is not None, of, 0)
    soon = taught(people.perfect(seed), rounds=21)
    yield _count("always right: rounds until done", _rounds(soon), of, 20)
    few = taught(people.small(seed), rounds=21)
    yield _count("20 items, always right: rounds until done", _rounds(few), of, 20)
    yield _count("the same: most showings of an item", _most(few.shown), of, 3)
    for kind in ("labels", "options"):
        facts = taught(people.facts(seed), rounds=40, facts_as=kind)
        late = late_facts(facts)
        yield _count(f"facts ({kind}): missed ones that were never shown", starved(facts), of, 0)
        yield _count("the same: shown before a missed one, if none missed it", late, of, 0)
        yield _count("the same: most showings of a fact", _most(facts.shown), of, 6)
    new = taught(people.beginners(seed), rounds=12, to_the_end=True)
    yield _count("beginners: flagged in a round, of 30", new.flagged.sum(axis=1).max(), of, 0)
    some = taught(people.pressers(seed), rounds=8, to_the_end=True)
    missed = 5 - some.flagged[-1, :5].sum()
    yield _count("pressers: not flagged by round 8, of 5", missed, of, 1)
    yield _count("the same: honest students flagged", some.flagged[:, 5:].sum(), of, 0)


def _count(what: str, ours: float, of: str, most: int) -> Line:
    """Return a line with a count that must be at most so many."""
    return Line(what, float(ours), of, float(max(most, 1)), most / max(most, 1), unit="")


def _rounds(lesson: PeopleLesson) -> int:
    return 99 if lesson.done is None else lesson.done


def _most(shown: list[int]) -> int:
    return max(Counter(shown).values(), default=0)


def starved(lesson: PeopleLesson) -> int:
    """Return how many facts that a student missed in the pre-test were never shown."""
    return len(set(np.flatnonzero(lesson.missed).tolist()) - set(lesson.shown))


def late_facts(lesson: PeopleLesson) -> int:
    """Return how many facts that no student missed came before a missed one."""
    first = {item: place for place, item in reversed(list(enumerate(lesson.shown)))}
    missed = [first[item] for item in np.flatnonzero(lesson.missed).tolist() if item in first]
    known = [item for item in lesson.shown[: max(missed, default=0)] if not lesson.missed[item]]
    return len(set(known))


class Teach(Protocol):
    """Teaches a class on the server: pre-test, then rounds until the page says that it is over.

    With ``to_the_end`` the goal is one that no class reaches. A table without places has two
    labels, or ``facts_as="options"`` per item.
    """

    def __call__(
        self,
        group: SimulatedClass,
        *,
        rounds: int,
        to_the_end: bool = False,
        facts_as: str = "labels",
    ) -> PeopleLesson:
        """Return what happened."""


@contextmanager
def school() -> Iterator[Teach]:
    """Run a server, and yield how a class is taught on it."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "class.db") as server:
        host, port, token, *_ = server

        async def teach(group: SimulatedClass, rounds: int, goal: float, how: str) -> PeopleLesson:
            async with _class(Caller(host, port), token, group, goal, how) as one:
                return await _lesson(one, rounds)

        def taught(
            group: SimulatedClass,
            *,
            rounds: int,
            to_the_end: bool = False,
            facts_as: str = "labels",
        ) -> PeopleLesson:
            return asyncio.run(teach(group, rounds, 1e-4 if to_the_end else 0.1, facts_as))

        yield taught


async def _lesson(one: HttpClass, rounds: int) -> PeopleLesson:
    await one.begin("pretest")
    missed = await one.test()
    await one.begin("teach")
    shown: list[int] = []
    board = await one.board_after(0)
    flagged, knows = [one.flagged(board)], [_knows(board)]
    truth = [float(one.group.chance.mean())]
    while board["finished"] is None and len(shown) < rounds:
        shown.append(await one.round())
        board = await one.board_after(len(shown))
        flagged.append(one.flagged(board))
        knows.append(_knows(board))
        truth.append(float(one.group.chance.mean()))
    done = len(shown) if board["finished"] == ["goal"] else None
    return PeopleLesson(done, shown, np.array(flagged), missed, knows, truth)


def _knows(board: dict[str, Any]) -> Interval:
    return Interval(**board["knows"]) if board["knows"] else Interval(*3 * [math.nan])


class HttpClass:
    """A simulated class whose students use the calls of their pages."""

    def __init__(self, group: SimulatedClass, teacher: Caller, class_id: str) -> None:
        self.group, self.teacher, self.class_id = group, teacher, class_id
        self.phones: list[Caller] = []
        self.ids: list[str] = []
        self.number: dict[str, int] = {}  # the item of each code

    async def join(self, code: str) -> None:
        """Let all students join."""
        for number in range(self.group.students):
            phone = Caller(self.teacher.host, self.teacher.port)
            seat = await phone.post("/api/join", {"code": code, "nickname": f"student {number}"})
            self.phones.append(phone)
            self.ids.append(seat["student"])

    async def begin(self, phase: str) -> None:
        """Begin a phase, as the teacher does."""
        await self.teacher.post(f"/api/classes/{self.class_id}/phase", {"phase": phase})

    async def test(self) -> npt.NDArray[np.bool_]:
        """Let all students answer the test; return which items at least one of them missed.

        All answers are drawn before it, so that they do not depend on the order of arrival. Which
        items of a long test a student is asked follows from their secret id: that differs.
        """
        every = range(self.group.students)
        answers = np.array([self._answers_of(student) for student in every])
        wrong = await asyncio.gather(*(self._own_test(one, answers[one]) for one in every))
        missed = np.zeros(len(self.group.subject.labels), dtype=bool)
        missed[sorted(set().union(*wrong))] = True
        return missed

    def _answers_of(self, student: int) -> list[int]:
        items = range(len(self.group.subject.labels))
        return [self.group.answer(student, item) for item in items]

    async def _own_test(self, student: int, answers: Ints) -> set[int]:
        wrong = set()
        view = await self.phones[student].get("/api/me")
        while view["item"] is not None:
            item = await self._item(student, view["item"])
            answer = int(answers[item])
            if answer != self.group.subject.labels[item]:
                wrong.add(item)
            await self._answer(student, view, answer)
            view = await self.phones[student].get("/api/me")
        return wrong

    async def round(self) -> int:
        """Let all students answer the present item, and learn it; return its number."""
        view = await self.phones[0].get("/api/me")
        item = await self._item(0, view["item"])
        answers = self.group.answers(item)
        await asyncio.gather(
            *(self._answer(one, view, int(answers[one])) for one in range(len(self.phones)))
        )
        self.group.show(item)
        return item

    async def _answer(self, student: int, view: dict[str, Any], answer: int) -> None:
        said = {"round": view["round"], "item": view["item"]["id"], "answer": answer}
        await self.phones[student].post("/api/answers", said)

    async def _item(self, student: int, asked: dict[str, Any]) -> int:
        """Return the number of an item, from what a student sees of it."""
        code = asked["id"]
        if code not in self.number:
            if asked["picture"] is None:
                self.number[code] = int(asked["text"].rpartition(" ")[2])
            else:
                self.number[code] = pictures()[await self.phones[student].get(asked["picture"])]
        return self.number[code]

    async def board_after(self, rounds: int) -> dict[str, Any]:
        """Return what the teacher's page shows when so many rounds are over."""
        until = time.monotonic() + LONGEST
        while time.monotonic() < until:
            view = await self.phones[0].get("/api/me")
            if view["finished"] or (view["item"] is not None and view["round"] > rounds):
                return dict(await self.teacher.get(f"/api/classes/{self.class_id}"))
            await asyncio.sleep(0.02)
        raise TimeoutError(f"The class does not continue after round {rounds}.")

    def flagged(self, board: dict[str, Any]) -> list[bool]:
        """Return which students the page marks, in the order of the simulated class."""
        honest = {student["id"]: student["honest"] for student in board["students"]}
        return [honest[student] is False for student in self.ids]


@asynccontextmanager
async def _class(
    teacher: Caller, token: str, group: SimulatedClass, goal: float, facts_as: str
) -> AsyncIterator[HttpClass]:
    """Create a class with the activity of a simulated one, and let its students join."""
    try:
        await teacher.post("/api/teacher/first", {"password": PASSWORD, "setup_token": token})
    except OSError:  # the first class has chosen it
        await teacher.post("/api/teacher/sign-in", {"password": PASSWORD})
    activity = insects.ID
    if len(group.subject.labels) != len(insects.activity().items):
        table = table_of(group, facts_as)
        added = await teacher.upload("/api/activities", {"name": "things"}, ("things.csv", table))
        activity = added["id"]
    wish = {"name": "5b", "activity": activity, "goal": goal}
    made = await teacher.post("/api/classes", wish)
    one = HttpClass(group, teacher, made["class"])
    await one.join(made["code"])
    try:
        yield one
    finally:
        for caller in (teacher, *one.phones):
            caller.close()
        await asyncio.sleep(0)  # lets the transports close


@cache
def pictures() -> dict[bytes, int]:
    """Return the number of each insect, by its picture: all that students see of it."""
    items = insects.activity().items
    found = ((insects.picture(item.id), number) for number, item in enumerate(items))
    return {picture.data: number for picture, number in found if picture is not None}


def table_of(group: SimulatedClass, facts_as: str) -> bytes:
    """Return the items of a class as a teacher's table: with places, labels or options."""
    places, labels = group.subject.places, group.subject.labels
    axes = [] if places is None else [f"x{1 + axis}" for axis in range(places.shape[1])]
    options = ["options"] if places is None and facts_as == "options" else []
    file = io.StringIO()
    rows = csv.writer(file)
    rows.writerow(["item", "label", "text", *options, *axes])
    for item, label in enumerate(labels.tolist()):
        more = ["yes|no"] * len(options) + ([] if places is None else list(places[item]))
        rows.writerow([f"thing {item}", "yes" if label > 0 else "no", f"thing {item}", *more])
    return file.getvalue().encode()
