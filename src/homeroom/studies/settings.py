"""Every choice behind the figures: those that the paper makes, and those that it leaves open."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from homeroom._checks import InputError, not_negative, one_of, positive, whole
from homeroom.handwriting.letters import MOST_JOINED, has_forms

AT_LEAST = {
    **dict.fromkeys(("students", "dimensions", "seeds", "knowledge_dimensions"), 1),
    **{"crowd_students": 4, "insects": 0, "pen_children": 3, "pen_pool": 20},
}
"""Whole numbers, and the least value of each."""

POSITIVE = (
    *("example_radius", "slowest", "greatest_diversity", "spread", "knowledge_rate", "eps"),
    *("crowd_rate", "crowd_radius", "crowd_eps"),
    *("pen_rate", "pen_best", "pen_sharpness", "pen_eps"),
)
"""Settings that must be positive."""

NOT_NEGATIVE = ("target_length", "centre", "cluster_spread", "knowledge_width", "crowd_noise")
"""Settings that must be positive or zero."""

MAGNITUDES = ("static", "dynamic", "joint")
ONE_OF = {
    "rate_law": ("uniform", "log-uniform"),
    "states": ("normal", "uniform"),
    "noise": ("sphere", "normal"),
    "stop": ("own", "class"),
    "whole_magnitude": MAGNITUDES,
    "group_magnitude": MAGNITUDES,
    "pen_form": ("school", "Hershey"),
    "pen_generator": ("kinematic", "lstm"),
    "pen_loss": ("logistic", "squared", "hinge"),
}
"""Settings with a few values."""

GRID = ("seeds", "greatest_diversity")
"""Settings that determine which classes are measured, but change none of them."""

LEAST_EPS = 1e-12
"""Below this, a lesson would measure rounding errors."""


@dataclass(frozen=True)
class PaperSettings:
    """The set-up of the experiments in sections 6.1 (synthetic), 6.2 (insects), 6.3 (letters).

    "Paper" marks a value that the paper states, "open" one that it leaves open.

    Parameters
    ----------
    students, dimensions, eps, example_radius
        Paper: 300 students, 25 dimensions, goal 0.1, and examples in a ball of radius D_X = 2.
    seeds
        How many classes are drawn at random per point of a figure.
    knowledge_dimensions
        Dimensions of the classes with diverse prior knowledge. Paper: 10.
    slowest
        The lowest learning rate of the classes with diverse rates. Paper: 0.1.
    mixed_slowest, mixed_fastest
        The range of learning rates in figures 3a and 3d. Paper: 0.05 to 0.25.
    greatest_diversity
        Where the axis of diverse rates ends in figures 3b, 3c and 3e. Paper: 0.5, "and so on".
    rate_law
        How rates are drawn from their range, ``"uniform"`` or ``"log-uniform"``. Paper: "chosen
        randomly".
    target_length
        The length of the target, whose direction is random. Open.
    states, spread
        The distribution of each coordinate of a state, ``"normal"`` or ``"uniform"``, and its
        standard deviation. Open.
    state_radius
        The radius of the ball of states; infinite by default. Open.
    centre
        The distance of cluster centres from zero, each on its own axis. Open.
    cluster_spread
        The standard deviation within a cluster. Open.
    knowledge_rate, knowledge_width
        The lowest learning rate in the classes with diverse knowledge, and the width of the range
        above it. All rates are equal if the width is zero. Open.
    noise
        ``"sphere"``: an observation error has length delta; ``"normal"``: its coordinates are
        normal, with a root mean square length of delta. Open.
    whole_magnitude, group_magnitude
        The rule for the length of examples, for the whole class and inside groups (see
        :class:`homeroom.ClassroomTeacher`). The paper explains the dip in figure 3b with the static
        rule for the class, and recommends the dynamic rule for groups.
    stop
        ``"own"``: each group is taught until its own mean error reaches the goal; ``"class"``:
        every group gets one example per round until the mean error of the class does. Open.
    crowd_students, crowd_rate, crowd_eps
        The classes drawn from the crowd. Paper: 60 students of rate 0.05, goal 0.2.
    crowd_radius
        D_X of the classes drawn from the crowd. Open: the paper states it only for section 6.1.
    crowd_noise
        The standard deviation of the noise added to each coordinate of an annotator's hypothesis
        when a student is drawn from the crowd. Paper: "a small noise".
    insects
        The seed of the insects and annotators of the first class; the next class uses the next
        seed. The paper's data are not public.
    pen_letter
        What children learn to write: a letter, a digit, or joined letters such as "nu". Paper: "f".
    pen_form
        The form of the letter: ``"school"``, upright cursive, or ``"Hershey"``, the slanted one
        that the network writes, and the only one for ``pen_generator="lstm"``. Open.
    pen_children, pen_rate, pen_eps
        The classes of children: their number, and the rate and goal of section 6.2. Paper: "a
        constant learning rate"; the rest is open.
    pen_pool, pen_generator
        The number of letters that the teacher chooses from, and the generator that writes them,
        ``"kinematic"`` or ``"lstm"``. Open.
    pen_best, pen_sharpness
        The fraction of letters that are labelled good, and how sharply the target separates good
        from bad; see :class:`homeroom.handwriting.LetterPool`. Open.
    pen_loss
        The loss with which children learn from a letter that is good or bad. Paper: "a
        classification algorithm".
    """

    students: int = 300
    dimensions: int = 25
    eps: float = 0.1
    example_radius: float = 2.0
    seeds: int = 20
    knowledge_dimensions: int = 10
    slowest: float = 0.1
    greatest_diversity: float = 0.5
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
    crowd_radius: float = 2.0
    crowd_noise: float = 0.1
    insects: int = 0
    pen_letter: str = "f"
    pen_form: str = "school"
    pen_children: int = 60
    pen_rate: float = 0.05
    pen_eps: float = 0.2
    pen_pool: int = 1000
    pen_generator: str = "kinematic"
    pen_best: float = 0.1
    pen_sharpness: float = 3.0
    pen_loss: str = "logistic"

    def __post_init__(self) -> None:
        for name, least in AT_LEAST.items():
            whole(getattr(self, name), name, at_least=least)
        for name in POSITIVE:
            positive(getattr(self, name), name, example=str(getattr(PaperSettings, name)))
        for name in NOT_NEGATIVE:
            not_negative(getattr(self, name), name, example=str(getattr(PaperSettings, name)))
        for name, values in ONE_OF.items():
            one_of(getattr(self, name), name, values)
        for name in ("eps", "crowd_eps", "pen_eps"):
            if (value := getattr(self, name)) < LEAST_EPS:
                raise InputError(f"`{name}` must be at least {LEAST_EPS:g}, but is {value}.")
        if not 0 < self.mixed_slowest <= self.mixed_fastest < math.inf:
            raise InputError(
                "`mixed_slowest` must be positive and at most `mixed_fastest`, but they are "
                f"{self.mixed_slowest} and {self.mixed_fastest}."
            )
        if self.pen_best >= 1:
            raise InputError(f"`pen_best` must be a fraction below 1, but is {self.pen_best}.")
        if not self.state_radius > 0:
            raise InputError(
                f"`state_radius` must be positive, but is {self.state_radius}; "
                "use inf for no limit."
            )
        if self.pen_letter.isupper() or not has_forms(self.pen_letter):
            raise InputError(
                "`pen_letter` must be a letter from a to z, a digit, or up to "
                f"{MOST_JOINED} joined letters, but is {self.pen_letter[:40]!r}."
            )

    def change(self, text: str) -> PaperSettings:
        """Return these settings with some of them changed, as in ``"eps=0.01, stop=class"``.

        >>> PaperSettings().change("spread=0.5, states=uniform").spread
        0.5
        """
        settings = self
        for part in text.split(",") if text else ():
            settings = settings._change_one(part.strip())
        return settings

    def _change_one(self, text: str) -> PaperSettings:
        """Return the settings with one of them changed, as in ``"eps=0.01"``."""
        name, equals, value = (part.strip() for part in text.partition("="))
        known = {field.name: type(getattr(self, field.name)) for field in fields(self)}
        if not equals or name not in known:
            raise InputError(
                f"{text!r} is not a setting; write name=value with one of {', '.join(known)}."
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
        """Return the settings as JSON values; an infinite radius becomes ``None``."""
        values = asdict(self)
        if math.isinf(self.state_radius):
            values["state_radius"] = None
        return values

    def for_a_class(self) -> dict[str, Any]:
        """Return the settings that determine a single class: all but those in ``GRID``."""
        return {name: value for name, value in self.as_json().items() if name not in GRID}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> PaperSettings:
        """Return the settings that :meth:`as_json` or :meth:`for_a_class` wrote."""
        radius = values.get("state_radius")
        return cls(**{**values, "state_radius": math.inf if radius is None else radius})

    def __str__(self) -> str:
        return json.dumps(self.as_json())
