"""The settings of a live classroom."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from homeroom._checks import InputError

if TYPE_CHECKING:
    from homeroom.live.activities import Upload

STATIC = Path(__file__).with_name("static")
"""The folder of the built pages."""

NOT_BUILT = "The pages are not built: run `make web`, then start again."

LIMITS = (
    "wrong_codes",
    "wrong_codes_per_device",
    "wrong_codes_new_devices",
    "wrong_passwords",
    "joins",
)
"""The settings that are rate limits, such as ``"30/minute;300/hour"``."""


@dataclass(frozen=True)
class Hashing:
    """The cost of checking a password with Argon2: passes, memory in KiB, parallel lanes."""

    passes: int = 3
    memory: int = 64 * 1024
    lanes: int = 1


@dataclass(frozen=True)
class ServerSettings:
    """The settings of a live classroom.

    Parameters
    ----------
    database
        The database, as in :func:`homeroom.live.store.open_store`.
    origin
        The address at which people reach the server, such as ``"https://school.example"``, if it
        differs from where it listens: behind a proxy. With https, cookies are for https only.
    phones
        The address at which phones reach this machine, for links made on the machine itself.
    setup_token
        The token with which the first password is chosen, once.
    static
        The folder of the pages.
    hashing
        The cost of checking a password.
    wrong_codes
        The limit on wrong class codes from one address, by devices without a cookie of this server.
    wrong_passwords
        The limit on wrong passwords from one address; a teacher's device has its own.
    wrong_codes_per_device
        The limit on wrong class codes from one device with a cookie.
    wrong_codes_new_devices
        A further limit for all devices at one address together on which no student has joined and
        no teacher has signed in yet.
    refusal_seconds
        Seconds before a caller who exceeded a limit is answered, so that guessing again is slow.
    joins
        The limit of joins from one address: a whole school shares one.
    away_after
        Seconds without a connection after which a student counts as absent; 0 for never.
    demo
        The number of simulated students, in a class that is created for them; 0 for no such class.
    activities
        Activities to add, unless they exist already.
    """

    database: str = ":memory:"
    origin: str | None = None
    phones: str | None = None
    setup_token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    static: Path = STATIC
    hashing: Hashing = Hashing()
    wrong_codes: str = "30/minute;300/hour"
    wrong_passwords: str = "10/minute;100/hour"
    wrong_codes_per_device: str = "10/minute;100/hour"
    wrong_codes_new_devices: str = "300/minute;30000/hour"
    refusal_seconds: float = 3.0
    joins: str = "400/minute;3000/hour"
    away_after: float = 90.0
    demo: int = 0
    activities: tuple[Upload, ...] = ()

    def __post_init__(self) -> None:
        from limits import parse_many

        for name in LIMITS:
            try:
                parse_many(getattr(self, name))
            except ValueError:
                raise InputError(
                    f"`{name}` must be limits such as '30/minute;300/hour', but is "
                    f"{getattr(self, name)!r}."
                ) from None
        for name in ("away_after", "refusal_seconds", "demo"):
            if not getattr(self, name) >= 0:
                raise InputError(f"`{name}` must be 0 or more, but is {getattr(self, name)!r}.")

    @property
    def secure(self) -> bool:
        """Whether cookies are sent over https only."""
        return self.origin is not None and self.origin.startswith("https://")
