"""Options that several commands share: declared once as a dataclass, and added to each command."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

DEBUG = "--debug"
DebugOption = Annotated[
    bool, typer.Option(DEBUG, help="Print the traceback of an error, for a bug report.")
]


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with each field of its dataclass arguments as an option.

    Every command also gets ``--debug``, which :func:`homeroom.cli.run` looks up itself.

    >>> @dataclasses.dataclass
    ... class Size:
    ...     width: int = 2
    ...     height: int = 3
    >>> def area(size: Size, unit: str = "m") -> None:
    ...     print(size.width * size.height, unit)
    >>> spread(area)(width=5, unit="km")
    15 km
    """
    hints = get_type_hints(command, include_extras=True)
    bundles: dict[str, Any] = {
        name: hint for name, hint in hints.items() if dataclasses.is_dataclass(hint)
    }

    @wraps(command)
    def spread_out(**given: Any) -> None:
        given.pop("debug", None)
        bundled = {
            name: cls(
                **{f.name: given.pop(f.name) for f in dataclasses.fields(cls) if f.name in given}
            )
            for name, cls in bundles.items()
        }
        command(**bundled, **given)

    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in bundles:
            parameters += _options(bundles[parameter.name])
        else:
            parameters.append(parameter.replace(annotation=hints[parameter.name]))
    parameters.append(
        inspect.Parameter(
            "debug", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=DebugOption
        )
    )
    keyword_only = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    spread_out.__signature__ = inspect.Signature(keyword_only)  # type: ignore[attr-defined]
    spread_out.__annotations__ = {p.name: p.annotation for p in keyword_only}
    return spread_out


def _options(bundle: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(bundle, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(field),
            annotation=hints[field.name],
        )
        for field in dataclasses.fields(bundle)
    ]


def _default(field: dataclasses.Field[Any]) -> Any:
    """Return what an option is if it is not given; a field without a default must be given."""
    return inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
