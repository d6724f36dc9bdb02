"""The state of a training: settings, progress, network, and checkpoints on disk."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._checks import InputError
from homeroom._files import DamagedFileError, read_arrays, reading, replacing
from homeroom.handwriting.generators.lstm.training import torch_network
from homeroom.handwriting.generators.lstm.training.torch_network import (
    TrainingLetters,
    batch_rows,
    loss,
)
from homeroom.handwriting.generators.lstm.weights import Weights


@dataclass(frozen=True)
class TrainingSettings:
    """The settings of a training.

    Parameters
    ----------
    steps
        The number of batches.
    batch
        Letters per batch.
    rate
        The highest learning rate; it first rises, and then falls to zero as a cosine.
    hidden
        Units per layer; the paper has 300.
    jitter
        The random displacement of each input place, in units of the card's ``step_size``.
    average
        The decay of the moving average of the weights per step.
    held_out
        The fraction of held-out letters.
    check_every
        The number of steps between measurements, which also write a checkpoint.
    seed
        Determines the letters and their order.
    device
        Where to train; ``""`` uses a GPU if available.
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

        >>> settings = TrainingSettings(steps=1000, rate=1e-3)
        >>> [round(settings.rate_at(step), 6) for step in (0, 99, 500, 999)]
        [1e-05, 0.000966, 0.0005, 0.0]
        """
        rising = min(1.0, (step + 1) / min(1000, 1 + self.steps / 10))
        return rising * self.rate * 0.5 * (1.0 + math.cos(math.pi * step / self.steps))


@dataclass(frozen=True)
class TrainingProgress:
    """The progress of a training.

    ``learned`` and ``held_out`` are nats per letter, on the training letters since the last check
    and on held-out letters; lower is better.
    """

    step: int
    steps: int
    learned: float
    held_out: float


PARTS = ("now", "mean", "first", "second")
"""Parameters, their moving average, and the two moments of Adam."""


class Checkpoint(NamedTuple):
    """The next step, the measurements so far, and the arrays of each part by name."""

    step: int
    history: list[dict[str, Any]]
    parts: dict[str, dict[str, npt.NDArray[np.float32]]]


def save_checkpoint(checkpoint: Checkpoint, path: Path, job: dict[str, Any]) -> None:
    """Write a checkpoint; ``job`` identifies the training."""
    text = json.dumps({"job": job, "step": checkpoint.step, "history": checkpoint.history})
    arrays = {
        f"{part} {name}": values
        for part in PARTS
        for name, values in checkpoint.parts[part].items()
    }
    with replacing(path) as temporary:
        np.savez(temporary, about=np.frombuffer(text.encode(), dtype=np.uint8), **arrays)  # type: ignore[arg-type]  # names, not options


def load_checkpoint(path: Path, job: dict[str, Any]) -> Checkpoint:
    """Read a checkpoint; refuse one of another training."""
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
        raise DamagedFileError(path, reason) from None
    other = [key for key in job if about["job"].get(key) != job[key]]
    if other:
        raise InputError(
            f"{path} belongs to another training: it differs in {', '.join(other)}. "
            "Delete that file to start from scratch, or write the model to another file."
        )
    return found


MEASURED_AT_ONCE = 1024
"""Letters that are measured together."""


class TrainingRun:
    """Trains a network batch by batch; ``mean`` has the moving average of its weights."""

    def __init__(
        self, letters: TrainingLetters, settings: TrainingSettings, start: Weights | None = None
    ) -> None:
        import torch

        device = letters.places.device
        names = len(letters.card.names)
        self.letters, self.settings, self.step = letters, settings, 0
        self.history: list[TrainingProgress] = []
        self.network = torch_network.build_network(names, settings.hidden, settings.seed)
        self.mean = torch_network.build_network(names, settings.hidden, settings.seed)
        if start is not None:
            for net in (self.network, self.mean):
                _load_parameters(net, torch_network.from_weights(start))
        self.network.to(device)
        self.mean.to(device).requires_grad_(False)
        fused = {"fused": True} if device.type == "cuda" else {}
        self.adam = torch.optim.Adam(self.network.parameters(), lr=0.0, **fused)
        self.noise = torch.Generator(device=device)

    def advance(self, steps: int, held_out_letters: TrainingLetters) -> TrainingProgress:
        """Train on some batches, and measure the result."""
        import torch

        total = torch.zeros((), device=self.letters.places.device)
        for _ in range(steps):
            total += self._learn()
        learned = float(total) / steps
        if not math.isfinite(learned):
            raise InputError(
                f"Training diverged before step {self.step}: the likelihood is not a number. "
                f"Start again with a smaller rate than {self.settings.rate:g}."
            )
        progress = TrainingProgress(
            self.step, self.settings.steps, learned, self._measured(held_out_letters)
        )
        self.history.append(progress)
        return progress

    def _learn(self) -> Any:
        """Train on one batch, and return the mean loss of its letters."""
        import torch

        settings = self.settings
        rows = batch_rows(self.step, self.letters, settings.batch, settings.seed)
        self.noise.manual_seed((settings.seed << 32) + self.step)
        batch = self.letters.batch(rows, self.noise)
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

    def _measured(self, held_out_letters: TrainingLetters) -> float:
        """Return the mean loss of the averaged weights on held-out letters."""
        import torch

        self.noise.manual_seed(self.settings.seed)
        total, letters = 0.0, len(held_out_letters.counts)
        with torch.no_grad():
            for start in range(0, letters, MEASURED_AT_ONCE):
                rows = np.arange(start, min(start + MEASURED_AT_ONCE, letters))
                batch = held_out_letters.batch(rows, self.noise)
                outputs = torch_network.run_network(self.mean, batch)
                total += float(loss(outputs, batch).sum())
        return total / letters

    def snapshot(self) -> Checkpoint:
        """Return a checkpoint of the current state."""
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
        """Continue from a checkpoint."""
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
    """Return tensors as NumPy arrays."""
    return {name: part.detach().cpu().numpy() for name, part in parts.items()}


def _load_parameters(net: Any, state: dict[str, Any]) -> None:
    import torch

    net.load_state_dict({name: torch.from_numpy(part) for name, part in state.items()})
