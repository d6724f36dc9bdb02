"""``homeroom crowd embed``: a map of items and people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom.cli.crowd_options import AnswersOptions, MapOptions
from homeroom.cli.crowd_words import (
    answers_as_values,
    has_target,
    map_as_values,
    show_answers,
    show_map,
    write_table,
)
from homeroom.cli.folder import Folder, folder
from homeroom.cli.options import ResultOptions
from homeroom.cli.screen import Screen

if TYPE_CHECKING:
    from homeroom._arrays import Floats
    from homeroom.crowd import Answers, Embedding


def embed(which: AnswersOptions, how: MapOptions, result: ResultOptions) -> None:
    """Make a map of items and people from who answered what.

    Items are points, people are lines with a side where they say yes. With
    --out you get the map (embedding.npz), tables of items and people, and, if
    there are expert's labels, the people as a class (class.npz) for the other
    commands.

    [bold]Examples[/bold]
    $ homeroom crowd embed answers.csv --labels experts.csv --out crowd
    $ homeroom crowd embed clicks.txt --column student=Rater --column answer=Vote
    $ homeroom teach crowd/class.npz
    """
    screen = Screen(as_json=result.json)
    how.check()
    with folder(result.out, force=result.force) as out:
        answers = which.read()
        found = how.fit(answers, axes=False)
        document = _document(answers, found)
        if out:
            write_map(out, answers, found)
            out.result(document)
    show_answers(screen, answers)
    show_map(screen, found)
    screen.result(document)
    if result.out is not None:
        screen.gap()
        screen.say(f"The map is at {result.out / 'embedding.npz'}", style="bold")


def _document(answers: Answers, found: Embedding) -> dict[str, Any]:
    return {
        "answers": answers_as_values(answers),
        "map": map_as_values(found),
        "items": [
            {"item": name, "place": place, "deviation": deviation, "label": label}
            for name, place, deviation, label in zip(
                found.item_names,
                found.items.tolist(),
                deviations(found.uncertainty.items),
                found.labels.tolist(),
                strict=True,
            )
        ],
        "people": [
            {"person": name, "weights": weights, "threshold": threshold, "deviation": deviation}
            for name, weights, threshold, deviation in zip(
                found.person_names,
                found.people.tolist(),
                found.thresholds.tolist(),
                deviations(found.uncertainty.people),
                strict=True,
            )
        ],
    }


def deviations(covariances: Floats) -> list[list[float]]:
    """Return the standard deviations, a list for each covariance."""
    spread: list[list[float]] = np.sqrt(np.einsum("iaa->ia", covariances)).tolist()
    return spread


def write_map(out: Folder, answers: Answers, found: Embedding) -> None:
    """Write the map, its tables, and the people as a class if there is something to teach."""
    axes = range(1, found.dimensions + 1)
    found.save(out / "embedding.npz")
    asked = np.bincount(answers.item, minlength=len(answers.items)).tolist()
    yes = np.bincount(answers.item, answers.yes, minlength=len(answers.items)).astype(int).tolist()
    labels = ["" if np.isnan(label) else int(label) for label in found.labels.tolist()]
    write_table(
        out / "items.csv",
        [
            "item",
            *(f"x{axis}" for axis in axes),
            *(f"sd_x{axis}" for axis in axes),
            "label",
            "answers",
            "yes",
        ],
        (
            [name, *place, *deviation, label, number, said]
            for name, place, deviation, label, number, said in zip(
                found.item_names,
                found.items.tolist(),
                deviations(found.uncertainty.items),
                labels,
                asked,
                yes,
                strict=True,
            )
        ),
    )
    write_table(
        out / "people.csv",
        [
            "person",
            *(f"w{axis}" for axis in axes),
            "threshold",
            *(f"sd_w{axis}" for axis in axes),
            "sd_threshold",
        ],
        (
            [name, *weights, threshold, *deviation]
            for name, weights, threshold, deviation in zip(
                found.person_names,
                found.people.tolist(),
                found.thresholds.tolist(),
                deviations(found.uncertainty.people),
                strict=True,
            )
        ),
    )
    if has_target(found):
        found.to_classroom().save(out / "class.npz")
