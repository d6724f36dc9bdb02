"""Optional libraries, and the error that says how to install a missing one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from homeroom._checks import InputError


class MissingExtraError(InputError, ImportError):
    """An optional library is not installed; the message says how to install it."""


MissingExtraError.__module__ = "homeroom"


@contextmanager
def needs(sentence: str, extra: str, *, otherwise: str = "") -> Iterator[None]:
    """Turn a failing import inside the block into an error that names the install command.

    Parameters
    ----------
    sentence
        What needs which library, as in "Tables need pandas".
    extra
        The extra of homeroom that installs it, as in "frames".
    otherwise
        What to do instead of installing it, if there is an alternative.

    >>> with needs("Tables need a library", "frames"):
    ...     import no_such_library
    Traceback (most recent call last):
    homeroom.MissingExtraError: Tables need a library: pip install 'homeroom[frames]'.
    """
    try:
        yield
    except ImportError as reason:
        if (reason.name or "").startswith("homeroom"):
            raise  # a mistake of ours, not a missing library
        also = f", or {otherwise}" if otherwise else ""
        raise MissingExtraError(f"{sentence}: pip install 'homeroom[{extra}]'{also}.") from reason
