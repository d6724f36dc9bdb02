"""A training under way: a network, its moving average, and the step that comes next."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from homeroom._checks import InputError
from homeroom.handwriting.generators.lstm.training import network
from homeroom.handwriting.generators.lstm.training.batches import Desk, rows_of
from homeroom.handwriting.generators.lstm.training.checkpoint import Checkpoint
from homeroom.handwriting.generators.lstm.training.likelihood import loss
from homeroom.handwriting.generators.lstm.training.settings import Progress, Settings
from homeroom.handwriting.generators.lstm.weights import Weights

SIDE_BY_SIDE = 1024
"""How many letters are measured at once."""


class Run:
    """Learns from the letters on a desk, batch by batch."""

    def __init__(self, desk: Desk, settings: Settings, start: Weights | None = None) -> None:
        import torch

        device = desk.places.device
        letters = len(desk.card.names)
        self.desk, self.settings, self.step = desk, settings, 0
        self.history: list[Progress] = []
        self.network = network.build(letters, settings.hidden, settings.seed)
        self.mean = network.build(letters, settings.hidden, settings.seed)
        if start is not None:
            for net in (self.network, self.mean):
                _put(net, network.from_weights(start))
        self.network.to(device)
        self.mean.to(device).requires_grad_(False)
        fused = {"fused": True} if device.type == "cuda" else {}
        self.adam = torch.optim.Adam(self.network.parameters(), lr=0.0, **fused)
        self.noise = torch.Generator(device=device)

    def advance(self, steps: int, held_back: Desk) -> Progress:
        """Learn from so many batches, and measure what came of it."""
        import torch

        total = torch.zeros((), device=self.desk.places.device)
        for _ in range(steps):
            total += self._learn()
        learned = float(total) / steps
        if not math.isfinite(learned):
            raise InputError(
                f"Training went astray before step {self.step}: the likelihood is not a number. "
                f"Begin anew with a smaller rate than {self.settings.rate:g}."
            )
        progress = Progress(self.step, self.settings.steps, learned, self._measured(held_back))
        self.history.append(progress)
        return progress

    def _learn(self) -> Any:
        """Learn from one batch, and return the mean loss of its letters."""
        import torch

        settings = self.settings
        rows = rows_of(self.step, self.desk, settings.batch, settings.seed)
        self.noise.manual_seed((settings.seed << 32) + self.step)
        batch = self.desk.batch(rows, self.noise)
        cost = loss(network.run(self.network, batch), batch).mean()
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

    def _measured(self, held_back: Desk) -> float:
        """Return the mean loss of the averaged weights on letters that were held back."""
        import torch

        self.noise.manual_seed(self.settings.seed)
        total, letters = 0.0, len(held_back.counts)
        with torch.no_grad():
            for start in range(0, letters, SIDE_BY_SIDE):
                rows = np.arange(start, min(start + SIDE_BY_SIDE, letters))
                batch = held_back.batch(rows, self.noise)
                outputs = network.run(self.mean, batch)
                total += float(loss(outputs, batch).sum())
        return total / letters

    def snapshot(self) -> Checkpoint:
        """Return where training stands."""
        parameters = dict(self.network.named_parameters())
        moments = {name: self.adam.state[part] for name, part in parameters.items()}
        parts = {
            "now": network.arrays(self.network),
            "mean": network.arrays(self.mean),
            "first": _arrays({name: state["exp_avg"] for name, state in moments.items()}),
            "second": _arrays({name: state["exp_avg_sq"] for name, state in moments.items()}),
        }
        return Checkpoint(self.step, [asdict(progress) for progress in self.history], parts)

    def restore(self, found: Checkpoint) -> None:
        """Go on from where a training stood."""
        import torch

        self.step = found.step
        self.history = [Progress(**progress) for progress in found.history]
        _put(self.network, found.parts["now"])
        _put(self.mean, found.parts["mean"])
        for name, part in self.network.named_parameters():
            first, second = (
                torch.from_numpy(found.parts[key][name]).to(part) for key in ("first", "second")
            )
            count = torch.tensor(float(self.step), device=part.device)
            self.adam.state[part] = {"step": count, "exp_avg": first, "exp_avg_sq": second}


def _arrays(parts: dict[str, Any]) -> dict[str, Any]:
    return {name: part.detach().cpu().numpy() for name, part in parts.items()}


def _put(net: Any, state: dict[str, Any]) -> None:
    import torch

    net.load_state_dict({name: torch.from_numpy(part) for name, part in state.items()})
