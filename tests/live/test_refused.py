"""A refusal is a sentence with a status."""

from __future__ import annotations

from homeroom.live.refused import Refused


def test_a_refusal_is_a_value_error_with_a_status() -> None:
    refused = Refused("Not now.")
    assert isinstance(refused, ValueError)
    assert (str(refused), refused.status) == ("Not now.", 409)
    assert Refused("Never.", 422).status == 422
