"""Links from definitions to the public names in the documentation.

Signatures name ``homeroom.classroom.room.Classroom``; readers know it as ``homeroom.Classroom``.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

from sphinx.util.inspect import TypeAliasForwardRef

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

ROOMS = (
    "homeroom",
    "homeroom.classroom",
    "homeroom.learners",
    "homeroom.pools",
    "homeroom.goals",
    "homeroom.moments",
    "homeroom.groups",
    "homeroom.observers",
    "homeroom.teachers",
    "homeroom.lessons",
    "homeroom.advice",
    "homeroom.crowd",
    "homeroom.crowd.atlas",
    "homeroom.handwriting",
    "homeroom.plots",
)
"""Public packages; an object is documented in the first one that has it."""


@cache
def public_names() -> dict[str, str]:
    """Return the public names by their full definition and by their bare name."""
    found: dict[str, str] = {}
    for room in ROOMS:
        module = importlib.import_module(room)
        for name in getattr(module, "__all__", [n for n in vars(module) if n.startswith("Abs")]):
            thing = getattr(module, name)
            defined = f"{getattr(thing, '__module__', room)}.{name}"
            for key in (defined, f"{room}.{name}", name):
                found.setdefault(key, f"{room}.{name}")
    return found


def link(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contents: nodes.Element
) -> nodes.Element | None:
    """Resolve a reference by its public name."""
    target = str(node.get("reftarget", ""))
    name = public_names().get(target) or public_names().get(target.rpartition(".")[2])
    if node.get("refdomain") != "py" or name is None or name == target:
        return None
    python = env.get_domain("py")
    return python.resolve_any_xref(env, node["refdoc"], app.builder, name, node, contents)[0][1]


def setup(app: Sphinx) -> dict[str, Any]:
    """Ask here when Sphinx itself finds nothing; let ``Array | None`` read like that."""
    TypeAliasForwardRef.__repr__ = lambda self: self.name  # type: ignore[method-assign]
    app.connect("missing-reference", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
