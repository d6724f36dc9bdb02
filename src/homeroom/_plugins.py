"""Find, build and describe components (teachers, learners, ...) by their registered names.

Every teacher, learner, loss, observer, grouping, goal and pool is an *entry point* of an installed
package, in the group ``homeroom.teachers`` and so on. Anything with a name can also be written as
one short text, which the command line, the records and the documentation share::

    classroom:magnitude=dynamic,safe=true
    by-knowledge:k=4
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import json
import sys
from functools import cache
from importlib import metadata
from typing import Any

import numpy as np

from homeroom._checks import InputError, InputTypeError
from homeroom._version import VERSION, source_project

KINDS = {
    "teachers": "teacher",
    "learners": "learner",
    "losses": "loss",
    "observers": "observer",
    "groups": "grouping",
    "goals": "goal",
    "pools": "pool",
}
"""Each kind of component, and the noun for one of them."""


def version() -> str:
    """Return the version of homeroom."""
    return VERSION


@cache
def _entries(kind: str) -> tuple[metadata.EntryPoint, ...]:
    """Return the entry points of one kind, homeroom's own included if it is not installed."""
    group = f"homeroom.{kind}"
    installed = tuple(_all_entries().select(group=group))
    try:
        metadata.version("homeroom")
    except metadata.PackageNotFoundError:
        own = source_project()["entry-points"][group].items()
        return (*installed, *(metadata.EntryPoint(name, value, group) for name, value in own))
    return installed


@cache
def _all_entries() -> metadata.EntryPoints:
    """Return all entry points. Cached: finding them takes as long for one kind as for all."""
    found: Any = metadata.entry_points()  # its type stub is that of older versions of Python
    entries: metadata.EntryPoints = found
    return entries


@cache
def names(kind: str) -> tuple[str, ...]:
    """Return the names of everything installed of one kind, in alphabetical order.

    >>> names("goals")
    ('accuracy', 'average', 'everyone', 'mastery')
    """
    return tuple(sorted({entry.name for entry in _entries(kind)}))


@cache
def find(kind: str, name: str) -> type:
    """Return the class behind a name.

    >>> find("groups", "by-rate").__name__
    'ByRate'
    """
    for entry in _entries(kind):
        if entry.name == name:
            found: type = entry.load()
            return found
    close = difflib.get_close_matches(name, names(kind), n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise InputError(
        f"There is no {KINDS[kind]} called {_shorten(name)!r}: "
        f"{hint}choose one of {', '.join(names(kind))}."
    )


@cache
def package(kind: str, name: str) -> str:
    """Return the name of the installed package that a component comes from.

    >>> package("goals", "average")
    'homeroom'
    """
    entry = next(entry for entry in _entries(kind) if entry.name == name)
    return entry.dist.name if entry.dist is not None else "homeroom"


def package_version(kind: str, text: str) -> str:
    """Return the package and the version that the component of a text comes from.

    >>> package_version("goals", "average:eps=0.2").partition(" ")[0]
    'homeroom'
    """
    name = text.partition(":")[0].strip()
    find(kind, name)  # raises if there is none
    found = package(kind, name)
    return f"{found} {version() if found == 'homeroom' else metadata.version(found)}"


def make(kind: str, text: str, **also: Any) -> Any:
    """Build a component from its short text, ``name`` or ``name:key=value,key=value``.

    ``also`` holds further settings, whose values need not be expressible as text.

    >>> make("groups", "by-knowledge:k=4")
    ByKnowledge(k=4)
    >>> make("goals", "everyone", eps=0.2)
    EveryoneGoal(eps=0.2)
    """
    name, _, rest = text.partition(":")
    cls = find(kind, name.strip())

    def unreadable(reason: TypeError) -> InputError:
        """Return the error for a text whose settings do not fit the class."""
        takes = ", ".join(inspect.signature(cls).parameters) or "nothing"
        why = _shorten(str(reason)).rstrip(".")
        return InputError(f"{_shorten(text)!r} cannot be read: {why}; {name} takes {takes}.")

    try:
        settings = dict(_setting(part) for part in rest.split(",") if part.strip())
        for twice in settings.keys() & also.keys():
            raise InputTypeError(f"{twice} is given twice")
        settings |= also
        inspect.signature(cls).bind(**settings)
    except TypeError as reason:
        raise unreadable(reason) from None
    try:
        return cls(**settings)
    except InputTypeError as reason:  # any other TypeError is a mistake in the class
        raise unreadable(reason) from None


def resolve(kind: str, thing: Any, interface: type) -> Any:
    """Return a component, given the component itself or its short text.

    Raise if it does not implement ``interface``, the abstract class of its kind.

    >>> from homeroom.goals import AbstractGoal
    >>> resolve("goals", "everyone:eps=0.2", AbstractGoal)
    EveryoneGoal(eps=0.2)
    """
    if isinstance(thing, str):
        thing = make(kind, thing)
    if not isinstance(thing, interface):
        what, example = KINDS[kind], names(kind)[0]
        raise InputTypeError(
            f"`{'groups' if kind == 'groups' else what}` must be {_a(what)} or a text such as "
            f"{example!r}, but is {thing!r}."
        )
    return thing


def _a(noun: str) -> str:
    """Return a noun with its indefinite article."""
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def describe(thing: Any) -> dict[str, Any]:
    """Return the name and settings of a thing as plain JSON values, for a record.

    >>> from homeroom import AverageGoal
    >>> describe(AverageGoal(0.1))
    {'name': 'average', 'eps': 0.1}
    """
    settings = (
        {
            field.name: _plain(getattr(thing, field.name))
            for field in dataclasses.fields(thing)
            if field.init
        }
        if dataclasses.is_dataclass(thing)
        else {}
    )
    cls: type = type(thing)
    return {"name": _name_of(cls), **settings}


def rebuild(kind: str, settings: Any, interface: type) -> Any:
    """Return the component that a record's settings describe, or ``None`` if it cannot be rebuilt.

    A class without a registered name (``module:Class``) is found only if its module is loaded: a
    record causes no imports of arbitrary modules.

    >>> from homeroom.goals import AbstractGoal
    >>> rebuild("goals", {"name": "average", "eps": 0.2}, AbstractGoal)
    AverageGoal(eps=0.2)
    """
    if not isinstance(settings, dict) or not isinstance(settings.get("name"), str):
        return None
    given = {key: value for key, value in settings.items() if key != "name"}
    module, _, name = settings["name"].rpartition(":")
    try:
        cls = getattr(sys.modules.get(module), name) if module else find(kind, name)
        if not (isinstance(cls, type) and issubclass(cls, interface)):
            return None
        if "loss" in given:  # by a registered name only
            loss = dict(given["loss"])
            given["loss"] = make("losses", loss.pop("name"), **loss)
        return cls(**given)
    except (AttributeError, KeyError, TypeError, ValueError):  # another version, or cut short
        return None


def _setting(part: str) -> tuple[str, Any]:
    """Return the key and the value of ``key=value``; a value that is not JSON stays a text."""
    key, equals, value = part.partition("=")
    if not equals:
        raise InputTypeError(f"{part!r} is not key=value")
    try:
        return key.strip(), json.loads(value)
    except (ValueError, RecursionError):
        return key.strip(), value.strip()


def _shorten(text: str) -> str:
    """Return at most about 200 characters of a text, for an error message."""
    return text if len(text) <= 200 else f"{text[:200]}..."


@cache
def _name_of(cls: type) -> str:
    """Return the registered name of a class, or its module and name if it has none.

    Only entry points of its own package with its name are imported: a plug-in that cannot be
    imported does no harm to lessons without it.
    """
    own = cls.__module__.partition(".")[0], cls.__qualname__
    for kind in KINDS:
        for entry in _entries(kind):
            named = entry.module.partition(".")[0], entry.attr
            if named == own and find(kind, entry.name) is cls:
                return entry.name
    return f"{cls.__module__}:{cls.__qualname__}"


def _plain(value: Any) -> Any:
    """Return a setting as a JSON value; long lists and arrays only as a description."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        short = len(value) <= 16
        return [_plain(part) for part in value] if short else f"list of {len(value)}"
    if dataclasses.is_dataclass(value):
        return describe(value)
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "shape"):
        return f"array of shape {tuple(value.shape)}"
    return getattr(value, "__qualname__", type(value).__qualname__)
