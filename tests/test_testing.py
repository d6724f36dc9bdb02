"""The checks for components of other authors: what passes, and what is named for each mistake."""

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
    PoolTeacher,
    _plugins,
    certify,
    teach,
)
from homeroom.groups import AbstractGrouping
from homeroom.learners import AbstractLearner, Noise, Step
from homeroom.pools import Ball, Candidates, DirectionPool
from homeroom.teachers import GreedyRule
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
even = my_teaching:Even
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
    check_goal(mine.Even())
    check_pool(mine.Compass(4))


def test_the_teacher_is_sketched_and_certified_like_ours(mine: ModuleType, room: Classroom) -> None:
    sketched = teach(room, teacher="steepest", engine="sketch")
    assert sketched.engine == "sketch"
    assert sketched.settings["teacher"] == {"name": "steepest"}
    np.testing.assert_allclose(sketched.errors, teach(room).errors, rtol=1e-6)
    assert certify(room, teacher="steepest") == certify(room)
    alone = certify(room, teacher="steepest", groups="individuals")
    assert alone.rounds == teach(room, teacher="steepest", groups="individuals").rounds


def test_the_command_line_finds_all_five_by_name(
    mine: ModuleType, room: Classroom, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    room.save(tmp_path / "students.csv")
    options = {"teacher": "steepest", "learner": "rolling", "goal": "even", "observer": "rounded"}
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


# --- each promise, broken once --------------------------------------------------------------------


def broken(base: type, members: dict[str, Any], **settings: Any) -> Any:
    """Return an object of a class that differs in some members."""
    return type("Mine", (base,), dict(members))(**settings)


COUNT = itertools.count()
FOUR = np.linspace(0.1, 0.4, 4)
MANY = np.random.default_rng(0).standard_normal((40, 4))
STATE, SEED, ORDER = "keeps state .* `calls`", "same seed", "order of the students"


def spoilt(array: Any) -> Any:
    array += 0.5
    return array


def changed(method: str, change: Callable[..., Any]) -> dict[str, Any]:
    """Return a member that changes what a method returns, given that and the arguments."""

    def call(self: Any, *args: Any) -> Any:
        return change(getattr(super(type(self), self), method)(*args), *args)

    return {method: call}


def counting(method: str) -> dict[str, Any]:
    """Return a member that counts its calls, which a component must not do."""

    def call(self: Any, *args: Any) -> Any:
        object.__setattr__(self, "calls", getattr(self, "calls", 0) + 1)
        return getattr(super(type(self), self), method)(*args)

    return {method: call}


def choosing(x: Callable[[Any], Any], **members: Any) -> dict[str, Any]:
    """Return the members of a teacher who shows a function of what is seen."""
    return {"choose": lambda self, seen, rng: seen.example(x(seen)), **members}


WITH_STUDENTS = {"needs_students": True, "rule": None}
RULE = "`rule`, static in Ball"

TEACHERS: dict[str, tuple[dict[str, Any], str]] = {
    "array": ({"choose": lambda self, seen, rng: FOUR}, r"an array of shape \(4,\)"),
    "length": ({"choose": lambda self, seen, rng: Example(np.ones(3), 1.0)}, "4 finite numbers"),
    "width": (choosing(lambda seen: np.ones(3)), r"shape \(3,\)"),
    "nan": (choosing(lambda seen: np.nan * FOUR), "finite"),
    "too long": (choosing(lambda seen: 9.0 * np.eye(4)[0]), "example_radius, 2, .*9"),
    "label": ({"choose": lambda self, seen, rng: Example(FOUR, 77.0)}, "label 77"),
    "item": (changed("choose", lambda shown, *_: replace(shown, item=-5)), "item=-5"),
    "prepare": ({"prepare": lambda self, room, loss: None}, "prepare must return a teacher"),
    "next": (
        {"next": lambda self, seen, memory, rng: self.choose(seen, rng)},
        "next must return an example and the memory",
    ),
    "state": (counting("choose"), STATE),
    "seed": (choosing(lambda seen: FOUR * (1 + next(COUNT) % 4 / 4)), SEED),
    "modifies": (choosing(lambda seen: FOUR + 0 * spoilt(seen.gaps)[0]), r"`seen\.gaps`"),
    "modifies its memory": (
        {
            "begin": lambda self, learner, goal, max_rounds: [],
            "next": lambda self, seen, memory, rng: (
                self.choose(seen, rng),
                memory.append(1) or memory,
            ),
        },
        "next modifies `memory`",
    ),
    "order": (choosing(lambda seen: seen.gaps[-1] / 2, **WITH_STUDENTS), ORDER),
    "students": (
        choosing(lambda seen: seen.gaps.max(axis=0) / 9, rule=None),
        "fails without single students .*`needs_students`",
    ),
    "students, another": (
        choosing(lambda seen: FOUR * (1.0 if len(seen.gaps) else 0.5), rule=None),
        "another example without single students.*`needs_students`",
    ),
    "rule": (choosing(lambda seen: FOUR), RULE),
    "rule, nearer to the target": (
        {
            "needs_students": True,
            **changed(
                "choose",
                lambda shown, seen, rng: (
                    seen.example(0.5 * shown.x) if (seen.gaps**2).sum() < 0.05 else shown
                ),
            ),
        },
        RULE,
    ),
    "rule, for other rates": (
        changed(
            "choose",
            lambda shown, seen, rng: seen.example(0.5 * shown.x) if seen.gentle_g > 3.0 else shown,
        ),
        RULE,
    ),
    "rule, for one student": (
        {
            "needs_students": True,
            **changed(
                "choose",
                lambda shown, seen, rng: (
                    seen.example(0.9 * shown.x) if len(seen.gaps) == 1 else shown
                ),
            ),
        },
        RULE,
    ),
    "rule, in another pool": (
        {"rule": GreedyRule(DirectionPool(np.eye(4)))},
        "`rule`, static in DirectionPool",
    ),
    "plan": ({"describe_plan": lambda self, memory: {"x": FOUR}}, "describe_plan .*plain JSON"),
}


@pytest.mark.parametrize("mistake", TEACHERS)
def test_a_mistake_of_a_teacher_is_named(mistake: str, mine: ModuleType) -> None:
    members, named = TEACHERS[mistake]
    with pytest.raises(ContractError, match=named):
        check_teacher(broken(mine.Steepest, members))


def gradient(**changes: Any) -> Callable[..., Any]:
    """Return a method that takes the plain step of changed arguments, functions of all of them."""

    def step(self: Any, *args: Any) -> Step:
        names = ("states", "rates", "memory", "example", "rng")
        given = dict(zip(names, args, strict=True))
        used = given | {name: change(given) for name, change in changes.items()}
        plain = GradientLearner().step(*(used[name] for name in given))
        return Step(plain.states, used.get("reported", given["rates"]), used.get("later"))

    return step


def stepping(change: Callable[[Step], Any]) -> dict[str, Any]:
    """Return a member that changes what a step of the learner returns."""
    return changed("step", lambda step, *_: change(step))


PLAIN_LEARNERS: dict[str, tuple[dict[str, Any], str]] = {
    "sign": ({"step": gradient(rates=lambda given: -given["rates"])}, "SILENCE.* in step 1"),
    "while near": (
        {"step": gradient(states=lambda given: np.clip(given["states"], -9.0, 9.0))},
        "SILENCE.* in step 1",
    ),
    "while slow": (
        {
            "step": gradient(
                rates=lambda given: np.minimum(given["rates"], 0.45),
                reported=lambda given: given["rates"],
            )
        },
        "SILENCE.* in step 1",
    ),
    "for four rounds": (
        {
            "begin": lambda self, room: 0,
            "step": gradient(
                rates=lambda given: given["rates"] * (1.0 if given["memory"] < 4 else 0.5),
                reported=lambda given: given["rates"],
                later=lambda given: given["memory"] + 1,
            ),
        },
        "SILENCE.* in step 5",
    ),
    "rates": (
        {"step": gradient(reported=lambda given: 2.0 * given["rates"])},
        "SILENCE.* `rates`",
    ),
    "noise": ({"noise": Noise(rate_variance=1.0)}, "mean square of 4000 gaps .* after step 1"),
    "noise, mean": ({"noise": Noise(attention=0.5)}, "mean of 4000 gaps .* after step 1"),
    "noise, for one rate": (
        {
            "noise": Noise(rate_variance=0.01),  # a third of the rate is 0.1 only where it is 0.3
            "step": gradient(
                rates=lambda given: (
                    given["rates"] * (1.0 + given["rng"].standard_normal(len(given["rates"])) / 3.0)
                )
            ),
        },
        "mean square of 4000 gaps",
    ),
    "noise, rates": (
        {
            "noise": Noise(heat=1e-9),
            "step": gradient(reported=lambda given: 0 * given["rates"]),
        },
        "mean of 4000 `rates`",
    ),
    "modifies x": (
        {"step": gradient(later=lambda given: [spoilt(given["example"].x), None][1])},
        "modifies `x`",
    ),
    "one student": (
        stepping(lambda step: replace(step, states=np.squeeze(step.states))),
        r"`states` of shape \(1, 4\)",
    ),
    "precision": (
        stepping(lambda step: replace(step, states=step.states.astype(np.float32))),
        "`states` .*float64, .*float32",
    ),
}


@pytest.mark.parametrize("mistake", PLAIN_LEARNERS)
def test_a_step_that_is_almost_plain_is_named(mistake: str) -> None:
    members, named = PLAIN_LEARNERS[mistake]
    with pytest.raises(ContractError, match=named):
        check_learner(broken(GradientLearner, members))


LEARNERS: dict[str, tuple[dict[str, Any], str]] = {
    "array": (stepping(lambda step: step.states), r"must return Step\("),
    "length": (
        stepping(lambda step: replace(step, rates=step.rates[:3])),
        r"`rates` of shape \(7,\), .*\(3,\)",
    ),
    "nan": (stepping(lambda step: replace(step, states=np.nan * step.states)), "`states` has NaN"),
    "modifies": (
        changed("step", lambda step, states, rates, memory, *_: [step, spoilt(memory)][0]),
        "modifies `memory`",
    ),
    "state": (counting("step"), STATE),
    "seed": (stepping(lambda step: replace(step, states=step.states + 1e-3 * next(COUNT))), SEED),
    "order": (
        stepping(lambda step: replace(step, memory=np.roll(step.memory, 1, axis=0))),
        f"{ORDER}, .* after step 2",
    ),
    "noise": ({"noise": Noise()}, "SILENCE.* in step 2"),  # the first step is plain
}


@pytest.mark.parametrize("mistake", LEARNERS)
def test_a_mistake_of_a_learner_is_named(mistake: str, mine: ModuleType) -> None:
    members, named = LEARNERS[mistake]
    with pytest.raises(ContractError, match=named):
        check_learner(broken(mine.Rolling, members))


def test_noise_that_depends_on_the_step_before_is_named() -> None:
    """In the first step students attend as declared; later, attention lasts."""
    cls = type("Mine", (AttentionLearner,), {"noise": Noise(attention=0.5)})
    check_learner(cls(0.5))
    with pytest.raises(ContractError, match=r"of 4000 gaps is .* after step [23]"):
        check_learner(cls(0.5, lasting=0.8))


def test_a_learner_without_a_loss_is_named() -> None:
    class Mine(AbstractLearner):
        def step(self, *args: Any, **more: Any) -> Step:
            raise NotImplementedError

    with pytest.raises(ContractError, match="`loss`"):
        check_learner(Mine())


def seeing(change: Callable[[Any, Any, Any], dict[str, Any]], **members: Any) -> dict[str, Any]:
    """Return the members of an observer that sees some parts of the class otherwise."""
    return {
        "observe": lambda self, truth, memory, rng: truth.seen_with(**change(truth, memory, rng)),
        **members,
    }


OBSERVERS: dict[str, tuple[dict[str, Any], str]] = {
    "array": ({"observe": lambda self, truth, memory, rng: truth.gaps}, "an Observation"),
    "length": (seeing(lambda truth, *_: {"rates": truth.rates[1:]}), r"`rates` of shape \(7,\)"),
    "one student": (
        seeing(lambda truth, *_: {"gaps": np.squeeze(truth.gaps)}, error_bounds=None),
        r"`gaps` of shape \(4, 4\)",
    ),
    "nan": (
        seeing(lambda truth, *_: {"rates": np.nan * truth.rates}),
        "finite numbers, but `rates`",
    ),
    "nan, later": (
        seeing(
            lambda truth, memory, _: {"gaps": truth.gaps * (math.nan if memory else 1.0)},
            error_bounds=None,
        ),
        "finite numbers, but `gaps`",
    ),
    "rates, negative": (
        seeing(lambda truth, *_: {"rates": -truth.rates}, error_bounds=None),
        "positive rate",
    ),
    "modifies": (seeing(lambda truth, *_: {"gaps": spoilt(truth.gaps)}), "observe modifies `gaps`"),
    "memory": (
        {
            "begin": lambda self, room: [],
            "observe": lambda self, truth, memory, rng: truth,
            "remember": lambda self, memory, outcome: memory.append(1) or memory,
        },
        "remember modifies `memory`",
    ),
    "state": (counting("observe"), STATE),
    "seed": (seeing(lambda truth, *_: {"gaps": truth.gaps + 1e-9 * next(COUNT)}), SEED),
    "symmetric": (seeing(lambda *_: {"noise": np.triu(np.ones((4, 4)))}), "symmetric"),
    "error_bounds": (
        seeing(lambda truth, *_: {"gaps": truth.gaps + 0.1}),
        r"`error_bounds`.* 0\.2",
    ),
    "error_bounds, later": (
        seeing(lambda truth, memory, _: {"gaps": truth.gaps + 0.1 * (memory > 1)}),
        r"`error_bounds`.* 0\.2",
    ),
    "error_bounds, of W": (
        seeing(lambda *_: {"noise": np.eye(4)}),
        "error of W .*`error_bounds`",
    ),
    "no students, fails": (
        seeing(
            lambda truth, *_: {"gaps": truth.gaps - truth.gaps.max(axis=0)},
            error_bounds=None,
            needs_students=False,
        ),
        "fails without single students .*`needs_students`",
    ),
    "no students, no sketch": (
        seeing(lambda truth, *_: {"gaps": truth.gaps}, error_bounds=None, needs_students=False),
        "`needs_students`",
    ),
}


@pytest.mark.parametrize("mistake", OBSERVERS)
def test_a_mistake_of_an_observer_is_named(mistake: str, mine: ModuleType) -> None:
    members, named = OBSERVERS[mistake]
    with pytest.raises(ContractError, match=named):
        check_observer(broken(mine.Rounded, members))


GOALS: dict[str, tuple[dict[str, Any], str]] = {
    "number": ({"reached": lambda self, progress: 1.0}, "True or False"),
    "never": ({"reached": lambda self, progress: False}, "at its target"),
    "always": ({"reached": lambda self, progress: True}, "far from its target"),
    "nan": ({"reached": lambda self, progress: not progress.mean_squared > 0.1}, "not a number"),
    "back": (
        {"reached": lambda self, progress: progress.farthest < 1e-4 or 0.1 < progress.farthest < 1},
        "comes closer",
    ),
    "order": (
        {
            "reached": lambda self, progress: bool(
                ((progress.states()[0] - progress.target) ** 2).sum() <= 0.1
            )
        },
        ORDER,
    ),
    "students": ({"needs_students": False}, "states of single students"),
    "limit": ({"limit": 0.0}, "limit must be positive"),
    "outside its limit": (
        {"reached": lambda self, progress: progress.mean_squared <= 0.1},
        "just outside its limit",
    ),
    "within its limit": (
        {"reached": lambda self, progress: progress.farthest**2 <= 0.1},
        "just within its limit",
    ),
    "enough_mean": ({"enough_mean": lambda self, students: 0.1}, "the mean that is enough"),
    "state": (counting("reached"), STATE),
}


@pytest.mark.parametrize("mistake", GOALS)
def test_a_mistake_of_a_goal_is_named(mistake: str, mine: ModuleType) -> None:
    members, named = GOALS[mistake]
    with pytest.raises(ContractError, match=named):
        check_goal(broken(mine.Even, members))


def picking(**changes: Any) -> dict[str, Any]:
    return changed("best", lambda pick, *_: pick._replace(**changes))


def drawing(xs: Any, items: Any) -> dict[str, Any]:
    """Return the member of a pool that draws these rows over and over."""
    return {
        "draw": lambda self, count, dimensions, rng: Candidates(
            np.resize(xs, (count, 4)), np.resize(items, count), None
        )
    }


def rolled(drawn: Candidates, by: int) -> Candidates:
    return Candidates(np.roll(drawn.xs, by, axis=0), np.roll(drawn.items, by), None)


AXES, THREE = DirectionPool(np.eye(4)), DirectionPool(np.eye(3, 4))

POOLS: dict[str, tuple[dict[str, Any], str]] = {
    "array": ({"best": lambda self, moments, g: FOUR}, r"Pick\(direction, g, item, help\)"),
    "direction": (picking(direction=FOUR), "length 1 with 4 numbers"),
    "too long": (picking(g=99.0), "squared length g, 2, but returned 99"),
    "help": (picking(help=99.0), "error by 99"),
    "item": (picking(item=999), "item 999"),
    "fit": ({"fit": lambda self, dimensions, radius: None}, "fit must return"),
    "synthesises": ({"synthesises": True}, "the best of its examples"),
    "candidates, a better one": (
        {
            "best": lambda self, moments, g: AXES.best(moments, g),
            "directions": None,
            "candidates": lambda self, radius: DirectionPool(
                np.vstack([np.eye(4), MANY])
            ).candidates(radius),
            "draw": lambda self, *given: AXES.draw(*given),
        },
        "the best of its examples",
    ),
    "candidates": (
        {"candidates": lambda self, radius: Candidates(9 * np.eye(4), np.arange(4), None)},
        "candidates must return examples no longer than 2, but one has length 9",
    ),
    "draw": (
        {"draw": lambda self, count, dimensions, rng: Candidates(np.eye(4), np.arange(4), None)},
        r"draw must return xs of shape \(6, 4\)",
    ),
    "draw, another": (drawing([[0.6, 0.8, 0.0, 0.0]], [0]), "item 0 is not among"),
    "draw, items": (drawing(np.eye(1, 4), [0.5]), "`items`"),
    "draw, lengths": (drawing(0.5 * np.eye(1, 4), [0]), "unit directions"),
    "seed": (
        changed("draw", lambda drawn, *_: rolled(drawn, next(COUNT))),
        f"draw .*{SEED}",
    ),
    "labels": ({"labels": FOUR}, "`labels`"),
    "directions, longer": ({"directions": 2.0 * np.eye(4)}, "directions must have length 1"),
    "untaught": ({"untaught": lambda self, dimensions: np.eye(4)[:, :1]}, "untaught must return"),
    "untaught, nothing": (
        {
            name: lambda self, *given, name=name: getattr(THREE, name)(*given)
            for name in ("best", "candidates", "draw")
        }
        | {"directions": np.eye(3, 4)},
        "untaught must return",
    ),
    "state": (counting("best"), STATE),
}


@pytest.mark.parametrize("mistake", POOLS)
def test_a_mistake_of_a_pool_is_named(mistake: str, mine: ModuleType) -> None:
    members, named = POOLS[mistake]
    with pytest.raises(ContractError, match=named):
        check_pool(broken(mine.Compass, members, size=4))


@dataclass(frozen=True)
class Halves(AbstractGrouping):
    def split(self, room: Classroom, rng: np.random.Generator) -> Any:
        return np.arange(room.students) * 2 // room.students


def splitting(split: Callable[[Classroom], Any]) -> dict[str, Any]:
    return {"split": lambda self, room, rng: split(room)}


GROUPINGS: dict[str, tuple[dict[str, Any], str]] = {
    "list": (splitting(lambda room: [0] * room.students), "NumPy array"),
    "length": (splitting(lambda room: np.zeros(3, dtype=int)), r"shape \(7,\), .* shape \(3,\)"),
    "floats": (splitting(lambda room: np.zeros(7)), "whole numbers"),
    "gap": (splitting(lambda room: np.array([0, 2, 2, 0, 0, 2, 5])), r"\[0, 2, 5\]"),
    "seed": (splitting(lambda room: (np.arange(7) == next(COUNT) % 7).astype(int)), SEED),
    "one student": (
        splitting(lambda room: np.arange(7) if room.students > 1 else np.array([1])),
        "alone in group 0",
    ),
    "state": (counting("split"), STATE),
}


@pytest.mark.parametrize("mistake", GROUPINGS)
def test_a_mistake_of_a_grouping_is_named(mistake: str) -> None:
    check_grouping(Halves())
    members, named = GROUPINGS[mistake]
    with pytest.raises(ContractError, match=named):
        check_grouping(broken(Halves, members))


def test_a_class_and_an_object_of_another_kind_are_named() -> None:
    with pytest.raises(ContractError, match=r"write Halves\(\)"):
        check_grouping(Halves)  # type: ignore[arg-type]  # the mistake
    with pytest.raises(ContractError, match="AverageGoal lacks `choose`"):
        check_teacher(AverageGoal())  # type: ignore[arg-type]  # the mistake

    class Duck:
        def split(self, room: Classroom, rng: np.random.Generator) -> Any:
            return np.zeros(room.students, dtype=int)

    with pytest.raises(ContractError, match="Duck must inherit from AbstractGrouping"):
        check_grouping(Duck())  # type: ignore[arg-type]  # the mistake


def test_settings_that_a_record_cannot_store_are_named() -> None:
    class Loose(AbstractGrouping):
        def __init__(self) -> None:
            self.size = 3

        def split(self, room: Classroom, rng: np.random.Generator) -> Any:
            return np.zeros(room.students, dtype=int)

    with pytest.raises(ContractError, match="Loose must be a frozen dataclass"):
        check_grouping(Loose())


def test_a_teacher_with_a_rule_may_return_nothing_where_nothing_helps() -> None:
    taught = Classroom(np.ones((3, 4)), [0.1, 0.2, 0.3], np.ones(4))
    check_teacher(PoolTeacher(Ball()), room=taught)


def test_a_teacher_that_needs_students_may_have_labels_of_its_own(mine: ModuleType) -> None:
    choose = {"choose": lambda self, seen, rng: Example(FOUR, 77.0)}
    check_teacher(broken(mine.Steepest, WITH_STUDENTS | choose), room=Classroom.sample(7, 4))


@pytest.mark.parametrize("outputs", [1, 2, 3])
def test_a_goal_is_checked_with_several_outputs(outputs: int) -> None:
    check_goal(AccuracyGoal(0.8), outputs=outputs)
    with pytest.raises(ValueError, match="4 dimensions"):
        check_goal(AccuracyGoal(0.8), outputs=3, room=Classroom.sample(5, 4))


@pytest.mark.slow
def test_a_rule_that_is_declared_safe_must_be(mine: ModuleType) -> None:
    room = Classroom.sample(7, 4, example_radius=5.0)
    room = replace(room, rates=np.array([0.9] + 6 * [0.05]))
    rule = GreedyRule(Ball(), "best", safe=True)

    def following(safe: bool) -> Any:
        teacher = ClassroomTeacher("best", safe=safe)
        choose = lambda self, seen, rng: teacher.choose(seen, rng)  # noqa: E731 - a method
        return broken(mine.Steepest, {"rule": rule, "choose": choose})

    check_teacher(following(safe=True), room=room)
    with pytest.raises(ContractError, match=r"safe=True.* 1\.49"):
        check_teacher(following(safe=False), room=room)
