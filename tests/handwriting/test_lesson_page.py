"""The page that writes the letters of a lesson."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom.handwriting.generators import Child, children, generate
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.lesson import WritingLesson, Written, writing_lesson
from homeroom.handwriting.lesson_page import (
    MODEL_HEIGHT,
    DrawingArea,
    in_words,
    laid_out,
    lesson_page,
    letter_data,
)
from homeroom.handwriting.letter_pool import LetterPool
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.pupils import pupils
from tests.browser.conftest import CHROMIUMS


def test_every_letter_lies_in_the_box() -> None:
    model, inks = model_letter("f"), generate("f", 20, rotation=(-60, 60))
    scene = DrawingArea.of(model, inks)
    left, top, width, height = scene.box
    for ink in (model, *inks):
        points = np.array([p for stroke in ink for p in scene.place(stroke.points)])
        assert (points >= [left, top]).all()
        assert (points <= [left + width, top + height]).all()
    assert np.ptp(model.points[:, 1]) * scene.scale == MODEL_HEIGHT


def test_a_path_contains_every_point() -> None:
    ink = Ink((Stroke([[0, 0], [1, 2], [3, 1]]), Stroke([[5, 5]])))
    scene = DrawingArea(ink, 10.0, (0.0, 0.0, 1.0, 1.0))
    path = scene.path(ink)
    ends = [tuple(map(float, bend.split()[-2:])) for bend in re.findall(r"C([-\d. ]+)", path)]
    assert path.startswith("M0 0C")
    assert ends == [(10.0, 20.0), (30.0, 10.0)]
    assert path.endswith("M50 50h0")  # a dot


def test_letter_data_has_one_time_per_point() -> None:
    model = model_letter("i")
    (ink,) = generate("i", 1)
    shown = Written(ink, True, np.array([0.1, 0.25, 1.0]), 4)
    values = letter_data(DrawingArea.of(model, [ink]), shown, laid_out(shown, model))
    assert values["good"]
    assert values["scores"] == [0.1, 0.25, 1.0]
    assert len(values["strokes"]) == 2
    for stroke in values["strokes"]:
        assert len(stroke["p"]) == len(stroke["t"])
        assert stroke["t"] == sorted(stroke["t"])
    assert values["strokes"][0]["t"][0] == 0.0
    assert values["seconds"] == values["strokes"][-1]["t"][-1]


CHROMIUM = next(filter(None, map(shutil.which, CHROMIUMS)), None)


@pytest.fixture(scope="module")
def pool() -> LetterPool:
    return LetterPool.make("f", 150)


@pytest.fixture(scope="module")
def lesson(pool: LetterPool) -> WritingLesson:
    tries = {child.name: child.write("f", 2) for child in children(1)}
    return writing_lesson(pupils(tries, pool.model), pool)


@pytest.fixture(scope="module")
def page(lesson: WritingLesson) -> str:
    return lesson_page(lesson)


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="lesson-data">(.*?)</script>', page)
    assert found is not None
    document: dict[str, Any] = json.loads(found[1])
    return document


class Reader(HTMLParser):
    """Collects tags and attributes, and checks that every tag is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in {"meta", "input", "line", "path", "circle", "rect"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


def test_the_page_is_well_formed(page: str) -> None:
    reader = read(page)
    assert reader.open == []
    assert len(set(reader.ids)) == len(reader.ids)


def test_the_page_loads_nothing(page: str) -> None:
    """No addresses, inline styles or handlers; the policy forbids the rest."""
    assert "default-src 'none'" in page
    outside = page.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|src=|@import|url\(", outside)
    names = {name for name, _ in read(page).attributes}
    assert not {name for name in names if name.startswith("on") or name in {"style", "src"}}


@pytest.mark.parametrize(("tag", "kind"), [("script", "script-src"), ("style", "style-src")])
def test_the_policy_allows_the_pages_own_code_and_no_other(page: str, tag: str, kind: str) -> None:
    (code,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
    digest = b64encode(sha256(code.encode()).digest()).decode()
    assert f"{kind} 'sha256-{digest}'" in page


def test_all_letters_are_included_with_their_times(page: str, lesson: WritingLesson) -> None:
    lessons = data_of(page)["lessons"]
    assert [len(one["letters"]) for one in lessons] == [
        len(lesson.letters(kind)) for kind in (None, *lesson.groups)
    ]
    assert page.count('data-letter="') == sum(len(one["letters"]) for one in lessons)
    for one, shown in zip(lessons[0]["letters"], lesson.letters(), strict=True):
        assert one["good"] == shown.good
        assert 0.5 < one["seconds"] < 4


def test_the_page_lists_children_and_their_scores(page: str, lesson: WritingLesson) -> None:
    for child, kind in zip(lesson.pupils, lesson.kinds, strict=True):
        scores = "".join(f"<td>{score:.2f}</td>" for score in child.mean)
        assert f"{child.name}</th><td>2</td>{scores}<td>{in_words(str(kind))}</td>" in page
    assert "never a diagnosis" in page


def test_names_cannot_break_out_of_the_page(pool: LetterPool) -> None:
    name = '</script><b onclick="x">&'
    own = pupils({name: Child.of("shaky+rotated").write("f", 1)}, pool.model)
    page = lesson_page(writing_lesson(own, pool), title="<i>Ada</i>")
    assert name not in page
    assert "&lt;i&gt;Ada&lt;/i&gt;" in page
    assert read(page).open == []


def test_a_class_of_one_type_has_one_tab(pool: LetterPool) -> None:
    own = pupils({"Ada": Child.of("shaky+rotated").write("f", 1)}, pool.model)
    page = lesson_page(writing_lesson(own, pool))
    assert page.count('role="tab"') == 1
    assert "One child." in page
    assert "All 1 child" not in page


def test_a_class_without_anything_to_learn_is_reported(pool: LetterPool) -> None:
    page = lesson_page(writing_lesson(pupils({"Ada": [pool.model]}, pool.model), pool))
    assert "They know it already." in page
    assert data_of(page)["lessons"][0]["letters"] == []


def test_a_teachers_own_letter_is_ruled_only_if_its_place_is_known(page: str) -> None:
    assert page.count('class="ruled"') == 2


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no browser here")
@pytest.mark.parametrize(("milliseconds", "done"), [(400, False), (12_000, True)])
def test_a_browser_writes_the_letters(
    page: str, tmp_path: Path, milliseconds: int, done: bool
) -> None:
    """After half a second the first letter is half written; later others follow."""
    shown = in_browser(page, tmp_path, milliseconds, go=True)
    assert 'id="play">Pause</button>' in shown
    number = re.search(r"Letter (\d+) of", shown)
    assert number is not None
    assert (int(number[1]) > 1) == done
    strokes = re.search(r'<g id="strokes"><path d="([^"]*)"', shown)
    assert strokes is not None
    if not done:
        bends = len(data_of(page)["lessons"][0]["letters"][0]["strokes"][0]["p"]) - 1
        assert 2 < strokes[1].count("C") < bends


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no browser here")
@pytest.mark.parametrize("flags", [(), ("--force-prefers-reduced-motion",)])
@pytest.mark.parametrize("key", ["Home", "End"])
def test_writing_again_writes_one_letter_and_stops(
    page: str, tmp_path: Path, key: str, flags: tuple[str, ...]
) -> None:
    """The first as well as the last; with reduced motion it is shown at once."""
    keys = "".join(
        f"document.body.dispatchEvent(new KeyboardEvent('keydown', {{key: '{k}', bubbles: true}}));"
        for k in (key, "r")
    )
    shown = in_browser(page, tmp_path, 12_000, *flags, script=keys)
    letters = data_of(page)["lessons"][0]["letters"]
    number = 1 if key == "Home" else len(letters)
    assert f"Letter {number} of {len(letters)}" in shown
    assert 'id="play">Play</button>' in shown
    strokes = re.search(r'<g id="strokes"><path d="([^"]*)"', shown)
    assert strokes is not None
    assert strokes[1].count("C") == len(letters[number - 1]["strokes"][0]["p"]) - 1


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no browser here")
def test_the_answer_can_be_hidden_until_the_child_has_decided(page: str, tmp_path: Path) -> None:
    click = "document.getElementById('answer').click();"
    shown = in_browser(page, tmp_path, 400, script=click)
    assert 'class="lively asking"' in shown
    assert re.search(r'id="heard"[^>]*>Letter 1 of \d+\.<', shown)


def in_browser(
    page: str, tmp_path: Path, milliseconds: int, *flags: str, script: str = "", go: bool = False
) -> str:
    """Return the page in a browser after some time, after running a script."""
    path = tmp_path / "lesson.html"
    # A browser without a window draws no frames by itself: let a timer ask for them.
    frames = "requestAnimationFrame = (next) => setTimeout(() => next(performance.now()), 16)"
    without = re.sub(r"<meta http-equiv[^>]*>", f"<script>{frames}</script>", page, count=1)
    path.write_text(without.replace("</body>", f"<script>{script}</script></body>"), "utf-8")
    ran = subprocess.run(
        [
            str(CHROMIUM),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={tmp_path / 'browser'}",
            f"--virtual-time-budget={milliseconds}",
            "--dump-dom",
            *flags,
            f"{path.as_uri()}{'#go' if go else ''}",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return ran.stdout
