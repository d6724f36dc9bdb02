"""Tables of people who answer, one reader each; everything else sees only :class:`Trials`."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom import InputError
from homeroom._arrays import Floats, Ints

Mask = npt.NDArray[np.bool_]
Row = dict[str, str]

MOST_BYTES = 200 * 2**20
MOST_ROWS = 2_000_000
MOST_CLASSES = 50
TEST_WEIGHT = 5.0
"""If only test trials are scored, they have this weight in every fit."""


class Trials(NamedTuple):
    """Answers of people in order. Most arrays have shape ``(sequences, trials)``.

    Parameters
    ----------
    person
        Whose sequence each is, shape ``(sequences,)``; a person may have several.
    said
        The answers, +1 or -1; 0 for none.
    label
        The right answers, +1 or -1; all +1 if ``said`` is right (+1) or wrong (-1).
    item, skill
        The item, and the class, skill or object whose knowledge the models trace.
    x
        Features for a rule, shape ``(sequences, trials, features)``, of mean squared length 1.
    taught
        Whether the right answer was shown afterwards.
    scored
        Which answers are predicted.
    chosen
        Which of several answers was given, -1 for none; ``None`` if there are two.
    when
        When each answer was given, in days; ``None`` if it is not known, and answers are counted.
    """

    person: Ints
    said: Floats
    label: Floats
    item: Ints
    skill: Ints
    x: Floats
    taught: Mask
    scored: Mask
    chosen: Ints | None = None
    when: Floats | None = None

    @property
    def marks(self) -> Floats:
        """Right (+1) or wrong (-1), 0 for none."""
        return self.said * self.label

    @property
    def marked(self) -> bool:
        """Whether answers are known only as right or wrong."""
        return bool((self.label == 1.0).all())

    @property
    def items(self) -> int:
        """The number of items."""
        return int(self.item.max()) + 1

    @property
    def skills(self) -> int:
        """The number of skills."""
        return int(self.skill.max()) + 1

    @property
    def weights(self) -> Floats:
        """The weight of each answer in a fit; they sum to 1."""
        weights = np.where(self.scored, TEST_WEIGHT, 1.0) * (self.said != 0)
        scaled: Floats = weights / float(weights.sum())
        return scaled

    def at(self, trial: int) -> Floats:
        """Return when the answers of a trial were given: in days, or in answers."""
        return np.full(len(self.said), float(trial)) if self.when is None else self.when[:, trial]

    def some(self, rows: Mask | Ints) -> Trials:
        """Return some of the sequences."""
        parts: Any = (None if part is None else part[rows] for part in self)
        return Trials(*parts)


# --- Files ---------------------------------------------------------------------------------------


def rows_of(path: Path, columns: Sequence[str], delimiter: str = ",") -> list[Row]:
    """Return the rows of a table that must have some columns; anything else is bad input."""
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    if path.stat().st_size > MOST_BYTES:
        raise InputError(f"{path} is larger than the limit of {MOST_BYTES >> 20} MB.")
    rows: list[Row] = []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, delimiter=delimiter)
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                raise InputError(f"{path} must have a column {missing[0]!r}.")
            for row in reader:
                if None in row or None in row.values():
                    raise InputError(
                        f"Line {reader.line_num} of {path} does not have as many cells as the head."
                    )
                rows.append(row)
                if len(rows) > MOST_ROWS:
                    raise InputError(f"{path} has more than {MOST_ROWS} rows.")
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} is not a table in UTF-8: {error}.") from None
    if not rows:
        raise InputError(f"{path} has no rows.")
    return rows


def _numbers(rows: Sequence[Row], column: str, kind: type = int) -> Floats:
    try:
        numbers = np.array([kind(row[column]) for row in rows], dtype=np.float64)
    except (ValueError, OverflowError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        strange = next((row[column] for row in rows if not _is_number(row[column], kind)), "nan")
        raise InputError(f"Column {column!r} must have numbers, but has {strange[:40]!r}.")
    return numbers


def _is_number(text: str, kind: type) -> bool:
    try:
        return bool(np.isfinite(float(kind(text))))
    except (ValueError, OverflowError):
        return False


def _sorted(rows: Sequence[Row], columns: Sequence[str]) -> list[Row]:
    """Return rows in the order of some columns of numbers, the first one first."""
    order = np.lexsort([_numbers(rows, name) for name in reversed(columns)])
    return [rows[place] for place in order]


def _codes(values: Sequence[object]) -> Ints:
    codes: Ints = np.unique(np.array([str(value) for value in values]), return_inverse=True)[1]
    return codes


def _in_sequences(keys: Sequence[object], most: int | None = None) -> list[Ints]:
    """Return the places of each sequence: neighbours with the same key, the first ``most``."""
    return [
        np.array([place for place, _ in group][:most], dtype=np.int64)
        for _, group in groupby(enumerate(keys), key=lambda pair: pair[1])
    ]


def _padded(values: npt.NDArray[Any], sequences: list[Ints], fill: float = 0.0) -> Any:
    """Return values as one row per sequence, filled up at the end."""
    longest = max(map(len, sequences))
    shape = (len(sequences), longest, *values.shape[1:])
    padded = np.full(shape, fill, dtype=values.dtype)
    for row, places in enumerate(sequences):
        padded[row, : len(places)] = values[places]
    return padded


def _scaled(x: Floats) -> Floats:
    scaled: Floats = x / np.sqrt((x * x).sum(axis=-1).mean())
    return scaled


# --- Readers -------------------------------------------------------------------------------------


def read_classes(path: Path) -> Trials:
    """Read people who learn classes of pictures: 20 trials that teach, 20 that test."""
    rows = rows_of(path, ("learner", "trial", "phase", "item", "truth", "answer"))
    rows = _sorted(rows, ("learner", "trial"))
    numbers = [_numbers(rows, name) for name in ("truth", "answer")]
    if numbers[0].min() < 0 or numbers[0].max() >= MOST_CLASSES:
        raise InputError(f"{path}: `truth` must be a class from 0 to {MOST_CLASSES - 1}.")
    truth, answer = (np.clip(part, -1, MOST_CLASSES).astype(np.int64) for part in numbers)
    sequences = _in_sequences([row["learner"] for row in rows])
    kinds = int(truth.max()) + 1
    given = (answer >= 0) & (answer < kinds)
    said = np.where(given, np.where(answer == truth, 1.0, -1.0), 0.0)
    taught = np.array([row["phase"] == "teach" for row in rows])
    return Trials(
        np.arange(len(sequences)),
        _padded(said, sequences),
        np.ones((len(sequences), max(map(len, sequences)))),
        _padded(_codes([row["item"] for row in rows]), sequences),
        _padded(truth, sequences),
        _padded(np.eye(kinds)[truth], sequences),
        _padded(taught, sequences),
        _padded(~taught & given, sequences),
        _padded(np.where(given, answer, -1), sequences, -1),
    )


def read_shepard(path: Path) -> Trials:
    """Read Shepard's tasks: eight objects with three binary features, feedback every time."""
    names = ("feature1", "feature2", "feature3")
    rows = rows_of(path, ("learner", "block", "trial", "answer", "truth", *names))
    rows = _sorted(rows, ("learner", "block", "trial"))
    learner = [row["learner"] for row in rows]
    binary = np.column_stack([_binary(rows, name) for name in names])
    sequences = _in_sequences([(row["learner"], row["block"]) for row in rows])
    item = ((binary > 0) @ np.array([4, 2, 1])).astype(np.int64)
    x = np.column_stack([np.ones(len(rows)), binary])
    said = _padded(_binary(rows, "answer"), sequences)
    return Trials(
        _codes([learner[places[0]] for places in sequences]),
        said,
        _padded(_binary(rows, "truth"), sequences, 1.0),
        _padded(item, sequences),
        _padded(item, sequences),
        _padded(_scaled(x), sequences),
        said != 0,
        said != 0,
    )


def _binary(rows: Sequence[Row], column: str) -> Floats:
    numbers = _numbers(rows, column)
    if not np.isin(numbers, (0.0, 1.0)).all():
        raise InputError(f"Column {column!r} must have 0 and 1.")
    return 2.0 * numbers - 1.0


def read_cat_unlearn(folder: Path, people: int = 80, trials: int = 300) -> Trials:
    """Read the two-category task of ``crossley/cat_unlearn``: stripes of two widths and angles.

    The folder has one file per person, ``sub_1_data.csv`` and so on. Feedback is true in the first
    300 trials only.
    """
    files = sorted(folder.glob("sub_*_data.csv"), key=lambda path: (len(path.name), path.name))
    if not files:
        raise InputError(f"There are no files sub_1_data.csv and so on in {folder}.")
    xs, said, label = [], [], []
    for path in files[:people]:
        rows = rows_of(path, ("trial", "cat", "x", "y", "resp"))[:trials]
        places = np.column_stack([_numbers(rows, "x", float), _numbers(rows, "y", float)])
        xs.append(places)
        label.append(np.array([1.0 if row["cat"] == "A" else -1.0 for row in rows]))
        said.append(np.array([{"A": 1.0, "B": -1.0}.get(row["resp"], 0.0) for row in rows]))
    sequences = _in_sequences([n for n, rows in enumerate(said) for _ in rows])
    place = np.concatenate(xs)
    place = (place - place.mean(axis=0)) / place.std(axis=0)
    x = np.column_stack([np.ones(len(place)), place])
    given = _padded(np.concatenate(said), sequences)
    labels = _padded(np.concatenate(label), sequences, 1.0)
    return Trials(
        np.arange(len(sequences)),
        given,
        labels,
        np.zeros(given.shape, dtype=np.int64),
        (labels < 0).astype(np.int64),
        _padded(_scaled(x), sequences),
        given != 0,
        given != 0,
    )


def read_skills(
    folder: Path, people: int, trials: int, *, part: str | None = None, timed: bool = False
) -> Trials:
    """Read answers to items of skills, as ``learner-performance-prediction`` stores them.

    ``preprocessed_data.csv``, or ``..._train.csv`` and ``..._test.csv``, has tabs and the columns
    user_id, item_id, correct, skill_id, and timestamp (seconds) if answers are ``timed``; with
    ``part``, only that part is read. The first answers of the people with the most answers are
    used.
    """
    columns = ("user_id", "item_id", "correct", "skill_id", *(["timestamp"] if timed else []))
    whole = folder / "preprocessed_data.csv"
    parts = [whole.with_stem(f"{whole.stem}_{part}") for part in ("train", "test")]
    paths = [whole] if whole.is_file() else parts
    if part is not None:
        paths = [whole.with_stem(f"{whole.stem}_{part}")]
    rows = [row for path in paths for row in rows_of(path, columns, "\t")]
    lengths = Counter(row["user_id"] for row in rows)
    keep = {user for user, length in lengths.most_common(people) if length >= trials}
    if len(keep) < 5:
        raise InputError(f"{folder} has fewer than five people with {trials} answers.")
    rows = sorted((row for row in rows if row["user_id"] in keep), key=lambda row: row["user_id"])
    sequences = _in_sequences([row["user_id"] for row in rows], trials)
    used = np.concatenate(sequences)
    rows = [rows[place] for place in used]
    sequences = _in_sequences([row["user_id"] for row in rows])
    said = _padded(_binary(rows, "correct"), sequences)
    ones = np.ones(said.shape)
    return Trials(
        np.arange(len(sequences)),
        said,
        ones,
        _padded(_codes([row["item_id"] for row in rows]), sequences),
        _padded(_codes([row["skill_id"] for row in rows]), sequences),
        ones[..., None],
        said != 0,
        said != 0,
        when=_padded(_numbers(rows, "timestamp") / 86_400.0, sequences) if timed else None,
    )


Reader = Callable[[Path], Trials]
