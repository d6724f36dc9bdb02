import numpy as np
import pytest

from homeroom.paper import Settings
from homeroom.paper.classes import (
    class_in_a_subspace,
    class_with_diverse_knowledge,
    class_with_diverse_rates,
    mixed_class,
)


def test_the_class_of_figure_3a_is_the_one_that_classroom_samples() -> None:
    room = mixed_class(Settings(), 0)
    assert room.states.shape == (300, 25)
    assert 0.05 <= room.rates.min() < room.rates.max() <= 0.25
    assert np.linalg.norm(room.target) == pytest.approx(1.0)


def test_diversity_is_the_width_of_the_rates() -> None:
    assert np.ptp(class_with_diverse_rates(Settings(), 0.0, 0).rates) == 0.0
    wide = class_with_diverse_rates(Settings(), 0.5, 0).rates
    assert 0.1 <= wide.min() < 0.12
    assert 0.58 < wide.max() <= 0.6


@pytest.mark.parametrize("law", ["normal", "uniform"])
def test_both_laws_have_the_same_spread(law: str) -> None:
    states = mixed_class(Settings(states=law, spread=2.0), 0).states
    assert states.std() == pytest.approx(2.0, rel=0.03)
    assert (np.abs(states).max() <= np.sqrt(12.0)) == (law == "uniform")


def test_a_ball_holds_states_and_target() -> None:
    room = mixed_class(Settings(state_radius=2.0, target_length=3.0), 0)
    assert np.linalg.norm(room.states, axis=1).max() <= 2.0 + 1e-9
    assert np.linalg.norm(room.target) == pytest.approx(2.0)


def test_clusters_lie_on_axes_of_their_own() -> None:
    room, cluster_of = class_with_diverse_knowledge(Settings(), 3, 0)
    assert np.bincount(cluster_of).tolist() == [100, 100, 100]
    for cluster in range(3):
        centre = room.states[cluster_of == cluster].mean(axis=0)
        assert centre[cluster] == pytest.approx(3.0, abs=0.1)
        assert np.abs(np.delete(centre, cluster)).max() < 0.1
    assert np.ptp(room.rates) == 0.0
    wide, _ = class_with_diverse_knowledge(Settings(knowledge_width=0.5), 3, 0)
    assert 0.4 < np.ptp(wide.rates) < 0.5


def test_a_class_can_err_in_few_directions() -> None:
    room = class_in_a_subspace(Settings(), 4, 0)
    assert np.linalg.matrix_rank(room.states - room.target) == 4
