import threading
import time
from collections.abc import Iterator

import pytest

from homeroom.live.access.passwords import AT_ONCE, PASSWORD, Passwords, forget_password
from homeroom.live.refused import Refused
from homeroom.live.settings import Hashing
from homeroom.live.store import Store, open_store

CHEAP = Hashing(1, 8, 1)


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(":memory:") as opened:
        yield opened


@pytest.fixture
def passwords(store: Store) -> Passwords:
    return Passwords(store, "token", CHEAP)


def test_the_first_password_is_chosen_with_the_printed_token(passwords: Passwords) -> None:
    states = [passwords.chosen]
    passwords.choose_first("correct horse", "token")
    assert [*states, passwords.chosen] == [False, True]
    assert passwords.right("correct horse")
    assert not passwords.right("correct hors")
    assert not passwords.right("x" * 1000)


def test_another_token_does_not_count(passwords: Passwords) -> None:
    with pytest.raises(Refused, match="does not count any more: take the one that was printed"):
        passwords.choose_first("correct horse", "tokem")
    assert not passwords.chosen


@pytest.mark.parametrize("password", ["1234567", "x" * 201])
def test_passwords_are_neither_short_nor_endless(passwords: Passwords, password: str) -> None:
    with pytest.raises(Refused, match=f"8 to 200 letters, but this one has {len(password)}"):
        passwords.choose_first(password, "token")


def test_a_password_is_chosen_once(passwords: Passwords) -> None:
    passwords.choose_first("correct horse", "token")
    with pytest.raises(Refused, match="has been chosen already: sign in with it"):
        passwords.choose_first("another horse", "token")


def test_of_two_who_choose_at_once_one_wins(
    store: Store, passwords: Passwords, monkeypatch: pytest.MonkeyPatch
) -> None:
    rival = Passwords(store, "token", CHEAP)
    monkeypatch.setattr(Passwords, "chosen", property(lambda self: False))
    rival.choose_first("the rival's", "token")
    with pytest.raises(Refused, match="has been chosen already"):
        passwords.choose_first("correct horse", "token")
    assert passwords.right("the rival's")


def test_only_a_hash_is_kept(store: Store, passwords: Passwords) -> None:
    passwords.choose_first("correct horse", "token")
    kept = store.setting(PASSWORD) or ""
    assert kept.startswith("$argon2id$")
    assert "horse" not in kept


def test_a_hash_takes_64_mib_unless_told_otherwise(store: Store) -> None:
    Passwords(store, "token").choose_first("correct horse", "token")
    assert "m=65536,t=3,p=1" in (store.setting(PASSWORD) or "")


def test_a_forgotten_password_is_chosen_anew(store: Store, passwords: Passwords) -> None:
    passwords.choose_first("correct horse", "token")
    forget_password(store)
    assert not passwords.chosen
    assert not passwords.right("")
    passwords.choose_first("another horse", "token")
    assert passwords.right("another horse")
    assert not passwords.right("correct horse")


def test_few_passwords_are_checked_at_once(
    passwords: Passwords, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each check takes a good deal of memory, so a flood of them must wait."""
    passwords.choose_first("correct horse", "token")
    now, most, lock = 0, 0, threading.Lock()
    full = threading.Event()

    class Slow:
        def verify(self, _hash: str, _password: str) -> bool:
            nonlocal now, most
            with lock:
                now += 1
                most = max(most, now)
                if now == AT_ONCE:
                    full.set()
            assert full.wait(60)
            time.sleep(0.05)  # in which one too many could come in
            with lock:
                now -= 1
            return True

    monkeypatch.setattr(passwords, "_hasher", Slow())
    threads = [threading.Thread(target=passwords.right, args=("x",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == AT_ONCE
