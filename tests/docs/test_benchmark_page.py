"""The ten sentences about the benchmark of teachers agree with the results that are shipped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from homeroom.studies.bench import load_results
from homeroom.studies.bench_results import CellResult, column_ranks, columns_of, summarise
from homeroom.studies.bench_tasks import TASKS, task_from_seed

PAGE = Path(__file__).parents[2] / "docs" / "benchmark.md"
RESULTS = {(one.teacher, *one.column): one for one in load_results() if one.refused is None}
COLUMNS = columns_of(load_results())
SUMMARY = {one.teacher: one for one in summarise(load_results())}
MOST = max(map(len, COLUMNS.values()))
BY_ACCURACY = [name for name in TASKS if name in ("insects", "categories", "classes", "facts")]


def sentence(number: int) -> str:
    """Return a sentence of the page, on one line."""
    text = " ".join(PAGE.read_text("utf-8").split())
    start, end = (re.escape(f" {one}. ") for one in (number, number + 1))
    found = re.search(rf"{start}(.*?)(?:{end}|The tasks are not independent)", text)
    assert found is not None
    return found[1]


def rounds(teacher: str, learner: str, task: str) -> str:
    return f"{RESULTS[teacher, learner, task].rounds:.0f}"


def with_interval(teacher: str, learner: str, task: str) -> str:
    half = RESULTS[teacher, learner, task].rounds_half
    assert half is not None
    return f"{rounds(teacher, learner, task)} rounds (± {half:.0f})"


def fails(teacher: str, columns: list[tuple[str, str]] | None = None) -> str:
    found = [RESULTS[teacher, *one].fails for one in columns or COLUMNS if teacher in COLUMNS[one]]
    return f"{np.mean(found):.0%}".replace("%", " %")


def median_rank(teacher: str, columns: list[tuple[str, str]]) -> str:
    ranks = [column_ranks(COLUMNS[one])[teacher] for one in columns]
    return f"{np.median(ranks):g}"


def best_in(teacher: str) -> int:
    return sum(
        teacher in found and found[teacher].rounds == min(one.rounds for one in found.values())
        for found in COLUMNS.values()
    )


def relative(teacher: str, other: str) -> list[float]:
    return [
        found[teacher].rounds / found[other].rounds
        for found in COLUMNS.values()
        if teacher in found
    ]


def failed(teacher: str) -> list[CellResult]:
    return [found[teacher] for found in COLUMNS.values() if found[teacher].fails]


WORDS = {3: "three", 5: "five", 7: "seven", 8: "Eight", 10: "ten", 12: "twelve"}


def expected() -> Iterator[tuple[int, str]]:
    """Yield what each sentence must contain."""
    dynamic, best = (f"{SUMMARY[name].median_rank:g}" for name in ("dynamic", "best"))
    yield 1, f"the median ranks {dynamic} and {best} of up to {MOST}"
    yield 1, f"in {best_in('dynamic')} and {best_in('best')} of {len(COLUMNS)} columns"
    yield 3, f"fail in {fails('best')} of the columns, more often than random examples"
    yield 3, f"random examples ({fails('random')})"
    fewer = sum(one < 1.0 for one in relative("random", "best"))
    yield 3, f"fewer rounds than `best` in {fewer} columns"
    yield 3, f"{np.median(relative('random', 'best')):.1f} times as many in the median column"
    others = [one for one in failed("best") if one.learner in ("hypotheses", "ridge", "people")]
    yield 4, f"{WORDS[len(others)]} of the {WORDS[len(failed('best'))]} failures of `best`"
    strict, at_random = (rounds(one, "hypotheses", "directions") for one in ("STRICT", "random"))
    yield 4, f"STRICT needs {strict} rounds and random examples {at_random}"
    own = [one for one in COLUMNS if "STRICT" in COLUMNS[one] and one[0] == "hypotheses"]
    rest = [one for one in COLUMNS if "STRICT" in COLUMNS[one] and one[0] != "hypotheses"]
    yield 5, f"median rank is {median_rank('STRICT', own)} of up to {MOST}"
    yield 5, f"and {median_rank('STRICT', rest)} with others"
    yield 5, f"it fails in {fails('STRICT', rest)} of the columns"
    yield 6, f"needs {with_interval('MaxGrad', 'ridge', 'insects')} on the insects"
    half = RESULTS["MaxGrad", "ridge", "categories"].rounds_half
    yield 6, f"{rounds('MaxGrad', 'ridge', 'categories')} (± {half:.0f}) on the categories"
    yield 7, f"`best` needs {with_interval('best', 'momentum', 'ball')}"
    for name, text in (("static", "`static`"), ("surrogate", "surrogate teacher")):
        shown = with_interval(name, "momentum", "ball").replace(" rounds", "")
        yield 7, f"{text} {shown}"
    yield 8, f"in {fails('planned')} of the {SUMMARY['planned'].columns} columns"
    yield 10, f"{min(one.worst for one in SUMMARY.values()):.0f} times the best teacher"
    yield 10, f"that of `best` is {SUMMARY['best'].worst:.0f} times"
    yield 10, f"fails in {fails('uncertainty')} of the columns"
    minimax, greedy, boxes = (
        rounds(one, "squared", "facts") for one in ("minimax batch", "best", "Leitner")
    )
    yield 9, f"({minimax} rounds; `best` {greedy}, Leitner's boxes {boxes})"
    left = {
        one: 100 * RESULTS[one, "squared", "facts"].errors[-1]
        for one in ("Leitner", "minimax batch", "best")
    }
    yield (
        9,
        (
            f"({left['Leitner']:.1g} %; minimax batch {left['minimax batch']:.1g} %, "
            f"`best` {left['best']:.2g} %)"
        ),
    )


@pytest.mark.parametrize(("number", "part"), list(expected()))
def test_a_figure_of_the_page_is_that_of_the_results(number: int, part: str) -> None:
    assert part in sentence(number)


def test_omniscient_has_the_numbers_of_best_in_every_column() -> None:
    for found in COLUMNS.values():
        one, other = found["omniscient"], found["best"]
        assert (one.rounds, one.errors) == (other.rounds, other.errors)


def test_what_fails_where_the_page_says_so() -> None:
    """Sentences 4 to 7, 9 and 10."""
    assert RESULTS["best", "hypotheses", "directions"].reached == 0.0
    assumed = [found for (learner, _), found in COLUMNS.items() if learner == "hypotheses"]
    assert not any(found["STRICT"].fails for found in assumed if "STRICT" in found)
    assert all(RESULTS["best", "ridge", task].fails for task in BY_ACCURACY)
    at_ridge = [RESULTS["MaxGrad", "ridge", task].fails for task in BY_ACCURACY]
    assert at_ridge == [False, False, True, True]
    for task in ("ball", "directions", "mixed"):
        assert task_from_seed(task, 0).test is None
        assert RESULTS["minimax batch", "momentum", task].errors[-1] > 1e4
    first = COLUMNS["squared", "facts"]
    assert min(first, key=lambda one: first[one].rounds) == "minimax batch"
    assert min(first, key=lambda one: first[one].errors[-1]) == "Leitner"
    kept = [one for one, found in COLUMNS["logistic", "facts"].items() if not found.fails]
    assert kept == ["Leitner"]
    least = min(SUMMARY.values(), key=lambda one: one.worst)
    assert (least.teacher, least.median_rank) == ("label synthesis", 9.0)
    assert min(SUMMARY.values(), key=lambda one: one.fails).teacher == "planned"


def test_planning_compared_with_greedy_teaching() -> None:
    """Sentence 8."""
    more = {
        one: found["planned"].rounds - found["best"].rounds
        for one, found in COLUMNS.items()
        if "planned" in found
    }
    far = {one: by for one, by in more.items() if by < -10}
    assert all(learner == "hypotheses" for learner, _ in far)
    fewer = [by for by in more.values() if -10 <= by < 0]
    longer = [by for by in more.values() if by > 0]
    even = sum(by == 0 for by in more.values())
    least, most = -max(far.values()), -min(far.values())
    assert sentence(8).endswith(
        f"it needs {least:.0f} to {most:.0f} rounds fewer than `best` in {WORDS[len(far)]} columns "
        f"with hypotheses, up to {-min(fewer):.0f} fewer in {WORDS[len(fewer)]} others, as many in "
        f"{WORDS[even]}, and up to {max(longer):.0f} more in {WORDS[len(longer)]}."
    )


def test_the_size_of_the_matrix() -> None:
    lessons = sum(one.seeds for one in RESULTS.values())
    assert f"{lessons:,} lessons in {len(COLUMNS)} columns" in PAGE.read_text("utf-8")
