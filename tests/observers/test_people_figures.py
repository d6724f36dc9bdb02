"""What models predict about real people, on data that is not part of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.people import (
    CHOICE_WORK,
    OURS,
    SETS,
    Score,
    compared,
    missed,
    missed_choice,
)
from benchmarks.people_data import Trials

DATA = Path(__file__).parents[3] / "shared" / "data"
NEEDED = {
    "shepard": ("without the step", "facts only", "BKT per object, tied"),
    "butterflies": (),
    "characters": (),
}


def _table(name: str) -> Trials:
    path = DATA / SETS[name].path
    if not path.is_file():
        pytest.skip(f"the learners are not here: ../shared/data/{SETS[name].path}")
    return SETS[name].read(path)


def _compared(name: str) -> dict[str, Score]:
    """Return the results of the models that a limit needs."""
    which = SETS[name]
    some = which._replace(
        variants={key: which.variants[key] for key in NEEDED[name] if key in which.variants},
        others={key: which.others[key] for key in NEEDED[name] if key in which.others},
    )
    return compared(_table(name), some)


@pytest.mark.slow
@pytest.mark.parametrize("name", NEEDED)
def test_next_answers_of_people_are_predicted_within_the_limits(name: str) -> None:
    found = _compared(name)
    assert list(missed(name, found)) == []
    assert found["examples with random labels"].loss > found[OURS].loss


@pytest.mark.slow
@pytest.mark.parametrize("name", ["butterflies", "characters"])
def test_which_answer_is_predicted_within_the_limits(name: str) -> None:
    found = compared(_table(name), SETS[name], work=CHOICE_WORK)
    assert list(missed_choice(name, found)) == []
    for other in ("answers of others", "examples with random labels"):
        assert found[OURS].loss < found[other].loss
