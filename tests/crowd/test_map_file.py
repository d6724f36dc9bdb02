"""A map on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom.crowd import Embedding


@pytest.fixture(scope="module")
def found(crowds: Callable[..., Any]) -> Embedding:
    fitted = Embedding.fit(crowds(items=30, people=20).answers, dimensions=2)
    names = ("Zoë, 3rd\n", *fitted.item_names[1:])
    labels = np.append(fitted.labels[:-1], np.nan)
    return replace(
        fitted,
        item_names=names,
        labels=labels,
        warnings=("One.", "Two."),
        held_out={1: 0.5, 2: 0.4},
    )


@pytest.fixture
def parts(found: Embedding, tmp_path: Path) -> dict[str, Any]:
    """The contents of a map's file."""
    found.save(tmp_path / "map.npz")
    with np.load(tmp_path / "map.npz") as file:
        return dict(file)


def test_a_saved_map_is_loaded_unchanged(found: Embedding, tmp_path: Path) -> None:
    found.save(tmp_path / "map.npz")
    again = Embedding.load(tmp_path / "map.npz")
    for name in ("items", "people", "thresholds", "labels"):
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name))
    for name in ("item_names", "person_names", "log_loss", "held_out", "warnings", "dimensions"):
        assert getattr(again, name) == getattr(found, name)
    np.testing.assert_array_equal(again.uncertainty.items, found.uncertainty.items)
    np.testing.assert_array_equal(again.uncertainty.people, found.uncertainty.people)
    assert again.uncertainty.joint


def test_nothing_in_it_is_a_pickle(parts: dict[str, Any]) -> None:
    assert not any(array.dtype.hasobject for array in parts.values())


def test_the_ending_determines_the_format(found: Embedding, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"map.csv must end in .npz, the format of maps"):
        found.save(tmp_path / "map.csv")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"There is no file .*map.npz"):
        Embedding.load(tmp_path / "map.npz")


def test_a_file_that_is_not_an_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "map.npz").write_bytes(b"not a map")
    with pytest.raises(ValueError, match="cannot be read: it is damaged or cut off"):
        Embedding.load(tmp_path / "map.npz")


def changed(parts: dict[str, Any], **rest: Any) -> dict[str, Any]:
    """Return the parts with another description."""
    text = json.loads(bytes(parts["embedding"])) | rest
    return parts | {"embedding": np.frombuffer(json.dumps(text).encode(), dtype=np.uint8)}


def refused(parts: dict[str, Any], tmp_path: Path, match: str) -> None:
    np.savez(tmp_path / "bad.npz", **parts)
    with pytest.raises(ValueError, match=f"bad.npz is not a map of a crowd: {match}"):
        Embedding.load(tmp_path / "bad.npz")


@pytest.mark.parametrize(
    ("rest", "match"),
    [
        ({"format": 99}, "it has format 99, but this version reads 2"),
        ({"format": 1}, "it was written by version 0.1. Open and save it with 0.2 first"),
        ({"item_names": "abc"}, "`item_names` must be a list of texts"),
        ({"person_names": [1, 2]}, "`person_names` must be a list of texts"),
        ({"item_names": ["a"]}, r"`items` must be floats of shape \(1, 2\), but has shape"),
        ({"log_loss": "x"}, "its log loss must be a number, but is 'x'"),
        ({"log_loss": True}, "its log loss must be a number, but is True"),
        ({"held_out": {"x": 1.0}}, "invalid literal"),
        ({"held_out": [1.0]}, "'list' object has no attribute"),
        ({"warnings": None}, "`warnings` must be a list of texts"),
        ({"joint": 1}, "`joint` must be true or false, but is 1"),
    ],
)
def test_an_invalid_description_is_refused(
    rest: dict[str, Any], match: str, parts: dict[str, Any], tmp_path: Path
) -> None:
    refused(changed(parts, **rest), tmp_path, match)


@pytest.mark.parametrize(
    ("name", "value", "match"),
    [
        ("items", np.zeros(3), r"`items` must have one row per item, but has shape \(3,\)"),
        ("people", np.zeros((1, 2)), r"`people` must be floats of shape \(20, 2\), but has shape"),
        ("thresholds", np.zeros(20, dtype=np.int64), r"`thresholds` must be floats .* int64"),
        ("thresholds", np.full(20, np.nan), "`thresholds` must be finite"),
        ("labels", np.zeros(3), "`labels` must be one number for each of the 30 items"),
        ("labels", np.full(30, 0.5), r"`labels` must be \+1, -1, or nan"),
        ("item_covariances", np.zeros((30, 3, 3)), "`item_covariances` must be floats of shape"),
        ("embedding", np.zeros(3, dtype=np.uint8), "Expecting value"),
    ],
)
def test_arrays_that_do_not_belong_together_are_refused(
    name: str, value: Any, match: str, parts: dict[str, Any], tmp_path: Path
) -> None:
    refused(parts | {name: value}, tmp_path, match)


@pytest.mark.parametrize("name", ["embedding", "items", "person_covariances"])
def test_a_missing_part_is_named(name: str, parts: dict[str, Any], tmp_path: Path) -> None:
    del parts[name]
    refused(parts, tmp_path, f"it has no '{name}'")


def test_a_map_written_by_version_0_2_is_read() -> None:
    found = Embedding.load(Path(__file__).parents[1] / "data" / "0.2" / "map.npz")
    assert repr(found) == "Embedding(12 items, 8 annotators, 1 dimension, log loss 0.419)"
    assert found.item_names[:2] == ("i0", "i1")
    assert found.held_out == pytest.approx({0: 0.7527, 1: 0.6274, 2: 0.6584}, abs=1e-4)
    assert found.probability("p0", "i0") == pytest.approx(0.5236, abs=1e-4)
    assert found.uncertainty.joint
    assert len(found.groups(2)) == 8
