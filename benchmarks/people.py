"""Real people, estimated from their answers: newcomers to a crowd, and learners."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks import learners
from benchmarks.crowds import ducks
from benchmarks.quizzed import newcomers_loss
from benchmarks.timing import Line

DATA = Path(__file__).parents[2] / "shared" / "data"


def lines() -> Iterator[Line]:
    """Measure."""
    if not DATA.is_dir():
        print(f"Real people are left out: there is no {DATA}.")
        return
    yield from _newcomers()
    yield from _learners()


def _newcomers() -> Iterator[Line]:
    """Annotators who are not on the map of ducks, after a few answers."""
    answers = ducks(DATA / "ducks")
    first = {(0, False): 0.527, (5, False): 0.408, (5, True): 0.345, (10, True): 0.320}
    for (heard, informative), tried in first.items():
        how = "informative" if informative else "random"
        what = f"ducks, log loss for newcomers after {heard} {how} answers"
        loss = newcomers_loss(answers, heard, informative=informative)
        yield Line(what, loss, "first trial", tried, 1.0, unit="")


def _learners() -> Iterator[Line]:
    """322 people and their next answers; the first trial's figures have three digits."""
    others = {
        "item mean": learners.item_mean,
        "knowledge tracing": learners.tracing,
        "logistic with practice": learners.logistic,
        "gradient learner alone": learners.gradient_alone,
    }
    tried = {"butterflies_crop": 0.451, "chinese_chars": 0.616}
    for name, before in tried.items():
        data = learners.read(DATA / "learners" / f"{name}.csv")
        ours = learners.held_out(data, learners.observer)
        what = f"{name}, log loss (AUC {ours.auc:.3f})"
        yield Line(what, ours.loss, "first trial", before, 1.001, unit="")
        for other, model in others.items():
            theirs = learners.held_out(data, model)
            gain, error = ours.ahead_of(theirs)
            against = f"{other} (AUC {theirs.auc:.3f}; ahead by {gain:.4f} +- {error:.4f})"
            yield Line(what, ours.loss, against, theirs.loss, 1.0, unit="")
