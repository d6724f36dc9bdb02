"""The command ``homeroom bench``, with the CPU in place of a GPU."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import pytest

from homeroom.cli import bench

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Homeroom


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (("cpu",), r"No such command 'cpu'\. Did you mean 'gpu'\? See homeroom bench --help\."),
        (("gpu", "--students", "100"), r"--students must be a whole number from 10000 on, but is"),
        (("gpu", "--students", "10000.5"), r"--students must be a whole number from 10000 on"),
        (("gpu", "--students", "inf"), r"--students must be a whole number .*, but is inf\."),
        (("gpu", "--dimensions", "0"), r"--dimensions must be at least 1, but is 0\."),
        (("gpu", "--nodes", "34"), r"--nodes must be an odd number from 3 to 513, but is 34\."),
        (("gpu", "--nodes", "515"), r"--nodes must be an odd number from 3 to 513, but is 515\."),
        (("gpu", "--seed", "-1"), r"--seed must not be negative: try --seed 0\."),
    ],
)
def test_bad_input_is_one_sentence(
    homeroom: Homeroom, asked: tuple[str, ...], sentence: str
) -> None:
    ran = homeroom("bench", *asked)
    assert ran.code == 2
    assert ran.out == ""
    assert len(ran.err.splitlines()) == 1
    assert re.match(sentence, ran.err)


def test_without_torch_the_error_names_the_install_command(
    homeroom: Homeroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    ran = homeroom("bench", "gpu")
    assert ran.code == 2
    assert "needs torch and a GPU: pip install 'homeroom[train]'." in ran.err


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


def test_without_a_gpu_the_error_says_so(
    torch: Any, homeroom: Homeroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    ran = homeroom("bench", "gpu")
    assert ran.code == 2
    assert ran.err == (
        "This benchmark needs a GPU, but torch finds none: run it on a machine with one.\n"
    )


@pytest.fixture
def cpu_as_device(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The CPU in the place of a GPU with 6 GB free."""
    monkeypatch.setattr(bench, "find_device", lambda: "cpu")
    monkeypatch.setattr(bench, "TURNS", 1)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (6_000_000_000, 8_000_000_000))


@pytest.mark.slow
@pytest.mark.usefixtures("cpu_as_device")
def test_the_result_is_a_page_or_one_document(homeroom: Homeroom, tmp_path: Path) -> None:
    asked = ("bench", "gpu", "--students", "1e4", "--dimensions", "3")
    page = homeroom(*asked)
    assert page.code == 0, page.err
    assert "10,000 students, 3 dimensions" in page.out
    assert re.search(r"lesson +\d\.\d{3} s, \d+ rounds", page.out)
    assert re.search(r"moments +right to \d\.\de-\d+, all students in float64", page.out)
    ran = homeroom(*asked, "--json", "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    document = ran.document
    assert document["students"] == 10_000
    assert document["build"]["seconds"] > 0
    assert document["off"]["all_students"] < 1e-9
    assert document["off"]["some_students"] < 1e-9
    assert document["limits"]["memory"]["share"] > 0
    assert (tmp_path / "out" / "result.json").read_text() == ran.out
    assert "10,000 students" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("cpu_as_device")
def test_students_who_do_not_fit_are_not_drawn_and_a_note_is_printed(
    homeroom: Homeroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "students_that_fit", lambda *_: 12_000)
    ran = homeroom("bench", "gpu", "--dimensions", "3", "--json")
    assert ran.document["students"] == 12_000
    assert "Note: 1,000,000,000 students do not fit into the 6 GB that are free" in ran.err
    assert "on this GPU; 12,000 are drawn." in ran.err


@pytest.mark.usefixtures("cpu_as_device")
def test_a_gpu_that_is_full_is_one_sentence(
    homeroom: Homeroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "students_that_fit", lambda *_: bench.FEWEST - 1)
    ran = homeroom("bench", "gpu")
    assert ran.code == 2
    assert ran.err == (
        "Only 6.0 GB of the GPU's memory are free, which is not enough: stop other programs "
        "that use it.\n"
    )


def test_the_help_has_an_example(homeroom: Homeroom) -> None:
    help_text = homeroom("bench", "gpu", "--help").out
    assert "$ homeroom bench gpu" in help_text
    for option in ("--students", "--json", "--seed", "--out"):
        assert option in help_text
