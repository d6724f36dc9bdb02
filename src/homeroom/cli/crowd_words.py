"""What the commands about a crowd say of it: facts for the screen, values for JSON, tables."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom._words import counted
from homeroom.cli.screen import Screen

if TYPE_CHECKING:
    from homeroom.crowd import Answers, Embedding
    from homeroom.crowd.beliefs import GroupBelief


def show_answers(screen: Screen, answers: Answers) -> None:
    """Say what was read, and what was dropped and why."""
    screen.title("The answers")
    screen.facts(answers.summary())


def show_map(screen: Screen, found: Embedding) -> None:
    """Say what kind of map it is."""
    screen.title("The map")
    screen.facts(map_in_words(found))


def map_in_words(found: Embedding) -> list[tuple[str, str]]:
    """Return what there is to say of a map, as names and values."""
    said = [("dimensions", str(found.dimensions))]
    if found.held_out:
        tried = ", ".join(
            f"{loss:.3f} with {d or 'none'}" for d, loss in sorted(found.held_out.items())
        )
        said[0] = (
            "dimensions",
            f"{found.dimensions}, for its log loss on held-out answers: {tried}",
        )
    said.append(("log loss", f"{found.log_loss:.3f} (0.693 would be guessing)"))
    if not found.dimensions:
        said.append(("target", "none, as the answers support no map"))
    elif has_target(found):
        rule = found.rule()
        agree = rule.labelled - len(rule.contradicting)
        said.append(("target", f"a straight rule that fits {agree} of {rule.labelled} labels"))
    else:
        said.append(("target", "none, as no item has an expert's label"))
    return said


def has_target(found: Embedding) -> bool:
    """Return whether there is a rule to teach: a map, and an expert's label of any item."""
    return bool(found.dimensions and np.isfinite(found.labels).any())


def answers_as_values(answers: Answers) -> dict[str, Any]:
    """Return what was read as plain values."""
    return {
        "people": len(answers.people),
        "items": len(answers.items),
        "answers": len(answers),
        "yes": int(answers.yes.sum()),
        "labelled": int(np.isfinite(answers.labels).sum()),
        "positive": answers.positive,
        "negative": answers.negative,
        "dropped": dict(answers.dropped),
        "merged": {name: dict(words) for name, words in answers.merged.items()},
        "notes": list(answers.notes),
    }


def map_as_values(found: Embedding) -> dict[str, Any]:
    """Return what kind of map it is as plain values."""
    rule = found.rule() if has_target(found) else None
    return {
        "dimensions": found.dimensions,
        "log_loss": found.log_loss,
        "held_out": {str(d): loss for d, loss in found.held_out.items()},
        "target": None if rule is None else rule.target,
        "contradicting": []
        if rule is None
        else [found.item_names[item] for item in rule.contradicting],
        "warnings": list(found.warnings),
    }


def belief_as_values(number: int, belief: GroupBelief) -> dict[str, Any]:
    """Return what a group believes as plain values."""
    return {
        "group": number + 1,
        "people": belief.people,
        "yes_share": belief.yes_share,
        "right_share": belief.right_share,
        "wrongly_yes": list(belief.wrongly_yes),
        "wrongly_no": list(belief.wrongly_no),
        "more_yes": list(belief.more_yes),
        "more_no": list(belief.more_no),
    }


def show_beliefs(screen: Screen, answers: Answers, believed: Sequence[GroupBelief]) -> None:
    """Say what each group believes, with a line of its own for the words."""
    screen.title(f"{counted(len(believed), 'group')} of like-minded people")
    from homeroom.crowd.beliefs import ONE, belief_table

    header, rows = belief_table(answers, believed)
    screen.table(header[:-1], [row[:-1] for row in rows])
    screen.facts([(f"group {row[0]}", row[-1]) for row in rows])
    if len(believed) == 1:
        screen.say(f"  {ONE}", style="dim")


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table as ``.csv``."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
