"""Letters to learn from, as torch tensors: what the network sees, and what it should foresee."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from homeroom._arrays import Ints
from homeroom.handwriting.generators.lstm.card import Card
from homeroom.handwriting.generators.lstm.layers import BEND
from homeroom.handwriting.generators.lstm.tracks import Tracks

TOGETHER = 8
"""How many batches are drawn at once and sorted by length, so that few steps are filling."""


class Batch(NamedTuple):
    """Some letters, step by step.

    ``letters`` says which they are, ``(batch, letters)``, and ``told`` how they are written,
    ``(batch, 7)``; all else begins with the shape ``(steps, batch)``.
    ``changes`` are by how much the next offset differs from the last where ``moving`` is 1;
    ``ends`` and ``lifts`` are the coins, tossed where ``free`` is 1.
    """

    features: Any
    letters: Any
    told: Any
    changes: Any
    moving: Any
    ends: Any
    lifts: Any
    free: Any


@dataclass(frozen=True, eq=False)
class Desk:
    """All letters on one device, in the card's units, from which batches are taken.

    ``counts`` are the ``lengths`` in NumPy, to choose letters by.
    """

    places: Any
    lifted: Any
    lengths: Any
    which: Any
    told: Any
    counts: Ints
    card: Card

    @classmethod
    def of(cls, tracks: Tracks, card: Card, device: str) -> Desk:
        """Lay letters out on a device."""
        import torch

        places = np.cumsum(tracks.offsets, axis=1) / np.float32(card.step_size)
        return cls(
            torch.from_numpy(places).to(device),
            torch.from_numpy(tracks.lifted).to(device),
            torch.from_numpy(tracks.lengths).to(device),
            torch.from_numpy(tracks.which).to(device),
            torch.from_numpy(tracks.told).to(device),
            tracks.lengths,
            card,
        )

    def batch(self, rows: Ints, noise: Any) -> Batch:
        """Return some letters, each place moved a little at random for the network to see.

        It is asked for the way from the moved place to the true next one, and so learns to come
        back to the line. ``noise`` is a torch generator on the same device.
        """
        import torch
        from torch.nn.functional import one_hot

        steps = int(self.counts[rows].max())
        device = self.places.device
        taken = torch.from_numpy(rows).to(device)
        places = self.places[:, :steps][taken].transpose(0, 1)
        lifted = self.lifted[:, :steps][taken].T.float()
        inside, ends = self._spans(taken, steps)
        shift = torch.randn(places.shape, generator=noise, device=device) * self.card.jitter
        shift[0] = 0.0  # the pen begins at the origin,
        shift[1:] += (shift[:-1] - shift[1:]) * lifted[1:, :, None]  # and a lift does not move it
        seen = places + shift
        offsets = torch.diff(seen, dim=0, prepend=seen[:1])
        bends = torch.diff(offsets, dim=0, prepend=offsets[:1])
        scaled = seen * (self.card.step_size / self.card.reach)
        following = _later(lifted)
        return Batch(
            torch.cat([offsets, scaled, lifted[..., None], BEND * bends], dim=2),
            one_hot(self.which[taken], len(self.card.names)).float(),
            self.told[taken],
            _later(places) - seen - offsets,
            _later(inside) * (1 - following),
            ends,
            following,
            inside * (1 - lifted),
        )

    def _spans(self, taken: Any, steps: int) -> tuple[Any, Any]:
        """Return which steps are the letters' own, and which of them are the last."""
        import torch

        lengths = self.lengths[taken]
        at = torch.arange(steps, device=lengths.device)[:, None]
        return (at < lengths).float(), (at == lengths - 1).float()


def _later(values: Any) -> Any:
    """Return what comes one step later; after the last step, zero."""
    import torch

    return torch.cat([values[1:], torch.zeros_like(values[:1])])


def rows_of(step: int, desk: Desk, size: int, seed: int) -> Ints:
    """Return which letters the batch of one training step has: always the same for one seed."""
    draw = np.random.default_rng([seed, step // TOGETHER])
    rows = draw.integers(len(desk.counts), size=TOGETHER * size)
    rows = rows[np.argsort(desk.counts[rows], kind="stable")]
    number = draw.permutation(TOGETHER)[step % TOGETHER]
    return rows[number * size : (number + 1) * size]
