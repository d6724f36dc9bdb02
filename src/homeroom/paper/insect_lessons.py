"""What is measured of the insects' crowd: its map, and what its classes are shown."""

from __future__ import annotations

from typing import Any

from homeroom.goals import AverageGoal
from homeroom.groups import AsGiven, WholeClass
from homeroom.lessons import Record, teach
from homeroom.paper.cells import Row
from homeroom.paper.insect_crowd import TYPES, Crowd, class_of_types, crowd_for
from homeroom.paper.settings import Settings
from homeroom.teachers import PoolTeacher


def insect_map(settings: dict[str, Any], seed: int) -> list[Row]:
    """Return where insects, workers and target are (figures 4a and 4b)."""
    crowd = crowd_for(Settings.from_json(settings), seed)
    insects = [
        {"kind": "insect", "who": name, "type": species, "x": float(x), "y": float(y)}
        for name, species, (x, y) in zip(
            crowd.insects.names, crowd.insects.species, crowd.places, strict=True
        )
    ]
    people = crowd.insects.answers.people
    workers = [
        {"kind": "worker", "who": who, "type": str(kind), "school": school, **_rule(state)}
        for who, kind, school, state in zip(
            people, crowd.types, crowd.insects.schools, crowd.states, strict=True
        )
    ]
    return [*insects, *workers, {"kind": "target", "who": "target", **_rule(crowd.target)}]


def _rule(state: Any) -> dict[str, float]:
    x, y, bias = (float(value) for value in state)
    return {"x": x, "y": y, "bias": bias}


def insects_shown(settings: dict[str, Any], seed: int) -> list[Row]:
    """Teach a class of all four types together and by type, and note what is shown (figure 4c)."""
    chosen = Settings.from_json(settings)
    crowd = crowd_for(chosen, seed)
    room, types = class_of_types(chosen, len(TYPES), seed)
    teacher, goal = PoolTeacher(crowd.pool), AverageGoal(chosen.crowd_eps)
    together = teach(room, teacher=teacher, goal=goal, groups=WholeClass())
    by_type = teach(room, teacher=teacher, goal=goal, groups=AsGiven(types))
    lessons = {"CT": together, **dict(zip(sorted(TYPES), by_type.groups, strict=True))}
    return [row for who, record in lessons.items() for row in _shown(crowd, record, who, seed)]


def _shown(crowd: Crowd, record: Record, who: str, seed: int) -> list[Row]:
    return [
        {"seed": seed, "who": who, "round": number, "item": item, "species": species}
        for number, item in enumerate(record.examples.items.tolist())
        for species in (crowd.insects.species[item],)
    ]
