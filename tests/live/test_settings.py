import re
from typing import Any

import pytest

from homeroom._checks import InputError
from homeroom.live.settings import ServerSettings


def test_every_start_has_its_own_token() -> None:
    assert ServerSettings().setup_token != ServerSettings().setup_token
    assert len(ServerSettings().setup_token) == 32


def test_cookies_are_for_https_only_if_the_origin_is_https() -> None:
    assert ServerSettings(origin="https://school.example").secure
    assert not ServerSettings(origin="http://school.example").secure
    assert not ServerSettings().secure


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"wrong_codes": "often"}, "`wrong_codes` must be limits such as '30/minute;300/hour'"),
        ({"joins": ""}, "`joins` must be limits such as"),
        ({"away_after": -1.0}, "`away_after` must be 0 or more, but is -1.0."),
        ({"demo": -1}, "`demo` must be 0 or more, but is -1."),
    ],
)
def test_bad_settings_are_refused_in_a_sentence(setting: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)):
        ServerSettings(**setting)
