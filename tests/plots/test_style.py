import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

from homeroom.plots import COLOURS, axes, figure, panel, save_figure
from homeroom.plots.style import look


def test_the_style_ends_with_the_block() -> None:
    before = dict(mpl.rcParams)
    with look():
        assert mpl.rcParams["axes.spines.top"] is False
    assert dict(mpl.rcParams) == before


def test_new_axes_have_the_style_and_given_axes_are_kept() -> None:
    ax = axes()
    assert not ax.spines["top"].get_visible()
    assert axes(ax) is ax
    drawn, inside = panel(3.0, 2.0)
    assert inside.figure is drawn
    assert tuple(figure(3.0, 2.0).get_size_inches()) == tuple(drawn.get_size_inches()) == (3.0, 2.0)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_the_same_figure_gives_the_same_file(tmp_path: Path, ending: str) -> None:
    for name in ("one", "two"):
        drawn, ax = panel()
        ax.plot([1, 2, 3])
        save_figure(drawn, tmp_path / f"{name}.{ending}")
    one, two = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
    assert one == two


def test_colours_differ_for_the_colour_blind() -> None:
    """The colours differ for deuteranopes, who confuse red and green (Vienot 1999)."""
    rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in COLOURS]) ** 2.2
    to_lms = np.array([[17.8824, 43.5161, 4.11935], [3.45565, 27.1554, 3.86714],
                       [0.0299566, 0.184309, 1.46709]])  # fmt: skip
    blind = np.array([[1, 0, 0], [0.494207, 0, 1.24827], [0, 0, 1]])
    seen = rgb @ (np.linalg.inv(to_lms) @ blind @ to_lms).T
    gaps = np.linalg.norm(seen[:, None] - seen[None, :], axis=2)
    assert gaps[~np.eye(len(COLOURS), dtype=bool)].min() > 0.05


@pytest.mark.slow
def test_importing_homeroom_does_not_import_matplotlib() -> None:
    program = "import sys, homeroom; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=120).returncode == 0
