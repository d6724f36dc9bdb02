"""Train a letter model on tracks, or on your own ink, with a GPU or on any computer."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
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
from homeroom.handwriting.generators.lstm.conditions import habits_of, measure_conditions
from homeroom.handwriting.generators.lstm.model import LetterModel
from homeroom.handwriting.generators.lstm.tracks import MOST_STEPS, RATE, Tracks, track, tracks
from homeroom.handwriting.generators.lstm.training import torch_network
from homeroom.handwriting.generators.lstm.training.torch_network import TrainingLetters
from homeroom.handwriting.generators.lstm.training.training_run import (
    TrainingProgress,
    TrainingRun,
    TrainingSettings,
    load_checkpoint,
    save_checkpoint,
)
from homeroom.handwriting.generators.lstm.weights import ModelCard, Weights, limits_of
from homeroom.handwriting.generators.pen_path import paced
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letters import LETTERS, model_letter
from homeroom.handwriting.resample import by_length, radius
from homeroom.handwriting.scores.score import has_line, scorable_letters

MOST_CHECKED = 8192
"""The largest number of held-out letters per check."""

LETTERS_TO_TIME = 1024
STEPS_TO_TIME = 40
"""The letters and the steps with which :func:`steps_within` measures the time per step."""


def train(
    tracks: Tracks,
    path: str | PathLike[str],
    settings: TrainingSettings = TrainingSettings(),
    *,
    start: Weights | None = None,
    alike: bool = False,
    story: dict[str, Any] | None = None,
    tell: Callable[[TrainingProgress], None] = lambda _: None,
) -> Weights:
    """Train a letter model on tracks, write it to a file, and return its weights.

    During training there is a second file, ending in ``.part.npz``. After an interruption, even
    ``kill -9``, the same call resumes from it.

    Parameters
    ----------
    tracks
        The training letters, at least two.
    path
        Where to write the model, ending in ``.npz``.
    settings
        The settings of the training.
    start
        Initial weights, which must know all the letters; their units are kept.
    alike
        Whether the conditions are independent of the letter.
    story
        What the card of the model states about the letters, as JSON values.
    tell
        Called after each check.
    """
    path = _npz(path)
    device = settings.device or _device()
    card = _card(tracks, settings, start)
    learned, kept = _split(len(tracks), settings)
    run = TrainingRun(TrainingLetters.of(tracks[learned], card, device), settings, start)
    held_out = TrainingLetters.of(tracks[kept], card, device)
    part = path.with_suffix(".part.npz")
    job = _job(tracks, settings, start)
    if part.exists():
        run.restore(load_checkpoint(part, job))
    while run.step < settings.steps:
        progress = run.advance(min(settings.check_every, settings.steps - run.step), held_out)
        save_checkpoint(run.snapshot(), part, job)
        tell(progress)
    full_story = _story(tracks, settings, run, device) | _begun_from(start) | (story or {})
    habits = habits_of(tracks[learned], settings.seed, alike=alike)
    if start is not None:
        habits = habits.joined(start.habits)
    weights = torch_network.to_weights(
        torch_network.parameters(run.mean), habits, replace(card, story=full_story)
    )
    weights_file.save(weights, path)
    part.unlink(missing_ok=True)
    return weights


def steps_within(minutes: float, tracks: Tracks, settings: TrainingSettings) -> int:
    """Return the number of steps that fit into some minutes on this machine, by measuring."""
    card = _card(tracks, settings, None)
    letters = TrainingLetters.of(tracks[:LETTERS_TO_TIME], card, settings.device or _device())
    run = TrainingRun(letters, settings)
    run.advance(STEPS_TO_TIME // 4, letters)  # the first steps are slower
    began = time.perf_counter()
    run.advance(STEPS_TO_TIME, letters)
    each = (time.perf_counter() - began) / STEPS_TO_TIME
    return max(settings.check_every, int(60.0 * minutes / each))


def _npz(path: str | PathLike[str]) -> Path:
    """Return the path, which must end in ``.npz``."""
    path = Path(path)
    if path.suffix.lower() != ".npz":
        raise InputError(f"{path} must end in .npz, the format of letter models.")
    return path


def _device() -> str:
    """Return the name of the device to train on: a GPU if there is one."""
    with needs("Training needs torch", "train"):
        import torch
    return "cuda" if torch.cuda.is_available() else "cpu"


def _card(tracks: Tracks, settings: TrainingSettings, start: Weights | None) -> ModelCard:
    """Return a card with the units of the letters, or those of the initial weights."""
    if len(tracks) < 2:
        raise InputError(
            f"Training needs at least two letters, one of them held out, but got {len(tracks)}."
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
        raise InputError("The training letters must have lines, but their pen never moves.")
    return ModelCard(tracks.names, tracks.rate, step_size, reach, settings.jitter, limits)


def _refuse_other(tracks: Tracks, settings: TrainingSettings, start: Weights) -> None:
    """Refuse initial weights with other letters, another rate or another size."""
    ours = (tracks.names, tracks.rate, settings.hidden)
    theirs = (start.card.names, start.card.rate, start.hidden)
    for what, mine, given in zip(("letters", "rate", "hidden units"), ours, theirs, strict=True):
        if mine != given:
            raise InputError(
                f"Training can only start from weights of the same kind, but their {what} are "
                f"{given}, not {mine}. Start from scratch: start=None."
            )


def _split(letters: int, settings: TrainingSettings) -> tuple[Ints, Ints]:
    """Return the indices of the training letters and of the held-out letters, at random."""
    order = np.random.default_rng(settings.seed).permutation(letters)
    held = max(1, round(settings.held_out * letters))
    return np.sort(order[held:]), order[:held][:MOST_CHECKED]


def _job(tracks: Tracks, settings: TrainingSettings, start: Weights | None) -> dict[str, Any]:
    """Return what must be the same for a training to resume."""
    begun = "" if start is None else hashlib.sha256(start.head.tobytes()).hexdigest()
    return {**asdict(replace(settings, device="")), "letters": digest(tracks), "start": begun}


def digest(tracks: Tracks) -> str:
    """Return the SHA-256 of training letters."""
    found = hashlib.sha256(f"{tracks.names} {tracks.rate}".encode())
    for part in (tracks.offsets, tracks.lifted, tracks.lengths, tracks.which, tracks.conditions):
        found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()


def _story(
    tracks: Tracks, settings: TrainingSettings, run: TrainingRun, device: str
) -> dict[str, Any]:
    """Return what the card of a model states about its training."""
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
    """Return the story of the initial weights, without the distances to their corpus."""
    if start is None:
        return {}
    story = {key: value for key, value in start.card.story.items() if key != "distances"}
    return {"begun_from": story}


FINE_TUNING = TrainingSettings(
    steps=600, batch=32, rate=3e-4, average=0.99, held_out=0.1, check_every=20, device="cpu"
)
"""Settings for continuing from the shipped model: minutes on two cores."""

FROM_SCRATCH = replace(FINE_TUNING, steps=4000, rate=2e-3, average=0.995)
"""Settings for training from scratch: an hour or more on two cores."""

LARGEST_RADIUS = 50.0
"""The largest radius of a letter in x-heights: a letter in another unit would spoil the rest."""


def train_on(
    inks: Sequence[Ink],
    path: str | PathLike[str],
    *,
    start: LetterModel | None = None,
    settings: TrainingSettings | None = None,
    tell: Callable[[TrainingProgress], None] = lambda _: None,
) -> Weights:
    """Train a letter model on your own ink, write it to a file, and return its weights.

    All ink must be in the same unit. If ``start`` knows all letters, training continues from it,
    which needs few letters and minutes. Otherwise it starts from scratch, which needs hundreds of
    samples per letter. After an interruption the same call resumes.

    Parameters
    ----------
    inks
        Ink with known letters. Ink without times gets natural ones.
    path
        Where to write the model, ending in ``.npz``.
    start
        The initial model, such as ``LetterModel.load()``; None starts from scratch.
    settings
        The settings of the training; the default depends on ``start``.
    tell
        Called after each check.
    """
    inks = [paced(ink) for ink in scorable_letters(inks)]
    names = sorted({ink.letter for ink in inks if ink.letter is not None})
    factor = unit_factor(inks)
    scaled = [ink.moved(factor * np.eye(2), np.zeros(2)) for ink in inks]
    _refuse_other_units(scaled)
    story = {"corpus": f"own ink, {len(inks)} letters"}
    if start is not None and set(names) <= set(start.letters):
        learned = tracks(scaled, start.letters, measure_conditions(scaled), start.card.rate)
        how = replace(settings or FINE_TUNING, hidden=start.weights.hidden)
        return train(learned, path, how, start=start.weights, story=story, tell=tell)
    learned = tracks(scaled, names, measure_conditions(scaled))
    return train(learned, path, settings or FROM_SCRATCH, story=story, tell=tell)


def _refuse_other_units(inks: Sequence[Ink]) -> None:
    """Refuse letters so large that they must be in another unit."""
    for number, ink in enumerate(inks):
        if _radius(ink) > LARGEST_RADIUS:
            raise InputError(
                f"All ink must be in one unit, but letter number {number}, counted from 0, is "
                f"{_radius(ink):.3g} x-heights large. Scale it, or leave it out."
            )


def reason_to_skip(ink: Ink) -> str:
    """Return why a letter cannot be used for training, in a few words, or an empty string."""
    if ink.letter is None:
        return "without a name"
    if not has_line(ink):
        return "in which the pen never moves"
    try:
        track(paced(ink))
    except ValueError:
        return f"with more than {MOST_STEPS / RATE:g} s of writing"
    return ""


def unit_factor(inks: Sequence[Ink]) -> float:
    """Return the factor that scales ink to an x-height of one.

    It is estimated from the letters with a shipped model. Without any, the radius becomes one.
    """
    ratios = [
        _radius(model_letter(ink.letter)) / _radius(ink)
        for ink in inks
        if ink.letter in LETTERS and _radius(ink) > 0
    ]
    if ratios:
        return float(np.median(ratios))
    sizes = [_radius(ink) for ink in inks]
    return 1.0 / (float(np.median(sizes)) or 1.0) if sizes else 1.0


def _radius(ink: Ink) -> float:
    return radius(by_length(ink))
