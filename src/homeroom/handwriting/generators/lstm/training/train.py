"""Learning to write from ink, on a GPU or, for a few letters, on any computer."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from homeroom._arrays import Ints
from homeroom._checks import InputError
from homeroom._extras import needs
from homeroom.handwriting.generators.lstm import weights as weights_file
from homeroom.handwriting.generators.lstm.card import Card, limits_of
from homeroom.handwriting.generators.lstm.habits import habits_of
from homeroom.handwriting.generators.lstm.tracks import Tracks
from homeroom.handwriting.generators.lstm.training import checkpoint, network
from homeroom.handwriting.generators.lstm.training.batches import Desk
from homeroom.handwriting.generators.lstm.training.run import Run
from homeroom.handwriting.generators.lstm.training.settings import Progress, Settings
from homeroom.handwriting.generators.lstm.weights import Weights

MOST_CHECKED = 8192
"""How many letters that were held back are looked at in each check."""

LETTERS_TO_TIME = 1024
STEPS_TO_TIME = 40


def train(
    tracks: Tracks,
    path: str | PathLike[str],
    settings: Settings = Settings(),
    *,
    start: Weights | None = None,
    alike: bool = False,
    story: dict[str, Any] | None = None,
    tell: Callable[[Progress], None] = lambda _: None,
) -> Weights:
    """Train a letter model on tracks, write it to a file, and return it.

    While training is under way a second file stands beside it, ending in ``.part.npz``. If
    training was interrupted, even by force, the same call goes on from there.

    Parameters
    ----------
    tracks
        The letters to learn from, at least two.
    path
        Where to write the model, ending in ``.npz``.
    settings
        How to train.
    start
        Weights to begin from, which must know all the letters; their units are kept.
    alike
        Whether how a letter is written has nothing to do with which letter it is.
    story
        What the model's card should say of the letters, as plain JSON values.
    tell
        Called after each check.
    """
    path = _npz(path)
    device = settings.device or _device()
    card = _card(tracks, settings, start)
    learned, kept = _split(len(tracks), settings)
    run = Run(Desk.of(tracks[learned], card, device), settings, start)
    held_back = Desk.of(tracks[kept], card, device)
    part = path.with_suffix(".part.npz")
    job = _job(tracks, settings, start)
    if part.exists():
        run.restore(checkpoint.load(part, job))
    while run.step < settings.steps:
        progress = run.advance(min(settings.check_every, settings.steps - run.step), held_back)
        checkpoint.save(run.snapshot(), part, job)
        tell(progress)
    told = _story(tracks, settings, run, device) | _begun_from(start) | (story or {})
    habits = habits_of(tracks[learned], settings.seed, alike=alike)
    if start is not None:
        habits = habits.joined(start.habits)
    weights = network.to_weights(network.arrays(run.mean), habits, replace(card, story=told))
    weights_file.save(weights, path)
    part.unlink(missing_ok=True)
    return weights


def steps_within(minutes: float, tracks: Tracks, settings: Settings) -> int:
    """Return how many steps training can take in so many minutes on this machine, by trying."""
    card = _card(tracks, settings, None)
    desk = Desk.of(tracks[:LETTERS_TO_TIME], card, settings.device or _device())
    run = Run(desk, settings)
    run.advance(STEPS_TO_TIME // 4, desk)  # the first steps are slower
    began = time.perf_counter()
    run.advance(STEPS_TO_TIME, desk)
    each = (time.perf_counter() - began) / STEPS_TO_TIME
    return max(settings.check_every, int(60.0 * minutes / each))


def _npz(path: str | PathLike[str]) -> Path:
    path = Path(path)
    if path.suffix.lower() != ".npz":
        raise InputError(f"{path} must end in .npz, the format of letter models.")
    return path


def _device() -> str:
    with needs("Training needs torch", "train"):
        import torch
    return "cuda" if torch.cuda.is_available() else "cpu"


def _card(tracks: Tracks, settings: Settings, start: Weights | None) -> Card:
    """Return the units of the letters, or those of the weights that training begins from."""
    if len(tracks) < 2:
        raise InputError(
            f"Training needs at least two letters, one of them to hold back, but got {len(tracks)}."
        )
    limits = limits_of(tracks)
    if start is not None:
        _refuse_other(tracks, settings, start)
        limits = limits.widened(start.card.limits)
        return replace(start.card, limits=limits, jitter=settings.jitter)
    moves = tracks.offsets[tracks.drawn].astype(np.float64)
    places = np.cumsum(tracks.offsets, axis=1)[tracks.inside].astype(np.float64)
    step_size, reach = (float(np.sqrt(np.square(part).mean())) for part in (moves, places))
    if not step_size > 0:
        raise InputError("The letters to learn from must have lines, but their pen never moves.")
    return Card(tracks.names, tracks.rate, step_size, reach, settings.jitter, limits)


def _refuse_other(tracks: Tracks, settings: Settings, start: Weights) -> None:
    ours = (tracks.names, tracks.rate, settings.hidden)
    theirs = (start.card.names, start.card.rate, start.hidden)
    for what, mine, given in zip(("letters", "rate", "hidden units"), ours, theirs, strict=True):
        if mine != given:
            raise InputError(
                f"Training can only begin from weights of the same kind, but their {what} are "
                f"{given}, not {mine}. Begin anew: start=None."
            )


def _split(letters: int, settings: Settings) -> tuple[Ints, Ints]:
    """Return which letters to learn from, and which to hold back, at random."""
    order = np.random.default_rng(settings.seed).permutation(letters)
    held = max(1, round(settings.held_out * letters))
    return np.sort(order[held:]), order[:held][:MOST_CHECKED]


def _job(tracks: Tracks, settings: Settings, start: Weights | None) -> dict[str, Any]:
    """Return what must be the same for training to go on."""
    begun = "" if start is None else hashlib.sha256(start.head.tobytes()).hexdigest()
    return {**asdict(replace(settings, device="")), "letters": digest(tracks), "start": begun}


def digest(tracks: Tracks) -> str:
    """Return the SHA-256 of letters to learn from."""
    found = hashlib.sha256(f"{tracks.names} {tracks.rate}".encode())
    for part in (tracks.offsets, tracks.lifted, tracks.lengths, tracks.which, tracks.told):
        found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()


def _story(tracks: Tracks, settings: Settings, run: Run, device: str) -> dict[str, Any]:
    return {
        "letters": len(tracks),
        "letters_sha256": digest(tracks),
        "settings": asdict(settings),
        "trained_on": device,
        "date": datetime.now(UTC).date().isoformat(),
        "nats_per_letter_held_out": round(run.history[-1].held_out, 3),
        "nats_per_letter_learned": round(run.history[-1].learned, 3),
    }


def _begun_from(start: Weights | None) -> dict[str, Any]:
    """Return the story of what training began from, without how far that was from its corpus."""
    if start is None:
        return {}
    told = {key: value for key, value in start.card.story.items() if key != "distances"}
    return {"begun_from": told}
