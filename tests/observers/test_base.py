"""What happened in a round."""

import numpy as np
import pytest

from homeroom.observers import AbstractObserver, Outcome


def test_an_outcome_needs_only_the_rates() -> None:
    outcome = Outcome(np.ones(3))
    assert outcome.example is None
    assert outcome.answers is None
    with pytest.raises(AttributeError, match="cannot assign"):
        outcome.answers = 1  # type: ignore[misc]


def test_an_observer_must_say_how_it_begins_looks_and_remembers() -> None:
    class Blind(AbstractObserver):
        pass

    with pytest.raises(TypeError, match=r"abstract methods '?begin'?, '?observe'?, '?remember'?"):
        Blind()  # type: ignore[abstract]
