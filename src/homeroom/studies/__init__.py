"""Studies: the paper's figures and claims, the benchmark of teachers, and experiments with classes.

:mod:`homeroom.studies.paper` reproduces the paper; the module of a section measures, draws and
judges it. :mod:`homeroom.studies.bench` compares teachers. Both keep finished work in the one store
of :mod:`homeroom.studies.cells`, from which a run that was killed resumes. Logs of experiments in
live classes, and what follows from them, are here.
"""

from homeroom.studies.arm_comparison import (
    ArmComparison,
    ClassDifference,
    classes_needed,
    compare_arms,
    compare_gains,
)
from homeroom.studies.choices import ChoiceEffect, choice_effects
from homeroom.studies.experiment_log import (
    ExperimentAnswer,
    ExperimentChoice,
    ExperimentLesson,
    read_logs,
    write_log,
)

__all__ = [
    "ArmComparison",
    "ChoiceEffect",
    "ClassDifference",
    "ExperimentAnswer",
    "ExperimentChoice",
    "ExperimentLesson",
    "choice_effects",
    "classes_needed",
    "compare_arms",
    "compare_gains",
    "read_logs",
    "write_log",
]
