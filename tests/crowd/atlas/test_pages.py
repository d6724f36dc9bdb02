from __future__ import annotations

import io
from base64 import b64decode
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from homeroom import AverageGoal
from homeroom.crowd import Answers, Embedding, beliefs, syllabus
from homeroom.crowd.atlas import lesson_page, map_page, pages
from homeroom.crowd.atlas.pages import SIDE, read_pictures


@cache
def crowd(dimensions: int = 2) -> tuple[Answers, Embedding]:
    rng = np.random.default_rng(0)
    items = rng.standard_normal((30, 2))
    ways = np.array([[1.0, 1.0], [1.0, -0.5]])[np.arange(24) % 2]
    yes = ways @ items.T + 0.4 * rng.standard_normal((24, 30)) > 0
    person, item = np.divmod(np.arange(24 * 30), 30)
    labels = {f"<{k}>": 1.0 if x.sum() > 0 else -1.0 for k, x in enumerate(items)}
    names = [f"<{k}>" for k in item.tolist()]
    answers = Answers.from_arrays(person, names, yes.ravel(), labels=labels)
    return answers, Embedding.fit(answers, dimensions=dimensions)


GROUPS = np.arange(24) % 2


def map_html(answers: Answers, found: Embedding, **options: dict[str, str]) -> str:
    believed = beliefs(answers, found, GROUPS)
    return map_page(answers, found, GROUPS, believed, **options).html()


def test_the_map_is_one_page_with_everything() -> None:
    answers, found = crowd()
    html = map_html(answers, found)
    assert html.count('class="item"') == 30
    assert html.count('type="checkbox"') == 3
    assert "What the groups believe" in html
    assert "30, with 24 answers each" in html
    assert "The dashed line is the target" in html
    assert "http" not in html.replace("http://www.w3.org/2000/svg", "")  # nothing from elsewhere


def test_names_cannot_break_the_page() -> None:
    answers, found = crowd()
    html = map_html(answers, found)
    assert "<0>" not in html
    assert "&lt;0&gt;" in html


def test_every_group_can_be_hidden() -> None:
    answers, found = crowd()
    html = map_html(answers, found)
    for group in (0, 1):
        assert f".drawn:has(.s{group}:not(:checked)) .g{group} {{ display: none; }}" in html


def test_the_caption_says_what_is_not_drawn() -> None:
    answers, found = crowd(3)
    assert "has 3 dimensions, of which the first two are drawn" in map_html(answers, found)
    unlabelled = replace(found, labels=np.full(30, np.nan))
    html = map_html(answers, unlabelled)
    assert "the target" not in html
    assert "No item has an expert&#x27;s label." in html
    some = replace(found, labels=np.where(np.arange(30) < 5, np.nan, found.labels))
    assert "grey ones have no label" in map_html(answers, some)
    assert "grey ones" not in map_html(answers, found)


def test_the_caption_states_how_reliable_ellipses_are() -> None:
    answers, found = crowd()
    html = map_html(answers, found)
    assert html.count("<ellipse ") == 30
    assert "in 50 simulated crowds they held 98 % of the items" in html
    narrow = replace(found, uncertainty=replace(found.uncertainty, joint=False))
    assert "do not include the uncertainty of annotators, and are too small" in map_html(
        answers, narrow
    )
    answers, flat = crowd(1)
    html = map_html(answers, flat)
    assert "<ellipse " not in html
    assert "has one dimension, from left to right; items at one place are stacked." in html
    assert 'class="sureness"' not in html


def test_one_group_comes_with_a_hint_on_more_groups() -> None:
    answers, found = crowd()
    together = np.zeros_like(GROUPS)
    page = map_page(answers, found, together, beliefs(answers, found, together))
    assert "All annotators are in one group" in page.html()
    assert "All annotators are in one group" not in map_html(answers, found)


def test_pictures_are_named_in_the_caption() -> None:
    answers, found = crowd()
    html = map_html(answers, found, pictures={"<0>": "data:image/png;base64,AA"})
    assert "Every item is a picture, or a point if it has none." in html
    assert "Solid frames and filled points are the expert&#x27;s yes" in html
    assert html.count("<image ") == 1
    html = map_html(answers, found, pictures=dict.fromkeys(answers.items, "data:image/png;base64,"))
    assert "Every item is a picture. " in html
    assert "Solid frames are the expert&#x27;s yes, dashed ones no." in html


def test_an_invisible_group_may_decide_by_an_axis_that_is_not_drawn() -> None:
    answers, found = crowd(3)
    people = np.where(GROUPS[:, None] == 0, [1e-6, 1e-6, 1.0], found.people)
    thresholds = np.where(GROUPS == 0, 0.1, found.thresholds)
    html = map_html(answers, replace(found, people=people, thresholds=thresholds))
    assert (
        "the group gives the same answer to all items, or decides by the axes that are not drawn."
        in html
    )
    answers, found = crowd(2)
    far = replace(found, thresholds=np.where(GROUPS == 0, 1e3, found.thresholds))
    assert "the group gives the same answer to all items." in map_html(answers, far)


def test_warnings_are_on_the_page() -> None:
    answers, found = crowd()
    assert "Note: Beware." in map_html(answers, replace(found, warnings=("Beware.",)))


def test_the_lesson_shows_items_in_order() -> None:
    answers, found = crowd()
    plan = syllabus(found, GROUPS)
    believed = beliefs(answers, found, GROUPS)
    html = lesson_page(answers, plan, believed, {"<0>": "data:image/png;base64,AA"}).html()
    assert html.count('<ol class="strip">') == 3
    cards = sum(len(plan.runs(group)) for group in (None, 0, 1))
    assert html.count("<li class=") == cards
    assert "Group 2: 12 annotators" in html


def test_warnings_of_the_map_are_on_the_page_of_the_lesson() -> None:
    answers, found = crowd()
    plan = syllabus(found, GROUPS)
    believed = beliefs(answers, found, GROUPS)
    html = lesson_page(answers, plan, believed, warnings=("The target is a guess.",)).html()
    assert "Note: The target is a guess." in html


def test_repetitions_are_explained_if_there_are_any() -> None:
    answers, found = crowd()
    believed = beliefs(answers, found, GROUPS)
    for fixed in (False, True):
        plan = syllabus(found, GROUPS, fixed=fixed)
        repeats = [any(one.times > 1 for one in plan.runs(group)) for group in (None, 0, 1)]
        html = lesson_page(answers, plan, believed).html()
        assert html.count("; ×2 is twice in a row.") == sum(repeats)
        assert f"{plan.whole.rounds} examples in all, from the left" in html


def test_a_long_lesson_is_cut_short_on_the_page() -> None:
    answers, found = crowd()
    plan = syllabus(found, GROUPS, rate=0.001)
    assert len(plan.runs()) > 40
    html = lesson_page(answers, plan, beliefs(answers, found, GROUPS)).html()
    assert f"{len(plan.runs()) - 40} more" in html


def test_the_lesson_of_a_single_group_is_on_the_page_once() -> None:
    answers, found = crowd()
    all_together = np.zeros_like(GROUPS)
    plan = syllabus(found, all_together)
    html = lesson_page(answers, plan, beliefs(answers, found, all_together)).html()
    assert html.count('<ol class="strip">') == 1
    assert "Group 1" not in html
    assert "for all groups together" not in html
    assert "The class takes " in html
    assert "All annotators are in one group" in html


def test_the_page_states_that_a_lesson_missed_its_goal() -> None:
    answers, found = crowd()
    believed = beliefs(answers, found, GROUPS)
    short = syllabus(found, GROUPS, goal=AverageGoal(1e-6), max_rounds=2)
    missed = lesson_page(answers, short, believed).html()
    assert missed.count("Not learnt: stopped because the limit of rounds was reached before") == 3
    reached = lesson_page(answers, syllabus(found, GROUPS), believed).html()
    assert "Not learnt" not in reached
    known = syllabus(found, GROUPS, goal=AverageGoal(1e6))
    html = lesson_page(answers, known, believed).html()
    assert html.count("0 examples in all: the goal is reached already.") == 3


def test_photographs_become_small(tmp_path: Path) -> None:
    Image.new("RGB", (640, 480), "red").save(tmp_path / "moth.jpg")
    (address,) = read_pictures(tmp_path, ["moth", "wasp"]).values()
    small = Image.open(io.BytesIO(b64decode(address.partition(",")[2])))
    assert small.size == (SIDE, 72)
    assert address.startswith("data:image/png;base64,")


def test_drawings_do_not_change_between_versions(tmp_path: Path) -> None:
    (tmp_path / "moth.svg").write_text("<svg/>")
    pictures = read_pictures(tmp_path, ["moth"])
    assert b64decode(pictures["moth"].partition(",")[2]) == b"<svg/>"


def test_the_name_of_an_item_may_include_the_file_ending(tmp_path: Path) -> None:
    Image.new("L", (9, 9)).save(tmp_path / "moth.png")
    assert set(read_pictures(tmp_path, ["moth.png"])) == {"moth.png"}


def test_invalid_pictures_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"There is no folder .*nowhere"):
        read_pictures(tmp_path / "nowhere", ["moth"])
    with pytest.raises(ValueError, match=r"has no picture of any item: .* as in moth.png"):
        read_pictures(tmp_path, ["moth"])
    (tmp_path / "moth.png").write_bytes(b"no picture")
    with pytest.raises(ValueError, match=r"moth.png cannot be read as a picture"):
        read_pictures(tmp_path, ["moth"])
    monkeypatch.setattr(pages, "MAX_PHOTO", 3)
    with pytest.raises(ValueError, match=r"moth.png is too large for a map"):
        read_pictures(tmp_path, ["moth"])


def test_a_picture_with_too_many_points_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Image.new("L", (200, 200)).save(tmp_path / "moth.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    with pytest.raises(ValueError, match=r"moth.png cannot be read as a picture: .* too large"):
        read_pictures(tmp_path, ["moth"])
