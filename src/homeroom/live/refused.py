"""What the live classroom says no to."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, TypeAlias

from homeroom._checks import InputError

Value: TypeAlias = str | int | float

CODES: dict[str, Any] = json.loads(files("homeroom.live").joinpath("codes.json").read_text("utf-8"))
"""Every short word that the server says and a page puts into the words of its own language.

The pages' tests read the same file: a language that lacks one of them fails.
"""


class Refused(InputError):  # noqa: N818 - a refusal is an answer, not a fault
    """Something that cannot be done now, in a sentence for whoever asked.

    Its sentence, and the number that the web answers with (404 not there, 409 not now, 413 too
    large, 422 never), are under its code in ``codes.json``; pages say it in their own language.

    Parameters
    ----------
    code
        What is the matter, in short.
    values
        What the sentence tells: what was expected, what came.

    Examples
    --------
    >>> raise Refused("round_over", round=3)
    Traceback (most recent call last):
    ...
    homeroom.live.refused.Refused: Round 3 is over.
    """

    def __init__(self, code: str, /, **values: Value) -> None:
        self.status, sentence = CODES["refused"][code]
        super().__init__(sentence.format(**values))
        self.code, self.values = code, values

    @property
    def problem(self) -> dict[str, Any]:
        """What is answered: the sentence, and what a page needs to say it in its own language."""
        return {"detail": str(self), "code": self.code, "values": self.values}
