"""Limits on wrong codes, passwords and joins, by address and by device."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv6Address, ip_address, ip_network
from typing import NamedTuple

from homeroom.live.access.credentials import Device
from homeroom.live.refused import Refused
from homeroom.live.settings import ServerSettings


class AttemptLimit:
    """Counts attempts by address or device, in moving windows of time.

    Parameters
    ----------
    what
        The name of what is counted, for the refusal.
    allowed
        The limits, such as ``"30/minute;300/hour"``.
    refusal
        The code of the refusal of one too many.
    """

    def __init__(self, what: str, allowed: str, refusal: str = "too_often") -> None:
        from limits import parse_many
        from limits.storage import MemoryStorage
        from limits.strategies import MovingWindowRateLimiter

        self._what, self._allowed, self._refusal = what, parse_many(allowed), refusal
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def check(self, counted: str) -> None:
        """Raise ``Refused`` if an address or device has made too many attempts."""
        key = network(counted)
        if not all(self._limiter.test(limit, self._what, key) for limit in self._allowed):
            raise Refused(self._refusal, what=self._what)

    def count(self, counted: str) -> None:
        """Count an attempt."""
        for limit in self._allowed:
            self._limiter.hit(limit, self._what, network(counted))

    def take(self, counted: str) -> None:
        """Check, and count an attempt."""
        self.check(counted)
        self.count(counted)

    def reset(self, counted: str) -> None:
        """Forget the attempts of an address or device."""
        for limit in self._allowed:
            self._limiter.clear(limit, self._what, network(counted))


class Caller(NamedTuple):
    """The sender of a request: the address, and the device if it has a cookie of ours."""

    address: str
    device: Device | None = None

    @property
    def password_key(self) -> str:
        """What attempts at the password are counted by: a device of the teacher's, or the address.

        So a teacher is not locked out by what others at the same address guess.
        """
        return self.device.id if self.device and self.device.is_teachers else self.address


class WrongCodes:
    """Counts wrong codes, by address and by device: a school shares one address.

    A device on which a student has joined, or a teacher has signed in, is counted alone, and so is
    not locked out by others. Any other device with a cookie of ours is counted alone and together
    with the new devices at its address; a caller without a cookie, by its address.

    Parameters
    ----------
    settings
        The limits.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self._of_address = AttemptLimit("codes", settings.wrong_codes)
        self._of_device = AttemptLimit("codes", settings.wrong_codes_per_device)
        self._of_new_devices = AttemptLimit("codes", settings.wrong_codes_new_devices)

    def check(self, caller: Caller) -> None:
        """Raise ``Refused`` if a caller has sent too many."""
        for limit, counted in self._limits(caller):
            limit.check(counted)

    def count(self, caller: Caller) -> None:
        """Count a wrong code."""
        for limit, counted in self._limits(caller):
            limit.count(counted)

    def _limits(self, caller: Caller) -> Iterator[tuple[AttemptLimit, str]]:
        if caller.device is None:
            yield self._of_address, caller.address
            return
        yield self._of_device, caller.device.id
        if not caller.device.role:
            yield self._of_new_devices, caller.address


def network(address: str) -> str:
    """Return what the addresses of one owner have in common: of IPv6 addresses, the first 64 bits.

    >>> network("192.0.2.7"), network("::ffff:192.0.2.7"), network("2001:db8::7")
    ('192.0.2.7', '192.0.2.7', '2001:db8::/64')
    """
    try:
        known = ip_address(address)
    except ValueError:
        return address
    if isinstance(known, IPv6Address) and known.ipv4_mapped is not None:
        known = known.ipv4_mapped
    if isinstance(known, IPv6Address):
        return str(ip_network((known, 64), strict=False))
    return str(known)
