"""Names of teachers, learners and other components, and their settings."""

import json
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    ByKnowledge,
    DirectionPool,
    GradientLearner,
    InputError,
    InputTypeError,
    LangevinLearner,
    PoolTeacher,
    StochasticRateLearner,
    _plugins,
)
from homeroom.goals import AbstractGoal
from homeroom.learners import AbstractLearner
from tests.bad_input import refuse

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


@pytest.mark.parametrize("kind", _plugins.KINDS)
def test_everything_registered_is_found_and_is_a_class(kind: str) -> None:
    registered = tomllib.loads(PYPROJECT.read_text())["project"]["entry-points"]
    names = _plugins.names(kind)
    assert set(names) >= set(registered[f"homeroom.{kind}"])
    assert list(names) == sorted(names)
    assert all(isinstance(_plugins.find(kind, name), type) for name in names)


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("teachers", "clasroom", "'classroom'"),
        ("groups", "by-rates", "'by-rate'"),
        ("losses", "hinges", "'hinge'"),
        ("observers", "noisy-state", "'noisy-states'"),
        ("learners", "gradiant", "'gradient'"),
        ("pools", "bal", "'ball'"),
        ("goals", "zzz", "accuracy"),
        ("goals", "", "accuracy"),
    ],
)
def test_an_unknown_name_suggests_a_similar_one(kind: str, name: str, message: str) -> None:
    refuse(lambda: _plugins.make(kind, name), message)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("groups", "by-knowledge:4", "'4' .*by-knowledge takes k"),
        ("groups", "by-knowledge:n=4", "'n'.*by-knowledge takes k"),
        ("groups", "by-knowledge:k=2.5", "`k` .*2.5"),
        ("groups", "by-knowledge:k=many", "`k` .*'many'"),
        ("groups", "by-knowledge:k=0", "`k` .*0"),
        ("groups", "whole:k=2", "whole takes nothing"),
        ("goals", "average:eps=soon", "`eps` .*'soon'"),
        ("goals", "average:eps=true", "`eps` .*True"),
        ("goals", "average:eps=NaN", "`eps` .*nan"),
        ("goals", "average:eps=1" + "0" * 400, "`eps` .* 10000"),
        ("goals", "average:eps=1" + "0" * 5000, "`eps` .*'10000"),
        ("goals", "average:eps=" + "[" * 100_000, r"`eps` .*'\[\[\["),
        ("observers", "noisy-states", "'delta'"),
        ("pools", "items", "'items'; items takes items, labels"),
    ],
    ids=lambda value: value[:40],
)
def test_settings_that_do_not_fit_are_refused(kind: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refusal:
        _plugins.make(kind, text)
    assert len(str(refusal.value)) < 600


def test_a_thing_is_described_by_its_name_and_settings() -> None:
    assert _plugins.describe(ByKnowledge(k=3)) == {"name": "by-knowledge", "k": 3}
    assert _plugins.describe(StochasticRateLearner(0.1, "hinge", 3)) == {
        "name": "stochastic-rate",
        "sigma": 0.1,
        "loss": {"name": "hinge", "classes": 3},
        "clip": False,
    }
    assert _plugins.describe(PoolTeacher(DirectionPool(np.eye(3))))["pool"] == {
        "name": "directions",
        "directions": "array of shape (3, 3)",
    }


def test_numbers_of_numpy_are_described_as_plain_numbers() -> None:
    described = [
        _plugins.describe(ByKnowledge(k=np.int64(3))),  # type: ignore[arg-type]
        _plugins.describe(AverageGoal(np.float32(0.5))),  # type: ignore[arg-type]
    ]
    assert json.loads(json.dumps(described)) == [
        {"name": "by-knowledge", "k": 3},
        {"name": "average", "eps": 0.5},
    ]


def test_an_unregistered_class_is_described_by_its_module() -> None:
    @dataclass(frozen=True)
    class Mine:
        slope: object = len

    described = _plugins.describe(Mine())
    assert described["name"].endswith("<locals>.Mine")
    assert described["slope"] == "len"
    assert set(_plugins.describe(object())) == {"name"}


def test_a_bug_in_a_plug_in_is_not_reported_as_bad_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Careless:
        def __init__(self, k: int) -> None:
            if k > 2:
                raise InputTypeError("`k` must be small.")
            len(k)  # type: ignore[arg-type]

    monkeypatch.setattr(_plugins, "find", lambda kind, name: Careless)
    with pytest.raises(TypeError, match="has no len") as raised:
        _plugins.make("groups", "careless:k=1")
    assert not isinstance(raised.value, InputError)
    refuse(lambda: _plugins.make("groups", "careless:k=3"), "`k`")
    refuse(lambda: _plugins.make("groups", "careless"), "'k'")


@pytest.mark.slow
def test_a_source_folder_that_is_not_installed_can_be_imported() -> None:
    """Its version and its own plug-ins are then read from pyproject.toml."""
    program = (
        "import importlib.metadata as metadata\n"
        "def version(name):\n"
        "    raise metadata.PackageNotFoundError(name)\n"
        "metadata.version = version\n"
        "metadata.entry_points = lambda: metadata.EntryPoints()\n"
        "import homeroom, homeroom.cli\n"
        "record = homeroom.teach(homeroom.Classroom.sample(5, 2), teacher='classroom')\n"
        "print(record.settings['versions']['homeroom'], record.settings['goal']['name'])\n"
        "from homeroom.studies.cells import code_version\n"
        "assert code_version()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120
    )
    ours = tomllib.loads(PYPROJECT.read_text())["project"]["version"]
    assert (ran.stdout, ran.stderr) == (f"{ours} average\n", "")


def test_a_component_is_rebuilt_from_the_settings_of_a_record() -> None:
    for learner in (GradientLearner(), GradientLearner("hinge", classes=3), LangevinLearner(1e3)):
        described = _plugins.describe(learner)
        assert _plugins.rebuild("learners", described, AbstractLearner) == learner


@pytest.mark.parametrize(
    "settings",
    [
        None,
        [],
        {},
        {"name": 3},
        {"name": "unknown"},
        {"name": "average", "eps": -1.0},
        {"name": "average", "eps": "x"},
        {"name": "average", "far": 1.0},
        {"name": "accuracy", "items": "array of shape (3, 4)"},
        {"name": "not.imported:Goal"},
        {"name": "os:system", "command": "false"},
        {"name": "subprocess:Popen", "args": ["false"]},
        {"name": "homeroom.goals:AbstractGoal"},
    ],
)
def test_settings_from_a_file_that_describe_no_goal_build_nothing(settings: Any) -> None:
    assert _plugins.rebuild("goals", settings, AbstractGoal) is None


def test_a_loss_from_a_file_is_built_by_its_registered_name_only() -> None:
    loss = {"name": "subprocess:Popen", "args": ["false"]}
    assert _plugins.rebuild("learners", {"name": "gradient", "loss": loss}, AbstractLearner) is None
