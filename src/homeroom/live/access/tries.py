"""How often one address may be wrong, or come in: a school shares one address."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

from homeroom.live.refused import Refused


class Tries:
    """Counts by address: wrong tries, where only what is wrong counts; or all who come in.

    Parameters
    ----------
    what
        What is counted: the name of the counter.
    allowed
        How many, such as ``"30/minute;300/hour"``.
    refusal
        The code of what is said to whoever had too many.
    """

    def __init__(self, what: str, allowed: str, refusal: str = "too_often") -> None:
        from limits import parse_many
        from limits.storage import MemoryStorage
        from limits.strategies import MovingWindowRateLimiter

        self._what, self._allowed, self._refusal = what, parse_many(allowed), refusal
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def check(self, address: str) -> None:
        """Refuse an address that was wrong too often, whatever it says now."""
        who = network(address)
        if not all(self._limiter.test(limit, self._what, who) for limit in self._allowed):
            raise Refused(self._refusal, what=self._what)

    def take(self, address: str) -> None:
        """Count one more, unless there were too many."""
        self.check(address)
        self.wrong(address)

    def forgive(self, address: str) -> None:
        """Forget what an address did wrong."""
        for limit in self._allowed:
            self._limiter.clear(limit, self._what, network(address))

    def wrong(self, address: str) -> None:
        """Count a wrong try."""
        for limit in self._allowed:
            self._limiter.hit(limit, self._what, network(address))


def network(address: str) -> str:
    """Return whom an address belongs to: who has one of IPv6 has 2**64 of them.

    >>> network("192.0.2.7"), network("2001:db8::7"), network("testclient")
    ('192.0.2.7', '2001:db8::/64', 'testclient')
    """
    try:
        known = ip_address(address)
    except ValueError:
        return address
    if isinstance(known, IPv6Address):
        return str(ip_network((known, 64), strict=False))
    return str(known)
