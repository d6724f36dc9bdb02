import pytest

from homeroom.live.access.attempts import AttemptLimit, Caller, WrongCodes
from homeroom.live.access.credentials import Device
from homeroom.live.refused import Refused
from homeroom.live.settings import ServerSettings

LIMITS = ServerSettings(
    wrong_codes="3/minute",
    wrong_codes_per_device="2/minute",
    wrong_codes_new_devices="5/minute",
)
SCHOOL = "192.0.2.1"


def test_an_address_has_a_limit_of_wrong_attempts() -> None:
    tries = AttemptLimit("codes", "3/minute")
    for _ in range(3):
        tries.check("192.0.2.1")
        tries.count("192.0.2.1")
    with pytest.raises(Refused, match="Too many wrong codes from this network: wait") as refused:
        tries.check("192.0.2.1")
    assert refused.value.status == 429


def test_other_addresses_are_not_limited() -> None:
    tries = AttemptLimit("codes", "1/minute")
    tries.count("192.0.2.1")
    tries.check("192.0.2.2")


def test_right_attempts_do_not_count() -> None:
    tries = AttemptLimit("codes", "1/minute")
    for _ in range(100):
        tries.check("192.0.2.1")


def test_every_limit_counts() -> None:
    tries = AttemptLimit("codes", "100/minute;2/hour")
    tries.count("192.0.2.1")
    tries.count("192.0.2.1")
    with pytest.raises(Refused, match="Too many wrong"):
        tries.check("192.0.2.1")


def test_an_address_can_be_forgiven() -> None:
    tries = AttemptLimit("passwords", "1/minute;5/hour")
    tries.count("192.0.2.1")
    tries.reset("192.0.2.1")
    tries.check("192.0.2.1")


def test_addresses_of_one_ipv6_network_count_together() -> None:
    tries = AttemptLimit("codes", "1/minute")
    tries.count("2001:db8::1")
    with pytest.raises(Refused, match="Too many wrong"):
        tries.check("2001:db8::ffff:1")
    tries.check("2001:db8:0:1::1")


def test_every_join_counts() -> None:
    joins = AttemptLimit("joins", "2/minute", refusal="too_many_came")
    for _ in range(2):
        joins.take("192.0.2.1")
    with pytest.raises(Refused, match="Too many students have joined from this network"):
        joins.take("192.0.2.1")
    joins.take("192.0.2.2")


def refused(codes: WrongCodes, caller: Caller) -> bool:
    try:
        codes.check(caller)
    except Refused:
        return True
    return False


def test_wrong_codes_without_a_cookie_are_counted_by_address() -> None:
    codes = WrongCodes(LIMITS)
    for _ in range(3):
        codes.count(Caller(SCHOOL))
    assert refused(codes, Caller(SCHOOL))
    assert not refused(codes, Caller("192.0.2.2"))


@pytest.mark.parametrize("role", ["", "student", "teacher"])
def test_a_device_is_not_locked_out_by_the_wrong_codes_of_others(role: str) -> None:
    codes = WrongCodes(LIMITS)
    for _ in range(100):
        codes.count(Caller(SCHOOL))
    codes.count(Caller(SCHOOL, Device("another", role)))
    assert not refused(codes, Caller(SCHOOL, Device("mine", role)))


@pytest.mark.parametrize("role", ["", "student", "teacher"])
def test_each_device_has_its_own_limit(role: str) -> None:
    codes = WrongCodes(LIMITS)
    mine = Caller(SCHOOL, Device("mine", role))
    for _ in range(2):
        assert not refused(codes, mine)
        codes.count(mine)
    assert refused(codes, mine)


def test_new_devices_of_an_address_share_a_limit() -> None:
    """A script that takes a new cookie for every guess is limited, too."""
    codes = WrongCodes(LIMITS)
    for number in range(5):
        codes.count(Caller(SCHOOL, Device(f"new {number}")))
    assert refused(codes, Caller(SCHOOL, Device("another new one")))
    assert not refused(codes, Caller(SCHOOL, Device("known", "student")))


def test_a_teachers_device_is_not_locked_out_by_guessed_passwords() -> None:
    passwords = AttemptLimit("passwords", "2/minute")
    teacher = Caller(SCHOOL, Device("laptop", "teacher")).password_key
    for device in (None, Device("phone", "student")):
        passwords.take(Caller(SCHOOL, device).password_key)
    for device in (None, Device("phone", "student"), Device("new")):
        with pytest.raises(Refused, match="Too many wrong passwords"):
            passwords.take(Caller(SCHOOL, device).password_key)
    passwords.take(teacher)
    passwords.reset(teacher)
    for _ in range(2):
        passwords.take(teacher)
    with pytest.raises(Refused, match="Too many wrong passwords"):
        passwords.take(teacher)


def test_ipv4_addresses_differ_on_a_server_that_listens_on_ipv6() -> None:
    tries = AttemptLimit("codes", "1/minute")
    tries.count("::ffff:192.0.2.1")
    tries.check("::ffff:192.0.2.2")
    with pytest.raises(Refused, match="Too many wrong"):
        tries.check("192.0.2.1")
