import pytest

from homeroom.live.access.tries import Tries
from homeroom.live.refused import Refused


def test_an_address_may_be_wrong_so_often_and_no_more() -> None:
    tries = Tries("codes", "3/minute")
    for _ in range(3):
        tries.check("192.0.2.1")
        tries.wrong("192.0.2.1")
    with pytest.raises(Refused, match="Too many wrong codes from here: wait a minute") as refused:
        tries.check("192.0.2.1")
    assert refused.value.status == 429


def test_other_addresses_go_on() -> None:
    tries = Tries("codes", "1/minute")
    tries.wrong("192.0.2.1")
    tries.check("192.0.2.2")


def test_what_is_right_does_not_count() -> None:
    tries = Tries("codes", "1/minute")
    for _ in range(100):
        tries.check("192.0.2.1")


def test_every_limit_counts() -> None:
    tries = Tries("codes", "100/minute;2/hour")
    tries.wrong("192.0.2.1")
    tries.wrong("192.0.2.1")
    with pytest.raises(Refused, match="Too many wrong"):
        tries.check("192.0.2.1")


def test_an_address_can_be_forgiven() -> None:
    tries = Tries("passwords", "1/minute;5/hour")
    tries.wrong("192.0.2.1")
    tries.forgive("192.0.2.1")
    tries.check("192.0.2.1")


def test_neighbours_in_ipv6_are_one() -> None:
    tries = Tries("codes", "1/minute")
    tries.wrong("2001:db8::1")
    with pytest.raises(Refused, match="Too many wrong"):
        tries.check("2001:db8::ffff:1")
    tries.check("2001:db8:0:1::1")


def test_who_comes_in_counts_whoever_she_is() -> None:
    joins = Tries("joins", "2/minute", refusal="too_many_came")
    for _ in range(2):
        joins.take("192.0.2.1")
    with pytest.raises(Refused, match="Too many came in from here at once: wait a minute"):
        joins.take("192.0.2.1")
    joins.take("192.0.2.2")
