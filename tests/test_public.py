"""The public names."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import homeroom

PROMISED = [
    "Answers",
    "AsGiven",
    "AtRandom",
    "AverageGoal",
    "Ball",
    "BestGroups",
    "ByKnowledge",
    "ByRate",
    "Certificate",
    "Classroom",
    "ClassroomTeacher",
    "Comparison",
    "DirectionPool",
    "Embedding",
    "EveryoneGoal",
    "ExactObserver",
    "Example",
    "Frontier",
    "GradientLearner",
    "Individuals",
    "ItemPool",
    "LangevinLearner",
    "Lesson",
    "MasteryGoal",
    "MeanTeacher",
    "NoisyMoments",
    "NoisyStates",
    "Observation",
    "PeopleLesson",
    "PlannedTeacher",
    "PoolTeacher",
    "QuizObserver",
    "RandomTeacher",
    "RateHistory",
    "Record",
    "StochasticRateLearner",
    "StoppedBecause",
    "WholeClass",
    "certify",
    "compare",
    "frontier",
    "richness",
    "teach",
]


@pytest.mark.parametrize("name", PROMISED)
def test_a_promised_name_is_public(name: str) -> None:
    assert name in homeroom.__all__
    assert hasattr(homeroom, name)


def test_the_package_exports_nothing_else() -> None:
    assert sorted(homeroom.__all__) == list(dict.fromkeys(sorted(homeroom.__all__)))
    listed = Path(str(homeroom.__file__)).with_name("_public.py")
    tree = ast.parse(listed.read_text(encoding="utf-8"))
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if not alias.name.startswith("_")
    }
    assert imported == set(homeroom.__all__)


def test_teach_has_the_documented_arguments() -> None:
    parameters = inspect.signature(homeroom.teach).parameters
    promised = {"room", "teacher", "goal", "groups", "observer", "learner", "max_rounds", "engine"}
    assert {*promised, "seed"} <= set(parameters)
    assert parameters["max_rounds"].default == 100_000
    assert parameters["engine"].default == "auto"
    assert parameters["seed"].default == 0


def test_the_defaults_are_the_papers() -> None:
    room = homeroom.Classroom.sample(students=30, dimensions=5)
    spelt_out = homeroom.teach(
        room,
        teacher=homeroom.ClassroomTeacher(magnitude="static", safe=False),
        goal=homeroom.AverageGoal(0.1),
        groups=homeroom.WholeClass(),
        observer=homeroom.ExactObserver(),
        learner=homeroom.GradientLearner(loss="squared"),
        max_rounds=100_000,
        engine="auto",
        seed=0,
    )
    plain = homeroom.teach(room)
    np.testing.assert_array_equal(plain.examples.xs, spelt_out.examples.xs)
    assert plain.settings == spelt_out.settings


@pytest.mark.slow
def test_importing_changes_nothing_global() -> None:
    """Neither NumPy's errors, nor its random numbers, nor the warnings, nor matplotlib's looks."""
    code = """
import warnings, numpy, matplotlib, scipy.linalg, scipy.optimize, scipy.cluster.vq
def state():
    looks = dict(matplotlib.rcParams)
    return numpy.geterr(), numpy.get_printoptions(), list(warnings.filters), looks
before = state()
drawn = numpy.random.get_state()[1].tolist()
import homeroom
assert before == state()
assert drawn == numpy.random.get_state()[1].tolist()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
