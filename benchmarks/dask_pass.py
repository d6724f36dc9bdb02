"""One pass over a Parquet data set of more than 4 GB, by one worker and by two.

Each worker is a process with one thread, and BLAS has one in it. The data set is written into a
temporary folder, which is removed afterwards; it is read from the cache, not from the disk.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import Line, amount, take_turns
from homeroom import LargeClass
from homeroom.classroom import OnDask
from homeroom.cli.cluster import local_cluster
from homeroom.moments import sketch_of

STUDENTS = 20_500_000
DIMENSIONS = 25
ROW_GROUP = 160_000
BYTES = 8 * STUDENTS * (DIMENSIONS + 1)
TURNS = 5


def lines() -> Iterator[Line]:
    """Measure."""
    with tempfile.TemporaryDirectory(prefix="homeroom-benchmark-") as folder:
        if shutil.disk_usage(folder).free < 2 * BYTES:
            raise SystemExit(f"There is no room for {amount(BYTES, 'B')} in {folder}.")
        path = Path(folder) / "students.parquet"
        _write(path)
        print(f"{amount(path.stat().st_size, 'B')} of Parquet", file=sys.stderr, flush=True)
        with ExitStack() as stack:
            clients = [stack.enter_context(local_cluster(workers)) for workers in (2, 1)]
            rooms = [_room(path, client) for client in clients]
            _same(rooms)
            two, one = take_turns(*(lambda r=r: sketch_of(r) for r in rooms), turns=TURNS)
            peaks = [max(client.run(_peak_bytes).values()) for client in clients]
    size = amount(BYTES, "B")
    yield Line(
        f"a pass over {size} of Parquet, two workers", two, "one worker", one, 1.6, faster=True
    )
    for peak, workers in zip(peaks, ("two workers", "one worker"), strict=True):
        yield Line(
            f"peak memory of a worker, {workers}", peak, "what is allowed", 1e9, 1.0, unit="B"
        )


def _room(path: Path, client: Any) -> LargeClass:
    target = np.full(DIMENSIONS, DIMENSIONS**-0.5)
    return LargeClass.open(path, target=target, runner=OnDask(client))


def _same(rooms: list[LargeClass]) -> None:
    """Have everybody awake and the file in the cache; and see that the result is the same."""
    first, second = (sketch_of(room).matrices for room in rooms)
    assert np.array_equal(first, second), "two workers come to other bits than one"


def _write(path: Path) -> None:
    """Write the students, a group of rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    names = [f"w{i + 1}" for i in range(DIMENSIONS)]
    schema = pa.schema([(name, pa.float64()) for name in ("rate", *names)])
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for first in range(0, STUDENTS, ROW_GROUP):
            rows = min(ROW_GROUP, STUDENTS - first)
            states = rng.standard_normal((DIMENSIONS, rows))
            columns = dict(zip(names, states, strict=True))
            table = pa.table({"rate": rng.uniform(0.1, 0.5, rows), **columns}, schema=schema)
            writer.write_table(table, row_group_size=rows)


def _peak_bytes() -> int:
    """Return the most memory this process has had; runs on the workers (Linux)."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return 1024 * int(line.split()[1])
    raise RuntimeError("this system does not tell how much memory a process has had")
