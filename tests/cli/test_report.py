"""A report described once: as an HTML page and as JSON (as text: see test_screen)."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from homeroom import Classroom, teach
from homeroom.cli.report import (
    Chart,
    CommandReport,
    Curve,
    Facts,
    Heading,
    Sentence,
    Table,
    as_json,
    page_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Homeroom


def test_a_page_has_every_part_in_order() -> None:
    from homeroom import plots

    figure, _ = plots.panel(2, 1)
    report = CommandReport("A lesson & more", {})
    report.add(
        Facts([("error", Curve(np.array([4.0, 2.0, 1.0])))], main=True),
        Facts([("engine", "exact")]),
        Heading("Groups"),
        Table(("group", "rounds"), [("1", "5"), ("2", "7")], best=[(0, 1)], bars=(0.5, 1.0)),
        Chart("bars", lambda: figure, "Bars of <all> groups."),
        Sentence("Shown.", "dim"),
        Sentence("A remark.", remark=True),
        Sentence("Only on the screen.", on_page=False),
    )
    page = page_of(report, {"bars": figure}).html()
    order = ["<h1>A lesson &amp; more</h1>", "<dd>4 → 1</dd>", ">engine<", "<h2>Groups</h2>"]
    order += ['<td class="best">5</td>', "Bars of &lt;all&gt; groups.", "Shown.", "A remark."]
    places = [page.index(text) for text in order]
    assert places == sorted(places)
    assert "Only on the screen." not in page
    assert "Made by homeroom" in page


def test_a_long_table_is_cut_on_the_page_and_the_page_says_so() -> None:
    report = CommandReport("Students", {})
    report.add(Table(("student",), [(str(number),) for number in range(130)]))
    page = page_of(report, {}).html()
    assert page.count("<tr>") == 1 + 100
    assert "30 more rows are in result.json." in page


def test_facts_without_names_are_left_out() -> None:
    report = CommandReport("Nothing", {})
    report.add(Facts([]), Heading("Something"))
    assert report.parts == [Heading("Something")]


def test_a_missed_goal_is_a_warning() -> None:
    room = Classroom.sample(students=4, dimensions=2)
    for record, style, words in (
        (teach(room), "good", "✓ Stopped because the goal was reached."),
        (teach(room, max_rounds=1, goal="average:eps=1e-9"), "warning", "✗ Not learnt: stopped"),
    ):
        report = CommandReport("A lesson", {})
        report.add_ending(record)
        (sentence,) = report.parts
        assert isinstance(sentence, Sentence)
        assert sentence.style == style
        assert sentence.text.startswith(words)


def test_numbers_that_json_does_not_know_become_null() -> None:
    document = {"a": math.nan, "b": [math.inf, 1.5], "c": np.array([1, 2]), "d": np.float64(2.5)}
    assert json.loads(as_json(document)) == {"a": None, "b": [None, 1.5], "c": [1, 2], "d": 2.5}


@pytest.mark.slow
@pytest.mark.parametrize("command", ["teach", "compare", "group", "certify"])
def test_screen_page_and_json_agree(homeroom: Homeroom, tmp_path: Path, command: str) -> None:
    """All three come from one report: a number of the JSON document is in the text and the page."""
    line = (command, "--students", 8, "--dimensions", 2)
    printed = homeroom(*line, "--out", tmp_path / "out").out
    document = json.loads((tmp_path / "out" / "result.json").read_text())
    assert document == homeroom(*line, "--json").document
    page = (tmp_path / "out" / "report.html").read_text()
    lesson = document.get("lesson") or document.get("simulation") or document["ways"][0]
    for text in (str(lesson["rounds"]), f"{document['class']['slowest_rate']:.3g}"):
        assert text in printed
        assert text in page
