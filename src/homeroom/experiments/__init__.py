"""Experiments that compare ways of teaching: their logs, and what follows from them."""

from homeroom.experiments.choices import ChoiceEffect, choice_effects
from homeroom.experiments.comparison import (
    ArmComparison,
    ClassDifference,
    classes_needed,
    compare_arms,
    compare_gains,
)
from homeroom.experiments.log import (
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
