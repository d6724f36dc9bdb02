"""Merging camps of like-minded students, two at a time, by what that costs or by likeness."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from homeroom._arrays import Floats
from homeroom.advice.foresight import Foresight
from homeroom.advice.parts import Group
from homeroom.advice.ways import Ways, both, either


@dataclass(frozen=True, eq=False)
class Node:
    """Camps that were merged, and the ways to teach them."""

    camps: tuple[int, ...]
    ways: Ways


Within = Callable[[Foresight, tuple[int, ...]], Ways]
Prefer = Callable[[Foresight, Node, list[Node]], Floats]


def merge_camps(foresight: Foresight, within: Within, prefer: Prefer) -> Ways:
    """Return ways to make groups of camps, which are merged step by step, two at a time.

    The ways are all cuts through the tree of merges.

    Parameters
    ----------
    foresight
        The class, and what its groups would need.
    within
        Gives the ways to teach some camps that are not split further into camps.
    prefer
        Says how much is to be said for merging a node with each of the others; those with most are
        merged first, and those with minus infinity never.
    """
    camps = range(len(foresight.parts.sizes))
    nodes = [Node((camp,), within(foresight, (camp,))) for camp in camps]
    scores = np.full((len(nodes), len(nodes)), -np.inf)
    for place in range(1, len(nodes)):
        scores[place, :place] = prefer(foresight, nodes[place], nodes[:place])
    while scores.max() > -np.inf:
        right, left = divmod(int(scores.argmax()), len(nodes))
        merged = _merged(foresight, nodes[left], nodes[right], within)
        for gone in (right, left):  # the later of the two first
            del nodes[gone]
            scores = np.delete(np.delete(scores, gone, axis=0), gone, axis=1)
        scores = np.pad(scores, ((0, 1), (0, 1)), constant_values=-np.inf)
        if nodes:
            scores[-1, :-1] = prefer(foresight, merged, nodes)
        nodes.append(merged)
    return reduce(both, (node.ways for node in nodes))


def _merged(foresight: Foresight, left: Node, right: Node, within: Within) -> Node:
    camps = _united(left, right)
    return Node(camps, either([both(left.ways, right.ways), within(foresight, camps)]))


def by_cost(foresight: Foresight, node: Node, others: list[Node]) -> Floats:
    """Prefer to merge camps for which it pays at the highest lambda.

    Merging saves the teacher rounds and costs the students work, which pays for every lambda below
    ``rounds saved / work added`` (times the number of students). What saves nothing is left apart.
    """
    cells = foresight.parts.cells
    groups = [Group(_united(node, other), 0, cells) for other in others]
    apart, work_apart = np.transpose(
        [np.add(_fewest(foresight, node), _fewest(foresight, other)) for other in others]
    )
    rounds = foresight.rounds(groups, apart - 1)
    work = rounds * [foresight.parts.students(group) for group in groups]
    with np.errstate(divide="ignore"):
        pays = (apart - rounds) / np.maximum(work - work_apart, 0)
    return np.where(rounds >= 0, pays, -np.inf)


def _fewest(foresight: Foresight, node: Node) -> tuple[int, int]:
    """Return rounds and work of a node's shortest way; what any group needs less than if none."""
    if len(node.ways):
        return int(node.ways.rounds[0]), int(node.ways.work[0])
    return foresight.max_rounds + 1, 0


def by_likeness(foresight: Foresight, node: Node, others: list[Node]) -> Floats:
    """Prefer to merge camps that know about the same (Ward's distance)."""
    centres, sizes = foresight.camp_centres, foresight.parts.sizes.sum(axis=1)

    def centre(camps: tuple[int, ...]) -> tuple[Floats, int]:
        mine = list(camps)
        return np.average(centres[mine], axis=0, weights=sizes[mine]), int(sizes[mine].sum())

    here, number = centre(node.camps)
    found = [centre(other.camps) for other in others]
    apart = np.array([((there - here) ** 2).sum() for there, _ in found])
    weights = np.array([number * size / (number + size) for _, size in found])
    likeness: Floats = -apart * weights
    return likeness


def _united(left: Node, right: Node) -> tuple[int, ...]:
    return tuple(sorted((*left.camps, *right.camps)))
