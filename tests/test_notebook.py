"""Results in notebooks: tables with pictures, plots that show themselves, progress bars."""

from __future__ import annotations

import base64
import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from homeroom import Classroom, Embedding, _notebook, certify, compare, frontier, teach
from homeroom.crowd import insects

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs/notebooks").glob("*.ipynb"))
PNG = re.compile(r'src="data:image/png;base64,([^"]+)"')


@pytest.fixture(scope="module")
def room() -> Classroom:
    return Classroom.sample(students=20, dimensions=3, rates=(0.1, 0.6), seed=0)


@pytest.fixture(scope="module")
def results(room: Classroom) -> dict[str, Any]:
    answers = insects.make().answers
    return {
        "Classroom": room,
        "Record": teach(room),
        "Comparison": compare(room, lambdas=(0, 10)),
        "Certificate": certify(room),
        "Frontier": frontier(room),
        "Embedding": Embedding.fit(answers.subset(range(20), range(0, 160, 5)), dimensions=2),
    }


@pytest.mark.parametrize(
    "name", ["Classroom", "Record", "Comparison", "Certificate", "Frontier", "Embedding"]
)
def test_a_result_has_a_table_and_a_picture(name: str, results: dict[str, Any]) -> None:
    html = results[name]._repr_html_()
    assert html.count("<tr>") > 2
    assert "<td>nan" not in html
    (picture,) = PNG.findall(html)
    assert base64.b64decode(picture).startswith(b"\x89PNG")


def test_a_certificate_that_proves_nothing_has_no_picture(room: Classroom) -> None:
    html = certify(room, teacher="random")._repr_html_()
    assert "No number of rounds is proved" in html
    assert not PNG.search(html)


def test_texts_are_escaped() -> None:
    html = _notebook.html("<b>", ("a",), [("<script>",)])
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Pretend to be in a notebook, and collect what is displayed."""
    displayed: list[Any] = []

    def display(shown: Any, *, display_id: bool = False) -> Any:
        displayed.append(shown)
        return SimpleNamespace(update=displayed.append)

    ipython = ModuleType("IPython")
    callbacks: list[Callable[[], None]] = []
    events = SimpleNamespace(
        register=lambda event, call: callbacks.append(call),
        unregister=lambda event, call: callbacks.remove(call),
    )
    shell = SimpleNamespace(kernel=object(), events=events, callbacks=callbacks)
    ipython.get_ipython = lambda: shell  # type: ignore[attr-defined]
    ipython.version_info = (9, 0)  # type: ignore[attr-defined]  # Matplotlib asks for it
    shown = ModuleType("IPython.display")
    shown.display = display  # type: ignore[attr-defined]
    shown.Image = lambda data: ("image", data)  # type: ignore[attr-defined]
    shown.HTML = lambda text: ("html", text)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", shown)
    return displayed


@pytest.mark.slow
def test_a_plot_shows_itself_in_a_notebook_and_returns_axes(
    notebook: list[Any], results: dict[str, Any]
) -> None:
    from matplotlib.axes import Axes

    for name in ("Record", "Comparison", "Certificate", "Frontier", "Embedding"):
        notebook.clear()
        assert isinstance(results[name].plot(), Axes)
        ((kind, data),) = end_of_cell(notebook)
        assert kind == "image"
        assert data.startswith(b"\x89PNG")


def test_what_is_changed_in_the_same_cell_is_shown_once(
    notebook: list[Any], results: dict[str, Any]
) -> None:
    ax = results["Record"].plot()
    ((_, plain),) = end_of_cell(notebook)
    notebook.clear()
    results["Record"].plot().set_title("My class")
    ((_, titled),) = end_of_cell(notebook)
    assert titled != plain
    assert len(end_of_cell(notebook)) == 1
    assert ax.get_title() == ""


def end_of_cell(displayed: list[Any]) -> list[Any]:
    """Return what is displayed once the cell has ended."""
    for call in list(sys.modules["IPython"].get_ipython().callbacks):
        call()
    return displayed


def test_a_plot_on_given_axes_is_not_shown_twice(
    notebook: list[Any], results: dict[str, Any]
) -> None:
    from homeroom.plots import panel

    _, ax = panel()
    assert results["Record"].plot(ax) is ax
    assert end_of_cell(notebook) == []


def test_progress_draws_a_bar_in_a_notebook(notebook: list[Any], room: Classroom) -> None:
    record = teach(room, progress=True)
    assert record.rounds == teach(room).rounds
    first, last = notebook[0][1], notebook[-1][1]
    assert 'Teaching <progress max="1" value="0.000">' in first
    assert 'value="1.000"' in last
    notebook.clear()
    compare(room, lambdas=(0,), progress=True)
    assert "Comparing" in notebook[0][1]
    notebook.clear()
    frontier(room, progress=True)
    assert "Splitting" in notebook[0][1]


def test_progress_draws_a_bar_in_a_terminal(
    room: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    import rich.console

    written = io.StringIO()
    original = rich.console.Console

    def terminal(**given: Any) -> Any:
        return original(file=written, force_terminal=True, width=100, _environ={})

    monkeypatch.setattr(rich.console, "Console", terminal)
    teach(room, progress=True)
    assert "Teaching" in written.getvalue()


def test_a_function_that_is_false_in_a_condition_receives_the_progress(room: Classroom) -> None:
    class Log(list[Any]):
        """A list, which is false as long as it is empty."""

        __call__ = list.append

    answers = insects.make().answers.subset(range(20), range(0, 160, 5))
    logs = [Log() for _ in range(4)]
    teach(room, groups="best", progress=logs[0])
    compare(room, lambdas=(0,), progress=logs[1])
    frontier(room, progress=logs[2])
    Embedding.fit(answers, dimensions=2, progress=logs[3])
    assert all(logs)


def code_of(notebook: Path) -> list[str]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_the_cells_of_a_notebook_run(path: Path) -> None:
    namespace: dict[str, Any] = {}
    for cell in code_of(path):
        exec(cell, namespace)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_a_notebook_runs_in_a_kernel_and_shows_pictures(path: Path, tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=240, resources={"metadata": {"path": tmp_path}}
    ).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert not [output for output in outputs if output.output_type == "error"]
    shown = [output.get("data", {}) for output in outputs]
    assert any("image/png" in data or PNG.search(data.get("text/html", "")) for data in shown)
    assert any("<progress" in data.get("text/html", "") for data in shown)
