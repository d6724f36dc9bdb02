from __future__ import annotations

import pytest

from homeroom.live.activities import read_upload
from homeroom.live.activities.gift import rows_of_gift
from homeroom.live.refused import Refused

FILE = rb"""// a comment
$CATEGORY: Geography

::France::[html]<p>What is the capital of France&nbsp;?</p>{
  ~Lyon#No, but large.
  =Paris#Yes!
  ~%-50%Nice
  ####Paris is on the Seine.
}

The sun is a star. {TRUE#Wrong.#Right.}

Grant is {~buried =entombed ~living} in Grant's tomb.

::short::2 \= 1 + ? {=1 =one}

::France::Twice \{named\} {F}
"""


def test_the_questions_of_a_file_become_items() -> None:
    france, sun, grant, short, twice = rows_of_gift(FILE)
    assert france.item == "France"
    assert france.question == "What is the capital of France ?"
    assert (france.label, france.options) == ("Paris", ("Lyon", "Paris", "Nice"))
    assert france.explanation == "Paris is on the Seine."
    assert (sun.label, sun.options) == ("true", ("true", "false"))
    assert grant.question == "Grant is _____ in Grant's tomb."
    assert (short.question, short.label, short.options) == ("2 = 1 + ?", "1", ())
    assert (twice.item, twice.question, twice.label) == ("France (2)", "Twice {named}", "false")


def test_a_file_is_uploaded_as_an_activity() -> None:
    text = "\n\n".join(f"{n} + 1 = ? {{={n + 1} ~{n} ~{n + 2}}}" for n in range(5))
    activity, _ = read_upload([("sums.gift", text.encode())], name="Sums")
    assert [activity.label_of(item.id) for item in activity.items] == ["1", "2", "3", "4", "5"]
    assert activity.facts


@pytest.mark.parametrize(
    "question",
    [
        "Match. {=a -> b =c -> d}",
        "How many? {#3:1}",
        "Write an essay. {}",
        "A description without answers.",
        "Two right ones. {=a =b ~c}",
        "The same twice. {=a ~b ~b}",
        "Nested {=a ~{b}}",
        "} backwards {",
        "{=a ~b}",
    ],
)
def test_other_questions_are_refused_with_their_number(question: str) -> None:
    with pytest.raises(Refused, match=r"Question 2 of quiz\.gift cannot be read"):
        rows_of_gift(f"First? {{=a ~b}}\n\n{question}".encode(), "quiz.gift")


def test_large_files_are_refused() -> None:
    with pytest.raises(Refused, match="more than 4 MiB"):
        rows_of_gift(b"x" * (4 * 2**20 + 1))
    with pytest.raises(Refused, match="2001 items"):
        rows_of_gift(b"\n\n".join(b"q? {T}" for _ in range(2001)))
