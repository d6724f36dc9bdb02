"""A class on paper: one page to print, with nothing loaded from elsewhere."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from homeroom._words import counted, percent
from homeroom.live.activities.base import WRITING
from homeroom.live.classbook import ClassBook
from homeroom.live.classbook.board import group_name
from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.state import ErrorPoint
from homeroom.live.classbook.view import progress
from homeroom.live.classbook.why import sentence
from homeroom.live.exports.rows import clock
from homeroom.live.store.store import Stored
from homeroom.plots.page import Page

WIDTH, HEIGHT, EDGE = 640.0, 240.0, 36.0


def report_of(book: ClassBook, stored: Sequence[Stored]) -> str:
    """Return a report of a class as the text of an HTML file."""
    state, opened = book.state, book.state.opened
    assert opened is not None
    page = Page(f"{opened.name}: {state.activity.name}")
    first, last = (clock(one.at)[:10] for one in (stored[0], stored[-1]))
    page.text(first if first == last else f"{first} to {last}")
    page.numbers(_numbers(book))
    if state.activity.kind == WRITING:
        _letters(page, book)
    else:
        _lesson(page, book)
    page.footer(
        f"Everything about this class is deleted {counted(opened.retention_days, 'day')} after the "
        "last answer. What students know is an estimate from their answers, with how sure it is."
    )
    return page.html()


def policy_of(html: str) -> str:
    """Return the content security policy under which a report can be shown: its own style only."""
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    digest = sha256((style.group(1) if style else "").encode()).digest()
    return (
        f"default-src 'none'; style-src 'sha256-{b64encode(digest).decode()}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _numbers(book: ClassBook) -> list[tuple[str, str]]:
    state = book.state
    students = ("students", str(len(state.joined)))
    if state.activity.kind == WRITING:
        return [students, ("letters", str(len(state.wrote)))]
    found = [students, ("examples", str(sum(done.phase == "teach" for done in state.rounds)))]
    for phase, name in (("pretest", "right before"), ("posttest", "right after")):
        share = _share([done for done in state.rounds if done.phase == phase], book)
        if share is not None:
            found.append((name, percent(share)))
    return found


def _share(rounds: Sequence[Round], book: ClassBook) -> float | None:
    """Return which part of the answers in some rounds was right."""
    labels = book.state.activity.labels
    right = [
        answer == labels.get(item)
        for done in rounds
        for (_, item), answer in done.answers.items()
        if item in labels
    ]
    return sum(right) / len(right) if right else None


def _lesson(page: Page, book: ClassBook) -> None:
    state = book.state
    if len(state.errors) > 1:
        page.heading("How far the class is")
        page.drawing(
            curve(state.errors),
            "The expected error after each round. The light part is there only because it is not "
            "known better.",
        )
    page.heading("Students")
    header = ("name", "answers", "right", "chance to be right", "learns")
    page.table(header, [_student(book, one) for one in book.board()["students"] if one["joined"]])
    shown = [done for done in state.rounds if done.phase == "teach"]
    if shown:
        page.heading("What was shown, and why")
        rows = [row for done in shown for row in _shown(book, done)]
        page.table(("round", "group", "item", "answer", "right", "why"), rows, words=True)


def _student(book: ClassBook, one: dict[str, Any]) -> tuple[str, ...]:
    done = progress(book.state, one["id"])
    band, said = one["p_right"], done["answered"]
    return (
        one["name"],
        str(said),
        percent(done["right"] / said) if said else "-",
        "-"
        if band is None
        else f"{percent(band['middle'])} ({percent(band['low'])} to {percent(band['high'])})",
        one["rate_words"] or "-",
    )


def _shown(book: ClassBook, done: Round) -> list[tuple[str, ...]]:
    activity = book.state.activity
    rows: list[tuple[str, ...]] = []
    for group, item in enumerate(done.items):
        if item is None:
            continue
        said = [answer for (who, _), answer in done.answers.items() if done.members[who] == group]
        label = activity.labels.get(item)
        right = sum(answer == label for answer in said)
        rows.append(
            (
                str(done.number),
                group_name(group),
                item,
                "-" if label is None else activity.word(label),
                f"{right} of {len(said)}",
                sentence(done.reasons[group] if group < len(done.reasons) else None),
            )
        )
    return rows


def _letters(page: Page, book: ClassBook) -> None:
    page.heading("Letters")
    header = ("name", "letters", "distortion", "rotation", "shakiness")
    rows: list[tuple[str, ...]] = []
    for one in book.state.people.values():
        tries = [wrote.scores for wrote in book.state.wrote if wrote.student == one.id]
        ends = [
            f"{tries[0].get(name, 0):.2f} to {tries[-1].get(name, 0):.2f}" if tries else "-"
            for name in header[2:]
        ]
        rows.append((one.name, str(len(tries)), *ends))
    page.table(header, rows)
    page.text(
        "From the first letter to the last: 0 is as the model. The scores are inspired by the BHK, "
        "compare letters with a model, and are never a diagnosis."
    )


def curve(errors: Sequence[ErrorPoint]) -> str:
    """Return the class's error after each round as a drawing; what is only unsure is light."""
    most = max(point.total for point in errors) or 1.0
    last = max(errors[-1].round, 1)

    def at(number: int, error: float) -> str:
        x = EDGE + (WIDTH - 2 * EDGE) * number / last
        return f"{x:.1f},{HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * error / most:.1f}"

    total = [at(point.round, point.total) for point in errors]
    known = [at(point.round, point.total - point.unsure) for point in errors]
    foot = [at(errors[-1].round, 0.0), at(errors[0].round, 0.0)]
    return (
        f'<svg viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" '
        f'aria-label="The error falls from {errors[0].total:.2f} to {errors[-1].total:.2f}." '
        'font-size="13" fill="#1c1c1c">'
        f'<polygon points="{" ".join([*known, *foot])}" fill="#56b4e9" fill-opacity="0.6"/>'
        f'<polygon points="{" ".join([*total, *known[::-1]])}" fill="#56b4e9" fill-opacity="0.25"/>'
        f'<polyline points="{" ".join(total)}" fill="none" stroke="#0072b2" stroke-width="2"/>'
        f'<text x="{EDGE:.0f}" y="{EDGE - 12:.0f}">error {most:.2f}</text>'
        f'<text x="{WIDTH - EDGE:.0f}" y="{HEIGHT - 12:.0f}" text-anchor="end">round {last}</text>'
        "</svg>"
    )
