"""Tables as Parquet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from homeroom._checks import InputError
from homeroom._files import damaged
from homeroom.classroom.parquet_table import needed_pyarrow
from homeroom.crowd.reading.source import AbstractSource, Columns, Tell, check_width, rows_at_a_time


class Parquet(AbstractSource):
    """A Parquet file, whose columns are brought to text batch by batch."""

    def __init__(self, path: Path, encoding: str | None = None, tell: Tell | None = None) -> None:
        self.path = path
        self.dropped = Counter()
        self.notes = []
        self._tell = tell
        self._pyarrow = needed_pyarrow()
        try:
            with self._pyarrow.parquet.ParquetFile(path) as file:
                self.header = list(file.schema_arrow.names)
                self.rows = file.metadata.num_rows
        except self._pyarrow.ArrowException as reason:
            raise damaged(path, reason) from None
        check_width(path, len(self.header))

    def chunks(self, wanted: Sequence[int]) -> Iterator[Columns]:
        names = [self.header[place] for place in wanted]
        done = 0
        try:
            with self._pyarrow.parquet.ParquetFile(self.path) as file:
                for batch in file.iter_batches(rows_at_a_time(len(names)), columns=names):
                    done += batch.num_rows
                    if self._tell is not None:
                        self._tell(done / max(1, self.rows))
                    yield [self._texts(batch.column(name), name) for name in names]
        except self._pyarrow.ArrowException as reason:
            raise damaged(self.path, reason) from None

    def _texts(self, column: Any, name: str) -> list[str]:
        try:
            texts = column.cast(self._pyarrow.string()).to_pylist()
        except self._pyarrow.ArrowException:
            raise InputError(
                f"{self.path} must hold texts and numbers, but column {name[:40]!r} holds "
                f"{column.type}."
            ) from None
        return ["" if text is None else text for text in texts]
