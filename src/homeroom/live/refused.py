"""Refusals of the live classroom: a sentence, a status, and a code for other languages."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, TypeAlias

from homeroom._checks import InputError

Value: TypeAlias = str | int | float

CODES: dict[str, Any] = json.loads(files("homeroom.live").joinpath("codes.json").read_text("utf-8"))
"""All codes that the server sends and the pages translate.

The tests of the pages read the same file: they fail if a language lacks one of them.
"""

RETRY_SECONDS = {"passwords_busy": 5, "too_many_came": 60, "too_often": 60}
"""The temporary refusals, and after how many seconds to try again."""


class Refused(InputError):  # noqa: N818 - a refusal is an answer, not a fault
    """Something that cannot be done now, in one sentence for the user.

    The sentence and the HTTP status (404 not found, 409 not now, 413 too large, 422 invalid) are
    under the code in ``codes.json``. Pages show the sentence in their own language.

    Parameters
    ----------
    code
        The code of the refusal.
    values
        The values in the sentence, such as what was expected.

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
    def headers(self) -> dict[str, str] | None:
        """The HTTP headers of the answer: when to try again, if the refusal is temporary."""
        seconds = RETRY_SECONDS.get(self.code)
        return None if seconds is None else {"retry-after": str(seconds)}

    @property
    def problem(self) -> dict[str, Any]:
        """The body of the answer: the sentence, and its code and values for other languages."""
        return {"detail": str(self), "code": self.code, "values": self.values}
