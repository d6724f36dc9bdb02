"""``homeroom sample``: a folder of files to try every command on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from homeroom.classroom import Classroom
from homeroom.cli.command import Seed, command
from homeroom.cli.files import csv_file, new_folder
from homeroom.cli.result import Result

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

ANSWERS, LABELS = ("student", "item", "answer"), ("item", "label")
"""The columns of tables of answers and of labels."""

Row = Sequence[object]
Write = Callable[[Path], None]


@command(output=None)
def sample(into: Path = Path("homeroom-sample"), *, seed: Seed = 0, force: bool = False) -> Result:
    """Write a folder of sample files, on which every command can be tried.

    All data are simulated: a class, the answers of annotators to drawn insects
    and leaves, exports as other programs write them, children's letters, and an
    activity for a live class.

    [bold]Examples[/bold]
    $ homeroom sample
    $ homeroom crowd groups homeroom-sample/answers.csv

    Parameters
    ----------
    into : [DIR]
        The folder to write.
    seed
        The random seed of all data.
    force
        Write the files even if the folder holds others.
    """
    with new_folder(into, force=force) as folder:
        for name, (_, make) in FILES.items():
            make(seed)(folder / name)
    written = {name: about for name, (about, _) in FILES.items()}
    result = Result("Sample files", {"folder": str(into), "files": written})
    result.table(("file", "what it holds"), written.items(), words=True)
    result.sentence(f"The files are in {into}", "bold")
    return result


def _students(seed: int) -> Write:
    drawn = Classroom.sample(students=STUDENTS, dimensions=DIMENSIONS, rates=(0.05, 0.6), seed=seed)
    states, rates, target = drawn.states.round(2), drawn.rates.round(3), drawn.target.round(2)
    return Classroom(states, rates, target, names=NAMES[:STUDENTS]).save


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
    columns = zip(answers.person.tolist(), answers.item.tolist(), answers.yes.tolist(), strict=True)
    for who, what, yes in columns:
        yield answers.people[who], answers.items[what], "yes" if yes else "no"


def _label_rows(answers: Answers) -> list[tuple[str, str]]:
    """Return each item with the expert's label, yes or no."""
    labels = zip(answers.items, answers.labels.tolist(), strict=True)
    return [(item, "yes" if label > 0 else "no") for item, label in labels]


def _experts(seed: int) -> Write:
    """Return the expert's label of some of the insects, drawn at random."""
    labelled = _label_rows(_insects(seed)[1])
    some = np.random.default_rng([seed, 11]).permutation(len(labelled))[:EXPERTS]
    return csv_file(LABELS, [labelled[item] for item in sorted(some.tolist())])


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
    leaves = [(f"leaf-{number:03}", LEAVES[kind]) for number, kind in enumerate(species, start=1)]
    rows = []
    for number, name in enumerate(NAMES):
        rows_of = centres + 0.2 * rng.standard_normal(centres.shape)
        wrong, taken_for = (2, 3) if number % 2 else (0, 1)
        rows_of[taken_for] += 0.8 * centres[wrong]
        scores = 2.0 * places @ rows_of.T + rng.gumbel(size=(len(places), len(LEAVES)))
        seen = np.sort(rng.permutation(len(places))[: len(places) // 2])
        rows += [(name, leaves[leaf][0], LEAVES[scores[leaf].argmax()]) for leaf in seen.tolist()]
    return leaves, rows


def _classifications(seed: int) -> Write:
    """Return the answers as Zooniverse exports classifications, with JSON in the cells."""
    _, answers = _insects(seed)
    rows = list(_answer_rows(answers))
    order = np.random.default_rng([seed, 13]).permutation(len(rows))[: EACH * len(NAMES)]
    gold = [("", *labelled) for labelled in _label_rows(answers)]

    def list_rows() -> Iterator[Row]:
        for number, (who, item, answer) in enumerate([*(rows[one] for one in order), *gold]):
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

    return csv_file(CLASSIFICATION.split(","), list_rows())


def _form(seed: int) -> Write:
    """Return a quiz as Google Forms exports it: one row per student, one column per question."""
    made, answers = _insects(seed)
    asked = np.random.default_rng([seed, 15]).permutation(ITEMS)[:QUESTIONS].tolist()
    yes = np.zeros((len(NAMES), ITEMS), dtype=bool)
    yes[answers.person, answers.item] = answers.yes
    header = ["Timestamp", "Email Address", *(f"Picture {n}" for n in range(1, len(asked) + 1))]
    header.append("Comments")
    expert = ["2025/11/16 8:55:00 AM GMT+1", "key"]
    kinds = {"moth": "moth", "bfly": "butterfly"}
    species = (made.species[made.names.index(answers.items[item])] for item in asked)
    rows: list[Row] = [[*expert, *(kinds[name[1:]] for name in species), ""]]
    for number, name in enumerate(NAMES[:STUDENTS]):
        when = FIRST + timedelta(seconds=67 * number)
        choices = ["butterfly" if yes[number, item] else "moth" for item in asked]
        comment = "The last picture was out of focus." if number == 3 else ""
        day = f"{when:%Y/%m/%d} {when.hour}:{when:%M:%S} AM GMT+1"
        rows.append([day, f"{name.lower()}@school.example", *choices, comment])
    return csv_file(header, rows)


def _letters(kind: int, seed: int) -> Write:
    """Return the letters of a child with the n-th kind of defects."""
    from homeroom.handwriting import Child, write_ink
    from homeroom.handwriting.generators import KINDS

    inks = Child.of(list(KINDS)[kind], seed + kind).write("f", tries=5)
    return lambda path: write_ink([replace(ink, writer=None) for ink in inks], path)


def _activity(seed: int) -> Write:
    """Return a folder with a table of items, and their pictures."""

    def write(folder: Path) -> None:
        from matplotlib.image import imsave

        made, _ = _insects(seed)
        folder.mkdir()
        chosen = np.random.default_rng([seed, 14]).permutation(len(made))[:PICTURES]
        rows = []
        for item in np.sort(chosen).tolist():
            name = made.names[item]
            imsave(folder / f"{name}.png", made.pixels(item, 240))
            moth, butterfly = ("moth", "are feathered"), ("butterfly", "end in clubs")
            label, antennae = butterfly if made.labels[item] > 0 else moth
            rows.append((name, label, f"{name}.png", f"Its antennae {antennae}."))
        csv_file(("item", "label", "picture", "explanation"), rows)(folder / "items.csv")

    return write


FILES: dict[str, tuple[str, Callable[[int], Write]]] = {
    "students.csv": (f"a class of {STUDENTS} students, with their target", _students),
    "students.parquet": (
        f"a class of {MANY} students",
        lambda seed: Classroom.sample(students=MANY, dimensions=5, seed=seed).save,
    ),
    "answers.csv": (
        f'{len(NAMES)} annotators on {ITEMS} insects: "a butterfly?"',
        lambda seed: csv_file(ANSWERS, _answer_rows(_insects(seed)[1])),
    ),
    "experts.csv": (f"an expert's label of {EXPERTS} of these insects", _experts),
    "answers5.csv": (
        "answers with five values: which tree a leaf is from",
        lambda seed: csv_file(ANSWERS, _leaves(seed)[1]),
    ),
    "experts5.csv": (
        "an expert's label of each leaf",
        lambda seed: csv_file(LABELS, _leaves(seed)[0]),
    ),
    "classifications.csv": ("an export of Zooniverse, with a gold standard", _classifications),
    "form.csv": ("a quiz as Google Forms exports it", _form),
    "ada.inkml": ("five letters f of a child, shaky and rotated", partial(_letters, 0)),
    "ben.inkml": ("five letters f of a child, distorted and shaky", partial(_letters, 1)),
    "cleo.inkml": ("five letters f of a child, distorted and rotated", partial(_letters, 2)),
    "activity": (f"a table of {PICTURES} pictures, for homeroom serve --activity", _activity),
}
"""The files, what each holds, and the function that returns from a seed what writes it."""
