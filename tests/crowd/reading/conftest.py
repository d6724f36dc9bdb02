"""What the tests of reading share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from homeroom.crowd import Answers

Write = Callable[..., Path]
Rows = Callable[[Answers], list[tuple[str, str, bool]]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file, and return its path."""

    def written(text: str, name: str = "answers.csv", encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return written


@pytest.fixture
def rows() -> Rows:
    """Return answers as rows: who, to what, whether yes."""

    def listed(answers: Answers) -> list[tuple[str, str, bool]]:
        places = zip(
            answers.person.tolist(), answers.item.tolist(), answers.yes.tolist(), strict=True
        )
        return [(answers.people[p], answers.items[i], yes) for p, i, yes in places]

    return listed
