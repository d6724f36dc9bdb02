"""A lesson as an HTML page that writes its letters, in one self-contained file.

``page/player.js`` plays the letters; ``page/look.css`` is the style of the page.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from homeroom import _plugins
from homeroom._arrays import Floats
from homeroom._checks import counted
from homeroom.handwriting.generators.pen_path import paced, placed, times_of
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.lesson import WritingLesson, Written
from homeroom.handwriting.letters import LETTERS, model_letter
from homeroom.handwriting.scores import FEATURES

MODEL_HEIGHT = 200.0
"""The height of the model letter in units of the drawing."""

MARGIN = 14.0
"""The space around the letters, in units of the drawing."""


@dataclass(frozen=True, eq=False)
class DrawingArea:
    """The area of the drawing that all letters of a lesson share.

    Parameters
    ----------
    model
        The model letter.
    scale
        Units of the drawing per unit of the model.
    box
        The rectangle that contains every letter: left, top, width, height.
    """

    model: Ink
    scale: float
    box: tuple[float, float, float, float]

    @classmethod
    def of(cls, model: Ink, inks: Iterable[Ink]) -> DrawingArea:
        """Return the area that contains the model, and the letters placed on it."""
        points = np.concatenate([model.points, *(ink.points for ink in inks)])
        scale = MODEL_HEIGHT / max(1e-9, float(np.ptp(model.points, axis=0).max()))
        low, high = points.min(axis=0) * scale - MARGIN, points.max(axis=0) * scale + MARGIN
        left, top, width, height = (
            round(float(side), 1) for side in (low[0], low[1], *(high - low))
        )
        return cls(model, scale, (left, top, width, height))

    def place(self, points: Floats) -> list[list[float]]:
        """Return points in units of the drawing, with one decimal."""
        placed: list[list[float]] = np.round(points * self.scale, 1).tolist()
        return placed

    def path(self, ink: Ink) -> str:
        """Return a letter as an SVG path."""
        return "".join(_smooth_path(self.place(stroke.points)) for stroke in ink)


def _smooth_path(points: Sequence[Sequence[float]]) -> str:
    """Return a Catmull-Rom spline through all points, as the player draws it."""
    where = np.array([points[0], *points, points[-1]])
    before, after = (
        where[1:-2] + (where[2:-1] - where[:-3]) / 6,
        where[2:-1] - (where[3:] - where[1:-2]) / 6,
    )
    bends = np.round(np.hstack([before, after, where[2:-1]]), 1).tolist()
    start = f"M{points[0][0]:g} {points[0][1]:g}"
    if not bends:
        return start + "h0"  # a dot
    return start + "".join("C" + " ".join(f"{value:g}" for value in bend) for bend in bends)


def laid_out(shown: Written, model: Ink) -> Ink:
    """Return a letter of a lesson with times, at the size and place of the model."""
    return placed(paced(shown.ink), model)


def letter_data(scene: DrawingArea, shown: Written, ink: Ink) -> dict[str, Any]:
    """Return a letter as JSON values: strokes with times, scores, and whether it is good.

    ``ink`` is the letter ``shown`` at the size and place of the model, as from :func:`laid_out`.
    """
    strokes = [
        {"p": scene.place(stroke.points), "t": np.round(times_of(stroke), 3).tolist()}
        for stroke in ink
    ]
    return {
        "good": shown.good,
        "scores": [round(float(score), 3) for score in shown.scores],
        "seconds": max(stroke["t"][-1] for stroke in strokes),
        "strokes": strokes,
    }


NO_DIAGNOSIS = (
    "The scores are inspired by the BHK, a test of handwriting. They compare letters with a model "
    "letter, and are never a diagnosis."
)


def in_words(kind: str) -> str:
    """Return a type of handwriting in words.

    >>> in_words("shaky+rotated")
    'shaky and rotated'
    """
    return kind.replace("+", " and ")


def lesson_page(lesson: WritingLesson, *, title: str | None = None) -> str:
    """Return a lesson as one self-contained HTML file.

    The page shows the letters for the whole class and for each type of children, and writes them
    one after the other, at the speed at which they were written. It works with the keyboard,
    follows the reader's settings for dark mode and reduced motion, and shows all letters without
    scripts.

    Parameters
    ----------
    lesson
        The lesson.
    title
        The heading of the page.
    """
    letter = lesson.pool.model.letter or lesson.pool.inks[0].letter or ""
    title = title or f"Letters to write: {letter}"
    parts = _parts(lesson)
    model = lesson.pool.model
    inks = {one.ink: laid_out(one, model) for _, _, shown in parts for one in shown}
    scene = DrawingArea.of(model, inks.values())
    data = _page_data(scene, parts, inks)
    body = "\n".join(
        [
            f"<h1>{escape(title)}</h1>",
            _introduction(letter),
            _tabs(parts),
            _player(scene, letter),
            *(_panel(number, scene, part, inks) for number, part in enumerate(parts)),
            _children_table(lesson),
            f"<footer><p>{NO_DIAGNOSIS} Made by homeroom {_plugins.version()}.</p></footer>",
        ]
    )
    return _document(title, body, data)


Part = tuple[str, str, list[Written]]
"""The name of a group, its members, and the letters for it."""


def _parts(lesson: WritingLesson) -> list[Part]:
    """Return the tabs of the page: the whole class, then each type of children."""
    number = len(lesson.pupils)
    together = "One child." if number == 1 else f"All {number} children together."
    parts = [("Whole class", together, lesson.letters())]
    if len(lesson.groups) < 2:
        return parts
    for kind in lesson.groups:
        names = [
            child.name
            for child, own in zip(lesson.pupils, lesson.kinds, strict=True)
            if own == kind
        ]
        parts.append((in_words(kind).capitalize(), f"{', '.join(names)}.", lesson.letters(kind)))
    return parts


def _introduction(letter: str) -> str:
    return (
        "<p>Show these letters in order, on this page or with a robot. For each letter, the "
        f"child decides whether it is a good <b>{escape(letter)}</b>, and writes it better. The "
        "letters start with what the children themselves find hard.</p>"
    )


def _tabs(parts: list[Part]) -> str:
    """Return the HTML of the buttons that select a tab."""
    buttons = "".join(
        f'<button type="button" role="tab" id="tab-{number}" aria-controls="panel-{number}" '
        f'aria-selected="{"false" if number else "true"}" data-lesson="{number}">'
        f"{escape(name)} ({len(shown)})</button>"
        for number, (name, _, shown) in enumerate(parts)
    )
    return f'<div role="tablist" aria-label="Who the letters are for">{buttons}</div>'


def _player(scene: DrawingArea, letter: str) -> str:
    """Return the HTML of the player: the drawing, the buttons, and the table of scores."""
    left, top, width, height = scene.box
    lines = ""
    if letter in LETTERS and scene.model is model_letter(letter):
        ruled = (0.0, -scene.scale)  # the baseline, and the height of an x
        lines = "".join(
            f'<line class="ruled" x1="{left}" x2="{left + width:g}" y1="{y:g}" y2="{y:g}"/>'
            for y in ruled
        )
    rows = "".join(
        f'<tr><th scope="row">{name}</th><td><svg viewBox="0 0 100 8" preserveAspectRatio="none" '
        f'aria-hidden="true"><rect class="track" width="100" height="8"/>'
        f'<rect class="share" id="score-{place}" width="0" height="8"/></svg></td>'
        f'<td id="said-{place}"></td></tr>'
        for place, name in enumerate(FEATURES)
    )
    return f"""<section id="player" aria-label="Player" hidden>
<svg id="stage" role="img" aria-label="The letter as it is written"
 viewBox="{left} {top} {width} {height}">{lines}<path id="model"/><g id="strokes"></g>
<circle id="pen" r="5"/></svg>
<div><div><span id="number"></span> <span id="verdict"></span></div>
<div class="controls"><button type="button" id="back">Back</button>
<button type="button" id="play">Play</button><button type="button" id="on">Next</button>
<button type="button" id="again">Write again</button></div>
<div class="controls"><label>Speed <input type="range" id="speed" min="-2" max="2" step="0.25"
 value="0" aria-valuetext="1.0×"></label><output id="speed-said" for="speed">1.0×</output></div>
<div class="controls"><label><input type="checkbox" id="ghost" checked> Show the model
 letter</label></div>
<div class="controls"><label><input type="checkbox" id="answer" checked> Show which letters are
 good</label></div>
<table class="scores"><caption class="heard">Defects of this letter, from 0 to 1</caption>
<tbody>{rows}</tbody></table>
<p class="keys"><kbd>Space</kbd> plays and pauses, <kbd>←</kbd> <kbd>→</kbd> go from letter to
 letter, <kbd>R</kbd> writes this one again.</p>
<div class="heard" id="heard" aria-live="polite"></div></div></section>"""


def _panel(number: int, scene: DrawingArea, part: Part, inks: dict[Ink, Ink]) -> str:
    """Return the HTML of one tab; ``inks`` has the ink of each letter as laid out."""
    name, who, shown = part
    some = "".join(
        _card(number, place, scene, one, inks[one.ink]) for place, one in enumerate(shown)
    )
    strip = f'<ol class="strip">{some}</ol>' if shown else "<p>They know it already.</p>"
    return (
        f'<section role="tabpanel" id="panel-{number}" aria-labelledby="tab-{number}" '
        f'data-lesson="{number}"><h2>{escape(name)}: {counted(len(shown), "letter")}</h2>'
        f'<p class="about">{escape(who)} Letters with a green edge and a tick are good, the others '
        f"are to be corrected.</p>{strip}</section>"
    )


def _card(lesson: int, place: int, scene: DrawingArea, shown: Written, ink: Ink) -> str:
    """Return the HTML of one letter in a tab: a button with its drawing."""
    box = " ".join(f"{side:g}" for side in scene.box)
    said = f"Letter {place + 1}, {'good' if shown.good else 'to be corrected'}"
    return (
        f'<li{" class=" + chr(34) + "well" + chr(34) if shown.good else ""}><button type="button" '
        f'data-lesson="{lesson}" data-letter="{place}" aria-label="{said}">'
        f'<svg viewBox="{box}" aria-hidden="true"><path d="{scene.path(ink)}"/></svg>'
        f"<small>{place + 1}{'<i> ✓</i>' if shown.good else ''}</small></button></li>"
    )


def _children_table(lesson: WritingLesson) -> str:
    """Return the HTML of the table of children, with mean scores and types, and the remarks."""
    head = "".join(
        f'<th scope="col">{name}</th>' for name in ("child", "letters", *FEATURES, "type")
    )
    rows = "".join(
        f'<tr><th scope="row">{escape(child.name)}</th><td>{len(child.inks)}</td>'
        + "".join(f"<td>{score:.2f}</td>" for score in child.mean.tolist())
        + f"<td>{escape(in_words(str(kind)))}</td></tr>"
        for child, kind in zip(lesson.pupils, lesson.kinds, strict=True)
    )
    return (
        '<h2>What the children wrote</h2><p class="about">Each score is a defect from 0 (as in the '
        "model letter) to 1, averaged over a child's letters. The type names the two greatest "
        'defects, even if they are small.</p><div class="wide"><table class="people">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{_notes(lesson)}"
    )


def _notes(lesson: WritingLesson) -> str:
    """Return the remarks on the children's letters."""
    return "".join(
        f"<p>{escape(sentence)}</p>" for child in lesson.pupils for sentence in child.remarks
    )


def _page_data(scene: DrawingArea, parts: list[Part], inks: dict[Ink, Ink]) -> dict[str, Any]:
    """Return what the player draws: the model letter, and the letters of each tab."""
    return {
        "box": scene.box,
        "scores": FEATURES,
        "model": [scene.place(stroke.points[::3]) for stroke in scene.model],
        "lessons": [
            {"name": name, "letters": [letter_data(scene, one, inks[one.ink]) for one in shown]}
            for name, _, shown in parts
        ],
    }


def _document(title: str, body: str, data: dict[str, Any]) -> str:
    """Return the complete HTML document, with its script, style and data."""
    script, style = (
        files("homeroom.handwriting").joinpath("page", name).read_text(encoding="utf-8")
        for name in ("player.js", "look.css")
    )
    # Only this script and this style may run, and nothing may be loaded.
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    content = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n{body}\n"
        f'</main>\n<script type="application/json" id="lesson-data">{content}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _digest(text: str) -> str:
    """Return the hash of a script or a style, as the Content-Security-Policy expects it."""
    return "sha256-" + b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")
