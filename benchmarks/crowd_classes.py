"""Maps with more than two classes: simulated crowds, public tables, and a million answers.

The public tables are not part of this repository. Put ``NAME.answer.csv`` files with the columns
``question,worker,answer`` into a folder, and name it in HOMEROOM_TABLES. The dogs and the faces of
Zheng et al. 2017 are in the repository zhydhkcws/crowd_truth_infer on GitHub.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.crowds import simulate_classes
from benchmarks.timing import Line, in_processes, peak_bytes
from homeroom._arrays import Floats, Ints
from homeroom.crowd import Answers, Embedding
from homeroom.crowd.fitting.answer_table import AnswerTable
from homeroom.crowd.fitting.dimensions import _consensus_losses as consensus_losses
from homeroom.crowd.fitting.dimensions import choose_dimensions, held_out_losses
from homeroom.crowd.fitting.parameters import disparity
from homeroom.crowd.fitting.posterior import Posterior
from homeroom.crowd.fitting.search import most_probable

SEED = int(os.environ.get("SEED", "0"))
"""The seed of the simulated crowds."""

COLUMNS = {"student": "worker", "item": "question", "answer": "answer"}


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    yield from _simulated()
    yield from _tables()
    yield from _large()


def _simulated() -> Iterator[Line]:
    sizes = [(classes, dimensions) for dimensions in (2, 3) for classes in range(2, 9)]
    for (classes, dimensions), off in zip(sizes, in_processes(_off, sizes), strict=True):
        said = f"disparity from the truth, {classes} classes, {dimensions} dimensions"
        yield Line(said, off[0], "true prior, from the truth", off[1], 1.15, unit="")


def _off(size: tuple[int, int]) -> tuple[float, float]:
    """Return how far our map is from the truth, and the one with the true prior."""
    classes, dimensions = size
    world = simulate_classes(classes, dimensions, seed=SEED)
    posterior = Posterior(AnswerTable.of(world.answers), world.prior)
    best = most_probable(posterior, [world.truth])
    mine = Embedding.fit(world.answers, dimensions=dimensions)
    return disparity(world.truth.items, mine.items), disparity(world.truth.items, best.items)


def _tables() -> Iterator[Line]:
    folder = os.environ.get("HOMEROOM_TABLES")
    if folder is None:
        print("The lines on public tables are left out: HOMEROOM_TABLES names no folder.")
        return
    for of_table in in_processes(_of_table, sorted(Path(folder).glob("*.answer.csv"))):
        yield from of_table


def _of_table(path: Path) -> list[Line]:
    answers = Answers.read(path, columns=COLUMNS)
    chosen = choose_dimensions(answers)
    print(f"{path.name}: {answers}, held out {chosen.held_out}, {chosen.prior}.", flush=True)
    order = np.random.default_rng(1).permutation(len(answers))
    folds = np.array_split(order, 10)
    losses = np.concatenate(
        [held_out_losses(answers, out, chosen.dimensions, chosen.prior, number=2) for out in folds]
    )
    name, lines = f"{path.name.split('.')[0]}, log loss of held-out answers", []
    for what, others in (
        ("one class against the rest", _one_against_rest(answers, folds, chosen.dimensions)),
        ("Dawid and Skene", consensus_losses(answers, folds)),
    ):
        error = float((losses - others).std() / np.sqrt(len(losses)))
        said = f"{name} (difference +- {error:.4f})"
        lines.append(Line(said, float(losses.mean()), what, float(others.mean()), unit=""))
    return lines


def _one_against_rest(answers: Answers, folds: list[Ints], dimensions: int) -> Floats:
    """Return the losses of K maps with two answers, whose chances are scaled to sum to one."""
    found = []
    for out in folds:
        chances = []
        for code in range(len(answers.classes)):
            binary = Answers(
                answers.people,
                answers.items,
                answers.person,
                answers.item,
                answers.choices == code,
            )
            losses = held_out_losses(binary, out, dimensions)
            right = np.exp(-losses)
            chances.append(np.where(binary.yes[out], right, 1 - right))
        shares = np.clip(np.array(chances), 1e-9, 1)
        own = shares[answers.choices[out], np.arange(len(out))]
        found.append(-np.log(own / shares.sum(axis=0)))
    return np.concatenate(found)


def _large() -> Iterator[Line]:
    world = simulate_classes(5, 2, items=2000, people=20_000)
    kept = np.random.default_rng(0).choice(len(world.answers), 1_000_000, replace=False)
    answers = Answers(
        world.answers.people,
        world.answers.items,
        world.answers.person[kept],
        world.answers.item[kept],
        choices=world.answers.choices[kept],
        classes=world.answers.classes,
    )
    del world
    begun = time.process_time()
    found = Embedding.fit(answers)
    took = time.process_time() - begun
    print(f"10^6 answers with 5 classes: {found}, held out {dict(found.held_out)}.")
    yield Line("a map of 1,000,000 answers, 5 classes, all of it", took, "120 s", 120.0, 1.0)
    memory = peak_bytes(lambda: Embedding.fit(answers, dimensions=2))
    yield Line("its memory beyond the answers", memory, "1 GB", 1e9, 1.0, unit="B")
