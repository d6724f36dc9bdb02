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
from homeroom.lessons import Progress


@pytest.fixture(scope="module")
def room() -> Classroom:
    return Classroom.sample(students=40, dimensions=4, rates=(0.1, 0.6))


def test_the_usual_ways_are_compared(room: Classroom) -> None:
    table = compare(room, frontier=False)
    assert [way.name for way in table.ways] == [
        "whole class",
        "by rate",
        "at random",
        "individuals",
    ]
    assert [way.groups for way in table.ways] == [1, 3, 3, 40]
    assert table.frontier is None


def test_a_class_of_equals_is_not_split_by_rate() -> None:
    room = Classroom.sample(students=10, dimensions=2, rates=(0.2, 0.2))
    table = compare(room, frontier=False)
    assert [way.name for way in table.ways] == ["whole class", "individuals"]


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


@pytest.mark.slow
def test_with_given_ways_the_best_groups_are_searched_for_only_on_request(room: Classroom) -> None:
    ways = {"all": WholeClass()}
    assert compare(room, ways=ways).frontier is None
    table = compare(room, ways=ways, frontier=True, lambdas=(2.0,))
    assert table.frontier is not None
    assert [way.name for way in table.ways] == ["all", "best for λ=2"]


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


@pytest.mark.slow
def test_progress_is_reported_over_all_ways() -> None:
    seen: list[Progress] = []
    room = Classroom.sample(students=60, dimensions=12, rates=(0.05, 0.25))
    compare(room, progress=seen.append)
    shares = [progress.done for progress in seen]
    assert shares == sorted(shares)
    assert 0 < shares[0] <= shares[-1] <= 1


def test_negative_weights_and_no_ways_are_refused(room: Classroom) -> None:
    with pytest.raises(
        ValueError, match="`lambdas` must be finite and not negative, but one is -1"
    ):
        compare(room, lambdas=(-1,))
    with pytest.raises(TypeError, match="`lambdas` must be numbers, as in"):
        compare(room, lambdas=3)  # type: ignore[arg-type]  # what a user might try
    with pytest.raises(ValueError, match="`ways` must name at least one grouping"):
        compare(room, ways={})
