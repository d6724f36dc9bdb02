from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from homeroom.crowd import Answers
from homeroom.crowd.reading.glance import refuse_at_a_glance

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crowd.reading.conftest import Write


@pytest.fixture
def huge(tmp_path: Path) -> Path:
    """Three gigabytes that begin like a table; the rest is a hole, which fills no disk."""
    path = tmp_path / "answers.csv"
    path.write_text("student,item,answer\n" + "person-1,item-1,1\n" * 100_000)
    with path.open("r+b") as file:
        file.truncate(3 << 30)
    return path


def test_a_file_that_is_far_too_large_is_refused_before_it_is_read(huge: Path) -> None:
    start = time.process_time()
    with pytest.raises(ValueError, match=r"would fill \d+\.\d GiB of memory, more than the limit"):
        Answers.read(huge)
    assert time.process_time() - start < 1.0  # of work, whatever the neighbours do


def test_a_file_that_may_fit_is_read(write: Write) -> None:
    text = "student,item,answer\r\n" + "Ada,moth,1\r\nBen,moth,0\r\n" * 50
    path = write(text)
    refuse_at_a_glance(path, 101 * 60)
    with pytest.raises(ValueError, match="more than the limit"):
        refuse_at_a_glance(path, 101 * 40)
    refuse_at_a_glance(write(text.replace("\r\n", "\r")), 101 * 80)
    refuse_at_a_glance(write(""), 1)


def test_a_line_may_cost_more_than_an_answer(write: Write) -> None:
    path = write("x\n" * 100)
    refuse_at_a_glance(path, 100_000)
    with pytest.raises(ValueError, match="more than the limit"):
        refuse_at_a_glance(path, 100_000, each=2000)
