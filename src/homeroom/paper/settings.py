"""Every choice behind the figures, the paper's own and those it leaves open."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from homeroom._checks import InputError, not_negative, positive, whole

MORE = ("crowd_rate", "pen_rate", "pen_best", "pen_sharpness")
LEAST_EPS = 1e-12
"""Below this, rounding would be what is measured."""


@dataclass(frozen=True)
class Settings:
    """How the experiments of sections 6.1 (synthetic), 6.2 (insects), 6.3 (letters) are set up.

    Parameters
    ----------
    students, dimensions, eps, example_radius
        What the paper says: 300 students, 25 dimensions, goal 0.1, D_X = 2.
    seeds
        How many classes are drawn for each point of a figure.
    knowledge_dimensions
        Dimensions of the classes with diverse prior knowledge: 10, says the paper.
    slowest
        The lowest rate of the classes with diverse rates: 0.1, says the paper.
    mixed_slowest, mixed_fastest
        The range of rates in figures 3a and 3d: 0.05 to 0.25, says the paper.
    rate_law
        How rates are drawn in their range, ``"uniform"`` or ``"log-uniform"``: "chosen randomly",
        says the paper.
    target_length
        The length of the target, whose direction is random. Not in the paper.
    states, spread
        The law of each coordinate of a state, ``"normal"`` or ``"uniform"``, and its standard
        deviation. Not in the paper.
    state_radius
        The ball of states; none unless given. Not in the paper.
    centre
        How far the centres of clusters lie from zero, each on its own axis. Not in the paper.
    cluster_spread
        The standard deviation within a cluster. Not in the paper.
    knowledge_rate, knowledge_width
        The lowest rate in the classes with diverse knowledge, and how far above it others may lie;
        all are equal unless a width is given. Not in the paper.
    noise
        ``"sphere"``: an observer's error has length delta; ``"normal"``: that length on average
        square, each coordinate normal. Not in the paper.
    whole_magnitude, group_magnitude
        The magnitude rule for the whole class, and inside groups. The paper explains its dip with
        the static rule for the class, and recommends the dynamic one for groups.
    stop
        ``"own"``: each group is taught until its own mean is at the goal; ``"class"``: every group
        gets one example a round until the class's mean is. Not in the paper.
    crowd_students, crowd_rate, crowd_eps
        The classes drawn from the crowd: 60 students of rate 0.05 and goal 0.2, says the paper.
    crowd_noise
        The standard deviation of what is added to each number of a worker's hypothesis when she
        is drawn into a class: "a small noise", says the paper.
    insects
        Which insects and workers: the first class's are made from this seed, the next class's from
        the next. The paper's are not public.
    pen_letter
        The letter that children learn to write: "f", says the paper.
    pen_children, pen_rate, pen_eps
        The classes of children: how many, and rate and goal as in section 6.2. In 6.3 the paper
        says "a constant learning rate", and nothing of the others.
    pen_pool, pen_generator
        How many letters a teacher chooses from, and who writes them, ``"kinematic"`` or
        ``"lstm"``.
    pen_best, pen_sharpness
        The share of the letters that is called good, and how surely the target tells good from bad;
        see :class:`homeroom.handwriting.LetterPool`. Not in the paper.
    pen_loss
        How children learn from a letter that is good or bad: "a classification algorithm", says
        the paper.
    """

    students: int = 300
    dimensions: int = 25
    eps: float = 0.1
    example_radius: float = 2.0
    seeds: int = 20
    knowledge_dimensions: int = 10
    slowest: float = 0.1
    mixed_slowest: float = 0.05
    mixed_fastest: float = 0.25
    rate_law: str = "uniform"
    target_length: float = 1.0
    states: str = "normal"
    spread: float = 1.0
    state_radius: float = math.inf
    centre: float = 3.0
    cluster_spread: float = 0.1
    knowledge_rate: float = 0.1
    knowledge_width: float = 0.0
    noise: str = "sphere"
    whole_magnitude: str = "static"
    group_magnitude: str = "dynamic"
    stop: str = "own"
    crowd_students: int = 60
    crowd_rate: float = 0.05
    crowd_eps: float = 0.2
    crowd_noise: float = 0.1
    insects: int = 0
    pen_letter: str = "f"
    pen_children: int = 60
    pen_rate: float = 0.05
    pen_eps: float = 0.2
    pen_pool: int = 1000
    pen_generator: str = "kinematic"
    pen_best: float = 0.1
    pen_sharpness: float = 3.0
    pen_loss: str = "logistic"

    def __post_init__(self) -> None:
        for name in ("students", "dimensions", "seeds", "knowledge_dimensions"):
            whole(getattr(self, name), name, at_least=1)
        whole(self.crowd_students, "crowd_students", at_least=4)
        whole(self.insects, "insects", at_least=0)
        whole(self.pen_children, "pen_children", at_least=3)
        whole(self.pen_pool, "pen_pool", at_least=20)
        for name in ("example_radius", "slowest", "spread", "knowledge_rate", *MORE):
            positive(getattr(self, name), name, example=str(getattr(Settings, name)))
        for name in ("target_length", "centre", "cluster_spread", "knowledge_width", "crowd_noise"):
            not_negative(getattr(self, name), name, example=str(getattr(Settings, name)))
        for name in ("eps", "crowd_eps", "pen_eps"):
            value = positive(getattr(self, name), name, example=str(getattr(Settings, name)))
            if value < LEAST_EPS:
                raise InputError(f"`{name}` must be at least {LEAST_EPS:g}, but is {value}.")
        if not 0 < self.mixed_slowest <= self.mixed_fastest < math.inf:
            raise InputError(
                "`mixed_slowest` must be positive and at most `mixed_fastest`, but they are "
                f"{self.mixed_slowest} and {self.mixed_fastest}."
            )
        if self.pen_best >= 1:
            raise InputError(f"`pen_best` must be a share below 1, but is {self.pen_best}.")
        _one_of(self.rate_law, "rate_law", ("uniform", "log-uniform"))
        if not self.state_radius > 0:
            raise InputError(
                f"`state_radius` must be positive, but is {self.state_radius}; inf is no ball."
            )
        _one_of(self.states, "states", ("normal", "uniform"))
        _one_of(self.noise, "noise", ("sphere", "normal"))
        _one_of(self.stop, "stop", ("own", "class"))
        _one_of(self.pen_letter, "pen_letter", tuple("abcdefghijklmnopqrstuvwxyz0123456789"))
        _one_of(self.pen_generator, "pen_generator", ("kinematic", "lstm"))
        _one_of(self.pen_loss, "pen_loss", ("logistic", "squared", "hinge"))
        for name in ("whole_magnitude", "group_magnitude"):
            _one_of(getattr(self, name), name, ("static", "dynamic", "joint"))

    def changed(self, text: str) -> Settings:
        """Return these settings with some of them changed, as in ``"eps=0.01, stop=class"``.

        >>> Settings().changed("spread=0.5, states=uniform").spread
        0.5
        """
        settings = self
        for part in text.split(","):
            settings = settings._with_one(part.strip())
        return settings

    def _with_one(self, text: str) -> Settings:
        name, equals, value = (part.strip() for part in text.partition("="))
        known = {field.name: type(getattr(self, field.name)) for field in fields(self)}
        if not equals or name not in known:
            raise InputError(
                f"{text!r} is no setting; write name=value with one of {', '.join(known)}."
            )
        try:
            made = known[name](value)
        except ValueError:
            kind = "a whole number" if known[name] is int else "a number"
            raise InputError(f"{text!r} cannot be set: {name} must be {kind}.") from None
        try:
            return replace(self, **{name: made})
        except InputError as why:
            raise InputError(f"{text!r} cannot be set: {why}") from None

    def as_json(self) -> dict[str, Any]:
        """Return the settings as plain JSON values, an infinite radius as ``None``."""
        values = asdict(self)
        if math.isinf(self.state_radius):
            values["state_radius"] = None
        return values

    def for_a_class(self) -> dict[str, Any]:
        """Return what a class depends on, as :meth:`as_json`: all but how many there are."""
        return {name: value for name, value in self.as_json().items() if name != "seeds"}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Settings:
        """Return the settings that :meth:`as_json` or :meth:`for_a_class` wrote."""
        radius = values.get("state_radius")
        return cls(**{**values, "state_radius": math.inf if radius is None else radius})

    def __str__(self) -> str:
        return json.dumps(self.as_json())


def _one_of(value: str, name: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"`{name}` must be one of {', '.join(choices)}, but is {value!r}.")
