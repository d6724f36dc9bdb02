"""Formulas as MathML, which every browser supports: no script, no font, no network."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

_FENCES = re.compile(r"<mo( class=\"[a-z]+\")?>([‖⟨⟩])</mo>")
_SLASH = re.compile(r"<mo stretchy=\"false\">/</mo>")


def formula(text: str, *, as_block: bool) -> str:
    """Return a formula as MathML, with norms that do not stretch and tight slashes."""
    drawn = tex2mathml(text.strip(), as_block=as_block)
    drawn = _FENCES.sub(r'<mo stretchy="false">\2</mo>', drawn)
    return _SLASH.sub('<mo stretchy="false" lspace="0" rspace="0">/</mo>', drawn)


def write_inline(writer: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a sentence."""
    writer.body.append(formula(node.astext(), as_block=False))
    raise nodes.SkipNode


def write_block(writer: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on separate lines; one that is too wide can be scrolled."""
    writer.body.append(f'<div class="formula">{formula(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
