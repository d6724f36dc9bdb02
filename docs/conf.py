"""The documentation's settings. Nothing here needs the network, neither to build nor to read."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "homeroom"
author = "the homeroom authors"
copyright = f"2026, {author}"
release = version = version_of("homeroom")

extensions = [
    "commands",  # _ext: runs the commands that a page shows
    "gallery",  # _ext: draws the figures of the paper
    "mathml",  # _ext: formulas without a script
    "myst_parser",
    "pictures",  # _ext: drawn with every build, so never stale
    "public_names",  # _ext: links to where a thing is public
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build", "notebooks"]
templates_path = ["_templates"]

# Pages are Markdown, with $maths$ and links to headings.
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3

# Docstrings have NumPy sections without types; the types come from the signatures.
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_type_aliases = {name: name for name in ("Array", "Floats", "Ints")}
autosummary_generate = True
autosummary_ignore_module_all = False
python_display_short_literal_types = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "homeroom"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["homeroom.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0072b2", "color-brand-content": "#0072b2"},
    "dark_css_variables": {"color-brand-primary": "#56b4e9", "color-brand-content": "#56b4e9"},
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .go"

# Every reference to our own names must lead somewhere; names of other libraries need not.
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(np|npt|numpy|pandas|matplotlib|collections|abc|enum|os|typing)\..*"),
    ("py:class", "Array|Floats|Ints|Axes|Figure"),
    # Parts of public objects that have no page.
    ("py:class", "Event|Setup|Assumed|ClassPrior|ClassOffset|BeliefBank|AbstractGenerator"),
    ("py:class", "ExactClass|SketchClass|NestedSketch|Student|Report"),
    ("py:class", r"homeroom\.engines\.exact\.RoundingBounds"),
    ("py:class", r"homeroom\.studies\.choices\.EffectEstimate"),
    ("py:class", r"homeroom\.teachers\.published\.(imitation|minimax|reviews)\..*"),
    ("py:.*", r"homeroom\.(crowd|handwriting|observers\.quizzing|people|teachers\.planning)\..*"),
]


def keep_colons(_app: Any, what: str, _name: str, _thing: Any, _options: Any, lines: Any) -> None:
    """Stop napoleon from reading ``T: how many examples`` as "of type T" in a property."""
    if what in ("attribute", "property"):
        lines[:0] = ["..", ""]  # an empty comment


def _with_page(thing: Any) -> list[Any]:
    """Return the bases of a class; for those that published teachers share, their own bases."""
    shared = "homeroom.teachers.published."
    found = [
        one
        for base in getattr(thing, "__bases__", ())
        for one in (_with_page(base) if base.__module__.startswith(shared) else [base])
    ]
    return list(dict.fromkeys(found))


def name_interfaces(
    _app: Any, what: str, _name: str, thing: Any, _options: Any, lines: list[str]
) -> None:
    """Say under a class which of our interfaces it implements."""
    bases = _with_page(thing) if what == "class" else []
    found = [base.__name__ for base in bases if base.__name__.startswith("Abstract")]
    if found:
        lines += ["", "Implements " + ", ".join(f":class:`{name}`" for name in found) + ".", ""]


def setup(app: Any) -> None:
    """Come before napoleon, and after it."""
    app.connect("autodoc-process-docstring", keep_colons, priority=400)
    app.connect("autodoc-process-docstring", name_interfaces, priority=600)
