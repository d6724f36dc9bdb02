from homeroom.live.settings import Settings


def test_every_start_has_a_token_of_its_own() -> None:
    assert Settings().setup_token != Settings().setup_token
    assert len(Settings().setup_token) == 32


def test_cookies_are_for_https_only_where_people_come_by_https() -> None:
    assert Settings(origin="https://school.example").secure
    assert not Settings(origin="http://school.example").secure
    assert not Settings().secure
