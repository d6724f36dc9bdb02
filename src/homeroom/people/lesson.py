"""A lesson for people: ask, hear, show, until the class knows nine of ten."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy, deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom import _checks
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, InputTypeError
from homeroom.people.arguments import PeopleTask, Student, check_name, check_time, read_task
from homeroom.people.beliefs import ClassKnowledge, LawBank
from homeroom.people.choice import CHECK, CHOSEN, PRETEST, Candidates, ItemRecord, LessonPart
from homeroom.people.guessing import Presses
from homeroom.people.laws import AbstractLaw, ClassAnswers, TrendLaw
from homeroom.people.map_laws import ExampleLaw, ItemMap, RuleLaw, StudentRules
from homeroom.people.memory import UnitLaw
from homeroom.people.numbers import NumberLaw

ITEM_MAP, ITEM_LIST = 0.12, 0.25
"""Standard deviation of single items around the laws at a share of .5, with and without a map."""

SECONDS = 30.0
"""How long a round lasts, where forgetting counts rounds and the log has seconds."""

FORMAT = "homeroom people lesson"


class PeopleLesson:
    """A lesson for a class of people: which question comes next, and what the class knows.

    A pre-test of a few questions comes first. Then each round asks an item, hears the answers and
    shows the right one. The next item is the one after which the class is expected to answer most
    items of the list correctly, averaged over several laws of learning, which are weighted by how
    well they foresee the answers of this class.

    Parameters
    ----------
    labels
        The right answer of each item: whole numbers ``0, 1, ...``, or numbers on a scale, such as
        grades (with decimals: ``2.0``).
    items
        Features of the items, shape ``(items, dimensions)``; ``None`` for a list without a map.
    students
        How many, or their names.
    answers
        The number of possible answers, or that of each item; by default as the labels show. With
        it, labels with decimals are classes, not numbers on a scale.
    pretest
        The number of questions before the lesson, whose solutions are not shown; at most half of
        the items. On a map they are not part of the lesson.
    kinds
        The kind of each item, if items of a kind are learned together.
    goal
        The lesson is over if the class knows this share of the list, with probability .95. For
        numbers on a scale: if they are off by at most ``1 - goal`` of the range of the labels.
    before
        Earlier answers: ``(student, item, answer)``.
    repeat_after
        How many other items are shown before one is repeated; by default 5, at most half of them.
    seed
        Of what is drawn at random.

    Examples
    --------
    >>> lesson = PeopleLesson([0, 1, 2, 1, 0, 2], students=["Ada", "Ben"], pretest=2)
    >>> lesson.in_pretest, lesson.ask() in range(6)
    (True, True)
    >>> lesson.tell([0, -1])  # Ada's answer is 0; Ben gave none
    >>> lesson.tell({"Ben": 1}, item=3)
    >>> lesson.knows.low < lesson.knows.mean < lesson.knows.high
    True
    >>> PeopleLesson.replay(lesson.log).knows.mean == lesson.knows.mean
    True
    """

    def __init__(  # noqa: PLR0917 - the order of the public signature
        self,
        labels: npt.ArrayLike,
        items: npt.ArrayLike | None = None,
        students: int | Sequence[Student] = 30,
        answers: int | npt.ArrayLike | None = None,
        pretest: int = 10,
        kinds: Sequence[Any] | None = None,
        goal: float = 0.9,
        before: Iterable[tuple[Student, int, float]] | None = None,
        repeat_after: int | None = None,
        seed: int = 0,
    ) -> None:
        task = read_task(
            labels, items, students, answers, pretest, kinds, goal, before, repeat_after, seed
        )
        self._begin(task)
        self._hear_before(self._hear)

    def _begin(self, task: PeopleTask) -> None:
        """Begin a lesson, without earlier answers."""
        self._task, self._students = task, list(task.students)
        self._map: ItemMap | None = None
        if task.features is not None:
            self._map = ItemMap(task.features, task.classes, task.options, task.seed)
        self._bank = _make_bank(task, self._map)
        self._presses = Presses(len(self._students), int(task.options.max()))
        self._record = ItemRecord(task, self._map, self.test_order[: task.pretest])
        self._current: int | None = None
        self._at: float | None = None
        self._why = PRETEST
        self._knows: ClassKnowledge | None = None
        self._events = list[dict[str, Any]]()

    # ------------------------------------------------------------------ what is known

    @property
    def students(self) -> tuple[Student, ...]:
        """The names of the students, in the order of their answers."""
        return tuple(self._students)

    @property
    def shown(self) -> tuple[int, ...]:
        """The items whose solutions were shown, in order."""
        return tuple(self._record.shown)

    @property
    def test_order(self) -> tuple[int, ...]:
        """All items in random order, with right answers in turn: tests have the first ones."""
        return tuple(_take_turns(self._task).tolist())

    @property
    def in_pretest(self) -> bool:
        """Whether questions of the pre-test are left; their solutions are not shown."""
        return bool(self._record.tests)

    @property
    def knows(self) -> ClassKnowledge:
        """The expected share of right answers over the list now, with a 90 % range.

        For numbers on a scale, the expected root mean squared difference to the right numbers.
        """
        if self._knows is None:
            self._knows = self._bank.knows
        return self._knows

    def expect(self, item: int) -> Floats:
        """Return each student's chance of a right answer to an item now.

        For numbers on a scale, the expected squared difference.
        """
        return np.clip(self._bank.expect(self._task.check_item(item)), 0.0, None)

    @property
    def pressers(self) -> tuple[Student, ...]:
        """The students whose answers look unrelated to the questions: they press one button."""
        return self._name(self._presses.find_pressers())

    @property
    def readers(self) -> tuple[Student, ...]:
        """The students whose answers are certainly no random ones."""
        return self._name(self._presses.find_readers())

    @property
    def heard(self) -> tuple[Student, ...]:
        """The students who have given an answer."""
        return self._name(self._presses.answers > 0)

    def _name(self, rows: npt.NDArray[np.bool_]) -> tuple[Student, ...]:
        return tuple(name for name, row in zip(self._students, rows, strict=True) if row)

    @property
    def rules(self) -> StudentRules | None:
        """The rule that each student seems to follow on a map with two answers; else ``None``."""
        law = self._bank.laws.get("rule")
        if not isinstance(law, RuleLaw) or law.map.classes != 2:
            return None
        return law.estimate_rules()

    @property
    def law_weights(self) -> dict[str, float]:
        """How much each law of learning counts, by its name."""
        weights = self._bank.law_weights.tolist()
        return dict(zip(self._bank.laws, weights, strict=True))

    @property
    def done(self) -> bool:
        """Whether the class has reached the goal with probability .95; not in the pre-test."""
        if self.in_pretest or not self._students:
            return False
        if self._task.numbers:
            scale = float(np.ptp(self._task.labels)) or 1.0
            return self.knows.high <= (1.0 - self._task.goal) * scale
        return self.knows.low >= self._task.goal

    @property
    def reason(self) -> str:
        """Why the current item is asked, in one sentence for a teacher."""
        if self._current is None:
            over = "The class has reached the goal, so no item is needed."
            return over if self.done else "No item was asked yet: ask() chooses one."
        if self._why == PRETEST:
            return "This question is part of the pre-test, so its solution is not shown."
        if self._why == CHECK:
            return (
                "The class seems to be close to the goal; this item was drawn at random to check."
            )
        return self._explain_choice(self._current)

    def _explain_choice(self, item: int) -> str:
        new = "was shown before" if item in self.shown else "is new"
        if self._task.numbers or not self._students:
            return f"This item {new}; its solution is expected to help most with the whole list."
        share = float(np.clip(self._bank.expect(item).mean(), 0.0, 1.0))
        return (
            f"This item {new}, about {share:.0%} of the class are expected to answer it correctly, "
            "and its solution is expected to help most with the whole list."
        )

    # ------------------------------------------------------------------ the lesson

    def ask(self) -> int | None:
        """Return the next item, or ``None`` when the lesson is over.

        Until the answers are told, it is the same item.
        """
        if self._current is None and not self.done:
            tests = self._record.tests
            found = (tests[0], PRETEST) if tests else self.find_candidates().choose()
            self._current, self._why = found
            self._events.append({"ask": self._current, "why": self._why})
        return self._current

    def find_candidates(self, *others: PeopleLesson, without: Sequence[int] = ()) -> Candidates:
        """Return the items that may be asked next, and what each is expected to gain.

        Parameters
        ----------
        others
            Other lessons on the same items, whose students are taught together with these.
        without
            Items that are left out, if others remain.
        """
        lessons = (self, *others)
        parts = [LessonPart(one._record, one._bank, len(one._students)) for one in lessons]
        return Candidates(parts, without)

    def tell(
        self,
        given: npt.ArrayLike | Sequence[float | None] | Mapping[Student, float],
        item: int | None = None,
        at: float | None = None,
        shown: bool | None = None,
    ) -> None:
        """Hear the class's answers; after the pre-test, the right answer is then shown to all.

        Parameters
        ----------
        given
            One answer per student, in the order of :attr:`students`, or a mapping from students to
            answers; -1, nan or ``None`` for none (for numbers on a scale, nan or ``None``).
        item
            The item, if it is not the one that was asked.
        at
            When it was answered, in seconds of any clock; forgetting depends on it.
        shown
            Whether the right answer was then shown; by default it was, except in the pre-test.
        """
        self._tell(self._hear, given, item, at, shown)

    def _tell(
        self,
        hear: Callable[[int, ClassAnswers], None],
        given: Any,
        item: int | None,
        at: float | None,
        shown: bool | None,
    ) -> None:
        number = self._current if item is None else self._task.check_item(item)
        if number is None:
            raise InputError("No item was asked: call ask() first, or tell(given, item=3).")
        answers = self._task.read_answers(given, number, self._students)
        time = None if at is None else check_time(at, self._at)
        is_shown = not self.in_pretest if shown is None else _checks.yes_or_no(shown, "shown")
        hear(number, answers)
        self._record.hear(number, shown=is_shown)
        if is_shown:
            self._bank.show(number, self._count_rounds(time))
        self._at = self._at if time is None else time
        self._current, self._knows = None, None
        self._events.append(_describe_answers(number, answers, time, shown))

    def _hear(self, item: int, answers: ClassAnswers) -> None:
        if not self._task.numbers:
            self._presses.hear(answers, int(self._task.options[item]), self._bank.expect(item))
        self._bank.hear(item, answers)

    def add(self, student: Student) -> None:
        """Add a student who joins late, at the end of :attr:`students`."""
        name = check_name(student)
        if name in self._students:
            raise InputError(f"`student` must be new, but {name!r} is in the class already.")
        self._students.append(name)
        self._bank.add_student()
        self._presses.add_student()
        self._knows = None
        self._events.append({"add": name})

    def remove(self, student: Student) -> None:
        """Remove a student who leaves; their answers no longer count, and stay in the log."""
        name = check_name(student)
        if name not in self._students:
            raise InputError(f"`student` must be in the class, but {name!r} is not.")
        self._keep([one for one in self._students if one != name])
        self._events.append({"remove": name})

    def copy(self, students: Iterable[Student] | None = None) -> PeopleLesson:
        """Return a lesson that continues on its own, with all students or some of them.

        What is known about these students is the same in both. In the :attr:`log` of the copy, the
        others are removed at this point.
        """
        other = copy(self)
        fixed = {id(part): part for part in (self._task, self._map)}
        other._students, other._events = list(self._students), list(self._events)
        for name in ("_bank", "_presses", "_record"):
            setattr(other, name, deepcopy(getattr(self, name), fixed))
        if students is not None:
            kept = {check_name(student) for student in students}
            other._events += [{"remove": name} for name in self._students if name not in kept]
            other._keep([name for name in self._students if name in kept])
        return other

    def _keep(self, students: list[Student]) -> None:
        row_of = {name: row for row, name in enumerate(self._students)}
        rows = np.array([row_of[name] for name in students], dtype=np.int64)
        self._bank.keep_students(rows)
        self._presses.keep_students(rows)
        self._students, self._knows = students, None

    # ------------------------------------------------------------------ log

    @property
    def log(self) -> dict[str, Any]:
        """Everything that happened, as JSON. :meth:`replay` makes the same lesson of it."""
        task = self._task
        settings = {
            "labels": _list_labels(task),
            "items": None if task.features is None else task.features.tolist(),
            "students": list(task.students),
            "answers": None if task.numbers else task.options.tolist(),
            "pretest": task.pretest,
            "kinds": None if task.kinds is None else task.kinds.tolist(),
            "goal": task.goal,
            "before": [list(row) for row in task.before],
            "repeat_after": task.repeat_after,
            "seed": task.seed,
        }
        events = json.loads(json.dumps(self._events))
        return {"format": FORMAT, "version": 1, "settings": settings, "events": events}

    @classmethod
    def replay(cls, log: Mapping[str, Any] | str) -> PeopleLesson:
        """Return the lesson of a log, equal in every number to the one that wrote it."""
        return cls._open(_read_log(log), None)

    def snapshot(self) -> bytes:
        """Return the lesson as bytes, from which :meth:`restore` opens it fast.

        It is a cache: :meth:`replay` of the :attr:`log` gives the same lesson bit for bit, but
        takes several times as long. At most 2 MB for 300 students and 500 items in round 100.
        """
        log = np.frombuffer(json.dumps(self.log).encode(), dtype=np.uint8)
        kept = {f"presses.{name}": each for name, each in vars(self._presses).items()}
        return _pack({"log": log, **self._bank.snapshot(), **kept})

    @classmethod
    def restore(cls, snapshot: bytes) -> PeopleLesson:
        """Return the lesson of a snapshot, equal in every number to the one that made it.

        A snapshot of another version of homeroom may be refused with an
        :class:`~homeroom.InputError`: then replay the log.
        """
        try:
            kept = _unpack(snapshot)
            return cls._open(_read_log(kept["log"].tobytes().decode()), kept)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise InputError(f"`snapshot` cannot be read, replay the log: {error}") from None

    @classmethod
    def _open(
        cls, log: Mapping[str, Any], kept: Mapping[str, npt.NDArray[Any]] | None
    ) -> PeopleLesson:
        """Return the lesson of a log; with a snapshot, answers are not judged again."""
        lesson = cls.__new__(cls)
        try:
            lesson._begin(read_task(**log["settings"]))
        except TypeError as error:
            if isinstance(error, InputTypeError):
                raise
            raise InputError("`log` must have the settings of a lesson, but has others.") from None
        hear = lesson._hear
        if kept is not None:
            lesson._bank.prepare(kept)
            hear = lesson._bank.follow
        lesson._hear_before(hear)
        for number, event in enumerate(log["events"]):
            try:
                lesson._repeat(event, hear)
            except (KeyError, AttributeError, TypeError, ValueError) as error:
                raise InputError(
                    f"`log` must be that of a lesson, but its event {number} is not: {error}"
                ) from None
        if kept is not None:
            lesson._bank.load(kept)
            for name in vars(lesson._presses):
                setattr(lesson._presses, name, kept[f"presses.{name}"])
        return lesson

    def _repeat(self, event: Mapping[str, Any], hear: Callable[[int, ClassAnswers], None]) -> None:
        """Do again what an event of the log says."""
        if "ask" in event:
            why = event["why"]
            if why not in (PRETEST, CHECK, CHOSEN):
                raise InputError(f"`why` must be one of the reasons, but is {why!r:.60}.")
            self._current, self._why = self._task.check_item(event["ask"]), why
            self._events.append({"ask": self._current, "why": why})
        elif "tell" in event:
            at, shown = event.get("at"), event.get("shown")
            self._tell(hear, event["tell"], event["item"], at, shown)
        elif "add" in event:
            self.add(event["add"])
        else:
            self.remove(event["remove"])

    # ------------------------------------------------------------------ showing

    def _count_rounds(self, time: float | None) -> float:
        """Return how many rounds have passed since the last answers; without times, one."""
        if time is None or self._at is None:
            return 1.0
        return max(0.1, (time - self._at) / SECONDS)

    def _hear_before(self, hear: Callable[[int, ClassAnswers], None]) -> None:
        """Hear earlier answers: one question per item, or several if a student had several."""
        row_of = {name: row for row, name in enumerate(self._students)}
        rounds = dict[tuple[int, int], Floats]()
        times = dict[tuple[Student, int], int]()
        for student, item, answer in self._task.before:
            turn = times[student, item] = times.get((student, item), -1) + 1
            given = rounds.setdefault((item, turn), np.full(len(self._students), np.nan))
            given[row_of[student]] = answer
        for (item, _), given in rounds.items():
            hear(item, self._task.read_answers(given, item, self._students))
            self._record.asked[item] = True


def _make_bank(task: PeopleTask, item_map: ItemMap | None) -> LawBank:
    """Return the beliefs about a class before the lesson."""
    students, every = len(task.students), np.arange(len(task.labels))
    if task.numbers:
        laws: dict[str, AbstractLaw] = _number_laws(task, item_map)
        return LawBank(laws, students, numbers=True, item_spread=ITEM_LIST)
    guess = 1.0 / task.options
    units = {"items": every, "classes": np.unique(task.classes, return_inverse=True)[1]}
    if task.kinds is not None:
        units["kinds"] = task.kinds
    elif item_map is not None:
        units["kinds"] = item_map.find_kinds()
    laws = {"no law": TrendLaw(students, float(guess.mean()))}
    laws |= {name: UnitLaw(students, unit, guess) for name, unit in units.items()}
    if item_map is not None:
        laws["examples"] = ExampleLaw(students, item_map, task.seed)
        laws["rule"] = RuleLaw(students, item_map, task.seed)
    return LawBank(laws, students, item_spread=ITEM_LIST if item_map is None else ITEM_MAP)


def _number_laws(task: PeopleTask, item_map: ItemMap | None) -> dict[str, AbstractLaw]:
    """Return the laws for numbers on a scale: by item, by kind, by distance."""
    students, every = len(task.students), np.arange(len(task.labels))

    def same(units: Ints) -> AbstractLaw:
        def near(items: Ints) -> Floats:
            return np.asarray((units[items][:, None] == units).astype(np.float64))

        return NumberLaw(students, task.labels, near)

    laws = {"items": same(every), "all": same(np.zeros(len(every), dtype=np.int64))}
    if task.kinds is not None:
        laws["kinds"] = same(task.kinds)
    if item_map is not None:
        for steepness in (1.0, 3.0):

            def near(items: Ints, steepness: float = steepness) -> Floats:
                return np.asarray(np.exp(-steepness * item_map.distances(items, every)))

            laws[f"distance {steepness:g}"] = NumberLaw(students, task.labels, near)
    return laws


def _take_turns(task: PeopleTask) -> Ints:
    """Return all items in random order, with classes in turn."""
    rng = np.random.default_rng([task.seed, 0])
    items = rng.permutation(len(task.labels))
    classes = task.classes[items]
    turn = np.zeros(len(items), dtype=np.int64)
    for label in np.unique(classes):
        turn[classes == label] = np.arange((classes == label).sum())
    return items[np.argsort(turn, kind="stable")]


def _list_labels(task: PeopleTask) -> Any:
    return task.labels.tolist() if task.numbers else task.classes.tolist()


def _describe_answers(
    item: int, answers: ClassAnswers, at: float | None, shown: bool | None
) -> dict[str, Any]:
    """Return the answers to an item as an event of the log; ``None`` for no answer."""
    pairs = zip(answers.given.tolist(), answers.heard, strict=True)
    event = {"tell": [value if said else None for value, said in pairs], "item": item, "at": at}
    return event if shown is None else {**event, "shown": shown}


def _pack(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    with io.BytesIO() as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
        return file.getvalue()


def _unpack(packed: bytes) -> dict[str, npt.NDArray[Any]]:
    try:
        with np.load(io.BytesIO(packed), allow_pickle=False) as file:
            return dict(file)
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(str(error)) from None


def _read_log(log: Mapping[str, Any] | str) -> Mapping[str, Any]:
    """Return a log whose outer form is right."""
    entries: Any = log
    if isinstance(log, str):
        try:
            entries = json.loads(log)
        except (ValueError, RecursionError):
            raise InputError("`log` must be the log of a lesson as JSON, but is no JSON.") from None
    whole = isinstance(entries, Mapping) and {"format", "version", "settings", "events"} <= set(
        entries
    )
    if not whole or entries["format"] != FORMAT or entries["version"] != 1:
        raise InputError("`log` must be what `lesson.log` returned, but is something else.")
    if not isinstance(entries["settings"], Mapping) or not isinstance(entries["events"], list):
        raise InputError("`log` must have settings and a list of events.")
    return dict(entries)
