"""Options of the commands about a crowd: which answers, which map, which groups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from homeroom._checks import InputError, whole
from homeroom._files import check_file
from homeroom.cli.options import bytes_of, in_panel, named_columns
from homeroom.cli.output import fraction_bar, result_option

if TYPE_CHECKING:
    from homeroom.crowd import Answers, Embedding

answers_option = in_panel("The answers")
map_option = in_panel("The map")
groups_option = in_panel("The groups")


@dataclass(frozen=True)
class AnswersOptions:
    """Which answers, and their format."""

    file: Annotated[
        Path,
        typer.Argument(
            metavar="ANSWERS",
            help="A table of answers, one row per answer (student,item,answer) or one row per "
            "annotator, or an export of Zooniverse, Label Studio, Mechanical Turk or a form: "
            ".csv, .tsv, .txt, .json, .jsonl, .xlsx, .ods or .parquet.",
            show_default=False,
        ),
    ]
    column: Annotated[
        list[str] | None,
        answers_option(
            "The name of a column, as in student=Pupil; also for item, answer, correct, time, "
            "label. May be repeated.",
            metavar="PART=NAME",
        ),
    ] = None
    workflow: Annotated[
        str | None,
        answers_option(
            "The workflow of a Zooniverse export, if it has several: its number or name.",
            metavar="NAME",
        ),
    ] = None
    task: Annotated[
        str | None,
        answers_option("The task of an export, if it has several, as in T0.", metavar="NAME"),
    ] = None
    sheet: Annotated[
        str | None,
        answers_option("The sheet of a spreadsheet, if several have cells.", metavar="NAME"),
    ] = None
    labels: Annotated[
        Path | None,
        answers_option(
            "A file with the expert's label of each item: .csv, .json, .yaml.", metavar="FILE"
        ),
    ] = None
    positive: Annotated[
        str | None,
        answers_option(
            "The answer that counts as yes, with its synonyms (yes: true, 1, y).", metavar="ANSWER"
        ),
    ] = None
    missing: Annotated[
        list[str] | None,
        answers_option(
            "More words that count as no answer, as in unsure,skipped. May be repeated.",
            metavar="WORDS",
        ),
    ] = None
    label_yes: Annotated[
        list[str] | None,
        answers_option("An expert's label that means yes. May be repeated.", metavar="LABEL"),
    ] = None
    keep: Annotated[
        str | None,
        answers_option(
            "Which of an annotator's answers to an item counts: last or first. By default the "
            "last, unless the table numbers attempts.",
            metavar="WHICH",
        ),
    ] = None
    roster: Annotated[
        Path | None,
        answers_option(
            "The annotators' names: a OneRoster users.csv, its folder or .zip.", metavar="FILE"
        ),
    ] = None
    of_class: Annotated[
        str | None,
        answers_option(
            "Use only this class of the roster: its title, classCode or sourcedId.",
            "--class",
            metavar="CLASS",
        ),
    ] = None
    encoding: Annotated[
        str | None, answers_option("The text encoding, where it is not detected.", metavar="NAME")
    ] = None
    no_quotes: Annotated[
        bool,
        answers_option(
            "Read quotation marks as part of the text; by default they enclose cells.",
            "--no-quotes",
        ),
    ] = False
    max_gib: Annotated[
        float, answers_option("Refuse files that need more memory than this.", metavar="GIB")
    ] = 4.0

    def read(self) -> Answers:
        """Return the answers."""
        from homeroom.crowd.reading import read
        from homeroom.crowd.roster import RosterNames

        limit = bytes_of(self.max_gib)
        if self.of_class is not None and self.roster is None:
            raise InputError(
                "--class chooses a class of a roster, but there is no --roster: add the OneRoster "
                "export, as in --roster export.zip."
            )
        roster = None
        if self.roster is not None:
            roster = RosterNames.read(self.roster, of_class=self.of_class, max_bytes=limit)
        with fraction_bar("Reading") as progress:
            answers = read(
                self.file,
                columns=named_columns(self.column, "student=Pupil"),
                labels=self.labels,
                positive=self.positive,
                missing=self.missing or [],
                positive_labels=self.label_yes or None,
                keep=self.keep,
                max_bytes=limit,
                encoding=self.encoding,
                quotes=not self.no_quotes,
                workflow=self.workflow,
                task=self.task,
                sheet=self.sheet,
                progress=progress,
            )
        return answers if roster is None else roster.name(answers)


@dataclass(frozen=True)
class MapOptions:
    """How the map is fitted."""

    dimensions: Annotated[
        int | None,
        map_option("The number of axes of the map.", show_default="chosen automatically"),
    ] = None
    previous: Annotated[
        Path | None,
        map_option(
            "An earlier map (embedding.npz): start from it, and keep its orientation.",
            metavar="FILE",
        ),
    ] = None
    seed: Annotated[int, map_option("The random seed: the same seed gives the same result.")] = 0

    def check(self) -> None:
        """Raise an error for options that are wrong whatever the answers are."""
        if self.seed < 0:
            raise InputError("--seed must not be negative: try --seed 0.")
        if self.dimensions is not None:
            whole(self.dimensions, "dimensions", at_least=1)
        if self.previous is not None:
            check_file(self.previous)
        if self.previous is not None and self.previous.suffix.lower() != ".npz":
            raise InputError(
                f"--previous must be an embedding.npz, written by --out, but is {self.previous}."
            )

    def fit(self, answers: Answers, *, axes: bool = True) -> Embedding:
        """Return the map; ``axes`` refuses a map without any axis."""
        from homeroom.crowd import Embedding

        earlier = None if self.previous is None else Embedding.load(self.previous)
        with fraction_bar("Fitting the map") as progress:
            found = Embedding.fit(
                answers,
                dimensions=self.dimensions,
                previous=earlier,
                seed=self.seed,
                progress=progress,
            )
        if axes:
            found.check_has_axes()
        return found


KOption = Annotated[
    int | None,
    groups_option(
        "The number of groups of like-minded annotators.",
        "--k",
        show_default="chosen automatically",
    ),
]


def check_k(k: int | None, people: int | None = None) -> None:
    """Raise an error for an impossible number of groups, of this many annotators if given."""
    if k is not None:
        whole(k, "k", at_least=1, at_most=people)


PicturesOption = Annotated[
    Path | None,
    result_option(
        "A folder of pictures of the items, each named after its item, as in moth.png.",
        metavar="FOLDER",
    ),
]
