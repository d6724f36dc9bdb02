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
        The code of the ``Refused`` error when a limit is exceeded.
    """

    def __init__(self, what: str, allowed: str, refusal: str = "too_often") -> None:
        from limits import parse_many
        from limits.storage import MemoryStorage
        from limits.strategies import MovingWindowRateLimiter

        self._what, self._allowed, self._refusal = what, parse_many(allowed), refusal
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def check(self, source: str) -> None:
        """Raise ``Refused`` if a source (an address or a device) has made too many attempts."""
        key = network(source)
        if not all(self._limiter.test(limit, self._what, key) for limit in self._allowed):
            raise Refused(self._refusal, what=self._what)

    def count(self, source: str) -> None:
        """Count an attempt."""
        for limit in self._allowed:
            self._limiter.hit(limit, self._what, network(source))

    def take(self, source: str) -> None:
        """Check, and count an attempt."""
        self.check(source)
        self.count(source)

    def reset(self, source: str) -> None:
        """Forget the attempts of a source."""
        for limit in self._allowed:
            self._limiter.clear(limit, self._what, network(source))


class Caller(NamedTuple):
    """The sender of a request: the address, and the device if the request has our cookie."""

    address: str
    device: Device | None = None

    @property
    def password_key(self) -> str:
        """The key for counting password attempts: the id of a teacher's device, or the address.

        So wrong guesses by others at the same address do not lock the teacher out.
        """
        return self.device.id if self.device and self.device.is_teachers else self.address


class WrongCodes:
    """Counts wrong codes, by address and by device, because a school often shares one address.

    A device on which a student has joined, or a teacher has signed in, has its own limit only, so
    others cannot lock it out. A new device, which has our cookie but no role yet, has its own limit
    and shares a second one with all new devices at its address. A caller without our cookie is
    counted by its address.

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
        for limit, source in self._limits(caller):
            limit.check(source)

    def count(self, caller: Caller) -> None:
        """Count a wrong code."""
        for limit, source in self._limits(caller):
            limit.count(source)

    def _limits(self, caller: Caller) -> Iterator[tuple[AttemptLimit, str]]:
        if caller.device is None:
            yield self._of_address, caller.address
            return
        yield self._of_device, caller.device.id
        if not caller.device.role:
            yield self._of_new_devices, caller.address


def network(address: str) -> str:
    """Return the network of an address: the first 64 bits of IPv6, since one owner has them all.

    IPv4 addresses, and texts that are no address, are returned as they are.

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
