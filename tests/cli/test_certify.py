from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from homeroom import Classroom, certify, teach
from homeroom.cli.certify import certificate_figure

if TYPE_CHECKING:
    from tests.cli.conftest import Homeroom


def test_the_proof_is_shown_next_to_the_simulation(homeroom: Homeroom) -> None:
    ran = homeroom("certify")
    assert ran.code == 0
    assert f"proved enough    {certify(Classroom.sample()).rounds}" in ran.out
    assert f"simulated        {teach(Classroom.sample()).rounds}" in ran.out
    assert "rounds are enough: Theorem 1" in ran.out


def test_the_json_has_both(homeroom: Homeroom, pupils: Path) -> None:
    document = homeroom("certify", pupils, "--groups", "by-rate", "--json").document
    certificate = document["certificate"]
    assert certificate["after_the_lesson"] is False
    assert certificate["rounds"] == sum(part["rounds"] for part in certificate["groups"])
    assert certificate["rounds"] >= document["simulation"]["rounds"]


def test_groups_are_certified_one_by_one(homeroom: Homeroom, pupils: Path) -> None:
    ran = homeroom("certify", pupils, "--groups", "by-rate")
    assert "group  students  proved  simulated" in ran.out


def test_a_pool_is_certified_after_the_lesson(
    homeroom: Homeroom, pupils: Path, tmp_path: Path
) -> None:
    np.save(tmp_path / "items.npy", np.eye(3))
    ran = homeroom("certify", pupils, "--pool", tmp_path / "items.npy")
    assert ran.code == 0
    assert "This was certified after the lesson" in ran.out


def test_where_nothing_is_proved_the_reason_is_shown(homeroom: Homeroom, tmp_path: Path) -> None:
    out = tmp_path / "none"
    ran = homeroom("certify", "--observer", "noisy-moments:delta=1", "--out", out)
    assert ran.code == 0
    assert "proved enough    none" in ran.out
    assert "No number of rounds is proved to be enough: noise may leave" in ran.out
    assert "<img " not in (out / "report.html").read_text()


@pytest.mark.slow
def test_the_folder_holds_all_files(homeroom: Homeroom, pupils: Path, tmp_path: Path) -> None:
    out = tmp_path / "proof"
    assert homeroom("certify", pupils, "--out", out).code == 0
    names = {"certificate.svg", "certificate.png", "record.npz", "report.html", "result.json"}
    assert {file.name for file in out.iterdir()} == names


def test_the_bound_is_drawn_to_its_end() -> None:
    room = Classroom.sample(students=30, dimensions=3)
    certificate, record = certify(room), teach(room)
    (ax,) = certificate_figure(certificate, record).axes
    proved = ax.get_lines()[0]
    assert proved.get_label() == "proved: never above this"
    assert len(proved.get_xdata()) == (certificate.rounds or 0) + 1  # type: ignore[arg-type]
    assert ax.get_xlim() == (0, certificate.rounds)


def test_a_long_bound_is_drawn_at_some_of_its_rounds() -> None:
    room = Classroom.sample(students=3, dimensions=2, rates=(1e-9, 2e-9))
    certificate, record = certify(room), teach(room, max_rounds=10)
    assert certificate.rounds is not None
    assert certificate.rounds > 10**8
    (ax,) = certificate_figure(certificate, record).axes
    proved, simulated, _ = ax.get_lines()
    rounds, bound = np.asarray(proved.get_xdata()), np.asarray(proved.get_ydata())
    assert rounds.tolist() == sorted(set(rounds.tolist()))
    assert (rounds[0], rounds[-1], len(rounds)) == (0, certificate.rounds, 501)
    assert bound[77] == certificate.bound(int(rounds[77]))
    assert len(simulated.get_xdata()) == 11  # type: ignore[arg-type]
    assert ax.get_xlim() == (0, certificate.rounds)


def test_students_who_learn_at_random_are_certified_by_their_expected_error(
    homeroom: Homeroom,
) -> None:
    line = ("certify", "--students", 20, "--dimensions", 2, "--learner", "langevin:beta=1e5")
    said = " ".join(homeroom(*line).out.split())
    assert "proved enough for the expected error" in said
    assert "The expected error is at most 0.0" in said
    assert "on average" not in said
    certificate = homeroom(*line, "--json").document["certificate"]
    assert certificate["statement"].startswith("The expected error is at most 0.0")
    assert certificate["in_expectation"] is True
