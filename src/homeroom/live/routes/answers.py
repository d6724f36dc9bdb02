"""What a route may answer beside what was asked for, for the API's description."""

from __future__ import annotations

from typing import Any

from homeroom.live.messages.words import Problem

WORDS = {
    400: "What was sent cannot be read.",
    401: "Nobody is signed in, or nobody has joined.",
    403: "Not from this page, or not with this token.",
    404: "There is no such thing.",
    405: "There is no such call.",
    409: "Not now.",
    410: "The teacher has removed this student.",
    413: "Too large.",
    422: "Not like this.",
    429: "Too often: wait.",
    503: "The database does not answer: try again.",
}


def may(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the description of the refusals that a route may give; any may be short of its store.

    >>> sorted(may(404, 422))
    [404, 422, 503]
    """
    return {status: {"model": Problem, "description": WORDS[status]} for status in (*statuses, 503)}


CHANGES = (400, 403, 413, 422)
"""What any call that changes something may be answered with."""
