"""An activity from a map that a crowd's answers made."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from homeroom.crowd import Answers, Embedding
from homeroom.live.activities import Picture, from_embedding
from homeroom.live.refused import Refused


def embedding(labels: bool = True) -> Embedding:
    rng = np.random.default_rng(0)
    person, item = np.divmod(np.arange(600), 30)
    says_yes = (item < 15) ^ (rng.random(600) < 0.1)
    truth = {name: 1.0 if name < 15 else -1.0 for name in range(28)} if labels else None
    answers = Answers.from_arrays(person, item, says_yes, labels=truth)
    return Embedding.fit(answers, dimensions=1)


def test_the_items_of_a_map_become_an_activity(tmp_path: Path) -> None:
    found = embedding()
    found.save(tmp_path / "map.npz")
    picture = Picture("image/png", b"x")
    activity, pictures = from_embedding(
        tmp_path / "map.npz", name="Ducks", question="A duck?", pictures={"3": picture}
    )
    assert (activity.name, activity.question) == ("Ducks", "A duck?")
    assert len(activity.items) == 30
    assert activity.item_of["3"].picture
    assert activity.item_of["4"].text == "4"
    assert activity.item_of["29"].label is None
    assert pictures == {"3": picture}
    assert activity.space is not None
    assert 20 <= len(activity.space.ids) <= 28
    assert from_embedding(found).activity.places == activity.places


def test_a_map_without_labels_cannot_be_taught() -> None:
    with pytest.raises(Refused, match="No item has an expert's label"):
        from_embedding(embedding(labels=False))


def test_a_file_that_is_no_map_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="There is no file"):
        from_embedding(tmp_path / "nothing.npz")
