"""Records as tables, with pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom._extras import needs

if TYPE_CHECKING:
    import pandas

    from homeroom.lessons.record import Record


def pandas_or_explain() -> Any:
    """Return pandas, or raise an error that says how to install it."""
    with needs("Tables need pandas", "frames"):
        import pandas
    return pandas


def of_record(record: Record) -> pandas.DataFrame:
    """Return one row per group and round; round 0 is the start."""
    rounds = record.transcript.rounds
    groups = np.arange(len(rounds))
    number = np.concatenate([np.arange(count + 1) for count in rounds])
    after = number > 0

    def shown(values: Any, nothing: float) -> Any:
        column = np.full((len(number), *values.shape[1:]), nothing)
        column[after] = values
        return column

    xs, ys, items, _ = record.examples
    columns = {
        "group": np.repeat(groups, rounds + 1),
        "round": number,
        "error": np.concatenate([record.transcript.errors(int(group)) for group in groups]),
        "farthest": np.concatenate([record.transcript.farthest(int(group)) for group in groups]),
        "item": shown(items.astype(float), -1.0).astype(np.int64),
    }
    labels = shown(ys, np.nan)
    columns |= (
        {"y": labels}
        if ys.ndim == 1
        else {f"y{i + 1}": labels[:, i] for i in range(labels.shape[1])}
    )
    features = shown(xs, np.nan)
    columns |= {f"x{i + 1}": features[:, i] for i in range(features.shape[1])}
    frame: pandas.DataFrame = pandas_or_explain().DataFrame(columns)
    return frame
