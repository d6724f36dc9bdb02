from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from homeroom.studies.cells import CellStore, run_cells
from homeroom.studies.figures import COLUMN, PAGE, PaperPlan
from homeroom.studies.paper import FIGURES, check_claims
from homeroom.studies.rows import Row
from tests.studies.conftest import SameThread

LEGIBLE = 7.0
"""The smallest font size in points, at the printed width."""


@pytest.fixture(scope="module", params=FIGURES)
def name(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


@pytest.fixture(scope="module")
def drawn(name: str, tables: dict[str, list[Row]], tiny: PaperPlan) -> Figure:
    figure = FIGURES[name].draw(tables[name], tiny)
    figure.draw_without_rendering()
    return figure


def _words(figure: Figure) -> list[Text]:
    return [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]


@pytest.mark.slow
def test_a_figure_is_as_wide_as_a_column_or_a_page(drawn: Figure, name: str) -> None:
    assert drawn.get_figwidth() == (PAGE if FIGURES[name].broad else COLUMN)


@pytest.mark.slow
def test_nothing_extends_beyond_the_edge_of_a_figure(drawn: Figure) -> None:
    inside = drawn.get_tightbbox()
    width, height = drawn.get_size_inches()
    assert inside.x0 >= -0.01
    assert inside.y0 >= -0.01
    assert inside.x1 <= width + 0.01
    assert inside.y1 <= height + 0.01


@pytest.mark.slow
def test_every_word_is_large_enough_to_read(drawn: Figure) -> None:
    assert min(float(text.get_fontsize()) for text in _words(drawn)) >= LEGIBLE


def test_axes_have_labels_in_words(drawn: Figure, name: str) -> None:
    if name == "2":
        return  # a plane without units: panels have titles, rows have names
    shared = [str(drawn.get_supxlabel()), str(drawn.get_supylabel())]
    for ax in drawn.axes:
        if ax.axison and ax.get_label() != "<colorbar>":
            across, up = ax.get_xlabel() or shared[0], ax.get_ylabel() or shared[1]
            assert any(len(word) > 3 for word in across.split()), name
            assert name == "sensitivity" or any(len(word) > 3 for word in up.split()), name


@pytest.mark.parametrize(
    "name",
    [
        *("3a", "2", "6a"),
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("3b", "3e", "who", "4a", "4b", "4c", "1b", "5a", "letters")
        ),
    ],
    indirect=True,
)
def test_the_same_rows_give_the_same_picture(
    name: str, tables: dict[str, list[Row]], tiny: PaperPlan
) -> None:
    pictures = []
    for _ in range(2):
        buffer = io.BytesIO()
        FIGURES[name].draw(tables[name], tiny).savefig(buffer, format="png", dpi=40)
        pictures.append(buffer.getvalue())
    assert pictures[0] == pictures[1]


def test_every_figure_has_a_caption_and_cells(name: str, tiny: PaperPlan) -> None:
    assert FIGURES[name].name == name
    assert FIGURES[name].caption.endswith(".")
    assert FIGURES[name].cells(tiny)


def test_a_quick_run_measures_less(name: str, tiny: PaperPlan) -> None:
    whole = PaperPlan(tiny.settings.change("seeds=20"))
    quick = PaperPlan(whole.settings, quick=True)
    one_cell = name in {"1b", "2", "4a", "4b", "5a", "5b", "5c"}
    assert len(FIGURES[name].cells(quick)) < len(FIGURES[name].cells(whole)) or one_cell


@pytest.mark.parametrize(
    "name", ["3b", "3c", "knowledge-t", "knowledge-s", "4d", "4e", "6e", "6f"], indirect=True
)
def test_all_four_ways_are_drawn(drawn: Figure) -> None:
    labels = {text.get_text() for text in _words(drawn)}
    assert {
        "whole class (CT)",
        "groups (CTwP-Opt)",
        "random groups (CTwP-Rand)",
        "individuals (IT)",
    } <= labels
    lines = [line for line in drawn.axes[0].get_lines() if len(np.asarray(line.get_xdata())) > 1]
    assert len({str(line.get_linestyle()) + str(line.get_color()) for line in lines}) == 4


def test_curves_differ_even_without_colour(tables: dict[str, list[Row]], tiny: PaperPlan) -> None:
    for name in ("3a", "3b", "3c", "3d", "dip", "accuracy"):
        lines = FIGURES[name].draw(tables[name], tiny).axes[0].get_lines()
        dashes = [repr(line._dash_pattern) for line in lines]  # type: ignore[attr-defined]
        named = [
            d for d, line in zip(dashes, lines, strict=True) if str(line.get_label())[0] != "_"
        ]
        widths = [line.get_linewidth() for line in lines if str(line.get_label())[0] != "_"]
        assert len(set(zip(named, widths, strict=True))) == len(named), name


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        *("eps=1000", "students=1"),
        "dimensions=1",
        "knowledge_dimensions=1",
        "seeds=1",
    ],
)
def test_extreme_settings_give_no_false_claims(tiny: PaperPlan, change: str) -> None:
    """Classes without examples, of one student, or in one dimension are drawn and judged."""
    plan = PaperPlan(tiny.settings.change(change), quick=True)
    cells = {name: list(dict.fromkeys(figure.cells(plan))) for name, figure in FIGURES.items()}
    rows = run_cells(
        [cell for own in cells.values() for cell in own], CellStore(None), SameThread()
    )
    tables = {name: [row for cell in own for row in rows[cell]] for name, own in cells.items()}
    for claim in check_claims(tables):
        assert "nan" not in claim.evidence
    if change == "eps=1000":
        for name, figure in FIGURES.items():
            figure.draw(tables[name], plan)
