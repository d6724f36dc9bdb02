"""Bad input to learners and losses: the error names the argument."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom import Classroom, GradientLearner, LangevinLearner, StochasticRateLearner
from homeroom._plugins import make
from homeroom.learners import Hinge, ItemMemoryLearner, Logistic, OwnLoss, Squared
from homeroom.learners.item_memory import item_features
from homeroom.learners.losses import labels_for, loss_of
from tests.bad_input import refuse

ROOM = Classroom.sample(students=2, dimensions=3)
NAMES = (np.array([2.0, 1.0]), ("moth", "wasp"))


def own(slope: Callable[[Any, Any], Any]) -> Callable[[], object]:
    """Return a call of a user-defined slope with three scores."""
    return lambda: OwnLoss(slope).slopes(np.ones(3), np.array(0.0))


def labels(loss: Any, *given: float) -> Callable[[], object]:
    return lambda: labels_for(loss, np.array(given))


CALLS: list[tuple[str, Callable[[], object]]] = [
    ("`rule`", lambda: ItemMemoryLearner(rule=3).begin(ROOM)),
    ("`stability`", lambda: ItemMemoryLearner(stability=0.0)),
    ("number", lambda: item_features(np.zeros(3))),
    ("kappa", lambda: item_features(np.zeros((2, 2)), -1.0)),
    ("'logistic'", lambda: GradientLearner("logistics")),
    *(
        ("`sigma`", lambda bad=bad: StochasticRateLearner(bad))
        for bad in (-0.1, math.nan, math.inf)
    ),
    *(("`beta`", lambda bad=bad: LangevinLearner(bad)) for bad in (0.0, -1.0, math.nan, math.inf)),
    ("`momentum`", lambda: make("learners", "momentum:momentum=1.0")),
    ("`momentum`", lambda: make("learners", "momentum:momentum=-0.1")),
    ("`attention`", lambda: make("learners", "attention:attention=0")),
    ("`attention`", lambda: make("learners", "attention:attention=1.5")),
    ("`lasting`", lambda: make("learners", "attention:lasting=1")),
    ("`classes`", lambda: Logistic(classes=1)),
    ("`classes`", lambda: Hinge(classes=2.5)),  # type: ignore[arg-type]  # the mistake
    ("`classes`", lambda: loss_of(Hinge(), classes=3)),
    ("`classes`", lambda: loss_of(np.subtract, classes=3)),
    ("'classes'", lambda: loss_of("squared", classes=3)),
    ("`loss`", lambda: loss_of(3)),
    ("`loss`", lambda: loss_of(Hinge)),
    ("'squarred'", lambda: loss_of("squarred")),
    ("`answers`", lambda: OwnLoss(np.subtract, answers="both")),
    ("(3, 1)", own(lambda s, y: (s - y)[:, None])),
    ("float64", own(lambda s, y: np.sum(s))),
    ("float", own(lambda s, y: 1.0)),
    ("None", own(lambda s, y: None)),
    ("-1, 0, 1", labels(Logistic(), 1.0, 0.0, -1.0)),
    ("1, 2", labels(Hinge(), 2.0, 1.0)),
    ("0.5", labels(OwnLoss(np.subtract, answers="sign"), 0.5)),
    ("0, 3", labels(Hinge(classes=3), 3.0, 0.0)),
    ("4", labels(Logistic(classes=3), 4.0)),
    ("6, ...", labels(Logistic(classes=3), *np.arange(1.0, 9.0))),
    ("1.5", labels(Logistic(classes=3), 1.5)),
    ("numbers", lambda: labels_for(Squared(), *NAMES)),
    ("'moth'", lambda: labels_for(Logistic(classes=3), *NAMES)),
]


@pytest.mark.parametrize(("named", "call"), CALLS, ids=range(len(CALLS)))
def test_bad_input_is_named(named: str, call: Callable[[], object]) -> None:
    refuse(call, named)
