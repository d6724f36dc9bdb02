"""Signed cookies, tickets and codes."""

from collections.abc import Iterator

import itsdangerous
import pytest

from homeroom.live.access.credentials import (
    CODE_ALPHABET,
    CODE_LENGTH,
    HOURS_12,
    SEAT_CODE_LENGTH,
    Device,
    Devices,
    Sessions,
    end_all_sessions,
    hash_of,
    new_code,
    new_ticket,
    normal_code,
)
from homeroom.live.store import EventStore, open_store


@pytest.fixture
def store() -> Iterator[EventStore]:
    with open_store(":memory:") as opened:
        yield opened


def test_a_cookie_belongs_to_its_session(store: EventStore) -> None:
    sessions = Sessions(store)
    one, other = sessions.begin(), sessions.begin()
    assert sessions.of(one)
    assert sessions.of(one) != sessions.of(other)


def test_another_process_with_the_same_store_knows_the_session(store: EventStore) -> None:
    cookie = Sessions(store).begin()
    assert Sessions(store).of(cookie)


@pytest.mark.parametrize("cookie", ["", "x", "a.b.c", "é", "x" * 5000])
def test_a_forged_cookie_is_not_accepted(store: EventStore, cookie: str) -> None:
    assert Sessions(store).of(cookie) is None


def test_a_cookie_signed_with_another_secret_is_not_accepted(store: EventStore) -> None:
    forged = itsdangerous.URLSafeTimedSerializer("guess", salt="homeroom_teacher").dumps("a" * 32)
    assert Sessions(store).of(forged) is None


def test_a_changed_cookie_is_not_accepted(store: EventStore) -> None:
    sessions = Sessions(store)
    cookie = sessions.begin()
    assert sessions.of(("A" if cookie[0] != "A" else "B") + cookie[1:]) is None


def test_ending_a_session_does_not_end_others(store: EventStore) -> None:
    sessions = Sessions(store)
    one, other = sessions.begin(), sessions.begin()
    sessions.end(sessions.of(one) or "")
    assert sessions.of(one) is None
    assert Sessions(store).of(one) is None
    assert sessions.of(other)


def test_a_session_is_over_after_twelve_hours(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = Sessions(store)
    cookie = sessions.begin()
    now = itsdangerous.TimestampSigner("x").get_timestamp()
    monkeypatch.setattr(
        itsdangerous.TimestampSigner, "get_timestamp", lambda _self: now + HOURS_12 + 2
    )
    assert sessions.of(cookie) is None


def test_all_sessions_can_be_ended(store: EventStore) -> None:
    cookie = Sessions(store).begin()
    end_all_sessions(store)
    assert Sessions(store).of(cookie) is None


def test_tickets_have_192_bits_and_differ() -> None:
    tickets = {new_ticket() for _ in range(100)}
    assert len(tickets) == 100
    assert all(len(ticket) == 32 for ticket in tickets)  # 6 bits in each letter


def test_a_ticket_cannot_be_computed_from_its_hash() -> None:
    ticket = new_ticket()
    assert hash_of(ticket) == hash_of(ticket)
    assert ticket not in hash_of(ticket)
    assert hash_of("\ud800") == hash_of("?")  # whatever comes in a cookie


def test_a_device_keeps_its_id_in_every_role(store: EventStore) -> None:
    devices = Devices(store)
    device = devices.of(devices.cookie())
    assert device is not None
    assert device.role == ""
    assert devices.of(devices.cookie(device, "student")) == Device(device.id, "student")
    assert Devices(store).of(devices.cookie(device)) == device
    assert devices.of(devices.cookie()) != device


@pytest.mark.parametrize("cookie", ["", "x", "a.b.c", "é", "x" * 5000])
def test_a_forged_device_cookie_is_not_accepted(store: EventStore, cookie: str) -> None:
    assert Devices(store).of(cookie) is None


def test_a_session_cookie_is_not_accepted_as_a_device_cookie(store: EventStore) -> None:
    """Both are signed with one secret, each for its own purpose."""
    assert Devices(store).of(Sessions(store).begin()) is None
    assert Sessions(store).of(Devices(store).cookie()) is None


def test_a_code_has_six_characters_that_cannot_be_confused() -> None:
    for _ in range(100):
        code = new_code()
        assert len(code) == CODE_LENGTH
        assert not set(code) & set("01IO")
        assert normal_code(code) == code


def test_there_are_a_billion_codes() -> None:
    assert len(CODE_ALPHABET) ** CODE_LENGTH > 1e9
    assert len({new_code() for _ in range(1000)}) == 1000


def test_a_seat_code_is_longer_than_a_class_code() -> None:
    assert len(new_code(SEAT_CODE_LENGTH)) == SEAT_CODE_LENGTH > len(new_code())
