"""What every test shares, and the examples in README.md and docs/, which are run as tests."""

import os
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sybil import Sybil
from sybil.parsers.myst import DocTestDirectiveParser, PythonCodeBlockParser, SkipParser

os.environ.setdefault("MPLBACKEND", "Agg")  # pictures are drawn, never shown

collect_ignore = ["docs/conf.py", "docs/_build"]


def enter_empty_folder(namespace: dict[str, Any]) -> None:
    """Start a page's examples in an empty folder, where they may write what they like."""
    namespace["_folder"], namespace["_back"] = TemporaryDirectory(), Path.cwd()
    os.chdir(namespace["_folder"].name)


def leave_empty_folder(namespace: dict[str, Any]) -> None:
    """Go back, and remove the folder."""
    os.chdir(namespace["_back"])
    namespace["_folder"].cleanup()


pytest_collect_file = Sybil(
    parsers=[
        DocTestDirectiveParser(optionflags=ELLIPSIS | NORMALIZE_WHITESPACE),
        PythonCodeBlockParser(doctest_optionflags=ELLIPSIS | NORMALIZE_WHITESPACE),
        SkipParser(),
    ],
    patterns=["README.md", "docs/*.md", "docs/**/*.md"],
    setup=enter_empty_folder,
    teardown=leave_empty_folder,
).pytest()
