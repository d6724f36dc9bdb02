"""The size and the language of the source, compared with version 0.1."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from benchmarks.timing import Line

ROOT = Path(__file__).parents[1]

PHRASES = re.compile(
    r"how manyth|\banew\b|\bby lot\b|\bfor one (of|at)\b|\bheld against\b|\btold\b|\bfound out\b"
    r"|\b(go|goes|going) on\b|\brooms?\b (of|for|in|that|may|imports)|\bdoors?\b|\b(she|hers?)\b"
    r"|\b(some|every|no)body\b|\bschools\b|\bwhoever\b|\bblurred\b|\bsight\b|\bof whom\b|\bhardly\b"
    r"|\btells?\b (of|how|that|which|what)|\bpace\b|\d (ms|s|us|GB|MB|bytes) an? \w+"
    r"|\ban? (object|entry|row|number|line) an? \w+",
    re.IGNORECASE,
)
"""Wording that reads like a translation. A hit may be right where it stands."""

TEXTS = ("src/**/*.py", "tests/**/*.py", "docs/**/*.md", "web/src/texts/en.ts", "*.md")


def lines() -> Iterator[Line]:
    """Count."""
    sources = sorted((ROOT / "src").rglob("*.py"))
    trees = [ast.parse(path.read_text("utf-8")) for path in sources]
    length = sum(path.read_text("utf-8").count("\n") for path in sources)
    imports = sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    classes = Counter(
        node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    )
    twice = sum(count > 1 for count in classes.values())
    yield Line("modules", len(sources), "0.1", 477, 340 / 477, unit="")
    yield Line("lines", length, "0.1", 52936, 0.94, unit="")
    yield Line("lines of imports", imports, "all lines", length, 0.075, unit="")
    yield Line("class names defined twice", twice, "all", len(classes), 0.0, unit="")
    yield Line("phrases to avoid", phrases(), "0.1", 2105, 200 / 2105, unit="")


def phrases() -> int:
    """Return how often a phrase to avoid occurs in sources, tests, documentation and pages."""
    files = chain.from_iterable(ROOT.glob(pattern) for pattern in TEXTS)
    kept = (path for path in files if not {"_build", "api"} & set(path.parts))
    return sum(len(PHRASES.findall(path.read_text("utf-8"))) for path in kept)
