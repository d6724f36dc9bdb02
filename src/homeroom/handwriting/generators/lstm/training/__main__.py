"""How the shipped model was trained; run as ``python -m`` and this folder's name."""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

from homeroom.handwriting.generators.children import corpus, corpus_knobs
from homeroom.handwriting.generators.lstm import weights
from homeroom.handwriting.generators.lstm.conditions import as_conditions
from homeroom.handwriting.generators.lstm.tracks import Tracks, joined, tracks
from homeroom.handwriting.generators.lstm.training.train import steps_within, train
from homeroom.handwriting.generators.lstm.training.training_run import (
    TrainingProgress,
    TrainingSettings,
)
from homeroom.handwriting.letters import LETTERS

MODULE = "homeroom.handwriting.generators.lstm.training"
CHUNK = 1000


def main(arguments: list[str] | None = None) -> None:
    """Write the corpus, train on it, and save the model."""
    given = _arguments(arguments)
    began = time.monotonic()
    learned = written(given.per_letter, given.seed, given.jobs)
    _say(f"{len(learned):,} letters, {time.monotonic() - began:.0f} s")
    settings = TrainingSettings(
        steps=given.steps, batch=given.batch, rate=given.rate, jitter=given.jitter, seed=given.seed
    )
    start = weights.load(given.start) if given.start else None
    if given.minutes:
        settings = replace(settings, steps=steps_within(given.minutes, learned, settings))
        _say(f"{settings.steps:,} steps in {given.minutes:g} minutes")
    story = {
        "corpus": f"kinematic, {given.per_letter:,} of each letter, seeds from {given.seed}",
        "command": _command(sys.argv[1:] if arguments is None else arguments, given),
    }

    def tell(progress: TrainingProgress) -> None:
        _say(
            f"{time.monotonic() - began:6.0f} s  step {progress.step:,} of {progress.steps:,}  "
            f"{progress.learned:.2f} nats a letter, held out {progress.held_out:.2f}"
        )

    train(learned, given.out, settings, start=start, alike=True, story=story, tell=tell)


def written(per_letter: int, seed: int, jobs: int) -> Tracks:
    """Return the corpus as tracks, written by several processes."""
    chunks = [
        (letter, seed + number, min(CHUNK, per_letter - number * CHUNK))
        for number in range(-(-per_letter // CHUNK))
        for letter in LETTERS
    ]
    columns = list(zip(*chunks, strict=True))
    if jobs == 1:
        return joined(list(map(_written, *columns)))
    with ProcessPoolExecutor(jobs) as pool:
        return joined(list(pool.map(_written, *columns)))


def _written(letter: str, seed: int, many: int) -> Tracks:
    rows = [knobs.row for knobs in corpus_knobs(letter, many, seed)]
    return tracks(corpus(letter, many, seed), LETTERS, as_conditions(rows))


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="lstm.training", description=__doc__)
    parser.add_argument("out", help="where to write the model, ending in .npz")
    parser.add_argument("--per-letter", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=1, help="processes that write the corpus")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=TrainingSettings.steps)
    parser.add_argument("--minutes", type=float, help="instead of --steps")
    parser.add_argument("--batch", type=int, default=TrainingSettings.batch)
    parser.add_argument("--rate", type=float, default=TrainingSettings.rate)
    parser.add_argument("--jitter", type=float, default=TrainingSettings.jitter)
    parser.add_argument("--start", help="a model to begin from")
    return parser.parse_args(arguments)


def _command(words: list[str], given: argparse.Namespace) -> str:
    """Return what was typed, without the folders of whoever typed it."""
    command = " ".join(["python -m", MODULE, *words])
    for path in filter(None, (given.out, given.start)):
        command = command.replace(path, Path(path).name)
    return command


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
