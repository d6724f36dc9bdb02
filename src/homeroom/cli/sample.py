"""``homeroom sample``: a folder of files to try every command on."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from homeroom.classroom import Classroom
from homeroom.cli.output import ForceOption, JsonOption, folder, show
from homeroom.cli.report import CommandReport, Sentence, Table

if TYPE_CHECKING:
    from homeroom.crowd import Answers
    from homeroom.crowd.insects import Insects

_NAMES = (
    "Ada Ben Cleo Dan Eve Finn Gus Hal Ida Jo Kim Leo Mia Noor Oto Pia Quin Raj Sol Tove Uma Vic "
    "Wren Xia Yan Zoe Amir Bea Cyd Dov Elif Fay Gil Hana Ivo Jun Kai Lou Max Nia Ora Pau Rio Sana "
    "Teo Una Val Wim"
)
NAMES = tuple(_NAMES.split())

STUDENTS, DIMENSIONS = 24, 3
MANY = 2000
"""The students in ``students.parquet``."""

ITEMS, EXPERTS = 80, 60
"""The insects in the tables of answers, and how many of them the expert has labelled."""

PICTURES = 24
"""The pictures in the activity."""

EACH = 30
"""The pictures that a volunteer classifies in ``classifications.csv``."""

QUESTIONS = 20
"""The questions of the quiz in ``form.csv``."""

LEAVES = ("oak", "maple", "birch", "lime", "ash")
LEAVES_OF_EACH = 24

CLASSIFICATION = (
    "classification_id,user_name,user_id,user_ip,workflow_id,workflow_name,workflow_version,"
    "created_at,gold_standard,expert,metadata,annotations,subject_data,subject_ids"
)
"""The columns of Zooniverse's export."""

FIRST = datetime(2025, 11, 16, 9, 5, tzinfo=UTC)
"""The time of the first answer in the exports of other programs."""

Row = Sequence[object]


def sample(
    into: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="The folder to write.", show_default=True)
    ] = Path("homeroom-sample"),
    *,
    seed: Annotated[int, typer.Option(min=0, help="The random seed of all data.")] = 0,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Write a folder of sample files, on which every command can be tried.

    All data are simulated: a class, the answers of annotators to drawn insects
    and leaves, exports as other programs write them, children's letters, and an
    activity for a live class.

    [bold]Examples[/bold]
    $ homeroom sample
    $ homeroom crowd groups homeroom-sample/answers.csv
    """
    with folder(into, force=force) as place:
        assert place.path is not None
        for name, (_, write) in FILES.items():
            if name != "students.parquet" or find_spec("pyarrow") is not None:
                write(place.path / name, seed)
        written = {
            name: about for name, (about, _) in FILES.items() if (place.path / name).exists()
        }
    report = CommandReport("Sample files", {"folder": str(into), "files": written})
    report.add(
        Table(("file", "what it holds"), list(written.items()), words=True),
        Sentence(f"The files are in {into}", "bold"),
    )
    show(report, json=json)


def _students(path: Path, seed: int) -> None:
    drawn = Classroom.sample(students=STUDENTS, dimensions=DIMENSIONS, rates=(0.05, 0.6), seed=seed)
    Classroom(
        drawn.states.round(2),
        drawn.rates.round(3),
        drawn.target.round(2),
        names=NAMES[:STUDENTS],
    ).save(path)


def _many_students(path: Path, seed: int) -> None:
    Classroom.sample(students=MANY, dimensions=5, seed=seed).save(path)


@cache
def _insects(seed: int) -> tuple[Insects, Answers]:
    """Return drawn insects, and the answers of one annotator per name to some of them."""
    from homeroom.crowd import insects

    made = insects.make(seed)
    rng = np.random.default_rng([seed, 10])
    chosen = np.sort(rng.permutation(len(made))[:ITEMS])
    named = made.answers.subset(np.arange(len(NAMES)), chosen)
    return made, replace(named, people=tuple(NAMES))


def _answer_rows(answers: Answers) -> Iterator[tuple[str, str, str]]:
    """Yield each answer as annotator, item, and yes or no."""
    said = ("no", "yes")
    each = zip(answers.person.tolist(), answers.item.tolist(), answers.yes.tolist(), strict=True)
    for who, what, yes in each:
        yield answers.people[who], answers.items[what], said[yes]


def _answers(path: Path, seed: int) -> None:
    _write_table(path, ("student", "item", "answer"), _answer_rows(_insects(seed)[1]))


def _experts(path: Path, seed: int) -> None:
    """Write the expert's label of some of the insects, drawn at random."""
    _, answers = _insects(seed)
    labelled = list(zip(answers.items, answers.labels.tolist(), strict=True))
    rng = np.random.default_rng([seed, 11])
    some = sorted(rng.permutation(len(labelled))[:EXPERTS].tolist())
    rows = ((labelled[at][0], "yes" if labelled[at][1] > 0 else "no") for at in some)
    _write_table(path, ("item", "label"), rows)


@cache
def _leaves(seed: int) -> tuple[list[tuple[str, str]], list[tuple[str, str, str]]]:
    """Return the species of each leaf, and answers of annotators who confuse some of them.

    A leaf is a point near the centre of its species. An annotator answers by a softmax over the
    species; half of them take birches for limes, the others oaks for maples.
    """
    rng = np.random.default_rng([seed, 12])
    angles = 2 * np.pi * np.arange(len(LEAVES)) / len(LEAVES)
    centres = 2.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    species = np.repeat(np.arange(len(LEAVES)), LEAVES_OF_EACH)
    places = centres[species] + 0.5 * rng.standard_normal((len(species), 2))
    named = [(f"leaf-{number:03}", LEAVES[one]) for number, one in enumerate(species, start=1)]
    rows = []
    for number, name in enumerate(NAMES):
        rows_of = centres + 0.2 * rng.standard_normal(centres.shape)
        wrong, taken_for = (2, 3) if number % 2 else (0, 1)
        rows_of[taken_for] += 0.8 * centres[wrong]
        scores = 2.0 * places @ rows_of.T + rng.gumbel(size=(len(places), len(LEAVES)))
        seen = np.sort(rng.permutation(len(places))[: len(places) // 2])
        rows += [(name, named[at][0], LEAVES[scores[at].argmax()]) for at in seen.tolist()]
    return named, rows


def _answers_of_five(path: Path, seed: int) -> None:
    _write_table(path, ("student", "item", "answer"), _leaves(seed)[1])


def _experts_of_five(path: Path, seed: int) -> None:
    _write_table(path, ("item", "label"), _leaves(seed)[0])


def _classifications(path: Path, seed: int) -> None:
    """Write the answers as Zooniverse exports classifications, with JSON in the cells."""
    _, answers = _insects(seed)
    rng = np.random.default_rng([seed, 13])
    header = CLASSIFICATION.split(",")
    given = list(_answer_rows(answers))
    order = rng.permutation(len(given))[: EACH * len(NAMES)].tolist()

    gold = [
        ("", item, "yes" if label > 0 else "no")
        for item, label in zip(answers.items, answers.labels.tolist(), strict=True)
    ]

    def rows() -> Iterator[Row]:
        for number, (who, item, answer) in enumerate([*(given[at] for at in order), *gold]):
            place = NAMES.index(who) if who else len(NAMES)
            logged_in = place % 4 > 0 or not who
            subject = 9000 + answers.items.index(item)
            task = {"task": "T0", "task_label": "Is it a butterfly?", "value": answer.capitalize()}
            about = {str(subject): {"retired": None, "Filename": f"{item}.png"}}
            when = FIRST + timedelta(seconds=37 * number)
            yield (
                70000 + number,
                (who or "the expert") if logged_in else f"not-logged-in-{place:020x}",
                500 + place if logged_in else "",
                f"{place:040x}",
                42,
                "Insects",
                "3.7",
                f"{when:%Y-%m-%d %H:%M:%S} UTC",
                "" if who else "true",
                "",
                json.dumps({"source": "api", "session": f"{number:08x}"}),
                json.dumps([task]),
                json.dumps(about),
                subject,
            )

    _write_table(path, header, rows())


def _form(path: Path, seed: int) -> None:
    """Write a quiz as Google Forms exports it: one row per student, one column per question."""
    made, answers = _insects(seed)
    asked = np.random.default_rng([seed, 15]).permutation(ITEMS)[:QUESTIONS].tolist()
    yes = np.zeros((len(NAMES), ITEMS), dtype=bool)
    yes[answers.person, answers.item] = answers.yes
    header = ["Timestamp", "Email Address", *(f"Picture {n}" for n in range(1, len(asked) + 1))]
    header.append("Comments")
    expert = ["2025/11/16 8:55:00 AM GMT+1", "key"]
    expert += [made.species[made.names.index(answers.items[at])][1:] for at in asked]
    kinds = {"moth": "moth", "bfly": "butterfly"}
    rows: list[Row] = [[*expert[:2], *(kinds[kind] for kind in expert[2:]), ""]]
    for number, name in enumerate(NAMES[:STUDENTS]):
        when = FIRST + timedelta(seconds=67 * number)
        said = ["butterfly" if yes[number, at] else "moth" for at in asked]
        comment = "The last picture was out of focus." if number == 3 else ""
        day = f"{when:%Y/%m/%d} {when.hour}:{when:%M:%S} AM GMT+1"
        rows.append([day, f"{name.lower()}@school.example", *said, comment])
    _write_table(path, header, rows)


def _letters(kind: int) -> Callable[[Path, int], None]:
    """Return a function that writes the letters of a child with the n-th kind of defects."""

    def write(path: Path, seed: int) -> None:
        from homeroom.handwriting import Child, write_ink
        from homeroom.handwriting.generators import KINDS

        child = Child.of(list(KINDS)[kind], seed + kind)
        write_ink([replace(ink, writer=None) for ink in child.write("f", tries=5)], path)

    return write


def _activity(place: Path, seed: int) -> None:
    """Write a folder with a table of items, and their pictures."""
    from matplotlib.image import imsave

    made, _ = _insects(seed)
    place.mkdir()
    rng = np.random.default_rng([seed, 14])
    chosen = np.sort(rng.permutation(len(made))[:PICTURES]).tolist()
    rows = []
    for at in chosen:
        imsave(place / f"{made.names[at]}.png", made.pixels(at, 240))
        is_butterfly = made.labels[at] > 0
        why = "Its antennae end in clubs." if is_butterfly else "Its antennae are feathered."
        kind = "butterfly" if is_butterfly else "moth"
        rows.append((made.names[at], kind, f"{made.names[at]}.png", why))
    _write_table(place / "items.csv", ("item", "label", "picture", "explanation"), rows)


def _write_table(path: Path, header: Sequence[str], rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


FILES: dict[str, tuple[str, Callable[[Path, int], None]]] = {
    "students.csv": (f"a class of {STUDENTS} students, with their target", _students),
    "students.parquet": (f"a class of {MANY} students (needs pyarrow)", _many_students),
    "answers.csv": (f'{len(NAMES)} annotators on {ITEMS} insects: "a butterfly?"', _answers),
    "experts.csv": (f"an expert's label of {EXPERTS} of these insects", _experts),
    "answers5.csv": ("answers with five values: which tree a leaf is from", _answers_of_five),
    "experts5.csv": ("an expert's label of each leaf", _experts_of_five),
    "classifications.csv": (
        "an export of Zooniverse, with a gold standard",
        _classifications,
    ),
    "form.csv": ("a quiz as Google Forms exports it", _form),
    "ada.inkml": ("five letters f of a child, shaky and rotated", _letters(0)),
    "ben.inkml": ("five letters f of a child, distorted and shaky", _letters(1)),
    "cleo.inkml": ("five letters f of a child, distorted and rotated", _letters(2)),
    "activity": (f"a table of {PICTURES} pictures, for homeroom serve --activity", _activity),
}
"""The files, what each holds, and the function that writes it from a seed."""
