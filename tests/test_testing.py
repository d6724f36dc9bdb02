"""The checks for components of other authors: what passes, and the sentence for each mistake."""

from __future__ import annotations

import itertools
import json
import math
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import homeroom.cli
from homeroom import (
    AccuracyGoal,
    AttentionLearner,
    AverageGoal,
    Classroom,
    ClassroomTeacher,
    Example,
    GradientLearner,
    NoisyStates,
    PlannedTeacher,
    PoolTeacher,
    RateHistory,
    StochasticRateLearner,
    _plugins,
    certify,
    compare,
    teach,
)
from homeroom.goals import ClassProgress
from homeroom.groups import AbstractGrouping
from homeroom.learners import AbstractLearner, Noise, Step
from homeroom.observers import ObservationNoise
from homeroom.pools import Ball, Candidates, DirectionPool
from homeroom.teachers import Choices, GreedyRule
from homeroom.testing import (
    ContractError,
    check_goal,
    check_grouping,
    check_learner,
    check_observer,
    check_pool,
    check_teacher,
)

PLUGIN = Path(__file__).parent / "data" / "plugin" / "my_teaching.py"
ENTRY_POINTS = """\
[homeroom.teachers]
steepest = my_teaching:Steepest
[homeroom.learners]
rolling = my_teaching:Rolling
[homeroom.observers]
rounded = my_teaching:Rounded
[homeroom.goals]
both = my_teaching:Both
[homeroom.pools]
compass = my_teaching:Compass
"""
CACHES = (_plugins._all_entries, _plugins._entries, _plugins.names, _plugins.find)


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package that is installed in a temporary folder: a module, and its entry points."""
    shutil.copy(PLUGIN, tmp_path)
    info = tmp_path / "my_teaching-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-teaching\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    for cached in CACHES:
        cached.cache_clear()
    import my_teaching  # type: ignore[import-not-found]  # it is on the path now

    yield my_teaching
    del sys.modules["my_teaching"]
    for cached in CACHES:
        cached.cache_clear()


@pytest.fixture
def room() -> Classroom:
    return Classroom.sample(students=30, dimensions=3, rates=(0.1, 0.3), example_radius=1.5)


def test_all_five_pass_their_checks(mine: ModuleType) -> None:
    check_teacher(mine.Steepest())
    check_learner(mine.Rolling())
    check_observer(mine.Rounded())
    check_goal(mine.Both())
    check_pool(mine.Compass(4))


def test_the_teacher_is_sketched_and_certified_like_ours(mine: ModuleType, room: Classroom) -> None:
    sketched = teach(room, teacher="steepest", engine="sketch")
    assert sketched.engine == "sketch"
    assert sketched.settings["teacher"] == {"name": "steepest"}
    np.testing.assert_allclose(sketched.errors, teach(room).errors, rtol=1e-6)
    assert certify(room, teacher="steepest") == certify(room)
    alone = certify(room, teacher="steepest", groups="individuals")
    assert alone.rounds == teach(room, teacher="steepest", groups="individuals").rounds
    assert "steepest" not in str(compare(room, teacher="steepest"))


def test_the_observer_and_the_goal_have_certificates_that_hold(
    mine: ModuleType, room: Classroom
) -> None:
    proved = certify(room, observer="rounded", goal="both:eps=0.5,far=1.5", teacher="steepest")
    assert proved.why.startswith("Theorem 2 (corrected)")
    assert proved.rounds is not None
    held = teach(room, observer="rounded", goal="both:eps=0.5,far=1.5", teacher="steepest")
    assert held.rounds <= proved.rounds


@pytest.mark.slow
def test_the_goal_and_the_pool_are_planned(mine: ModuleType, room: Classroom) -> None:
    goal, pool = mine.Both(0.3, 1.0), mine.Compass(3)
    for teacher in (PlannedTeacher(), PlannedTeacher(pool=pool)):
        planned = teach(room, teacher=teacher, goal=goal)
        assert planned.stopped_because.value == "the goal was reached"
        assert planned.rounds <= teach(room, teacher=PoolTeacher(pool), goal=goal).rounds


def test_the_command_line_finds_all_five_by_name(
    mine: ModuleType, room: Classroom, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    room.save(tmp_path / "students.csv")
    options = {"teacher": "steepest", "learner": "rolling", "goal": "both", "observer": "rounded"}
    words = [word for name, text in options.items() for word in (f"--{name}", text)]
    homeroom.cli.run(["teach", str(tmp_path / "students.csv"), "--json", *words])
    stated = json.loads(capsys.readouterr().out)["settings"]
    assert {name: stated[name]["name"] for name in options} == options
    homeroom.cli.run(
        ["teach", str(tmp_path / "students.csv"), "--json", "--pool", "compass:size=3"]
    )
    stated = json.loads(capsys.readouterr().out)["settings"]["teacher"]
    assert (stated["name"], stated["pool"]) == ("pool", {"name": "compass", "size": 3})


def test_a_package_that_cannot_be_imported_does_no_harm(
    mine: ModuleType, room: Classroom, tmp_path: Path
) -> None:
    """Names are stored in records without importing what other packages register."""
    info = tmp_path / "broken-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text(
        "[homeroom.teachers]\nbad = no_such_module:ClassroomTeacher\n"
    )
    for cached in CACHES:
        cached.cache_clear()
    assert "bad" in _plugins.names("teachers")
    assert teach(room).settings["teacher"]["name"] == "classroom"
    assert teach(room, teacher=mine.Steepest()).settings["teacher"]["name"] == "steepest"


def test_the_pool_is_certified_after_its_lesson(mine: ModuleType, room: Classroom) -> None:
    teacher = PoolTeacher(mine.Compass(3))
    record = teach(room, teacher=teacher)
    proved = certify(room, teacher=teacher, record=record)
    assert proved.rounds is not None
    assert record.rounds <= proved.rounds


def test_a_missing_capability_is_named(mine: ModuleType, room: Classroom) -> None:
    @dataclass(frozen=True)
    class Plain(mine.Steepest):  # type: ignore[misc,name-defined]  # known only at run time
        needs = frozenset({"states"})
        greedy = None

    assert "Rolling declares no `step_noise`" in certify(room, learner="rolling").why
    assert "Plain declares no such rule (`greedy`)" in certify(room, teacher=Plain()).why
    with pytest.raises(ValueError, match="'states' is in its `needs`"):
        teach(room, teacher=Plain(), engine="sketch")
    with pytest.raises(ValueError, match="Rolling"):
        teach(room, learner="rolling", engine="sketch")
    assert teach(room, learner="rolling").rounds < teach(room).rounds


# --- each promise, broken once --------------------------------------------------------------------


def broken(base: type, members: dict[str, Any], **settings: Any) -> Any:
    """Return an object of a class that differs in some members."""
    return type("Mine", (base,), dict(members))(**settings)


COUNT = itertools.count()
FOUR = np.linspace(0.1, 0.4, 4)
MANY = np.random.default_rng(0).standard_normal((40, 4))


class Mutable:
    """What a class must not do: count its calls."""

    def count(self) -> None:
        object.__setattr__(self, "calls", getattr(self, "calls", 0) + 1)


def spoilt(array: Any) -> Any:
    array += 0.5
    return array


def counting(method: str) -> Callable[..., Any]:
    def called(self: Any, *args: Any, **more: Any) -> Any:
        Mutable.count(self)
        return getattr(super(type(self), self), method)(*args, **more)

    return called


def otherwise(self: Any, seen: Any, rng: Any) -> Example:
    """Choose by a counter instead of the seed."""
    example: Example = seen.example(FOUR * (1 + next(COUNT) % 3))
    return example


def hasty(self: Any, seen: Any, rng: Any, *, near: float = 0.0, gentle: float = 0.0) -> Any:
    """Choose by the rule, but less well near the target, or if the fastest student is slow."""
    example = super(type(self), self).choose(seen, rng)
    if (near and float((seen.gaps**2).sum()) < near) or (gentle and seen.gentle_g > gentle):
        return seen.example(0.5 * example.x)
    return example


def steepest(self: Any, seen: Any, rng: Any) -> Example:
    example: Example = super(type(self), self).choose(seen, rng)
    return example


def near_only(self: Any, seen: Any, rng: Any, change: Callable[[Any, Example], Any]) -> Any:
    """Choose by the rule, and something else near the target."""
    example = super(type(self), self).choose(seen, rng)
    return change(seen, example) if float((seen.gaps**2).sum()) < 1.0 else example


def each(change: Callable[[Choices], Choices]) -> Callable[..., Any]:
    """Return a method that changes what is chosen for each student."""

    def choose_each(self: Any, seen: Any, rng: Any) -> Any:
        return change(ClassroomTeacher().choose_each(seen, rng))

    return choose_each


def planning(**changes: Any) -> dict[str, Any]:
    """Return the members of a planner that follows the rule, with some changed."""

    def follow(self: Any, course: Any, seen: Any, task: Any, rng: Any) -> Any:
        return self.choose(seen, rng), 1

    return {"follow": follow, "describe": lambda self, course: {"course": course}} | changes


TEACHERS: dict[str, tuple[dict[str, Any], str]] = {
    "array": (
        {"choose": lambda self, seen, rng: FOUR},
        r"Mine\.choose must return an Example or None, but returned an array of shape \(4,\): "
        r"seen\.example\(x\) adds the right answer",
    ),
    "length": (
        {"choose": lambda self, seen, rng: Example(np.ones(3), 1.0)},
        r"example with 4 numbers, a NumPy array of shape \(4,\), but x is an array of shape \(3,\)",
    ),
    "nan": (
        {"choose": lambda self, seen, rng: seen.example(np.nan * FOUR)},
        "must return finite numbers, but x is .*: return None where no example helps",
    ),
    "too long": (
        {"choose": lambda self, seen, rng: seen.example(9.0 * np.eye(4)[0])},
        "no longer than the class's example_radius, 2, but its length is 9",
    ),
    "label": (
        {"choose": lambda self, seen, rng: Example(FOUR, 77.0)},
        "shows the label 77, but the target's answer is .*: use seen.example",
    ),
    "prepare": (
        {"prepare": lambda self, room, loss: None},
        r"prepare must return the teacher .*`return self`.*, but returned None",
    ),
    "state": ({"choose": counting("choose")}, "keeps state between calls: `calls`"),
    "seed": ({"choose": otherwise}, "gives another answer for the same arguments and the same"),
    "modifies": (
        {"choose": lambda self, seen, rng: seen.example(FOUR + 0 * spoilt(seen.gaps)[0])},
        r"Mine\.choose modifies `seen\.gaps`: return new arrays instead",
    ),
    "order": (
        {
            "needs": frozenset({"states"}),
            "greedy": None,
            "choose": lambda self, seen, rng: seen.example(seen.gaps[-1] / 2),
        },
        "must not depend on the order of the students",
    ),
    "needs": (
        {"greedy": None, "choose": lambda self, seen, rng: seen.example(seen.gaps.max(axis=0) / 9)},
        r"needs leaves out 'states', but choose fails without single students",
    ),
    "greedy": (
        {"choose": lambda self, seen, rng: seen.example(FOUR)},
        "declares the rule `greedy`, static in Ball, but its example lowers .* and the rule.s by",
    ),
    "greedy, nearer to the target": (
        {
            "needs": frozenset({"states"}),
            "choose": lambda self, seen, rng: hasty(self, seen, rng, near=0.05),
        },
        "declares the rule `greedy`, static in Ball, but its example lowers .* and the rule.s by",
    ),
    "greedy, for other rates": (
        {"choose": lambda self, seen, rng: hasty(self, seen, rng, gentle=3.0)},
        "declares the rule `greedy`, static in Ball, but its example lowers .* and the rule.s by",
    ),
    "greedy, in another pool": (
        {"greedy": GreedyRule(DirectionPool(np.eye(4)))},
        "declares the rule `greedy`, static in DirectionPool, but its example lowers",
    ),
    "greedy and own labels": (
        {"own_labels": True},
        "declares `own_labels` and the rule `greedy`, but the rule is about .*return None",
    ),
    "width": (
        {"choose": lambda self, seen, rng: seen.example(np.ones(3))},
        r"An example for this class has 4 numbers, .*but x is an array of shape \(3,\)",
    ),
    "a method": (
        {"needs": lambda self: frozenset({"moments"})},
        r"Mine\.needs must be a property, but is a method: write @property",
    ),
    "an unknown word": (
        {"needs": frozenset({"moment"})},
        r"Mine\.needs must have only the words 'moments', 'shown', 'states', but has 'moment'",
    ),
    "a text": (
        {"needs": "moments"},
        r"Mine\.needs must be a set of words, such as frozenset\(\{'moments'\}\), but is 'moments'",
    ),
    "label, near the target": (
        {
            "needs": frozenset({"states"}),
            "greedy": None,
            "choose": lambda self, seen, rng: near_only(
                self, seen, rng, lambda seen, example: Example(example.x, example.y + 1.0)
            ),
        },
        "Mine.choose shows the label .*, but the target's answer is",
    ),
    "too long, near the target": (
        {
            "needs": frozenset({"states"}),
            "greedy": None,
            "choose": lambda self, seen, rng: near_only(
                self, seen, rng, lambda seen, example: seen.example(4.0 * example.x)
            ),
        },
        "no longer than the class's example_radius, 2, but its length is",
    ),
    "greedy, for one student": (
        {
            "needs": frozenset({"states"}),
            "choose": lambda self, seen, rng: seen.example(
                (0.9 if len(seen.gaps) == 1 else 1.0) * steepest(self, seen, rng).x
            ),
        },
        "declares the rule `greedy`, static in Ball, but its example lowers .* and the rule.s by",
    ),
    "one dimension": (
        {
            "needs": frozenset({"states"}),
            "greedy": None,
            "choose": lambda self, seen, rng: seen.example(np.squeeze(seen.mean_gap) / 9.0),
        },
        r"An example for this class has 1 numbers, a NumPy array of shape \(1,\), but x is",
    ),
    "item": (
        {"choose": lambda self, seen, rng: replace(steepest(self, seen, rng), item=-5)},
        r"must number items 0, 1, 2, \.\.\., with None for .*, but returned item=-5",
    ),
    "choose_each, others' labels": (
        {"choose_each": each(lambda all: all._replace(ys=all.ys + 3.0))},
        r"choose_each, for student 0, shows the label .*, but the target's answer is",
    ),
    "choose_each, another's example": (
        {
            "choose_each": each(
                lambda all: all._replace(xs=np.roll(all.xs, 1, axis=0), ys=np.roll(all.ys, 1))
            )
        },
        "must choose for each student as if they were the whole class, but student 0 is at",
    ),
    "choose_each, too short": (
        {"choose_each": each(lambda all: all._replace(xs=0.5 * all.xs, ys=0.5 * all.ys))},
        "must choose for each student as if they were the whole class, but student 0 is at",
    ),
    "shown": (
        {
            "choose_each": each(lambda all: all),
            "greedy": None,
            "choose": lambda self, seen, rng: seen.example(
                steepest(self, seen, rng).x / (1 + len(seen.shown))
            ),
        },
        r"choose depends on seen\.shown, the items shown so far: add 'shown' to `needs`",
    ),
    "describe": (
        planning(describe=lambda self, course: {"course": FOUR}),
        r"Mine\.describe must describe itself in plain JSON values",
    ),
    "follow, needs": (
        planning(follow=lambda self, course, seen, task, rng: (seen.example(seen.gaps[0] / 9), 1))
        | {"greedy": None},
        "needs leaves out 'states', but follow fails without single students",
    ),
    "follow, greedy": (
        planning(follow=lambda self, course, seen, task, rng: (seen.example(FOUR), 1)),
        "declares the rule `greedy`, static in Ball, but its example lowers",
    ),
    "choose_each": (
        {"choose_each": lambda self, seen, rng: Choices(np.ones((2, 4)), FOUR, np.arange(4))},
        r"must return one example per student, an array of shape \(7, 4\), but",
    ),
}


@pytest.mark.parametrize("mistake", TEACHERS)
def test_a_mistake_of_a_teacher_is_named(mistake: str, mine: ModuleType) -> None:
    from homeroom.teachers import AbstractPlanner, AbstractTutor

    members, sentence = TEACHERS[mistake]
    also = {"choose_each": AbstractTutor, "follow": AbstractPlanner}
    bases = (mine.Steepest, *(base for name, base in also.items() if name in members))
    teacher = type("Mine", bases, dict(members))()
    room = Classroom.sample(7, 4, seed=5) if mistake == "follow, greedy" else None
    with pytest.raises(ContractError, match=sentence):
        check_teacher(teacher, room=room)


def stepping(change: Callable[[Step], Any]) -> Callable[..., Any]:
    """Return a method that changes what a step of the learner returns."""

    def step(self: Any, *args: Any, **more: Any) -> Any:
        return change(super(type(self), self).step(*args, **more))

    return step


def jumping(self: Any, *args: Any, **more: Any) -> Step:
    step: Step = super(type(self), self).step(*args, **more)
    return replace(step, states=step.states + 1e-3 * next(COUNT))


def modifying(self: Any, states: Any, *args: Any, **more: Any) -> Step:
    step: Step = super(type(self), self).step(states, *args, **more)
    spoilt(more["memory"])
    return step


def leaving(self: Any, *args: Any, **more: Any) -> Step:
    """Stay in the ball only while the memory is empty."""
    if np.any(more["memory"]):
        more["state_radius"] = math.inf
    step: Step = super(type(self), self).step(*args, **more)
    return step


def together_only(self: Any, states: Any, rates: Any, x: Any, y: Any, **more: Any) -> Step:
    one = x if x.ndim == 1 else x[0] + 1.0
    step: Step = super(type(self), self).step(states, rates, one, y, **more)
    return step


def gradient(**changes: Any) -> Callable[..., Any]:
    """Return a method that takes the plain step of changed arguments, functions of all of them."""

    def step(self: Any, states: Any, rates: Any, x: Any, y: Any, **more: Any) -> Step:
        memory = more.pop("memory", None)
        given = {"states": states, "rates": rates, "x": x, "y": y, "memory": memory} | more
        used = given | {name: change(given) for name, change in changes.items()}
        names = ("states", "rates", "x", "y", "state_radius", "rng")
        plain = GradientLearner().step(**{name: used[name] for name in names})
        rates = used.get("reported", rates)
        return Step(used.get("after", plain.states), rates, used.get("later"))

    return step


def a_draw_for_each(given: Any) -> Any:
    """Rates whose deviation is a third of them, which is 0.1 only where they are 0.3."""
    return given["rates"] * (1.0 + given["rng"].standard_normal(given["rates"].shape) / 3.0)


PLAIN_LEARNERS: dict[str, tuple[dict[str, Any], str]] = {
    "sign": (
        {"step": gradient(rates=lambda given: -given["rates"])},
        "declares shrinks_gaps, but a gap does not move by exactly .* in step 1",
    ),
    "shrinks_gaps, while near": (
        {"step": gradient(states=lambda given: np.clip(given["states"], -9.0, 9.0))},
        "declares shrinks_gaps, but a gap does not move by exactly .* in step 1",
    ),
    "shrinks_gaps, while slow": (
        {
            "step": gradient(
                rates=lambda given: np.minimum(given["rates"], 0.45),
                reported=lambda given: given["rates"],
            )
        },
        "declares shrinks_gaps, but a gap does not move by exactly .* in step 1",
    ),
    "shrinks_gaps, for four rounds": (
        {
            "begin": lambda self, room: 0,
            "step": gradient(
                rates=lambda given: given["rates"] * (1.0 if given["memory"] < 4 else 0.5),
                reported=lambda given: given["rates"],
                later=lambda given: given["memory"] + 1,
            ),
        },
        "declares shrinks_gaps, but a gap does not move by exactly .* in step 5",
    ),
    "influence": (
        {
            "shrinks_gaps": False,
            "step": gradient(states=lambda given: given["states"] + given["states"].mean() / 9.0),
        },
        "move a student in a class as alone, .*but student 0 .*or let `independent` return False",
    ),
    "another's example": (
        {
            "step": gradient(
                x=lambda given: np.broadcast_to(np.atleast_2d(given["x"])[0], given["x"].shape),
                y=lambda given: (
                    given["y"]
                    if given["x"].ndim == 1
                    else np.broadcast_to(given["y"][0], given["y"].shape)
                ),
            )
        },
        "move a student in a class as alone, with the same examples, but student 6 is elsewhere",
    ),
    "ball, examples of their own": (
        {
            "step": gradient(
                state_radius=lambda given: (
                    math.inf if given["x"].ndim == 2 else given["state_radius"]
                )
            )
        },
        "must keep states within state_radius",
    ),
    "modifies x": (
        {"step": gradient(later=lambda given: [spoilt(given["x"]), None][1])},
        r"Mine\.step modifies `x`",
    ),
    "one student": (
        {"step": stepping(lambda step: replace(step, states=np.squeeze(step.states)))},
        r"must return `states` of shape \(1, 4\), but returned an array of shape \(4,\)",
    ),
    "precision": (
        {"step": stepping(lambda step: replace(step, states=step.states.astype(np.float32)))},
        "`states` of the same precision, float64, but returned float32",
    ),
    "rates": (
        {
            "shrinks_gaps": False,
            "step_noise": Noise(),
            "step": gradient(reported=lambda given: 0 * given["rates"]),
        },
        r"declares step_noise=.*, but the mean of 4000 `rates` is \[0.\] instead of 0.3",
    ),
    "step_noise, for one rate": (
        {
            "shrinks_gaps": False,
            "step_noise": Noise(rate_variance=0.01),
            "step": gradient(rates=a_draw_for_each),
        },
        "declares step_noise=.*, but the mean square of 4000 gaps is",
    ),
    "is_random, later": (
        {
            "shrinks_gaps": False,
            "step_noise": None,
            "begin": lambda self, room: np.ones(room.students),
            "step": gradient(
                rates=lambda given: given["rates"] * given["memory"],
                later=lambda given: given["rng"].random(len(given["rates"])),
            ),
        },
        "differs between two seeds, so `is_random` must return True",
    ),
}


@pytest.mark.parametrize("mistake", PLAIN_LEARNERS)
def test_a_step_that_is_almost_plain_is_named(mistake: str) -> None:
    members, sentence = PLAIN_LEARNERS[mistake]
    with pytest.raises(ContractError, match=sentence):
        check_learner(type("Mine", (GradientLearner,), dict(members))())


LEARNERS: dict[str, tuple[dict[str, Any], str]] = {
    "array": (
        {"step": stepping(lambda step: step.states)},
        r"must return Step\(states, rates\), b",
    ),
    "length": (
        {"step": stepping(lambda step: replace(step, rates=step.rates[:3]))},
        r"must return `rates` of shape \(7,\), but returned an array of shape \(3,\)",
    ),
    "nan": (
        {"step": stepping(lambda step: replace(step, states=np.nan * step.states))},
        "must return finite numbers, but `states` has NaN",
    ),
    "no memory": (
        {"step": stepping(lambda step: Step(step.states, step.rates))},
        "step returns None: return the memory after the step",
    ),
    "modifies": ({"step": modifying}, r"Mine\.step modifies `memory`"),
    "state": ({"step": counting("step")}, "keeps state between calls: `calls`"),
    "seed": ({"step": jumping}, "gives another answer for the same arguments and the same seed"),
    "each": (
        {"step": together_only},
        "one example for all students .* like the same example for e",
    ),
    "ball": (
        {"step": stepping(lambda step: replace(step, states=9.0 * step.states))},
        "must keep states within state_radius",
    ),
    "order": (
        {
            "step": lambda self, *args, **more: super(type(self), self).step(
                *args, **more | {"memory": np.roll(more["memory"], 1, axis=0)}
            )
        },
        "must not depend on the order of the students, but .* after step 2: keep a row",
    ),
    "ball, later": ({"step": leaving}, "must keep states within state_radius"),
    "shrinks_gaps": (
        {"shrinks_gaps": True},  # as velocities are zero at first, the first step is plain
        "declares shrinks_gaps, but a gap does not move by exactly .* in step 2",
    ),
    "step_noise": (
        {"step_noise": Noise(rate_variance=1.0)},
        r"declares step_noise=.*, but the mean square of 4000 gaps is .* after step 1",
    ),
    "shrinks_gaps and step_noise": (
        {"shrinks_gaps": True, "step_noise": Noise(attention=0.5)},
        "declares shrinks_gaps, so that `step_noise` must be SILENCE, but is Noise",
    ),
    "a method": (
        {"is_random": lambda self: False},
        r"Mine\.is_random must be a property, but is a method",
    ),
}


@pytest.mark.parametrize("mistake", LEARNERS)
def test_a_mistake_of_a_learner_is_named(mistake: str, mine: ModuleType) -> None:
    members, sentence = LEARNERS[mistake]
    base = GradientLearner if mistake == "step_noise" else mine.Rolling
    if mistake == "step_noise":
        members = members | {"shrinks_gaps": False}
    learner = type("Mine", (base,), dict(members))()
    with pytest.raises(ContractError, match=sentence):
        check_learner(learner)


def test_noise_that_depends_on_the_step_before_is_named() -> None:
    """In the first step students attend as declared; later, attention lasts."""
    cls = type("Mine", (AttentionLearner,), {"step_noise": Noise(attention=0.5)})
    check_learner(cls(0.5))
    with pytest.raises(ContractError, match=r"of 4000 gaps is .* after step [23]"):
        check_learner(cls(0.5, lasting=0.8))


def test_a_learner_without_a_loss_is_named() -> None:
    class Mine(AbstractLearner):
        shrinks_gaps = True

        def step(self, *args: Any, **more: Any) -> Step:
            raise NotImplementedError

    with pytest.raises(
        ContractError, match=r"must have an attribute `loss`, such as Squared\(\), b"
    ):
        check_learner(Mine())


def test_a_learner_that_draws_must_say_so() -> None:
    learner = type("Mine", (StochasticRateLearner,), {"is_random": False})(0.1)
    with pytest.raises(ContractError, match="differs between two seeds, so `is_random` must"):
        check_learner(learner)


def seeing(**changes: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a method that observes another aspect of the class."""

    def observe(self: Any, truth: Any, memory: Any, rng: Any) -> Any:
        return truth.seen_with(**{name: change(truth) for name, change in changes.items()})

    return observe


def remembering(self: Any, truth: Any, memory: int, rng: Any) -> Any:
    """Observe less of the gaps, the more examples are in the memory."""
    return truth.seen_with(gaps=truth.gaps / (1.0 + memory))


OBSERVERS: dict[str, tuple[dict[str, Any], str]] = {
    "array": (
        {"observe": lambda self, truth, memory, rng: truth.gaps},
        r"must return an Observation, such as truth\.seen_with\(gaps=\.\.\.\), but returned an arr",
    ),
    "length": (
        {"observe": seeing(gaps=lambda truth: truth.gaps[1:])},
        r"must return `gaps` of shape \(7, 4\), but returned an array of shape \(6, 4\)",
    ),
    "nan": (
        {"observe": seeing(rates=lambda truth: np.nan * truth.rates)},
        "must return finite numbers, but `rates` has NaN",
    ),
    "modifies": (
        {"observe": seeing(gaps=lambda truth: spoilt(truth.gaps))},
        r"Mine\.observe modifies `truth\.gaps`",
    ),
    "memory": (
        {
            "begin": lambda self, room: [],
            "observe": lambda self, truth, memory, rng: truth,
            "remember": lambda self, memory, outcome: memory.append(1) or memory,
        },
        r"Mine\.remember modifies `memory`",
    ),
    "state": ({"observe": counting("observe")}, "keeps state between calls: `calls`"),
    "seed": (
        {"observe": seeing(gaps=lambda truth: truth.gaps + 1e-9 * next(COUNT))},
        "gives another answer for the same arguments and the same seed",
    ),
    "symmetric": (
        {"observe": seeing(noise=lambda truth: np.triu(np.ones((4, 4))))},
        "`noise` as a symmetric matrix",
    ),
    "error_bounds": (
        {"observe": seeing(gaps=lambda truth: truth.gaps + 0.1)},
        r"declares error_bounds=.*, but in round 1 the error of a state is 0\.2, above 1e-06",
    ),
    "rates": (
        {"observe": seeing(rates=lambda truth: 2.0 * truth.rates)},
        "but others are observed: let `error_bounds` return None",
    ),
    "moments": (
        {
            "provides": frozenset({"moments", "states"}),
            "error_bounds": None,
            "observe": seeing(gaps=lambda truth: truth.gaps - truth.gaps.max(axis=0)),
        },
        "provides 'moments', but observe fails without single students",
    ),
    "states, of others": (
        {
            "error_bounds": None,
            "observe": seeing(gaps=lambda truth: truth.gaps - truth.gaps.mean(axis=0)),
        },
        "provides 'states', but observes another gap, rate or squared rate of a student in a class",
    ),
    "states, by examples": (
        {"remember": lambda self, memory, outcome: memory + (outcome.example is not None)}
        | {"error_bounds": None, "observe": remembering},
        "or its memory depends on the examples: leave 'states' out of `provides`",
    ),
    "states, noise": (
        {
            "error_bounds": ObservationNoise(moments=9.0),
            "observe": seeing(noise=lambda truth: np.eye(4)),
        },
        "provides 'states', but observes W with noise, which no single student has",
    ),
    "error_bounds, later": (
        {
            "observe": lambda self, truth, memory, rng: truth.seen_with(
                gaps=truth.gaps + 0.1 * (memory > 1)
            )
        },
        r"declares error_bounds=.*, but in round 3 the error of a state is 0\.2, above 1e-06",
    ),
    "error_bounds, by chance": (
        {
            "observe": lambda self, truth, memory, rng: truth.seen_with(
                gaps=truth.gaps + 0.1 * (rng.random() < 0.4)
            )
        },
        "declares error_bounds=.*, but in round 1 the error of a state is",
    ),
    "nan, later": (
        {
            "error_bounds": None,
            "observe": lambda self, truth, memory, rng: truth.seen_with(
                gaps=truth.gaps * (math.nan if memory else 1.0)
            ),
        },
        "must return finite numbers, but `gaps` has NaN",
    ),
    "squared rates": (
        {"observe": seeing(squared_rates=lambda truth: FOUR)},
        r"must return `squared_rates` of shape \(7,\), but returned an array of shape \(4,\)",
    ),
    "rates, negative": (
        {"error_bounds": None, "observe": seeing(rates=lambda truth: -truth.rates)},
        "must return a positive rate for some student, or `gentle`",
    ),
    "one student": (
        {"error_bounds": None, "observe": seeing(gaps=lambda truth: np.squeeze(truth.gaps))},
        r"must return `gaps` of shape \(1, 4\), but returned an array of shape \(4,\)",
    ),
    "target": (
        {"observe": lambda self, truth, memory, rng: replace(truth, target=truth.target + 1.0)},
        "must not return another `target`",
    ),
    "memory, by chance": (
        {"error_bounds": None, "remember": lambda self, memory, outcome: next(COUNT)},
        r"remember gives another answer for the same arguments",
    ),
    "moments, later": (
        {
            "provides": frozenset({"moments"}),
            "error_bounds": ObservationNoise(moments=9.0),
            "observe": lambda self, truth, memory, rng: (
                truth if memory < 2 else truth.seen_with(gaps=truth.gaps)
            ),
        },
        "provides 'moments', but observe fails without single students",
    ),
    "states, of another spread": (
        {
            "error_bounds": None,
            "observe": lambda self, truth, memory, rng: truth.seen_with(
                gaps=truth.gaps + len(truth.rates) * rng.standard_normal(truth.gaps.shape)
            ),
        },
        "provides 'states', but observes another gap, rate or squared rate of a student in a class",
    ),
    "an unknown word": (
        {"provides": frozenset({"rates"})},
        r"Mine\.provides must have only the words 'answers', 'moments', 'states', but has 'rates'",
    ),
}


@pytest.mark.slow
def test_observations_of_a_single_student_may_be_random() -> None:
    check_observer(NoisyStates(0.5, law="normal"))
    assert "states" not in RateHistory(0.02).provides  # its weights depend on the class
    declared = type("Mine", (RateHistory,), {"provides": frozenset({"states"})})
    check_observer(declared(0.02, weights="known"))
    with pytest.raises(ContractError, match="provides 'states', but observes another gap, rate"):
        check_observer(declared(0.02))


@pytest.mark.parametrize("mistake", OBSERVERS)
def test_a_mistake_of_an_observer_is_named(mistake: str, mine: ModuleType) -> None:
    members, sentence = OBSERVERS[mistake]
    with pytest.raises(ContractError, match=sentence):
        check_observer(broken(mine.Rounded, members))


def by_states(self: Any, progress: ClassProgress) -> bool:
    assert progress.states is not None
    gaps = progress.states() - progress.target
    return bool((gaps**2).sum(axis=1).mean() <= 0.1)


GOALS: dict[str, tuple[dict[str, Any], str]] = {
    "number": (
        {"reached": lambda self, progress: 1.0},
        "must return True or False, but returned fl",
    ),
    "never": ({"reached": lambda self, progress: False}, "must be True for a class at its target"),
    "always": ({"reached": lambda self, progress: True}, "must be False for a class that is far"),
    "nan": (
        {"reached": lambda self, progress: not progress.mean_squared > 0.1},
        "must be False where distances are not a number",
    ),
    "back": (
        {"reached": lambda self, progress: progress.farthest < 1e-4 or 0.1 < progress.farthest < 1},
        "must stay True while a class comes closer",
    ),
    "alone": ({"alone": 5.0}, r"alone is 5, but a student alone is not done at exactly this"),
    "alone, negative": ({"alone": -1.0}, "alone is -1, but a squared distance is not negative"),
    "mean_is_enough": (
        {"mean_is_enough": True},
        "declares mean_is_enough, but is not reached exactly where",
    ),
    "enough_mean": (
        {"enough_mean": lambda self, students: self.eps},
        r"enough_mean\(7\) is 0\.1, but a class with this mean squared distance has not reached",
    ),
    "score": (
        {"score": lambda self, squared: float(squared.min())},
        "so that the goal should be reached, but `reached` says otherwise",
    ),
    "smooth_score": (
        {"smooth_score": lambda self, squared: (0.0, squared)},
        "smooth_score is 0, but must not be below the score",
    ),
    "slopes": (
        {"smooth_score": lambda self, squared: (squared.sum() / 1e-3, squared / 1e-3)},
        r"must return its slope in each squared distance, but returned .*give \[1000",
    ),
    "slopes, farther": (
        {
            "smooth_score": lambda self, squared: (
                squared.sum() / 1e-3,
                np.full(len(squared), 1e3 if squared.mean() < 0.5 else 0.0),
            )
        },
        r"must return its slope in each squared distance, but returned \[0.*give \[1000",
    ),
    "smooth_score alone": (
        {
            "score": lambda self, squared: None,
            "smooth_score": lambda self, squared: (squared.sum(), squared),
        },
        "has smooth_score, an upper bound of the score, but `score` returns None",
    ),
    "score, an array": (
        {"score": lambda self, squared: squared},
        r"score must be a number or None, but is an array of shape \(7,\)",
    ),
    "score, modifies": (
        {"score": lambda self, squared: float(spoilt(squared).max())},
        "score modifies `squared_distances`",
    ),
    "enough_mean, larger classes": (
        {"enough_mean": lambda self, students: self.far**2 / min(students, 7)},
        r"enough_mean\((1|42)\) is .*, but a class with this mean squared distance has not",
    ),
    "order": (
        {
            "needs": frozenset({"states"}),
            "reached": lambda self, progress: bool(
                ((progress.states()[0] - progress.target) ** 2).sum() <= 0.1
            ),
        },
        "must not depend on the order of the students",
    ),
    "needs": (
        {"reached": by_states},
        r"Mine uses the states of single students without declaring it: let its `needs` return",
    ),
    "an unknown word": (
        {"needs": frozenset({"accuracy"})},
        r"Mine\.needs must have only the words 'knows', 'states', but has 'accuracy'",
    ),
    "a method": ({"alone": lambda self: 0.1}, r"Mine\.alone must be a property, but is a method"),
    "state": ({"reached": counting("reached")}, "keeps state between calls: `calls`"),
}


@pytest.mark.parametrize("mistake", GOALS)
def test_a_mistake_of_a_goal_is_named(mistake: str, mine: ModuleType) -> None:
    members, sentence = GOALS[mistake]
    with pytest.raises(ContractError, match=sentence):
        check_goal(broken(mine.Both, members, far=0.5))


def picking(**changes: Any) -> Callable[..., Any]:
    def best(self: Any, moments: Any, g: float) -> Any:
        return super(type(self), self).best(moments, g)._replace(**changes)

    return best


POOLS: dict[str, tuple[dict[str, Any], str]] = {
    "array": (
        {"best": lambda self, moments, g: FOUR},
        r"must return Pick\(direction, g, item, hel",
    ),
    "direction": (
        {"best": picking(direction=FOUR)},
        "must return a direction of length 1 with 4 n",
    ),
    "too long": ({"best": picking(g=99.0)}, "must use the squared length g, 2, but returned 99"),
    "help": ({"best": picking(help=99.0)}, "lowers the class's error by 99, but it does so by"),
    "fit": (
        {"fit": lambda self, dimensions, radius: None},
        "fit must return the pool without items",
    ),
    "directions": (
        {"best": lambda self, moments, g: Ball().best(moments, g)._replace(help=0.0)},
        "lowers the class's error by 0, but",
    ),
    "synthesises": ({"synthesises": True}, "must return the best of its examples, but it helps by"),
    "draw": (
        {"draw": lambda self, count, dimensions, rng: Candidates(np.eye(4), np.arange(4), None)},
        r"draw must return xs of shape \(6, 4\)",
    ),
    "seed": (
        {
            "draw": lambda self, count, dimensions, rng: Candidates(
                np.roll(np.eye(6, 4) + np.eye(6, 4, k=-4), next(COUNT), axis=0),
                np.arange(6),
                None,
            )
        },
        r"draw gives another answer for the same arguments and the same seed",
    ),
    "candidates": (
        {"candidates": lambda self, radius: Candidates(9 * np.eye(4), np.arange(4), None)},
        "candidates must return examples no longer than 2, but one has length 9",
    ),
    "untaught": (
        {"untaught": lambda self, dimensions: np.eye(4)[:, :1]},
        r"untaught must return an orthonormal basis, \(4, number\), of the directions that no item",
    ),
    "candidates, a better one": (
        {
            "best": lambda self, moments, g: DirectionPool(np.eye(4)).best(moments, g),
            "directions": None,
            "candidates": lambda self, radius: DirectionPool(
                np.vstack([np.eye(4), MANY])
            ).candidates(radius),
            "draw": lambda self, *given: DirectionPool(np.eye(4)).draw(*given),
        },
        "must return the best of its examples, but it helps by",
    ),
    "item": (
        {"best": picking(item=999)},
        "best names item 999, but `candidates` list no such item",
    ),
    "draw, another": (
        {
            "draw": lambda self, count, dimensions, rng: Candidates(
                np.tile([[0.6, 0.8, 0.0, 0.0]], (count, 1)), np.zeros(count, dtype=int), None
            )
        },
        "draw must return examples of the pool, but item 0 is not among its `candidates`, or",
    ),
    "draw, items": (
        {
            "draw": lambda self, count, dimensions, rng: Candidates(
                np.tile(np.eye(1, 4), (count, 1)), np.full(count, 0.5), None
            )
        },
        "draw must return whole numbers as `items`",
    ),
    "labels": ({"labels": FOUR}, "draw must return labels exactly if the pool has `labels`"),
    "directions, longer": ({"directions": 2.0 * np.eye(4)}, "directions must have length 1"),
    "untaught, nothing": (
        {
            name: lambda self, *given, name=name: getattr(DirectionPool(np.eye(3, 4)), name)(*given)
            for name in ("best", "candidates", "draw")
        }
        | {"directions": np.eye(3, 4)},
        r"untaught must return an orthonormal basis, \(4, number\), of the directions that no item",
    ),
    "state": ({"best": counting("best")}, "keeps state between calls: `calls`"),
}


@pytest.mark.parametrize("mistake", POOLS)
def test_a_mistake_of_a_pool_is_named(mistake: str, mine: ModuleType) -> None:
    members, sentence = POOLS[mistake]
    with pytest.raises(ContractError, match=sentence):
        check_pool(broken(mine.Compass, members, size=4))


@dataclass(frozen=True)
class Halves(AbstractGrouping):
    def split(self, room: Classroom, rng: np.random.Generator) -> Any:
        return np.arange(room.students) * 2 // room.students


GROUPINGS: dict[str, tuple[Any, str]] = {
    "list": (
        lambda self, room, rng: [0] * room.students,
        "must return a NumPy array of group numb",
    ),
    "length": (
        lambda self, room, rng: np.zeros(3, dtype=int),
        r"one group number per student, shape \(7,\), but returned shape \(3,\)",
    ),
    "floats": (
        lambda self, room, rng: np.zeros(7),
        "must return whole numbers, but returned dtype",
    ),
    "gap": (
        lambda self, room, rng: np.array([0, 2, 2, 0, 0, 2, 5]),
        r"without gaps, but the numbers are \[0, 2, 5\]: np\.unique",
    ),
    "seed": (
        lambda self, room, rng: (np.arange(7) == next(COUNT) % 7).astype(int),
        "gives another answer for the same arguments and the same seed",
    ),
    "state": (counting("split"), "keeps state between calls: `calls`"),
    "one student": (
        lambda self, room, rng: np.arange(room.students) if room.students > 1 else np.array([1]),
        "must put a student who is alone in group 0",
    ),
}


@pytest.mark.parametrize("mistake", GROUPINGS)
def test_a_mistake_of_a_grouping_is_named(mistake: str) -> None:
    check_grouping(Halves())
    split, sentence = GROUPINGS[mistake]
    with pytest.raises(ContractError, match=sentence):
        check_grouping(broken(Halves, {"split": split}))


def test_a_class_and_an_object_of_another_kind_are_named() -> None:
    with pytest.raises(ContractError, match=r"Halves is a class: write Halves\(\)"):
        check_grouping(Halves)  # type: ignore[arg-type]  # the mistake
    with pytest.raises(
        ContractError, match="AverageGoal lacks `choose`, `prepare`, which Abstract"
    ):
        check_teacher(AverageGoal())  # type: ignore[arg-type]  # the mistake

    class Duck:
        def split(self, room: Classroom, rng: np.random.Generator) -> Any:
            return np.zeros(room.students, dtype=int)

    with pytest.raises(ContractError, match="Duck must inherit from AbstractGrouping: class Duck"):
        check_grouping(Duck())  # type: ignore[arg-type]  # the mistake


def test_settings_that_a_record_cannot_store_are_named() -> None:
    class Counter(Halves):
        def __init__(self) -> None:
            object.__setattr__(self, "size", 3)

    class Loose(AbstractGrouping):
        def __init__(self) -> None:
            self.size = 3

        def split(self, room: Classroom, rng: np.random.Generator) -> Any:
            return np.zeros(room.students, dtype=int)

    check_grouping(Counter())
    with pytest.raises(ContractError, match="Loose must be a frozen dataclass: its fields are its"):
        check_grouping(Loose())


def test_a_teacher_may_return_nothing_and_be_greedy_where_nothing_helps() -> None:
    taught = Classroom(np.ones((3, 4)), [0.1, 0.2, 0.3], np.ones(4))
    teacher = PoolTeacher(Ball())
    assert teacher.greedy == GreedyRule(Ball())
    check_teacher(teacher, room=taught)


def test_bounds_of_an_observer_may_be_loose(mine: ModuleType) -> None:
    check_observer(broken(mine.Rounded, {"error_bounds": ObservationNoise(states=1.0)}))


def test_a_planner_may_have_labels_of_its_own(mine: ModuleType) -> None:
    from homeroom.teachers import AbstractPlanner

    def follow(self: Any, course: Any, seen: Any, task: Any, rng: Any) -> Any:
        return Example(FOUR, 77.0), 0

    members: dict[str, Any] = {
        "follow": follow,
        "describe": lambda self, course: {},
        "greedy": None,
    }
    members |= {"choose": lambda self, seen, rng: Example(FOUR, 77.0)}
    bases = (mine.Steepest, AbstractPlanner)
    four = Classroom.sample(7, 4)
    check_teacher(type("Mine", bases, members | {"own_labels": True})(), room=four)
    with pytest.raises(ContractError, match="shows the label 77, but the target's answer is"):
        check_teacher(type("Mine", bases, members)(), room=four)


@pytest.mark.parametrize("outputs", [1, 2, 3])
def test_a_goal_is_checked_with_several_outputs(outputs: int) -> None:
    check_goal(AccuracyGoal(0.8), outputs=outputs)
    with pytest.raises(ValueError, match="4 dimensions cannot be split into 3"):
        check_goal(AccuracyGoal(0.8), outputs=3, room=Classroom.sample(5, 4))


@pytest.mark.slow
def test_a_rule_that_is_declared_safe_must_be(mine: ModuleType) -> None:
    room = Classroom.sample(7, 4, example_radius=5.0)
    room = replace(room, rates=np.array([0.9] + 6 * [0.05]))
    rule = GreedyRule(Ball(), "best", safe=True)

    def following(safe: bool) -> Any:
        teacher = ClassroomTeacher("best", safe=safe)
        choose = lambda self, seen, rng: teacher.choose(seen, rng)  # noqa: E731 - a method
        return broken(mine.Steepest, {"greedy": rule, "choose": choose})

    check_teacher(following(safe=True), room=room)
    with pytest.raises(ContractError, match=r"safe=True, but its example is longer than 1\.49"):
        check_teacher(following(safe=False), room=room)
