"""A class as xAPI statements, one per line, for learning record stores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from homeroom.live.classbook.state import State
from homeroom.live.events import Wrote
from homeroom.live.exports.table import AnswerRow, answers, clock
from homeroom.live.store.store import Stored, lessons_in

ANSWERED = {"id": "http://adlnet.gov/expapi/verbs/answered", "display": {"en": "answered"}}
INTERACTION = "http://adlnet.gov/expapi/activities/cmi.interaction"


def xapi_of(
    state: State, stored: Sequence[Stored], *, home: str = "urn:homeroom", class_id: str = ""
) -> str:
    """Return one ``answered`` statement per answer or letter, as JSON lines.

    Parameters
    ----------
    state, stored
        The class, and its log.
    home
        The address of this server, where the students' accounts are.
    class_id
        The id of the class, which keeps the statements of two classes apart.
    """
    making = _Statements(state, home.rstrip("/"), class_id)
    statements = [*map(making.answer, answers(state, stored)), *making.letters(stored)]
    return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in statements)


@dataclass(frozen=True)
class _Statements:
    """Makes the statements of a class."""

    state: State
    home: str
    class_id: str

    @property
    def place(self) -> str:
        """The address of the activity."""
        return f"{self.home}/api/activities/{quote(self.state.activity.id, safe='')}"

    def answer(self, row: AnswerRow) -> dict[str, Any]:
        """Return the statement for an answer."""
        activity = self.state.activity
        result: dict[str, Any] = {
            "response": activity.word(row.answer, row.item),
            "completion": True,
        }
        if row.right is not None:
            result["success"] = row.right
        words = activity.options_of(row.item)
        asked = {
            "name": {"en": row.item},
            "description": {"en": activity.item_of[row.item].question or activity.question},
            "interactionType": "choice",
            "choices": [{"id": word, "description": {"en": word}} for word in words],
        }
        item = f"items/{quote(row.item, safe='')}"
        more = {"phase": row.phase, "round": row.round}
        return self._statement(
            row.student, row.version, row.at, item=item, asked=asked, result=result, more=more
        )

    def letters(self, stored: Sequence[Stored]) -> Iterator[dict[str, Any]]:
        """Yield one statement per letter."""
        letter = self.state.activity.letter
        asked = {"name": {"en": f"the letter {letter}"}, "interactionType": "other"}
        for one in lessons_in(stored)[-1]:
            if isinstance(wrote := one.event, Wrote) and wrote.student in self.state.people:
                result = {"completion": True, "extensions": self._extensions(wrote.scores)}
                yield self._statement(
                    wrote.student,
                    one.version,
                    one.at,
                    item="letter",
                    asked=asked,
                    result=result,
                    more={"round": wrote.round} | ({"form": wrote.form} if wrote.form else {}),
                )

    def _statement(
        self,
        student: str,
        version: int,
        at: float,
        *,
        item: str,
        asked: Mapping[str, Any],
        result: Mapping[str, Any],
        more: Mapping[str, Any],
    ) -> dict[str, Any]:
        """Return a statement: a student was ``asked`` about an item, with a ``result``.

        ``version`` is the number of the event, and ``more`` are extensions of the context.
        """
        return {
            "id": str(uuid5(NAMESPACE_URL, f"{self.home}/{self.class_id}/{version}")),
            "actor": {
                "objectType": "Agent",
                "name": self.state.people[student].name,
                "account": {"homePage": self.home, "name": student},
            },
            "verb": ANSWERED,
            "object": {
                "objectType": "Activity",
                "id": f"{self.place}/{item}",
                "definition": {"type": INTERACTION, **asked},
            },
            "result": result,
            "context": {
                "contextActivities": {
                    "parent": [{"objectType": "Activity", "id": self.place}],
                    "grouping": [
                        {"objectType": "Activity", "id": f"{self.home}/classes/{self.class_id}"}
                    ],
                },
                "extensions": self._extensions(more),
            },
            "timestamp": clock(at),
        }

    def _extensions(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values under addresses of this server, as xAPI requires of extensions."""
        return {f"{self.home}/xapi/{name}": value for name, value in values.items()}
