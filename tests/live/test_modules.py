"""How many modules an answer passes through on the event loop."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from benchmarks.code import CalledModules

if TYPE_CHECKING:
    from tests.live.conftest import Live


def test_an_answer_calls_functions_of_at_most_20_modules_on_the_event_loop(live: Live) -> None:
    """What is computed or stored is done by threads, which do not hold up other students."""
    class_id, code = live.make_class()
    ada, ben = live.join(code), live.join(code, "Ben")
    live.act(class_id, "phase", phase="pretest")
    ada.answer().raise_for_status()
    view = ben.view
    body = {"round": view["round"], "item": view["item"]["id"], "answer": 1}
    called = CalledModules("live/access/middleware.py", "__call__")
    portal = live.teacher.portal
    assert portal is not None
    portal.call(sys.setprofile, called)
    try:
        ben.browser.post("/api/answers", json=body).raise_for_status()
    finally:
        portal.call(sys.setprofile, None)
    assert "live/routes/students.py" in called.modules
    assert len(called.modules) <= 20, sorted(called.modules)
