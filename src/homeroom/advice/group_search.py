"""The search for the best groups: by rate, by knowledge, or by both.

The class is divided into *cells*, narrow intervals of rates, and *clusters* of students with
similar states. A candidate group has the students of some clusters in neighbouring cells. A split
divides students into such groups and students taught alone. Its rounds are the sum over the groups,
and its work is the sum over the students of the rounds they see. A split is *undominated* if no
other is at least as good in both, and better in one. A ``ParetoSet`` holds undominated splits of
the same students, ``cross_sum`` combines those of two sets of students, and ``union`` merges
several sets for the same students.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.advice.group_rounds import CandidateGroup, GroupRounds
from homeroom.advice.pareto import EMPTY, NO_STUDENTS, ParetoSet, cross_sum, single, union
from homeroom.engines.batch import NEVER
from homeroom.groups import ByRate

MAX_INTERVALS = 6
"""Largest number of rate intervals into which a part of the class is cut."""


def cut_by_rate(group_rounds: GroupRounds, clusters: tuple[int, ...]) -> ParetoSet:
    """Return the undominated splits of some clusters into groups of neighbouring rates.

    Dynamic programming over the cuts of :func:`cuts_of`. A split up to a cut ends either with a
    group that starts at any earlier cut, or with one interval of students taught alone; the rest is
    a split up to the start of that last part. It is exact for these cuts.
    """
    cuts = cuts_of(group_rounds, clusters)
    rounds = _rounds_between(group_rounds, clusters, cuts)
    upto = [NO_STUDENTS]
    for last in range(1, len(cuts)):
        interval = CandidateGroup(clusters, cuts[last - 1], cuts[last])
        kinds = [cross_sum(upto[-1], split_alone(group_rounds, interval))]
        for first in range(last):
            group = CandidateGroup(clusters, cuts[first], cuts[last])
            as_one = split_together(group_rounds, group, rounds[first, last])
            kinds.append(cross_sum(upto[first], as_one))
        upto.append(union(kinds))
    return upto[-1]


def cuts_of(group_rounds: GroupRounds, clusters: tuple[int, ...]) -> list[int]:
    """Return the cuts of some clusters, as cell indices, including both ends.

    The whole class may be cut between any two cells. Fewer clusters are cut into at most
    ``MAX_INTERVALS`` intervals of roughly equal numbers of students; an interval can be smaller if
    a single cell is large.
    """
    sizes = group_rounds.parts.sizes  # (clusters, cells)
    mine = sizes[list(clusters)].sum(axis=0)
    if len(clusters) == len(sizes):
        return [*range(len(mine) + 1)]
    enough = math.ceil(max(sizes.sum() / len(mine), mine.sum() / MAX_INTERVALS))
    before = np.cumsum(mine) - mine
    interval = np.minimum(before // enough, max(1, mine.sum() // enough) - 1)
    return [0, *(np.flatnonzero(np.diff(interval)) + 1).tolist(), len(mine)]


def _rounds_between(group_rounds: GroupRounds, clusters: tuple[int, ...], cuts: list[int]) -> Ints:
    """Return the rounds of each group of neighbouring intervals, shape ``(cuts, cuts)``.

    Entry ``[i, j]`` is the group from cut i to cut j; ``NEVER`` where it is not useful, or has
    fewer than two students.

    A group is useful only if it needs no more rounds than the shortest split of the same students:
    the work of a split is at most its rounds times the students, so a split with fewer rounds has
    less work, too. So short groups are computed first, and a longer group is simulated only up to
    the rounds of its shortest split. This excludes no undominated split.
    """
    number = len(cuts) - 1
    rounds = np.full((number + 1, number + 1), NEVER, dtype=np.int64)
    fewest = np.full((number + 1, number + 1), np.inf)
    for length in range(1, number + 1):
        firsts = np.arange(number + 1 - length)
        lasts = firsts + length
        groups = [
            CandidateGroup(clusters, cuts[i], cuts[j]) for i, j in zip(firsts, lasts, strict=True)
        ]
        shortest = np.array([_alone_rounds(group_rounds, group) for group in groups])
        for part in range(1, length):
            rest = fewest[firsts, firsts + part] + fewest[firsts + part, lasts]
            shortest = np.minimum(shortest, rest)
        limits = np.minimum(shortest, group_rounds.max_rounds).astype(np.int64)
        several = np.array([group_rounds.parts.students(group) > 1 for group in groups])
        found = np.full(len(groups), NEVER, dtype=np.int64)
        found[several] = group_rounds.count_rounds(
            [group for group, is_several in zip(groups, several, strict=True) if is_several],
            limits[several],
        )
        rounds[firsts, lasts] = found
        fewest[firsts, lasts] = np.where(found >= 0, np.minimum(found, shortest), shortest)
    return rounds


def split_together(group_rounds: GroupRounds, group: CandidateGroup, rounds: int) -> ParetoSet:
    """Return a set with one split: all students of a group are taught as one group.

    It is an empty set if ``rounds`` is ``NEVER``.
    """
    return single(group, int(rounds), group_rounds.parts.students(group))


def split_alone(group_rounds: GroupRounds, group: CandidateGroup) -> ParetoSet:
    """Return a set with one split: each student of a group is taught alone.

    It is an empty set if one of them never reaches the goal.
    """
    rounds = _alone_rounds(group_rounds, group)
    if math.isinf(rounds):
        return EMPTY
    return single(group, int(rounds), group_rounds.parts.students(group), alone=True)


def _alone_rounds(group_rounds: GroupRounds, group: CandidateGroup) -> float:
    """Return the total rounds of the group's students, each taught alone.

    It is infinite if one never reaches the goal.
    """
    rounds = group_rounds.alone[list(group.clusters), group.first : group.last]
    return math.inf if (rounds < 0).any() else float(rounds.sum())


@dataclass(frozen=True, eq=False)
class MergeNode:
    """A node of the tree of merges: one or more clusters, and the splits of their students."""

    clusters: tuple[int, ...]
    splits: ParetoSet


Within = Callable[[GroupRounds, tuple[int, ...]], ParetoSet]
"""Returns splits of the students of some clusters.

A group may mix all of these clusters, perhaps only in an interval of rates; other students are
taught alone.
"""

MergeScore = Callable[[GroupRounds, MergeNode, list[MergeNode]], Floats]
"""Returns a score for merging a node with each of some others."""


def merge_clusters(group_rounds: GroupRounds, within: Within, merge_score: MergeScore) -> ParetoSet:
    """Return splits of the class into groups of clusters, found by merging two at a time.

    The merges form a tree. A node's splits are those of its two children, combined, and those that
    ``within`` returns; the undominated ones are kept.

    Parameters
    ----------
    group_rounds
        The class, and the rounds its groups need.
    within
        Returns splits of the students of some clusters. A group may mix all of these clusters,
        perhaps only in an interval of rates; other students are taught alone.
    merge_score
        Returns a score for merging a node with each of the others. The pair with the highest score
        is merged first; one with minus infinity never is.
    """
    clusters = range(len(group_rounds.parts.sizes))
    nodes = [MergeNode((cluster,), within(group_rounds, (cluster,))) for cluster in clusters]
    scores = np.full((len(nodes), len(nodes)), -np.inf)
    for place in range(1, len(nodes)):
        scores[place, :place] = merge_score(group_rounds, nodes[place], nodes[:place])
    while scores.max() > -np.inf:
        right, left = divmod(int(scores.argmax()), len(nodes))
        merged = _merge_nodes(group_rounds, nodes[left], nodes[right], within)
        for gone in (right, left):  # delete the later one first
            del nodes[gone]
            scores = np.delete(np.delete(scores, gone, axis=0), gone, axis=1)
        scores = np.pad(scores, ((0, 1), (0, 1)), constant_values=-np.inf)
        if nodes:
            scores[-1, :-1] = merge_score(group_rounds, merged, nodes)
        nodes.append(merged)
    return reduce(cross_sum, (node.splits for node in nodes))


def _merge_nodes(
    group_rounds: GroupRounds, left: MergeNode, right: MergeNode, within: Within
) -> MergeNode:
    """Return the node of two merged nodes, with the undominated splits of its students."""
    clusters = _unite_clusters(left, right)
    return MergeNode(
        clusters, union([cross_sum(left.splits, right.splits), within(group_rounds, clusters)])
    )


def by_cost(group_rounds: GroupRounds, node: MergeNode, others: list[MergeNode]) -> Floats:
    """Score a merge by the highest lambda at which it reduces the cost.

    Merging saves rounds and adds work for the students. It pays for every lambda below
    ``rounds saved / work added`` (times the number of students), and always if it adds no work.
    A merge that saves no rounds scores minus infinity, unless the two nodes need no rounds at all.
    The number of students is left out, as it changes no order.
    """
    cells = group_rounds.parts.cells
    groups = [CandidateGroup(_unite_clusters(node, other), 0, cells) for other in others]
    apart, work_apart = np.transpose(
        [
            np.add(_shortest_split(group_rounds, node), _shortest_split(group_rounds, other))
            for other in others
        ]
    )
    rounds = group_rounds.count_rounds(groups, np.maximum(apart - 1, 0))
    work = rounds * [group_rounds.parts.students(group) for group in groups]
    added = np.maximum(work - work_apart, 0)
    break_even = np.where(added > 0, (apart - rounds) / np.maximum(added, 1), np.inf)
    return np.where(rounds >= 0, break_even, -np.inf)


def _shortest_split(group_rounds: GroupRounds, node: MergeNode) -> tuple[int, int]:
    """Return rounds and work of a node's shortest split.

    If it has none, the rounds are one more than any group may take.
    """
    if len(node.splits):
        return int(node.splits.rounds[0]), int(node.splits.work[0])
    return group_rounds.max_rounds + 1, 0


def by_similarity(group_rounds: GroupRounds, node: MergeNode, others: list[MergeNode]) -> Floats:
    """Score a merge by the similarity of the states: minus Ward's distance of the clusters."""
    centres, sizes = group_rounds.cluster_centres, group_rounds.parts.sizes.sum(axis=1)

    def centre_and_size(clusters: tuple[int, ...]) -> tuple[Floats, int]:
        mine = list(clusters)
        return np.average(centres[mine], axis=0, weights=sizes[mine]), int(sizes[mine].sum())

    here, number = centre_and_size(node.clusters)
    found = [centre_and_size(other.clusters) for other in others]
    apart = np.array([((there - here) ** 2).sum() for there, _ in found])
    weights = np.array([number * size / (number + size) for _, size in found])
    similarity: Floats = -apart * weights
    return similarity


def _unite_clusters(left: MergeNode, right: MergeNode) -> tuple[int, ...]:
    """Return the clusters of both nodes, ascending."""
    return tuple(sorted((*left.clusters, *right.clusters)))


def find_splits(group_rounds: GroupRounds, by: str) -> ParetoSet:
    """Return the undominated splits among the candidates.

    It is an empty set if no split reaches the goal. Sets ``group_rounds.expected``, which progress
    is relative to.

    Parameters
    ----------
    group_rounds
        The class, and the rounds its groups need.
    by
        ``"rate"``: every grouping of neighbouring cells. ``"knowledge"``: clusters, merged step by
        step. ``"both"``: merged clusters that may also be cut by rate. The whole class, the
        paper's doubling bins and individuals are always among the candidates.
    """
    whole_class = group_rounds.parts.whole_class
    if by == "rate":
        group_rounds.expected = _interval_count(whole_class.last)
        return cut_by_rate(group_rounds, whole_class.clusters)
    clusters = len(whole_class.clusters)
    group_rounds.expected = clusters**2 + (
        3 * _interval_count(whole_class.last) if by == "both" else 0
    )
    within = cut_by_rate if by == "both" else _together_or_alone
    return union(
        [
            merge_clusters(group_rounds, _together_or_alone, by_cost),
            merge_clusters(group_rounds, within, by_similarity),
            _in_doubling_bins(group_rounds),
        ]
    )


def _together_or_alone(group_rounds: GroupRounds, clusters: tuple[int, ...]) -> ParetoSet:
    """Return the splits of some clusters into one group, or into students taught alone."""
    group = CandidateGroup(clusters, 0, group_rounds.parts.cells)
    (rounds,) = group_rounds.count_rounds([group])
    return union([split_together(group_rounds, group, rounds), split_alone(group_rounds, group)])


def _in_doubling_bins(group_rounds: GroupRounds) -> ParetoSet:
    """Return the paper's groups by rate, each within a factor of two, as one split."""
    parts, clusters = group_rounds.parts, group_rounds.parts.whole_class.clusters
    bin_of = np.zeros(parts.cells, dtype=np.int64)
    bin_of[parts.cell_of] = ByRate().split(group_rounds.room, np.random.default_rng(0))
    # Cells have ascending rates, and each is in one bin.
    edges = np.searchsorted(bin_of, np.arange(int(bin_of[-1]) + 2)).tolist()
    groups = [CandidateGroup(clusters, first, last) for first, last in pairwise(edges)]
    rounds = group_rounds.count_rounds(groups)
    return reduce(cross_sum, map(partial(split_together, group_rounds), groups, rounds))


def _interval_count(cells: int) -> int:
    """Return how many intervals of neighbouring cells there are."""
    return cells * (cells + 1) // 2
