"""``homeroom crowd groups``: who thinks alike, and what they believe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from homeroom.cli.crowd_options import AnswersOptions, KOption, MapOptions, check_k
from homeroom.cli.crowd_words import (
    answers_as_values,
    belief_as_values,
    map_as_values,
    show_answers,
    show_beliefs,
    show_map,
    write_table,
)
from homeroom.cli.folder import folder
from homeroom.cli.options import ResultOptions
from homeroom.cli.report import say_where
from homeroom.cli.screen import Screen

if TYPE_CHECKING:
    from homeroom._arrays import Ints
    from homeroom.crowd import Answers, Embedding
    from homeroom.crowd.beliefs import GroupBelief


def groups(
    which: AnswersOptions, how: MapOptions, result: ResultOptions, k: KOption = None
) -> None:
    """Find groups of like-minded people, and what each believes.

    With --out, groups.csv lists the group of each person, and report.html shows
    the map.

    [bold]Examples[/bold]
    $ homeroom crowd groups answers.csv --labels experts.csv
    $ homeroom crowd groups answers.csv --k 3 --out groups
    """
    from homeroom.crowd.atlas import map_page
    from homeroom.crowd.beliefs import beliefs

    screen = Screen(as_json=result.json)
    how.check()
    check_k(k)
    with folder(result.out, force=result.force) as out:
        answers = which.read()
        check_k(k, len(answers.people))
        found = how.fit(answers)
        group_of = found.groups(k, seed=how.seed)
        believed = beliefs(answers, found, group_of)
        document = _document(answers, found, group_of, believed)
        if out:
            rows = zip(found.person_names, (group_of + 1).tolist(), strict=True)
            write_table(out / "groups.csv", ["student", "group"], rows)
            found.save(out / "embedding.npz")
            out.page(map_page(answers, found, group_of, believed))
            out.result(document)
    show_answers(screen, answers)
    show_map(screen, found)
    show_beliefs(screen, answers, believed)
    screen.result(document)
    say_where(screen, result.out)


def _document(
    answers: Answers, found: Embedding, group_of: Ints, believed: list[GroupBelief]
) -> dict[str, Any]:
    return {
        "answers": answers_as_values(answers),
        "map": map_as_values(found),
        "groups": [belief_as_values(number, belief) for number, belief in enumerate(believed)],
        "group_of": dict(zip(found.person_names, (group_of + 1).tolist(), strict=True)),
    }
