"""What a page holds that a command or a function has written."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any


def read_page(page: str | Path) -> dict[str, Any]:
    """Return the data of a page: title, parts and footer."""
    html = page.read_text(encoding="utf-8") if isinstance(page, Path) else page
    (data,) = re.findall(r'<script type="application/json" id="page-data">(.*?)</script>', html)
    document: dict[str, Any] = json.loads(data)
    return document


def parts_of(page: str | Path, kind: str) -> list[dict[str, Any]]:
    """Return all parts of one kind."""
    return [part for part in read_page(page)["parts"] if part["kind"] == kind]


def texts_of(value: Any) -> list[str]:
    """Return all texts in a part of a page, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    return [text for part in value for text in texts_of(part)] if hasattr(value, "__iter__") else []
