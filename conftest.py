"""Settings for all tests, and the examples in README.md and docs/, which run as tests."""

import gc
import os
import random
from collections.abc import Iterable
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings
from sybil import Sybil
from sybil.parsers.myst import DocTestDirectiveParser, PythonCodeBlockParser, SkipParser

os.environ.setdefault("MPLBACKEND", "Agg")  # pictures are drawn, never shown

collect_ignore = ["docs/conf.py", "docs/_build"]


def enter_empty_folder(namespace: dict[str, Any]) -> None:
    """Run the examples of a page in an empty folder."""
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


ROOT = Path(__file__).parent
FIRST = (
    "tests/browser/",
    "tests/studies/",
    "tests/observers/",
    "tests/cli/",
    "tests/teachers/",
    "tests/crowd/",
    "tests/live/",
    "tests/classroom/",
    "tests/advice/",
    "docs/",
)
"""Folders whose files take long: they start first, so that short files end a run."""

SLOW_EXAMPLES = (
    "docs/choose-a-teacher.md",
    "docs/groups.md",
    "docs/insects.md",
    "docs/planning.md",
    "src/homeroom/advice/frontier.py",
    "src/homeroom/advice/compare.py",
    "src/homeroom/teachers/planned.py",
)
"""Pages and modules whose examples take seconds: ``--quick`` leaves them out."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of `make test` and `make test-slow`."""
    parser.addoption(
        "--quick",
        action="store_true",
        help="leave out tests marked as slow, and check laws on a quarter of their cases",
    )
    parser.addoption(
        "--shuffle", type=int, metavar="SEED", help="run the tests in a random order, from a seed"
    )


def pytest_report_header(config: pytest.Config) -> list[str]:
    """State the seed, so that a random order can be repeated."""
    seed = config.getoption("--shuffle")
    return [] if seed is None else [f"random order: --shuffle {seed}"]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out slow tests on request, and put the tests in order."""
    if config.getoption("--quick"):
        slow = [item for item in items if is_slow(item)]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not is_slow(item)]
        take_a_quarter_of_the_cases(items)
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    seed = config.getoption("--shuffle")
    order = by_length(files) if seed is None else at_random(files, random.Random(seed))
    items[:] = [item for path in order for item in files[path]]


def pytest_collection_finish() -> None:
    """Take what was collected out of garbage collection: all of it lives until the end."""
    gc.collect()
    gc.freeze()


def is_slow(item: pytest.Item) -> bool:
    """Return whether a test runs only in `make test-slow`."""
    page = item.path.relative_to(ROOT).as_posix()
    return item.get_closest_marker("slow") is not None or page in SLOW_EXAMPLES


def take_a_quarter_of_the_cases(items: list[pytest.Item]) -> None:
    """Let Hypothesis try a quarter of the cases of each law, but at least five."""
    tests = [item.function for item in items if isinstance(item, pytest.Function)]
    laws: dict[int, Any] = {id(test): test for test in tests if is_hypothesis_test(test)}
    for law in laws.values():
        usual = law._hypothesis_internal_use_settings
        fewer = min(usual.max_examples, max(5, usual.max_examples // 4))
        law._hypothesis_internal_use_settings = settings(usual, max_examples=fewer)


def by_length(files: Iterable[Path]) -> list[Path]:
    """Return the files, those that take long first."""

    def place(path: Path) -> int:
        name = path.relative_to(ROOT).as_posix()
        return next((n for n, start in enumerate(FIRST) if name.startswith(start)), len(FIRST))

    return sorted(files, key=place)


def at_random(files: dict[Path, list[pytest.Item]], rng: random.Random) -> list[Path]:
    """Return the files in a random order, and shuffle the tests within each.

    The examples of a page stay in order, as they build on each other.
    """
    for path, items in files.items():
        if path.suffix == ".py":
            rng.shuffle(items)
    return rng.sample(list(files), len(files))
