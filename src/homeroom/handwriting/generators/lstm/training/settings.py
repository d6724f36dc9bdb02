"""How to train, and how far training has come."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """How to train.

    Parameters
    ----------
    steps
        How many batches to learn from.
    batch
        Letters in a batch.
    rate
        The highest learning rate; it rises to that at first, and falls to zero as a cosine.
    hidden
        Units in each layer; the paper has 300.
    jitter
        How much each place is moved at random before the network sees it, in usual steps.
    average
        How much of the moving average of the weights stays at each step.
    held_out
        Which share of the letters is held back, to measure what was learned.
    check_every
        After how many steps to measure and to write the checkpoint.
    seed
        The same seed takes the same letters in the same order.
    device
        Where to train; ``""`` takes a GPU if there is one.
    """

    steps: int = 20_000
    batch: int = 1024
    rate: float = 2e-3
    hidden: int = 300
    jitter: float = 0.005
    average: float = 0.999
    held_out: float = 0.02
    check_every: int = 500
    seed: int = 0
    device: str = ""

    def rate_at(self, step: int) -> float:
        """Return the learning rate of one step.

        >>> settings = Settings(steps=1000, rate=1e-3)
        >>> [round(settings.rate_at(step), 6) for step in (0, 99, 500, 999)]
        [1e-05, 0.000966, 0.0005, 0.0]
        """
        rising = min(1.0, (step + 1) / min(1000, 1 + self.steps / 10))
        return rising * self.rate * 0.5 * (1.0 + math.cos(math.pi * step / self.steps))


@dataclass(frozen=True)
class Progress:
    """How far training has come: steps done, of how many, and what was measured.

    ``learned`` and ``held_out`` are nats a letter, on letters learned from since the last check
    and on letters that were held back; lower is better.
    """

    step: int
    steps: int
    learned: float
    held_out: float
