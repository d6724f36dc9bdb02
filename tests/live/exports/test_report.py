"""A class on paper."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from typing import Any

from homeroom.handwriting import Child
from homeroom.live.activities.writing import activity
from homeroom.live.classbook import ClassBook
from homeroom.live.classbook.state import ErrorPoint
from homeroom.live.classbook.writing import strokes_of
from homeroom.live.events import (
    Answered,
    Event,
    Joined,
    Opened,
    PhaseBegan,
    Regrouped,
    RoundBegan,
)
from homeroom.live.exports import policy_of, report_of
from homeroom.live.exports.report import curve
from homeroom.live.store import Stored


def test_a_report_says_what_happened(taught: Any) -> None:
    html = report_of(taught.book, taught.stored)
    assert "<h1>5b &lt;i&gt;: Moths &amp; butterflies</h1>" in html
    assert "<dt>right before</dt><dd>0 %</dd>" in html
    assert "<dt>right after</dt><dd>100 %</dd>" in html
    assert "<dt>examples</dt><dd>5</dd>" in html  # four, and one that was begun
    assert "About " in html
    assert "deleted 30 days after the last answer" in html
    assert html.count('<th scope="row">') >= 3 + 5


def test_groups_that_see_the_same_item_are_counted_apart() -> None:
    from homeroom.live.activities.insects import activity as insects

    events: list[Event] = [Opened("5b", "insects", "A"), PhaseBegan("teach")]
    events += [Joined(f"s{number}", f"student {number}") for number in range(3)]
    events += [Regrouped("by hand", {"s0": 0, "s1": 1, "s2": 1})]
    events += [RoundBegan(1, ("insect-001", "insect-001"))]
    label = insects().labels["insect-001"]
    events += [Answered(f"s{number}", 1, "insect-001", label) for number in range(2)]
    events += [Answered("s2", 1, "insect-001", -label)]
    book = ClassBook.rebuilt(insects(), events)
    html = report_of(book, [Stored(event, place, 0.0) for place, event in enumerate(events, 1)])
    assert re.findall(r"\d of \d", html) == ["1 of 1", "1 of 2"]


def test_names_are_only_names(taught: Any) -> None:
    html = report_of(taught.book, taught.stored)
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_nothing_is_loaded_and_only_its_own_style_allowed(taught: Any) -> None:
    html = report_of(taught.book, taught.stored)
    assert not re.search(r'(?:src|href)="(?!data:)', html)
    assert " style=" not in html
    style = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    assert len(style) == 1
    digest = b64encode(hashlib.sha256(style[0].encode()).digest()).decode()
    policy = policy_of(html)
    assert f"style-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert policy.endswith("base-uri 'none'; form-action 'none'; frame-ancestors 'none'")


def test_the_curve_stays_on_the_paper() -> None:
    drawn = curve([ErrorPoint(0, 2.0, 0.5), ErrorPoint(1, 1.0, 0.25), ErrorPoint(2, 0.5, 0.1)])
    points = re.findall(r"(-?[\d.]+),(-?[\d.]+)", drawn)
    assert len(points) > 9
    assert all(0 <= float(x) <= 640 and 0 <= float(y) <= 240 for x, y in points)
    assert 'aria-label="The error falls from 2.00 to 0.50."' in drawn


def test_a_class_that_did_nothing_has_a_report_too() -> None:
    from homeroom.live.activities.insects import activity as insects

    opened = Opened("5b", "insects", "A")
    html = report_of(ClassBook.begin(insects()).after(opened), [Stored(opened, 1, 0.0)])
    assert "1970-01-01" in html
    assert "How far the class is" not in html


def test_letters_are_reported_from_first_to_last() -> None:
    made = activity("f")
    assert made is not None
    book = ClassBook.begin(made)
    stored: list[Stored] = []
    for event in (Opened("2a", "letter-f", "A"), Joined("s1", "Ada"), PhaseBegan("teach")):
        book = book.after(event)
        stored.append(Stored(event, book.version, 0.0))
    for seed in (1, 2):
        ink = strokes_of(Child.of("shaky+rotated", seed=seed).write("f", tries=1)[0])
        book = book.after(book.written("s1", ink))
    html = report_of(book, stored)
    first, last = (wrote.scores["shakiness"] for wrote in book.state.wrote)
    assert f"{first:.2f} to {last:.2f}" in html
    assert "<dt>letters</dt><dd>2</dd>" in html
    assert "<dt>examples</dt>" not in html
    assert "never a diagnosis" in html
