"""Maps of crowds: accuracy, coverage, predictions and time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from scipy.special import log_ndtr

from benchmarks.crowds import Crowd, coverage, ducks, informed, simulate
from benchmarks.gibbs import mean_by_the_laws, posterior_mean
from benchmarks.timing import Line, Work, in_processes, peak_bytes
from homeroom._arrays import Floats
from homeroom.crowd import Answers, Embedding
from homeroom.crowd.fitting.answer_table import AnswerTable
from homeroom.crowd.fitting.dimensions import map_without
from homeroom.crowd.fitting.parameters import MapParameters, disparity
from homeroom.crowd.fitting.posterior import Posterior, Prior
from homeroom.crowd.fitting.search import most_probable
from homeroom.crowd.rule import expert_rule

SEED = int(os.environ.get("SEED", "0"))
"""The seed of the first simulated crowd."""

DUCKS = Path(__file__).parents[2] / "shared" / "data" / "ducks"


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    yield from _simulated()
    yield from _missing()
    yield from _sure()
    yield from _large()
    if DUCKS.is_dir():
        yield from _ducks(ducks(DUCKS))
    else:
        print(f"The lines on ducks are left out: there is no {DUCKS}.")


def _simulated() -> Iterator[Line]:
    world = simulate(seed=0)
    took = _seconds(world, starts=4)
    yield Line("a map of 160 x 67 answers, 2-D, four starts", took, "2 s", 2.0, 1.0)
    found = Embedding.fit(world.answers, dimensions=2)
    mine = world.answers.person == 0
    item, yes = world.answers.item[mine], world.answers.yes[mine]
    newcomer = _least(lambda: found.newcomer(item, yes), times=50)
    yield Line("a new annotator with 160 answers", newcomer, "5 ms", 5e-3, 1.0)
    yield from _disparity("variances", 0.6**0.5, 0.5)
    yield from _disparity("deviations", 0.6, 0.25)
    yield _against_the_mean()


def _disparity(what: str, angles: float, spread: float) -> Iterator[Line]:
    """Measure how far maps are from the truth, in the median of 5 and of 20 crowds.

    Compared with three baselines: the map with the true widths of the prior, known annotators, and
    known distributions.
    """
    seeds = range(SEED, SEED + 20)
    found = np.array(in_processes(partial(_off, angles=angles, spread=spread), seeds))
    said = f"disparity from the truth, {what} 0.6 and 0.25, median of"
    for many in (5, 20):
        ours, wide, best, lawful = np.median(found[:many], axis=0).tolist()
        yield Line(f"{said} {many}", ours, "true widths of the prior", wide, 1.15, unit="")
        yield Line(f"{said} {many}", ours, "known annotators", best, 1.2, unit="")
        yield Line(f"{said} {many}", ours, "known distributions", lawful, 1.15, unit="")


def _off(seed: int, angles: float, spread: float) -> list[float]:
    """Return how far a map and the three baselines are from the truth."""
    world = simulate(seed=seed, angles=angles, spread=spread)
    mine = Embedding.fit(world.answers, dimensions=2).items
    truth = MapParameters.of(world.items, np.column_stack([world.people, world.thresholds]))
    true_widths = Prior(items=2**0.5, people=0.5**0.5, thresholds=spread)
    wide = most_probable(Posterior(AnswerTable.of(world.answers), true_widths), [truth]).items
    maps = (mine, wide, informed(world), mean_by_the_laws(world, angles, spread))
    return [disparity(world.items, items) for items in maps]


def _against_the_mean() -> Line:
    """Return how far the most probable maps are from the truth, compared with posterior means."""
    peak, mean = np.median(in_processes(_peak_and_mean, range(SEED, SEED + 5)), axis=0).tolist()
    said = "disparity from the truth, deviations 0.6 and 0.25, median of 5"
    return Line(said, peak, "posterior mean", mean, unit="")


def _peak_and_mean(seed: int) -> list[float]:
    world = simulate(seed=seed)
    found = Embedding.fit(world.answers, dimensions=2)
    maps = (found.items, posterior_mean(world.answers, found))
    return [disparity(world.items, items) for items in maps]


def _missing() -> Iterator[Line]:
    moved = []
    for seed in range(5):
        answers = simulate(seed=seed).answers
        kept = np.flatnonzero(np.random.default_rng(seed).random(len(answers)) > 0.1)
        fewer = Answers(
            answers.people,
            answers.items,
            answers.person[kept],
            answers.item[kept],
            answers.yes[kept],
            answers.labels,
        )
        whole, part = (Embedding.fit(each, dimensions=2) for each in (answers, fewer))
        moved.append(disparity(whole.items, part.items))
    said = "disparity by 10 % missing answers, worst of 5"
    yield Line(said, max(moved), "0.05", 0.05, 1.0, unit="")


def _sure() -> Iterator[Line]:
    """Intervals of nominal 95 %: how many miss the truth, over fifty crowds."""
    held = np.mean(in_processes(_coverage, range(SEED, SEED + 50)), axis=0)
    kinds = ("items' coordinates", "people's weights", "thresholds", "items")
    for what, share in zip(kinds, held, strict=True):
        if share > 0.99:
            raise SystemExit(f"Intervals of {what} are too wide: they hold the truth in {share}.")
        around = "ellipses" if what == "items" else "intervals"
        said = f"{what} outside their 95 % {around}, 50 crowds"
        yield Line(said, float(1 - share), "0.15", 0.15, 1.0, unit="")


def _coverage(seed: int) -> Floats:
    return np.asarray(coverage(simulate(seed=seed)))


def _large() -> Iterator[Line]:
    world = simulate(1000, 500, answers=100_000)
    took = _seconds(world, starts=4)
    yield Line("a map of 100,000 answers, 1000 x 500, four starts", took, "6 s", 6.0, 1.0)
    world = simulate(2000, 20_000, answers=1_000_000)
    start, begun = time.perf_counter(), time.process_time()
    found = Embedding.fit(world.answers)
    took, waited = time.process_time() - begun, time.perf_counter() - start
    print(f"10^6 answers: {found}, held out {dict(found.held_out)}, after {waited:.0f} s.")
    yield Line("a map of 1,000,000 answers, 2000 x 20,000, all of it", took, "90 s", 90.0, 1.0)
    memory = peak_bytes(lambda: Embedding.fit(world.answers, dimensions=2))
    yield Line("its memory beyond the answers", memory, "1 GB", 1e9, 1.0, unit="B")


def _seconds(world: Crowd, *, starts: int) -> float:
    return _least(lambda: Embedding.fit(world.answers, dimensions=2, starts=starts), times=3)


def _least(work: Work, times: int) -> float:
    """Return the least processor time: other programs may keep the cores busy meanwhile."""
    least = float("inf")
    for _ in range(times):
        start = time.process_time()
        work()
        least = min(least, time.process_time() - start)
    return least


def _ducks(answers: Answers) -> Iterator[Line]:
    found = Embedding.fit(answers)
    print(f"Ducks: {found}, held out {dict(found.held_out)}, groups {_groups(found)}.")
    if found.dimensions != 2:
        raise SystemExit(f"Ducks should have two dimensions, but got {found.dimensions}.")
    folds = np.array_split(np.random.default_rng(0).permutation(len(answers)), 10)
    losses, wrong = _held_out(answers, folds)
    person = answers.person[np.concatenate(folds)]
    mine = float(losses.mean()), float(wrong.mean())
    off = [error_over(person, values) for values in (losses, wrong)]
    print(f"Standard errors over annotators: log loss {off[0]:.4f}, errors {off[1]:.4f}.")
    said = "ducks, held-out answers, ten tenths:"
    yield Line(f"{said} log loss", mine[0], "0.275", 0.275, 1.0, unit="")
    yield Line(f"{said} errors", mine[1], "0.11", 0.11, 1.0, unit="")
    try:
        from benchmarks.crowd_kit import aggregators, truths
    except ImportError:
        print("The lines on crowd-kit are left out: pip install crowd-kit.")
        return
    for name, (loss, errors) in aggregators(answers, folds).items():
        if loss is not None:
            yield Line(f"{said} log loss", mine[0], f"crowd-kit {name}", loss, unit="")
        yield Line(f"{said} errors", mine[1], f"crowd-kit {name}", errors, unit="")
    wrong_labels = _from_few_labels(found)
    for name, errors in truths(answers).items():
        what = "ducks, wrong labels, 24 of 240 labels given"
        yield Line(what, wrong_labels, f"crowd-kit {name}, no labels given", errors, unit="")


def error_over(person: np.ndarray, values: Floats) -> float:
    """Return the standard error of a mean over answers, if annotators are drawn at random."""
    sums = np.bincount(person, values - values.mean())
    people = len(np.unique(person))
    return float(np.sqrt((sums**2).sum() * people / (people - 1)) / len(values))


def _held_out(answers: Answers, folds: list[np.ndarray]) -> tuple[Floats, Floats]:
    """Return the losses of all answers, and whether they were guessed wrong, fold after fold."""
    losses, wrong = [], []
    for out in folds:
        point = map_without(answers, out, 2, Prior(), number=1, seed=0)
        certain = point.certainty(answers.person[out], answers.item[out])
        certain = np.where(answers.yes[out], certain, -certain)
        losses.append(-log_ndtr(certain))
        wrong.append(certain <= 0)
    return np.concatenate(losses), np.concatenate(wrong)


def _from_few_labels(found: Embedding) -> float:
    """Return the share of items that a rule from 24 labels gets wrong among the others."""
    wrong = []
    for seed in range(20):
        given = np.random.default_rng(seed).choice(len(found.items), 24, replace=False)
        labels = np.full(len(found.items), np.nan)
        labels[given] = found.labels[given]
        rule = expert_rule(found.items, labels)
        side = found.items @ rule.weights - rule.threshold
        wrong.append(np.delete(side * found.labels <= 0, given).mean())
    return float(np.mean(wrong))


def _groups(found: Embedding) -> list[int]:
    sizes: list[int] = np.bincount(found.groups()).tolist()
    return sizes
