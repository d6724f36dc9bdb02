"""A page: its data, embedded safely, and what may run in it."""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from pathlib import Path

import pytest

from homeroom.plots import Page, page, panel
from tests.pages import read_page

CURVE = {(0, 1): ([(0.0, 1.0), (1.0, 0.5)], "falls")}


def make_page() -> Page:
    made = Page("T < S & more", language="de")
    made.heading("</script><h>")
    made.text("a & b")
    made.numbers([("rounds <T>", "154")])
    made.table(["way", "T"], [["<all>", "1"], ["alone", "2"]], best=[(1, 1)], curves=CURVE)
    made.footer("by <us>")
    return made


def test_a_page_is_one_file_with_its_data(tmp_path: Path) -> None:
    make_page().write(tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert html == make_page().html()
    assert '<html lang="de">' in html
    assert "<title>T &lt; S &amp; more</title>" in html
    assert read_page(html) == {
        "title": "T < S & more",
        "parts": [
            {"kind": "heading", "text": "</script><h>"},
            {"kind": "text", "text": "a & b"},
            {"kind": "numbers", "named": [["rounds <T>", "154"]]},
            {
                "kind": "table",
                "header": ["way", "T"],
                "rows": [["<all>", "1"], ["alone", "2"]],
                "best": [[1, 1]],
                "words": False,
                "curves": [{"cell": [0, 1], "points": [[0.0, 1.0], [1.0, 0.5]], "words": "falls"}],
            },
        ],
        "footer": "by <us>",
    }


@pytest.mark.parametrize(("tag", "kind"), [("script", "script-src"), ("style", "style-src")])
def test_only_the_pages_own_code_may_run(tag: str, kind: str) -> None:
    html = make_page().html()
    assert "default-src 'none'" in html
    own = r'<script type="module">(.*?)</script>' if tag == "script" else r"<style>(.*?)</style>"
    (code,) = re.findall(own, html, re.DOTALL)
    digest = base64.b64encode(sha256(code.encode()).digest()).decode()
    assert f"{kind} 'sha256-{digest}'" in html


def test_a_text_cannot_end_the_data() -> None:
    html = make_page().html()
    assert html.count("</script>") == 2
    assert html.count("</style>") == 1
    assert "<h>" not in html


def test_a_picture_is_embedded_with_an_alternative_text(tmp_path: Path) -> None:
    drawn, ax = panel()
    ax.plot([1, 2])
    made = Page("Pictures")
    made.figure(drawn, 'What "it" shows.')
    made.figure(drawn, "Short.", alternative="Long.")
    (tmp_path / "a.svg").write_text("<svg/>")
    made.picture(tmp_path / "a.svg", "A file.")
    made.gallery([(tmp_path / "a.svg", "One.", False), (tmp_path / "a.svg", "Two.", True)])
    pictures = [one for part in made.parts for one in part["pictures"]]
    said = [one["alternative"] for one in pictures]
    assert said == ['What "it" shows.', "Long.", "A file.", "One.", "Two."]
    assert [one["broad"] for one in pictures] == [False, False, False, False, True]
    assert b"<svg" in base64.b64decode(pictures[0]["source"].partition(",")[2])


def test_a_viewer_that_is_not_built_is_an_error_that_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(page, "VIEWER", tmp_path)
    page.read_viewer.cache_clear()
    with pytest.raises(ValueError, match="make web"):
        Page("Nothing").html()
    page.read_viewer.cache_clear()
