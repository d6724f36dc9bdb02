"""One pass over a Parquet data set of more than 4 GB, by one worker and by two.

Each worker is a process with one thread, and BLAS has one in it. The data set is written into a
temporary folder, which is removed afterwards; it is read from the cache, not from the disk.
"""

from __future__ import annotations

import math
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import Line, amount, take_turns
from homeroom import LargeClass
from homeroom._arrays import Floats
from homeroom.classroom import OnDask
from homeroom.cli.cluster import local_cluster
from homeroom.moments import sketch_of

STUDENTS = 20_500_000
DIMENSIONS = 25
ROW_GROUP = 160_000
BYTES = 8 * STUDENTS * (DIMENSIONS + 1)
TURNS = 5


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    with tempfile.TemporaryDirectory(prefix="homeroom-benchmark-") as folder:
        if shutil.disk_usage(folder).free < 2 * BYTES:
            raise SystemExit(f"There is no room for {amount(BYTES, 'B')} in {folder}.")
        path = Path(folder) / "students.parquet"
        _write(path)
        _tell(f"{amount(path.stat().st_size, 'B')} of Parquet")
        with local_cluster(2) as two_workers, local_cluster(1) as one_worker:
            two, one = Pass(path, two_workers), Pass(path, one_worker)
            # After this, all workers have started and the file is in the cache.
            assert np.array_equal(two(), one()), "two workers come to other bits than one"
            for_two, for_one = take_turns(two, one, turns=TURNS)
            peaks = {"two workers": two.peak_bytes(), "one worker": one.peak_bytes()}
    what = f"a pass over {amount(BYTES, 'B')} of Parquet, two workers"
    yield Line(what, for_two, "one worker", for_one, 1.6, faster=True)
    yield Line("its processor time, all workers", two.least, "one worker", one.least)
    for who, peak in peaks.items():
        yield Line(f"peak memory of a worker, {who}", peak, "allowed", 1e9, 1.0, unit="B")


class Pass:
    """A pass over the file by the workers of a client; counts the processor time they take."""

    def __init__(self, path: Path, client: Any) -> None:
        target = np.full(DIMENSIONS, DIMENSIONS**-0.5)
        self.room = LargeClass.open(path, target=target, runner=OnDask(client))
        self.client = client
        self.least = math.inf

    def __call__(self) -> Floats:
        """Pass over the students, and return the result."""
        before, start = self._processor_time(), time.perf_counter()
        matrices = sketch_of(self.room).matrices
        self.least = min(self.least, self._processor_time() - before)
        workers, load = len(self.client.nthreads()), os.getloadavg()[0]
        _tell(f"{workers}: {time.perf_counter() - start:.1f} s, load {load:.1f}")
        return matrices

    def _processor_time(self) -> float:
        return float(sum(self.client.run(time.process_time).values()))

    def peak_bytes(self) -> int:
        """Return the most memory that one of the workers has had."""
        return int(max(self.client.run(_peak_bytes).values()))


def _tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


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
    raise RuntimeError("this system does not report the peak memory of a process")
