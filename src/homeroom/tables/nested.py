"""Answers in JSON: cells that hold it, and files whose objects hold others, as rows of texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote

from homeroom._checks import InputError
from homeroom.tables.text import tidy

MAX_DEPTH = 4
"""How deeply tasks may be nested in each other."""

BROKEN_JSON = (ValueError, TypeError, AttributeError, KeyError, RecursionError)


class TaskAnswer(NamedTuple):
    """The answer to one task: the task's name and label, and the answer as text."""

    task: str
    label: str
    text: str


def answers_in(name: str, cell: str, *, is_json: bool = False) -> list[TaskAnswer] | None:
    """Return the answers in a cell, whose column has this name; ``None`` if it cannot be read.

    A cell holds one answer, as text or as JSON such as ``{"choices": ["a"]}``, or several as JSON.

    >>> answers_in("kind", "moth")
    [TaskAnswer(task='kind', label='', text='moth')]
    >>> answers_in("taskAnswers", '[{"kind": {"label": "moth"}}]')
    [TaskAnswer(task='kind', label='', text='moth')]
    """
    if is_json or cell.lstrip()[:1] in ("{", "["):
        try:
            return list(_answers(name, json.loads(cell) if cell.strip() else [], is_json))
        except BROKEN_JSON:
            if is_json:
                return None
    return [TaskAnswer(name, "", tidy(cell))]


def _answers(name: str, value: Any, is_json: bool = False, depth: int = 0) -> Iterator[TaskAnswer]:
    """Yield the answers in a JSON value; drawings are left out."""
    if isinstance(value, dict) and isinstance(value.get("classifications"), list):
        value = value["classifications"]
    if isinstance(value, list) and any(isinstance(one, dict) and _task_in(one) for one in value):
        for one in value:
            inner = _value_in(one)
            if depth < MAX_DEPTH and _holds_tasks(inner):
                yield from _answers(name, inner, is_json, depth + 1)
            elif (text := answer_text(inner)) is not None:
                label = tidy(str(one.get("task_label") or ""))[:300]
                yield TaskAnswer(str(_task_in(one))[:80], label, _without_markdown(text))
        return
    text = None if is_json else answer_text(value)
    if text is not None and not _holds_names(value):
        yield TaskAnswer(name, "", text)
        return
    for part in value if isinstance(value, list) else [value]:
        if is_json and "value" in part:
            raise KeyError("task")
        for task, inner in part.items() if isinstance(part, dict) else ():
            is_switch = isinstance(inner, dict) and inner.keys() == {"on"}
            text = answer_text(inner["on"] if is_switch else inner)
            if text is not None:
                yield TaskAnswer(f"{task}.on" if is_switch else str(task), "", text)


def _task_in(one: Mapping[str, Any]) -> object:
    """Return the name of the task that an object answers, if it names one."""
    if "value" in one and "task" in one:
        return one["task"]
    is_classification = one.keys() & {"answer", "value", "radio_answer", "checklist_answers"}
    return (one.get("title") or one.get("name")) if is_classification else None


def _value_in(one: Mapping[str, Any]) -> Any:
    """Return the answer of such an object."""
    keys = ("answer", "radio_answer", "checklist_answers", "answers", "text_answer", "value")
    return next((one[key] for key in keys if one.get(key) is not None), None)


def _holds_tasks(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(v, dict) and "task" in v for v in value)


def _holds_names(value: object) -> bool:
    """Return whether a list or an object holds answers by the names of their tasks."""
    if isinstance(value, list):
        return any(isinstance(one, dict) and not _choice_key(one) for one in value)
    return False


def _choice_key(value: Mapping[str, Any]) -> str | None:
    keys = ("choice", "choices", "label", "text", "title", "name", "value", "rating")
    return next((key for key in keys if key in value and not isinstance(value[key], dict)), None)


def _without_markdown(text: str) -> str:
    """Return a text without the pictures and the emphasis of Markdown, if anything remains.

    >>> _without_markdown("![](https://example.org/a.png =20x) **Yes**")
    'Yes'
    """
    if "](" not in text and "**" not in text:
        return text
    return tidy(re.sub(r"!\[[^\]]*\]\([^)]*\)|\*\*", "", text)) or text


def answer_text(value: object) -> str | None:
    """Return an answer as text, several choices joined; ``None`` if it is no choice.

    >>> answer_text([{"choice": "DUCK"}, {"choice": "GOOSE"}]), answer_text({"x": 3})
    ('DUCK + GOOSE', None)
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, str | int | float):
        return tidy(str(value))
    if isinstance(value, list) and not any(isinstance(each, list) for each in value):
        parts = [answer_text(each) for each in value[:100]]
        return None if None in parts else " + ".join(filter(None, parts))
    if isinstance(value, dict):
        if key := _choice_key(value):
            return answer_text(value[key])
        if value and all(isinstance(each, bool) for each in value.values()):
            return " + ".join(str(key) for key, each in value.items() if each)
    return None


def cell_text(value: object) -> str:
    """Return a JSON value as the text of a cell; objects and lists as JSON."""
    if isinstance(value, dict | list):
        return json.dumps(value)
    return answer_text(value) or ""


def person_in(text: str) -> str:
    """Return the name of an annotator: a number, an address, or JSON with either."""
    if text.lstrip().startswith("{"):
        try:
            who = json.loads(text)
            return str(who.get("email") or who.get("username") or who.get("id") or "")
        except BROKEN_JSON:
            return text
    return text


def file_in(text: str) -> str:
    """Return the name of the file in a text, which may be JSON about an item; else the text.

    Label Studio puts eight characters in front of the names of uploaded files.

    >>> file_in("/data/upload/1/0a1b2c3d-moth.jpg"), file_in("a moth / a wasp")
    ('moth.jpg', 'a moth / a wasp')
    >>> file_in("https://example.org/a%20moth.jpg?key=1")
    'a moth.jpg'
    >>> file_in('{"7": {"Filename": "wasp.jpg", "width": 3}}')
    'wasp.jpg'
    """
    line = tidy(text)
    if line.startswith("{"):
        return _picture_in(line)
    if " " in line or "/" not in line:
        return line
    name = PurePosixPath(line.partition("?")[0]).name or line
    if "%" in name and "://" in line:
        name = unquote(name)
    return re.sub(r"^[0-9a-f]{8}-(?=.)", "", name)


def _picture_in(text: str) -> str:
    """Return the name of the file in an object about an item; empty if there is none."""
    try:
        about = next(iter(json.loads(text).values()))
        found = [
            value.strip()
            for key, value in about.items()
            if isinstance(value, str) and re.search(r"file|image|picture|name", key, re.IGNORECASE)
        ]
    except (*BROKEN_JSON, StopIteration):
        return ""
    files = [value for value in found if re.search(r"\.\w{2,5}$", value)]
    return file_in(files[0])[:200] if files else ""


def to_rows(path: Path, objects: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return objects as rows of texts: as they are, or one row per annotation within them."""
    if any("annotations" in one and "data" in one for one in objects):
        return [row for one in objects for row in _label_studio_rows(path, one)]
    if any("data_row" in one and "projects" in one for one in objects):
        return [row for one in objects for row in _labelbox_rows(path, one)]
    return [{str(name): cell_text(value) for name, value in one.items()} for one in objects]


def _label_studio_rows(path: Path, task: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Yield one row per annotation of a task, as in Label Studio's ``.csv`` export."""
    data, annotations = task.get("data"), task.get("annotations")
    if not isinstance(data, dict) or not isinstance(annotations, list):
        raise InputError(
            f"{path} has a task without `data` or `annotations` (id {str(task.get('id'))[:40]})."
        )
    shared = {"id": cell_text(task.get("id"))} | {str(key): cell_text(data[key]) for key in data}
    for one in annotations:
        if not isinstance(one, dict):
            raise InputError(f"{path} has an annotation that is no object (id {shared['id'][:40]})")
        row = shared | {
            "annotation_id": cell_text(one.get("id")),
            "annotator": person_in(cell_text(one.get("completed_by"))),
            "created_at": cell_text(one.get("created_at")),
            "ground_truth": cell_text(one.get("ground_truth")),
            "was_cancelled": cell_text(one.get("was_cancelled")),
        }
        results = one.get("result")
        for result in results if isinstance(results, list) else ():
            if isinstance(result, dict) and isinstance(result.get("value"), dict):
                text = answer_text(result["value"])
                if text is not None:
                    row[str(result.get("from_name"))] = text
        yield row


def _labelbox_rows(path: Path, one: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Yield one row per label of a data row, as in Labelbox's earlier ``.csv`` export."""
    try:
        about = one["data_row"]
        for project in one["projects"].values():
            for label in project["labels"]:
                details = label.get("label_details") or {}
                yield {
                    "DataRow ID": cell_text(about.get("id")),
                    "External ID": cell_text(about.get("external_id")),
                    "Labeled Data": cell_text(about.get("row_data")),
                    "Label": json.dumps(label.get("annotations") or {}),
                    "Created By": cell_text(details.get("created_by")),
                    "Created At": cell_text(details.get("created_at")),
                    "Skipped": cell_text((label.get("performance_details") or {}).get("skipped")),
                }
    except (AttributeError, KeyError, TypeError):
        raise InputError(
            f"{path} looks like an export of Labelbox, but a row lacks its labels: export it again."
        ) from None
