"""Whether answers are enough for a map."""

from __future__ import annotations

from homeroom._checks import InputError, InputTypeError
from homeroom.crowd.answers import Answers


def refuse_too_little(answers: Answers) -> None:
    """Refuse answers of which no map can be made, and say what is missing.

    A map needs two people at least, two items, and both answers.
    """
    if not isinstance(answers, Answers):
        raise InputTypeError(
            "`answers` must be Answers, as Answers.read('answers.csv') gives them, "
            f"but is {type(answers).__name__}."
        )
    if not len(answers):
        raise InputError("There are no answers: a map needs some of two people to two items.")
    if len(answers.people) < 2:
        raise InputError(
            f"All answers are of one person ({answers.people[0][:40]!r}), but a map shows how "
            "people differ: add the answers of others."
        )
    if len(answers.items) < 2:
        raise InputError(
            f"All answers are to one item ({answers.items[0][:40]!r}), but a map shows how items "
            "differ: add answers to others."
        )
    if answers.yes.all() or not answers.yes.any():
        same = answers.positive if answers.yes.all() else answers.negative
        raise InputError(
            f"All {len(answers)} answers are {same!r}, so that nothing tells people or items "
            "apart: were the other answers left out?"
        )
