from __future__ import annotations

import io
from base64 import b64decode
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from homeroom import AverageGoal
from homeroom.crowd import Answers, Embedding, beliefs, syllabus
from homeroom.crowd.atlas import lesson_page, map_page, pages
from homeroom.crowd.atlas.pages import SIDE, read_pictures
from homeroom.crowd.group_beliefs import ONE_GROUP
from homeroom.plots import Page
from tests.pages import read_page


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


def make_map(answers: Answers, found: Embedding, **options: dict[str, str]) -> Page:
    return map_page(answers, found, GROUPS, beliefs(answers, found, GROUPS), **options)


def caption_of(answers: Answers, found: Embedding, **options: dict[str, str]) -> str:
    (shown,) = [part for part in make_map(answers, found, **options).parts if part["kind"] == "map"]
    return str(shown["caption"])


def strips_of(page: Page) -> list[dict[str, Any]]:
    return [part for part in page.parts if part["kind"] == "strip"]


def test_the_map_is_one_page_with_everything() -> None:
    answers, found = crowd()
    page = make_map(answers, found)
    kinds = [part["kind"] for part in page.parts]
    assert kinds[:5] == ["text", "numbers", "map", "heading", "table"]
    assert kinds[-2:] == ["heading", "table"]
    assert [value for _, value in page.parts[1]["named"]] == ["24", "30", "720", "2"]
    assert "The dashed line is the target" in page.parts[2]["caption"]
    assert ("items", "30, with 24 answers each") in page.parts[-1]["rows"]


def test_names_cannot_break_the_page() -> None:
    answers, found = crowd()
    html = make_map(answers, found).html()
    assert "<0>" not in html
    assert read_page(html)["parts"][2]["items"][0]["words"].startswith("<0>: the expert says")


def test_the_caption_says_what_is_not_drawn() -> None:
    answers, found = crowd(3)
    assert "has 3 dimensions, of which the first two are drawn" in caption_of(answers, found)
    unlabelled = caption_of(answers, replace(found, labels=np.full(30, np.nan)))
    assert "the target" not in unlabelled
    assert "No item has an expert's label." in unlabelled
    some = replace(found, labels=np.where(np.arange(30) < 5, np.nan, found.labels))
    assert "grey ones have no label" in caption_of(answers, some)
    assert "grey ones" not in caption_of(answers, found)


def test_the_caption_states_how_reliable_ellipses_are() -> None:
    answers, found = crowd()
    assert "in 50 simulated crowds they held 98 % of the items" in caption_of(answers, found)
    narrow = replace(found, uncertainty=replace(found.uncertainty, joint=False))
    assert "do not include the uncertainty of annotators" in caption_of(answers, narrow)
    caption = caption_of(*crowd(1))
    assert "llipses" not in caption
    assert "has one dimension, from left to right" in caption


def test_one_group_comes_with_a_hint_on_more_groups() -> None:
    answers, found = crowd()
    together = np.zeros_like(GROUPS)
    page = map_page(answers, found, together, beliefs(answers, found, together))
    hint = {"kind": "text", "text": ONE_GROUP}
    assert hint in page.parts
    assert hint not in make_map(answers, found).parts


def test_pictures_are_named_in_the_caption() -> None:
    answers, found = crowd()
    some = {"<0>": "data:image/png;base64,AA"}
    assert (
        "a picture, or a point if it has none"
        in make_map(answers, found, pictures=some).parts[0]["text"]
    )
    assert "Solid frames and filled points" in caption_of(answers, found, pictures=some)
    every = dict.fromkeys(answers.items, "data:image/png;base64,")
    assert "Every item is a picture. " in make_map(answers, found, pictures=every).parts[0]["text"]
    assert "Solid frames are the expert's yes" in caption_of(answers, found, pictures=every)


def test_an_invisible_group_may_decide_by_an_axis_that_is_not_drawn() -> None:
    for dimensions in (2, 3):
        page = make_map(*crowd(dimensions))
        assert ("axes that are not drawn" in page.parts[2]["outside"]) == (dimensions == 3)


def test_warnings_are_on_the_page() -> None:
    answers, found = crowd()
    warned = {"kind": "text", "text": "Note: Beware."}
    assert warned in make_map(answers, replace(found, warnings=("Beware.",))).parts
    plan, believed = syllabus(found, GROUPS), beliefs(answers, found, GROUPS)
    assert warned in lesson_page(answers, plan, believed, warnings=("Beware.",)).parts


def test_the_lesson_shows_items_in_order() -> None:
    answers, found = crowd()
    plan = syllabus(found, GROUPS)
    believed = beliefs(answers, found, GROUPS)
    page = lesson_page(answers, plan, believed, {"<0>": "data:image/png;base64,AA"})
    assert plan.exceptions
    runs = [plan.runs(), plan.runs(0), plan.runs(1), list(plan.exceptions)]
    for strip, expected in zip(strips_of(page), runs, strict=True):
        shown = [(card["name"], card["answer"], card["times"]) for card in strip["cards"]]
        assert shown == [(one.item, one.answer, one.times) for one in expected]
        for card in strip["cards"]:
            assert (card["picture"] is not None) == (card["name"] == "<0>")
    assert {"kind": "heading", "text": "Group 2: 12 annotators"} in page.parts


def test_repetitions_are_explained_if_there_are_any() -> None:
    answers, found = crowd()
    believed = beliefs(answers, found, GROUPS)
    for fixed in (False, True):
        plan = syllabus(found, GROUPS, fixed=fixed)
        repeats = [any(one.times > 1 for one in plan.runs(group)) for group in (None, 0, 1)]
        captions = [strip["caption"] for strip in strips_of(lesson_page(answers, plan, believed))]
        assert ["×2" in caption for caption in captions[:3]] == repeats
        assert captions[0].startswith(f"{plan.whole.rounds} examples in all")


def test_a_long_lesson_is_cut_short_on_the_page() -> None:
    answers, found = crowd()
    plan = syllabus(found, GROUPS, rate=0.001)
    assert len(plan.runs()) > 40
    first = strips_of(lesson_page(answers, plan, beliefs(answers, found, GROUPS)))[0]
    assert (len(first["cards"]), first["more"]) == (40, len(plan.runs()) - 40)


def test_the_lesson_of_a_single_group_is_on_the_page_once() -> None:
    answers, found = crowd()
    all_together = np.zeros_like(GROUPS)
    plan = syllabus(found, all_together)
    page = lesson_page(answers, plan, beliefs(answers, found, all_together))
    assert len(strips_of(page)) == 2  # the class, exceptions
    assert len(page.parts[0]["named"]) == 1
    assert "The class takes " in page.parts[2]["text"]
    assert ONE_GROUP in page.parts[2]["text"]


def test_the_page_states_that_a_lesson_missed_its_goal() -> None:
    answers, found = crowd()
    believed = beliefs(answers, found, GROUPS)
    for goal, missed, known in ((1e-6, 3, 0), (0.01, 0, 0), (1e6, 0, 3)):
        plan = syllabus(found, GROUPS, goal=AverageGoal(goal), max_rounds=2 if missed else 1000)
        captions = [strip["caption"] for strip in strips_of(lesson_page(answers, plan, believed))]
        assert sum("Not learnt" in caption for caption in captions) == missed
        assert sum("reached already" in caption for caption in captions) == known


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
