"""What every test shares, and the examples in README.md and docs/, which are run as tests."""

import os
import random
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
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


FIRST = ("tests/browser",)
"""What takes longest, in this order: what starts last should be short, as others wait for it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the order of the tests be drawn at random."""
    parser.addoption(
        "--shuffle", type=int, metavar="SEED", help="run the tests in a random order, by a seed"
    )


def pytest_report_header(config: pytest.Config) -> list[str]:
    """State the seed, so that a random order can be repeated."""
    seed = config.getoption("--shuffle")
    return [] if seed is None else [f"random order: --shuffle {seed}"]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest files first, or files and the tests within them in a random order.

    The examples of a page stay in order, as they build on each other.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    seed = config.getoption("--shuffle")
    if seed is None:
        order = sorted(files, key=_place)
    else:
        rng = random.Random(seed)
        order = rng.sample(list(files), len(files))
        for path in order:
            if path.suffix == ".py":
                rng.shuffle(files[path])
    items[:] = [item for path in order for item in files[path]]


def _place(path: Path) -> int:
    """Return where a file stands in `FIRST`."""
    under = path.relative_to(Path(__file__).parent).as_posix()
    return next((n for n, start in enumerate(FIRST) if under.startswith(start)), len(FIRST))
