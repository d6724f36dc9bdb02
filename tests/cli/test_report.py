import numpy as np
import pytest

from homeroom import ByRate, Classroom, certify, compare, frontier, teach
from homeroom.cli import report


def test_the_groups_that_need_most_come_first() -> None:
    record = teach(Classroom.sample(students=60, dimensions=3, rates=(0.1, 0.9)), groups=ByRate())
    (ax,) = report.group_figure(record).axes
    heights = [int(text.get_text()) for text in ax.texts]
    assert heights == sorted(record.transcript.rounds.tolist(), reverse=True)


def test_the_proof_is_drawn_as_far_as_it_goes() -> None:
    room = Classroom.sample(students=30, dimensions=3)
    certificate, record = certify(room), teach(room)
    (ax,) = report.certificate_figure(certificate, record).axes
    proved = ax.get_lines()[0]
    assert proved.get_label() == "proved: never above this"
    assert len(proved.get_xdata()) == (certificate.rounds or 0) + 1  # type: ignore[arg-type]
    assert ax.get_xlim() == (0, certificate.rounds)


def test_a_long_proof_is_drawn_at_some_of_its_rounds() -> None:
    room = Classroom.sample(students=3, dimensions=2, rates=(1e-9, 2e-9))
    certificate, record = certify(room), teach(room, max_rounds=10)
    assert certificate.rounds is not None
    assert certificate.rounds > 10**8
    (ax,) = report.certificate_figure(certificate, record).axes
    proved, simulated, _ = ax.get_lines()
    rounds, bound = np.asarray(proved.get_xdata()), np.asarray(proved.get_ydata())
    assert rounds.tolist() == sorted(set(rounds.tolist()))
    assert (rounds[0], rounds[-1], len(rounds)) == (0, certificate.rounds, 501)
    assert bound[77] == certificate.bound(int(rounds[77]))
    assert len(simulated.get_xdata()) == 11  # type: ignore[arg-type]
    assert ax.get_xlim() == (0, certificate.rounds)


def test_the_best_cells_are_the_comparison_s_best() -> None:
    table = compare(Classroom.sample(students=30, dimensions=3), lambdas=(0, 1000))
    _, rows, best = report.comparison_rows(table)
    assert [rows[row][0] for row, column in sorted(best, key=lambda cell: cell[1])] == [
        table.best(0).name,
        table.best(1000).name,
    ]


def test_a_long_table_of_what_groups_buy_leaves_out_its_middle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report, "MAX_CORNERS", 6)
    ways = frontier(Classroom.sample(students=60, dimensions=4, rates=(0.01, 0.2)))
    assert len(ways.corners) > report.MAX_CORNERS
    header, rows = report.frontier_table(ways)
    assert len(rows) == report.MAX_CORNERS + 1
    assert rows[report.MAX_CORNERS // 2][0] == "..."
    assert all(len(row) == len(header) for row in rows)
    assert (rows[0][2], rows[-1][2]) == (str(ways.rounds[0]), str(ways.rounds[-1]))


def test_the_frontier_is_drawn_with_the_ways_that_were_named() -> None:
    table = compare(Classroom.sample(students=30, dimensions=3, rates=(0.05, 0.5)))
    pictures = report.comparison_figures(table)
    assert list(pictures) == ["cost", "frontier"]
    (ax,) = pictures["frontier"][0].axes
    names = {text.get_text() for text in ax.texts}
    assert {"whole class", "by rate", "at random", "individuals", "all alone"} <= names
