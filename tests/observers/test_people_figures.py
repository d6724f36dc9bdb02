"""What models predict about real people, on data that is not part of the project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.people import (
    OURS,
    SETS,
    Score,
    chosen,
    compared,
    missed,
)
from benchmarks.people_data import Trials

DATA = Path(__file__).parents[3] / "shared" / "data"
NEEDED = {
    "shepard": ("without the step", "facts only", "BKT per object"),
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
def test_which_answer_is_predicted_better_than_from_the_answers_of_others(name: str) -> None:
    """On the first forty people and in two folds; all people take several minutes."""
    some: list[Any] = [part if part is None else part[:40] for part in _table(name)]
    found = chosen(Trials(*some), SETS[name]._replace(folds=2))
    assert found[OURS].loss < found["answers of others"].loss
