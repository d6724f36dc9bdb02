import inspect
from dataclasses import dataclass

import pytest

from homeroom.cli.spread import spread


@dataclass(frozen=True)
class Size:
    width: int = 2
    height: int = 3


@dataclass(frozen=True)
class Required:
    width: int
    height: int = 3


def test_fields_become_options_and_come_back_as_the_dataclass() -> None:
    seen: list[object] = []

    def command(size: Size, unit: str = "m") -> None:
        seen.extend([size, unit])

    spread(command)(width=5, height=3, unit="km")
    assert seen == [Size(5, 3), "km"]
    parameters = inspect.signature(spread(command)).parameters
    assert list(parameters) == ["width", "height", "unit", "debug"]
    assert parameters["height"].default == 3
    assert parameters["unit"].annotation is str


def test_what_nobody_asked_for_is_refused() -> None:
    def command(size: Size) -> None:
        del size

    with pytest.raises(TypeError, match="depth"):
        spread(command)(depth=1)


def test_a_field_without_a_default_must_be_given() -> None:
    def command(size: Required) -> None:
        del size

    parameters = inspect.signature(spread(command)).parameters
    assert parameters["width"].default is inspect.Parameter.empty
    assert parameters["height"].default == 3
