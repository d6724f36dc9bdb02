"""The search for the best groups: its time, and what it saves.

``python -m benchmarks best_groups`` measures the time. ``python -m benchmarks.best_groups`` prints
the cost of the best groups and of the standard ones, on classes like the paper's.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import cache
from statistics import median

import numpy as np

from benchmarks.timing import Line, Work, take_turns
from homeroom import (
    BestGroups,
    ByRate,
    Classroom,
    EveryoneGoal,
    Frontier,
    Individuals,
    WholeClass,
    frontier,
    teach,
)
from homeroom.advice.group_rounds import CandidateGroup, parts_of

DIVERSITIES = (0.15, 0.5, 0.9, 4.9)
LAMBDAS = (0.0, 0.3, 1.0, 3.0, 10.0, 30.0)
SEEDS = range(10)
ALLOWED = "allowed"


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    few = Classroom.sample(rates=(0.1, 0.6))
    ours, theirs = take_turns(lambda: frontier(few, by="rate"), every_group(few), turns=3)
    yield Line(
        "rounds of 300 groups predicted, all splits found", ours, "each taught", theirs, faster=True
    )
    for diversity in DIVERSITIES:
        room = Classroom.sample(rates=(0.1, 0.1 + diversity))
        (seconds,) = take_turns(search(room), turns=3)
        what = f"best groups of 300, diversity {diversity:g}"
        yield Line(what, seconds, ALLOWED, 3.0, 1.0)
    for by in ("knowledge", "both"):
        (seconds,) = take_turns(lambda by=by: frontier(few, by=by), turns=2)  # type: ignore[misc]
        yield Line(f"best groups of 300 by {by}, diversity 0.5", seconds, ALLOWED, 3.0, 1.0)
    for rates in ((0.05, 0.25), (0.1, 5.0)):
        (seconds,) = take_turns(search(Classroom.sample(1_000_000, rates=rates)), turns=1)
        what = f"best groups of 1,000,000, rates {rates[0]:g} to {rates[1]:g}"
        yield Line(what, seconds, ALLOWED, 30.0, 1.0)
    (seconds,) = take_turns(search(Classroom.sample(1_000_000), by="both"), turns=1)
    yield Line("best groups of 1,000,000 by both", seconds, ALLOWED, 60.0, 1.0)


def search(room: Classroom, by: str = "rate") -> Work:
    """Return work that splits a class."""
    return lambda: BestGroups(1.0, by=by).split(room, np.random.default_rng(0))


def every_group(room: Classroom) -> Work:
    """Return work that teaches every group of neighbouring cells, one after the other."""
    parts = parts_of(room, "rate", 24, np.random.default_rng(0))

    def work() -> None:
        for last in range(1, parts.cells + 1):
            for first in range(last):
                teach(room.subset(parts.members(CandidateGroup((0,), first, last))))

    return work


def main() -> None:
    """Print what the best groups cost, and how close the search comes."""
    _against_the_usual_groups()
    _against_all_partitions()
    _with_other_cells()
    _the_last_student()


def _against_the_usual_groups() -> None:
    print("Medians of ten classes like the paper's:\n")
    print("| diversity | λ | whole | doubling | alone | best | to doubling | to cheapest |")
    print("|---|---|---|---|---|---|---|---|")
    for diversity in DIVERSITIES:
        rooms = [Classroom.sample(rates=(0.1, 0.1 + diversity), seed=seed) for seed in SEEDS]
        usual = [
            [teach(room, groups=groups) for groups in (WholeClass(), ByRate(), Individuals())]
            for room in rooms
        ]
        found = [frontier(room, by="rate") for room in rooms]
        for lam in LAMBDAS:
            costs = np.array([[way.cost(lam) for way in ways] for ways in usual])
            best = np.array([ways.best(lam).cost(lam) for ways in found])
            cells = [f"{median(column):.0f}" for column in (*costs.T, best)]
            ratios = [f"{median(best / other):.2f}" for other in (costs[:, 1], costs.min(axis=1))]
            print(f"| {' | '.join([f'{diversity:g}', f'{lam:g}', *cells, *ratios])} |")


def _against_all_partitions(students: int = 7) -> None:
    above: dict[str, list[float]] = {"rate": [], "knowledge": [], "both": []}
    for seed in range(12):
        room = Classroom.sample(
            students, 3, rates=(0.05, 0.5), seed=seed, clusters=1 + seed % 3, spread=0.3
        )

        @cache
        def rounds(group: tuple[int, ...], room: Classroom = room) -> int:
            return teach(room.subset(np.array(group))).rounds

        pairs = [
            (sum(map(rounds, groups)), sum(len(group) * rounds(group) for group in groups))
            for groups in partitions(students)
        ]
        for by, ratios in above.items():
            ways = frontier(room, by=by)
            for lam in (0.0, 1.0, 5.0):
                least = min(T + lam * work / students for T, work in pairs)
                ratios.append(ways.best(lam).cost(lam) / least)
    print(f"\nAgainst the best of all {len(pairs)} partitions of {students} students:\n")
    for by, ratios in above.items():
        exact = sum(ratio < 1 + 1e-9 for ratio in ratios)
        print(f"- {by}: the best {exact} times of {len(ratios)}, at most {max(ratios):.2f} of it")


def partitions(students: int) -> Iterator[list[tuple[int, ...]]]:
    """Yield all ways to split students into groups."""
    if students == 0:
        yield []
        return
    for groups in partitions(students - 1):
        yield [*groups, (students - 1,)]
        for place, group in enumerate(groups):
            yield [*groups[:place], (*group, students - 1), *groups[place + 1 :]]


def _with_other_cells() -> None:
    print("\nWith more and fewer cells, to the cost with 24 (ten classes, three weights):\n")
    rooms = [
        Classroom.sample(rates=(0.1, 0.1 + diversity), seed=seed)
        for diversity in (0.5, 4.9)
        for seed in range(5)
    ]
    weights = (0.3, 1.0, 3.0)
    usual = np.array([_costs(frontier(room, by="rate"), weights) for room in rooms])
    for cells in (6, 12, 24, 36):
        began = time.perf_counter()
        found = [frontier(room, by="rate", cells=cells) for room in rooms]
        costs = np.array([_costs(ways, weights) for ways in found])
        seconds = (time.perf_counter() - began) / len(rooms)
        ratios = costs / usual
        print(f"- {cells}: {ratios.mean():.3f} (at most {ratios.max():.3f}), {seconds:.2f} s")


def _costs(ways: Frontier, weights: Sequence[float]) -> list[float]:
    return [ways.best(lam).cost(lam) for lam in weights]


def _the_last_student() -> None:
    print("\nEveryoneGoal(0.5), 20,000 students, λ = 3: rounds foreseen, and in earnest\n")
    goal = EveryoneGoal(0.5)
    for rates in ((0.05, 0.25), (0.1, 0.6), (0.1, 5.0)):
        room = Classroom.sample(20_000, rates=rates)
        split = frontier(room, by="rate", goal=goal).best(3.0)
        record = teach(room, groups=split.grouping, goal=goal, engine="exact")
        print(f"- rates {rates[0]:g} to {rates[1]:g}: {split.rounds}, {record.rounds}")


if __name__ == "__main__":
    main()
