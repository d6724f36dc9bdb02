"""What every error about bad input must do: name what is wrong, and say what is expected."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from homeroom import InputError

EXPECTED = re.compile(r"must|need|cannot|not |no |, but |[.:;] ")
"""Words with which an error says what was expected, or what to do."""


def refuse(call: Callable[[], object], *named: str) -> None:
    """Check that a call is refused by an error that names these words and says what is expected."""
    with pytest.raises(InputError) as caught:
        call()
    message = str(caught.value)
    assert all(word in message for word in named), message
    assert EXPECTED.search(message), message
