"""The page: who is taught, what is written for them, and a player that writes it."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from homeroom import _plugins
from homeroom._words import counted
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.lesson import WritingLesson, Written
from homeroom.handwriting.letters import LETTERS, model_letter
from homeroom.handwriting.page.scene import Scene, as_values, laid
from homeroom.handwriting.scores import FEATURES

NO_DIAGNOSIS = (
    "The scores are inspired by the BHK, a test of handwriting. They compare letters with a model "
    "letter, and are never a diagnosis."
)


def in_words(kind: str) -> str:
    """Return a type of handwriting as it is said.

    >>> in_words("shaky+rotated")
    'shaky and rotated'
    """
    return kind.replace("+", " and ")


def lesson_page(lesson: WritingLesson, *, title: str | None = None) -> str:
    """Return a lesson as one HTML file, which loads nothing from elsewhere.

    It shows the letters for the whole class and for each type of children, and writes them one
    after the other as fast as they were written. It works with the keyboard, follows the reader's
    wish for a dark page or for no motion, and shows all letters where scripts are forbidden.

    Parameters
    ----------
    lesson
        The lesson.
    title
        What stands at the top.
    """
    letter = lesson.pool.model.letter or lesson.pool.inks[0].letter or ""
    title = title or f"Letters to write: {letter}"
    parts = _parts(lesson)
    model = lesson.pool.model
    inks = {one.ink: laid(one, model) for _, _, shown in parts for one in shown}
    scene = Scene.of(model, inks.values())
    data = _data(scene, parts, inks)
    body = "\n".join(
        [
            f"<h1>{escape(title)}</h1>",
            _intro(letter),
            _tabs(parts),
            _player(scene, letter),
            *(_panel(number, scene, part, inks) for number, part in enumerate(parts)),
            _people(lesson),
            f"<footer><p>{NO_DIAGNOSIS} Made by homeroom {_plugins.version()}.</p></footer>",
        ]
    )
    return _document(title, body, data)


Part = tuple[str, str, list[Written]]
"""Whom a lesson is for, who they are, and its letters."""


def _parts(lesson: WritingLesson) -> list[Part]:
    everybody = f"All {counted(len(lesson.pupils), 'child', 'children')} together."
    parts = [("Whole class", everybody, lesson.letters())]
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


def _intro(letter: str) -> str:
    return (
        f"<p>Show these letters one after the other, on this page or by a robot. Of each the child "
        f"says whether it is a good <b>{escape(letter)}</b>, and writes it better. They begin with "
        "what the children themselves find hard.</p>"
    )


def _tabs(parts: list[Part]) -> str:
    buttons = "".join(
        f'<button type="button" role="tab" id="tab-{number}" aria-controls="panel-{number}" '
        f'aria-selected="{"false" if number else "true"}" data-lesson="{number}">'
        f"{escape(name)} ({len(shown)})</button>"
        for number, (name, _, shown) in enumerate(parts)
    )
    return f'<div role="tablist" aria-label="Whom the letters are for">{buttons}</div>'


def _player(scene: Scene, letter: str) -> str:
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


def _panel(number: int, scene: Scene, part: Part, inks: dict[Ink, Ink]) -> str:
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


def _card(lesson: int, place: int, scene: Scene, shown: Written, ink: Ink) -> str:
    box = " ".join(f"{side:g}" for side in scene.box)
    said = f"Letter {place + 1}, {'good' if shown.good else 'to be corrected'}"
    return (
        f'<li{" class=" + chr(34) + "well" + chr(34) if shown.good else ""}><button type="button" '
        f'data-lesson="{lesson}" data-letter="{place}" aria-label="{said}">'
        f'<svg viewBox="{box}" aria-hidden="true"><path d="{scene.path(ink)}"/></svg>'
        f"<small>{place + 1}{'<i> ✓</i>' if shown.good else ''}</small></button></li>"
    )


def _people(lesson: WritingLesson) -> str:
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
        "model letter) to 1, on average over a child's letters. The type names the two that are "
        'greatest, however small they are.</p><div class="wide"><table class="people">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{_notes(lesson)}"
    )


def _notes(lesson: WritingLesson) -> str:
    """Return what is to be minded about the children's letters."""
    return "".join(
        f"<p>{escape(sentence)}</p>" for child in lesson.pupils for sentence in child.said
    )


def _data(scene: Scene, parts: list[Part], inks: dict[Ink, Ink]) -> dict[str, Any]:
    return {
        "box": scene.box,
        "scores": FEATURES,
        "model": [scene.place(stroke.points[::3]) for stroke in scene.model],
        "lessons": [
            {"name": name, "letters": [as_values(scene, one, inks[one.ink]) for one in shown]}
            for name, _, shown in parts
        ],
    }


def _document(title: str, body: str, data: dict[str, Any]) -> str:
    script, style = (
        files("homeroom.handwriting.page").joinpath(name).read_text(encoding="utf-8")
        for name in ("player.js", "look.css")
    )
    # Nothing but this very script and style may run, and nothing may be loaded.
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    told = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n{body}\n"
        f'</main>\n<script type="application/json" id="lesson-data">{told}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")
