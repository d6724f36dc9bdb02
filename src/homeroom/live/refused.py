"""What the live classroom says no to."""

from __future__ import annotations


class Refused(ValueError):  # noqa: N818 - a refusal is an answer, not a fault
    """Something that cannot be done now, in a sentence for whoever asked.

    Parameters
    ----------
    sentence
        What was expected, what came, what to do.
    status
        The number that the web answers with: 404 not there, 409 not now, 413 too large, 422 never.

    Examples
    --------
    >>> raise Refused("The class is paused: wait until it goes on.")
    Traceback (most recent call last):
    ...
    homeroom.live.refused.Refused: The class is paused: wait until it goes on.
    """

    def __init__(self, sentence: str, status: int = 409) -> None:
        super().__init__(sentence)
        self.status = status
