import asyncio
import threading
import time
from collections.abc import Iterator

import pytest

from homeroom.live.access.credentials import Device
from homeroom.live.access.passwords import (
    PASSWORD,
    WAITING,
    AttemptLimit,
    Caller,
    Passwords,
    Turns,
    WrongCodes,
    forget_password,
)
from homeroom.live.refused import Refused
from homeroom.live.settings import Hashing, ServerSettings
from homeroom.live.store import EventStore, open_store

CHEAP = Hashing(1, 8, 1)


@pytest.fixture
def store() -> Iterator[EventStore]:
    with open_store(":memory:") as opened:
        yield opened


@pytest.fixture
def passwords(store: EventStore) -> Iterator[Passwords]:
    passwords = Passwords(store, "token", CHEAP)
    yield passwords
    passwords.close()


def test_the_first_password_is_chosen_with_the_printed_token(passwords: Passwords) -> None:
    states = [passwords.chosen]
    passwords.choose_first("correct horse", "token")
    assert [*states, passwords.chosen] == [False, True]
    assert passwords.right("correct horse")
    assert not passwords.right("correct hors")
    assert not passwords.right("x" * 1000)


def test_another_token_is_refused(passwords: Passwords) -> None:
    with pytest.raises(Refused, match="is no longer valid: use the one that was printed"):
        passwords.choose_first("correct horse", "tokem")
    assert not passwords.chosen


@pytest.mark.parametrize("password", ["1234567", "x" * 201])
def test_too_short_and_too_long_passwords_are_refused(passwords: Passwords, password: str) -> None:
    with pytest.raises(Refused, match=f"8 to 200 characters, but this one has {len(password)}"):
        passwords.choose_first(password, "token")


def test_a_password_is_chosen_once(passwords: Passwords) -> None:
    passwords.choose_first("correct horse", "token")
    with pytest.raises(Refused, match="has already been chosen: sign in with it"):
        passwords.choose_first("another horse", "token")


def test_only_one_of_two_simultaneous_first_passwords_is_accepted(
    store: EventStore, passwords: Passwords, monkeypatch: pytest.MonkeyPatch
) -> None:
    rival = Passwords(store, "token", CHEAP)
    monkeypatch.setattr(Passwords, "chosen", property(lambda self: False))
    rival.choose_first("the rival's", "token")
    with pytest.raises(Refused, match="has already been chosen"):
        passwords.choose_first("correct horse", "token")
    assert passwords.right("the rival's")


def test_only_a_hash_is_stored(store: EventStore, passwords: Passwords) -> None:
    passwords.choose_first("correct horse", "token")
    kept = store.setting(PASSWORD) or ""
    assert kept.startswith("$argon2id$")
    assert "horse" not in kept


def test_a_hash_takes_64_mib_by_default(store: EventStore) -> None:
    Passwords(store, "token").choose_first("correct horse", "token")
    assert "m=65536,t=3,p=1" in (store.setting(PASSWORD) or "")


def test_a_forgotten_password_can_be_replaced(store: EventStore, passwords: Passwords) -> None:
    passwords.choose_first("correct horse", "token")
    forget_password(store)
    assert not passwords.chosen
    assert not passwords.right("")
    passwords.choose_first("another horse", "token")
    assert passwords.right("another horse")
    assert not passwords.right("correct horse")


class Held:
    """A hasher that counts checks, and lets them wait until they are released."""

    def __init__(self) -> None:
        self.running, self.most, self.go = 0, 0, threading.Event()

    def verify(self, _hash: str, _password: str) -> bool:
        self.running += 1
        self.most = max(self.most, self.running)
        assert self.go.wait(60)
        self.running -= 1
        return True


@pytest.fixture
def held(passwords: Passwords, monkeypatch: pytest.MonkeyPatch) -> Held:
    passwords.choose_first("correct horse", "token")
    held = Held()
    monkeypatch.setattr(passwords, "_hasher", held)
    return held


def test_passwords_are_checked_one_at_a_time_and_few_wait(passwords: Passwords, held: Held) -> None:
    """Each check takes much memory and a core: a flood of them is refused."""

    async def flood() -> list[bool | BaseException]:
        checks = [passwords.in_turn(passwords.right, "x") for _ in range(WAITING + 5)]
        running = asyncio.gather(*checks, return_exceptions=True)
        await asyncio.sleep(0)
        held.go.set()
        return await running

    found = asyncio.run(flood())
    assert found[:WAITING] == [True] * WAITING
    for refused in found[WAITING:]:
        assert isinstance(refused, Refused)
        assert refused.status == 429
        assert refused.headers == {"retry-after": "5"}
    assert held.most == 1


def test_a_teachers_device_gets_a_turn_in_a_flood(passwords: Passwords, held: Held) -> None:
    async def flood() -> bool:
        checks = [passwords.in_turn(passwords.right, "x") for _ in range(WAITING)]
        running = asyncio.gather(*checks)
        await asyncio.sleep(0)
        own = asyncio.create_task(passwords.in_turn(passwords.right, "x", known=True))
        await asyncio.sleep(0)
        held.go.set()
        await running
        return await own

    assert asyncio.run(flood())


def test_the_queue_is_free_again_when_checks_are_done(passwords: Passwords, held: Held) -> None:
    async def twice() -> None:
        held.go.set()
        for _ in range(2):
            checks = [passwords.in_turn(passwords.right, "x") for _ in range(WAITING)]
            assert await asyncio.gather(*checks) == [True] * WAITING
            await asyncio.sleep(0.05)  # the last turn is counted just after its result

    asyncio.run(twice())


def test_a_check_that_cannot_begin_is_not_counted_as_waiting(passwords: Passwords) -> None:
    passwords.close()
    for _ in range(WAITING + 1):
        with pytest.raises(RuntimeError, match="after shutdown"):
            asyncio.run(passwords.in_turn(passwords.right, "x"))


def test_checks_do_not_use_the_threads_of_the_classes(passwords: Passwords, held: Held) -> None:
    async def flood() -> None:
        running = asyncio.gather(*(passwords.in_turn(passwords.right, "x") for _ in range(WAITING)))
        await asyncio.sleep(0)
        await asyncio.wait_for(asyncio.to_thread(int), 30)  # the threads that drive classes
        held.go.set()
        await running

    asyncio.run(flood())


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
        joins.check_and_count("192.0.2.1")
    with pytest.raises(Refused, match="Too many students have joined from this network"):
        joins.check_and_count("192.0.2.1")
    joins.check_and_count("192.0.2.2")


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
        passwords.check_and_count(Caller(SCHOOL, device).password_key)
    for device in (None, Device("phone", "student"), Device("new")):
        with pytest.raises(Refused, match="Too many wrong passwords"):
            passwords.check_and_count(Caller(SCHOOL, device).password_key)
    passwords.check_and_count(teacher)
    passwords.reset(teacher)
    for _ in range(2):
        passwords.check_and_count(teacher)
    with pytest.raises(Refused, match="Too many wrong passwords"):
        passwords.check_and_count(teacher)


def test_ipv4_addresses_differ_on_a_server_that_listens_on_ipv6() -> None:
    tries = AttemptLimit("codes", "1/minute")
    tries.count("::ffff:192.0.2.1")
    tries.check("::ffff:192.0.2.2")
    with pytest.raises(Refused, match="Too many wrong"):
        tries.check("192.0.2.1")


def test_requests_of_one_source_come_one_after_another() -> None:
    async def ten() -> list[float]:
        turns: Turns[str] = Turns(0.05, at_once=4)

        async def one(source: str) -> float:
            await turns.wait(source)
            return time.monotonic() - began

        began = time.monotonic()
        return await asyncio.gather(*(one("Ada") for _ in range(10)), one("Ben"))

    *waits, other = asyncio.run(ten())
    assert other < waits[-1]
    for number, waited in enumerate(waits):
        assert waited >= 0.05 * (number - 3) - 0.002  # timers may be a millisecond early
    assert max(waits[:4]) < waits[-1]
