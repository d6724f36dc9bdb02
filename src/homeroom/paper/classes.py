"""The classes of section 6.1."""

from __future__ import annotations

import math

import numpy as np

from homeroom.classroom import Classroom, project
from homeroom.paper.settings import Settings


def mixed_class(settings: Settings, seed: int) -> Classroom:
    """Return the class of figures 3a and 3d: rates between 0.05 and 0.25, unless set otherwise."""
    return _class_with_rates(settings, settings.mixed_slowest, settings.mixed_fastest, seed)


def class_with_diverse_rates(settings: Settings, diversity: float, seed: int) -> Classroom:
    """Return a class whose rates lie between the slowest and the slowest plus ``diversity``."""
    return _class_with_rates(settings, settings.slowest, settings.slowest + diversity, seed)


def _class_with_rates(settings: Settings, low: float, high: float, seed: int) -> Classroom:
    # Drawn in this order: rates, target, states.
    rng = np.random.default_rng(seed)
    draws = rng.random(settings.students)
    if settings.rate_law == "log-uniform":
        rates = low * (high / low) ** draws
    else:
        rates = low + (high - low) * draws
    target = rng.standard_normal(settings.dimensions)
    target *= settings.target_length / math.sqrt(float(target @ target))
    shape = (settings.students, settings.dimensions)
    if settings.states == "uniform":  # on a cube with the same standard deviation
        states = math.sqrt(12.0) * settings.spread * (rng.random(shape) - 0.5)
    else:
        states = settings.spread * rng.standard_normal(shape)
    return _classroom(settings, states, rates, target)


def class_in_a_subspace(settings: Settings, rank: int, seed: int) -> Classroom:
    """Return a class with equal rates that errs in only ``rank`` directions."""
    rng = np.random.default_rng(seed)
    target = rng.standard_normal(settings.dimensions)
    target *= settings.target_length / math.sqrt(float(target @ target))
    gaps = settings.spread * rng.standard_normal((settings.students, rank))
    basis = np.linalg.qr(rng.standard_normal((settings.dimensions, rank)))[0]
    rates = np.full(settings.students, settings.slowest)
    return _classroom(settings, target + gaps @ basis.T, rates, target)


def class_with_diverse_knowledge(
    settings: Settings, clusters: int, seed: int
) -> tuple[Classroom, np.ndarray]:
    """Return a class in clusters, each centred on an axis of its own, and who is in which."""
    rng = np.random.default_rng(seed)
    students, dimensions = settings.students, settings.knowledge_dimensions
    target = rng.standard_normal(dimensions)
    target *= settings.target_length / math.sqrt(float(target @ target))
    cluster_of = np.arange(students) * clusters // students
    states = settings.cluster_spread * rng.standard_normal((students, dimensions))
    states[np.arange(students), cluster_of] += settings.centre
    rates = settings.knowledge_rate + settings.knowledge_width * rng.random(students)
    return _classroom(settings, states, rates, target), cluster_of


def _classroom(
    settings: Settings, states: np.ndarray, rates: np.ndarray, target: np.ndarray
) -> Classroom:
    radius = settings.state_radius
    return Classroom(
        project(states, radius),
        rates,
        project(target[None], radius)[0],
        state_radius=radius,
        example_radius=settings.example_radius,
    )
