import base64
import re
from html.parser import HTMLParser
from pathlib import Path

from homeroom.plots import Page, panel


def test_a_page_is_one_file_with_escaped_contents(tmp_path: Path) -> None:
    page = Page("T < S & more", language="de")
    page.heading("<h>")
    page.text("a & b")
    page.numbers([("rounds <T>", "154")])
    page.table(["way", "T"], [["<all>", "1"], ["alone", "2"]], best=[(1, 1)])
    page.footer("by <us>")
    page.write(tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert html == page.html()
    assert '<html lang="de">' in html
    assert "<h1>T &lt; S &amp; more</h1>" in html
    assert "<h2>&lt;h&gt;</h2>" in html
    assert "<dt>rounds &lt;T&gt;</dt><dd>154</dd>" in html
    assert '<th scope="row">&lt;all&gt;</th><td>1</td>' in html
    assert '<td class="best">2</td>' in html
    assert "by &lt;us&gt;" in html


def test_a_table_without_column_names_has_no_header_row() -> None:
    page = Page("Facts")
    page.table(["", ""], [["goal", "average"]])
    assert "<thead" not in page.html()
    page.table(["", "T"], [["goal", "1"]])
    assert page.html().count("<thead") == 1


def test_a_picture_is_embedded_with_an_alternative_text() -> None:
    drawn, ax = panel()
    ax.plot([1, 2])
    page = Page("Pictures")
    page.figure(drawn, 'What "it" shows.')
    page.figure(drawn, "Short.", alternative="Long.")
    html = page.html()
    pictures = re.findall(r'<img alt="([^"]*)" src="data:image/svg\+xml;base64,([^"]*)">', html)
    assert [alt for alt, _ in pictures] == ["What &quot;it&quot; shows.", "Long."]
    assert b"<svg" in base64.b64decode(pictures[0][1])


def test_every_tag_is_closed() -> None:
    class Tags(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "img"):
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    page = Page("Tags")
    page.heading("a")
    page.numbers([("a", "b")])
    page.table(["a", "b"], [["1", "2"]])
    page.figure(panel()[0], "empty")
    page.footer("end")
    tags = Tags()
    tags.feed(page.html())
    assert tags.open == []


def test_a_drawing_is_inline_markup() -> None:
    page = Page("A map")
    page.drawing("<svg><title>here</title></svg>", "What <it> is")
    assert '<figure class="drawn"><svg><title>here</title></svg>' in page.html()
    assert "<figcaption>What &lt;it&gt; is</figcaption>" in page.html()
