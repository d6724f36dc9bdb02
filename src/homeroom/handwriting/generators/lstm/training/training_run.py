"""How to train, and how far training has come.

Where training stands, on disk: plain arrays, so that it can go on after any interruption.

A training under way: a network, its moving average, and the step that comes next.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom.classroom.disk import damaged, reading, replacing
from homeroom.classroom.files import read_arrays
from homeroom.handwriting.generators.lstm.training import torch_network
from homeroom.handwriting.generators.lstm.training.torch_network import (
    TrainingLetters,
    batch_rows,
    loss,
)
from homeroom.handwriting.generators.lstm.weights import Weights


@dataclass(frozen=True)
class TrainingSettings:
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
class TrainingProgress:
    """How far training has come: steps done, of how many, and what was measured.

    ``learned`` and ``held_out`` are nats a letter, on letters learned from since the last check
    and on letters that were held back; lower is better.
    """

    step: int
    steps: int
    learned: float
    held_out: float


PARTS = ("now", "mean", "first", "second")
"""Parameters, their moving average, and Adam's two moments."""


class Checkpoint(NamedTuple):
    """The step that comes next, what was measured so far, and each part by torch's names."""

    step: int
    history: list[dict[str, Any]]
    parts: dict[str, dict[str, npt.NDArray[np.float32]]]


def save_checkpoint(checkpoint: Checkpoint, path: Path, job: dict[str, Any]) -> None:
    """Write where training stands; ``job`` says which training this is."""
    text = json.dumps({"job": job, "step": checkpoint.step, "history": checkpoint.history})
    arrays = {
        f"{part} {name}": values
        for part in PARTS
        for name, values in checkpoint.parts[part].items()
    }
    with replacing(path) as temporary:
        np.savez(temporary, about=np.frombuffer(text.encode(), dtype=np.uint8), **arrays)  # type: ignore[arg-type]  # names, not options


def load_checkpoint(path: Path, job: dict[str, Any]) -> Checkpoint:
    """Read where training stands, and refuse if it was another training."""
    with reading(path):
        arrays = read_arrays(path)
    try:
        about = json.loads(bytes(arrays.pop("about")))
        parts: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
        for key, values in arrays.items():
            part, _, name = key.partition(" ")
            parts[part][name] = values
        found = Checkpoint(int(about["step"]), list(about["history"]), parts)
    except (KeyError, TypeError, ValueError) as reason:
        raise damaged(path, reason) from None
    other = [key for key in job if about["job"].get(key) != job[key]]
    if other:
        raise ValueError(
            f"{path} belongs to another training: it differs in {', '.join(other)}. "
            "Delete that file to begin anew, or write the model to another file."
        )
    return found


MEASURED_AT_ONCE = 1024
"""How many letters are measured at once."""


class TrainingRun:
    """Learns from the letters on a desk, batch by batch."""

    def __init__(
        self, desk: TrainingLetters, settings: TrainingSettings, start: Weights | None = None
    ) -> None:
        import torch

        device = desk.places.device
        letters = len(desk.card.names)
        self.desk, self.settings, self.step = desk, settings, 0
        self.history: list[TrainingProgress] = []
        self.network = torch_network.build_network(letters, settings.hidden, settings.seed)
        self.mean = torch_network.build_network(letters, settings.hidden, settings.seed)
        if start is not None:
            for net in (self.network, self.mean):
                _load_parameters(net, torch_network.from_weights(start))
        self.network.to(device)
        self.mean.to(device).requires_grad_(False)
        fused = {"fused": True} if device.type == "cuda" else {}
        self.adam = torch.optim.Adam(self.network.parameters(), lr=0.0, **fused)
        self.noise = torch.Generator(device=device)

    def advance(self, steps: int, held_back: TrainingLetters) -> TrainingProgress:
        """Learn from so many batches, and measure what came of it."""
        import torch

        total = torch.zeros((), device=self.desk.places.device)
        for _ in range(steps):
            total += self._learn()
        learned = float(total) / steps
        if not math.isfinite(learned):
            raise ValueError(
                f"Training went astray before step {self.step}: the likelihood is not a number. "
                f"Begin anew with a smaller rate than {self.settings.rate:g}."
            )
        progress = TrainingProgress(
            self.step, self.settings.steps, learned, self._measured(held_back)
        )
        self.history.append(progress)
        return progress

    def _learn(self) -> Any:
        """Learn from one batch, and return the mean loss of its letters."""
        import torch

        settings = self.settings
        rows = batch_rows(self.step, self.desk, settings.batch, settings.seed)
        self.noise.manual_seed((settings.seed << 32) + self.step)
        batch = self.desk.batch(rows, self.noise)
        cost = loss(torch_network.run_network(self.network, batch), batch).mean()
        self.adam.zero_grad(set_to_none=True)
        (cost / len(batch.features)).backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.adam.param_groups[0]["lr"] = settings.rate_at(self.step)
        self.adam.step()
        self.step += 1
        forget = 1.0 - min(settings.average, self.step / (self.step + 10))
        with torch.no_grad():
            for mean, now in zip(self.mean.parameters(), self.network.parameters(), strict=True):
                mean.lerp_(now, forget)
        return cost.detach()

    def _measured(self, held_back: TrainingLetters) -> float:
        """Return the mean loss of the averaged weights on letters that were held back."""
        import torch

        self.noise.manual_seed(self.settings.seed)
        total, letters = 0.0, len(held_back.counts)
        with torch.no_grad():
            for start in range(0, letters, MEASURED_AT_ONCE):
                rows = np.arange(start, min(start + MEASURED_AT_ONCE, letters))
                batch = held_back.batch(rows, self.noise)
                outputs = torch_network.run_network(self.mean, batch)
                total += float(loss(outputs, batch).sum())
        return total / letters

    def snapshot(self) -> Checkpoint:
        """Return where training stands."""
        parameters = dict(self.network.named_parameters())
        moments = {name: self.adam.state[part] for name, part in parameters.items()}
        parts = {
            "now": torch_network.parameters(self.network),
            "mean": torch_network.parameters(self.mean),
            "first": _arrays({name: state["exp_avg"] for name, state in moments.items()}),
            "second": _arrays({name: state["exp_avg_sq"] for name, state in moments.items()}),
        }
        return Checkpoint(self.step, [asdict(progress) for progress in self.history], parts)

    def restore(self, found: Checkpoint) -> None:
        """Go on from where a training stood."""
        import torch

        self.step = found.step
        self.history = [TrainingProgress(**progress) for progress in found.history]
        _load_parameters(self.network, found.parts["now"])
        _load_parameters(self.mean, found.parts["mean"])
        for name, part in self.network.named_parameters():
            first, second = (
                torch.from_numpy(found.parts[key][name]).to(part) for key in ("first", "second")
            )
            count = torch.tensor(float(self.step), device=part.device)
            self.adam.state[part] = {"step": count, "exp_avg": first, "exp_avg_sq": second}


def _arrays(parts: dict[str, Any]) -> dict[str, Any]:
    return {name: part.detach().cpu().numpy() for name, part in parts.items()}


def _load_parameters(net: Any, state: dict[str, Any]) -> None:
    import torch

    net.load_state_dict({name: torch.from_numpy(part) for name, part in state.items()})
