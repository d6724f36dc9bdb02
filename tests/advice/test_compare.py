import numpy as np
import pytest
from matplotlib.axes import Axes

from homeroom import (
    AtRandom,
    BestGroups,
    Classroom,
    ClassroomTeacher,
    Individuals,
    MeanTeacher,
    WholeClass,
    _plugins,
    compare,
    teach,
)


@pytest.fixture(scope="module")
def room() -> Classroom:
    return Classroom.sample(students=40, dimensions=4, rates=(0.1, 0.6))


CLUSTERS = Classroom.sample(students=300, dimensions=10, clusters=4, spread=0.1, rates=(0.1, 0.1))
"""The class of figure 3f."""


def test_clear_clusters_are_compared_as_groups_by_knowledge() -> None:
    table = compare(CLUSTERS, frontier=False)
    assert [(way.name, way.groups) for way in table.ways] == [
        ("whole class", 1),
        ("by knowledge", 4),
        ("individuals", 300),
    ]
    assert [table.ways[1].cost(lam) for lam in (1.0, 10.0, 100.0)] == [37.5, 105.0, 780.0]
    same = Classroom(np.zeros((9, 2)), [0.1] * 9, [1.0, 1.0])
    assert "by knowledge" not in [way.name for way in compare(same, frontier=False).ways]


def test_each_way_is_the_lesson_it_stands_for(room: Classroom) -> None:
    teacher = ClassroomTeacher("dynamic")
    table = compare(room, ways={"two": AtRandom(2)}, teacher=teacher, seed=3)
    record = teach(room, groups=AtRandom(2), teacher=teacher, seed=3)
    assert table.ways[0].rounds == record.rounds
    assert table.ways[0].workload == record.workload
    assert table.ways[0].cost(7.0) == record.rounds + 7.0 * record.workload


def test_the_best_way_is_the_cheapest(room: Classroom) -> None:
    """cost(best) <= cost(any), at every lambda; heavy lambdas favour the students."""
    table = compare(room, frontier=False)
    for lam in (0.0, 0.5, 3.0, 1e4):
        assert table.best(lam).cost(lam) == min(way.cost(lam) for way in table.ways)
    assert table.best(1e6).name == "individuals"


def test_with_the_usual_ways_the_best_groups_are_searched_for(room: Classroom) -> None:
    """At every lambda asked for, the best of the ways is the best of the frontier."""
    table = compare(room, lambdas=(0, 0.5, 2, 1000))
    assert table.frontier is not None
    for lam in table.lambdas:
        assert table.best(lam).cost(lam) == pytest.approx(table.frontier.best(lam).cost(lam))
    searched = [way for way in table.ways if way.searched]
    assert searched
    assert searched == list(table.ways[4:])
    for way in searched:
        lam = float(way.name.removeprefix("best for λ="))
        assert table.best(lam) is way
        assert way.cost(lam) < min(other.cost(lam) for other in table.ways[:4])
        assert way.record.settings["groups"] == _plugins.describe(BestGroups(lam))
    assert set(table.named) == {"whole class", "by rate", "at random", "individuals"}


def test_a_long_search_is_skipped_unless_requested() -> None:
    small = Classroom.sample(students=6, dimensions=2, rates=(0.1, 0.6))
    assert compare(small, observer="noisy-states:delta=0.1").frontier is None
    assert compare(small, observer="noisy-states:delta=0.1", frontier=True).frontier is not None


def test_an_empty_frontier_adds_no_way(room: Classroom) -> None:
    table = compare(room, max_rounds=0)
    assert table.frontier is not None
    assert len(table.frontier) == 0
    assert len(table.ways) == 4
    assert isinstance(table.plot(), Axes)


def test_a_way_that_fails_is_never_best(room: Classroom) -> None:
    table = compare(
        room,
        ways={"together": WholeClass(), "alone": Individuals()},
        teacher=MeanTeacher(),
        max_rounds=60,
    )
    assert not table.ways[0].reached
    assert table.ways[0].cost(0.0) == float("inf")
    assert table.best(0.0).name == "alone"


def test_a_comparison_can_be_printed_plotted_and_converted_to_a_frame(room: Classroom) -> None:
    table = compare(room, lambdas=(0, 10), frontier=False)
    lines = str(table).splitlines()
    assert len(lines) == 5
    assert lines[0].split()[:4] == ["way", "groups", "T", "S"]
    assert str(table).count("*") == 2
    labels = [line.get_label() for line in compare(room).plot().get_lines()]
    assert labels[-2:] == ["individuals", "best groups"]
    assert "best groups" not in [line.get_label() for line in table.plot().get_lines()]
    frame = table.to_frame()
    assert list(frame["T"]) == [way.rounds for way in table.ways]
    assert np.allclose(frame["cost at 10"], [way.cost(10) for way in table.ways])
