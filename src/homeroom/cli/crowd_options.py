"""What the commands about a crowd share: which answers, which map, which groups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeroom._checks import InputError, whole
from homeroom._files import check_file
from homeroom.cli.bar import fraction_bar
from homeroom.cli.screen import say_note

if TYPE_CHECKING:
    from homeroom.crowd import Answers, Embedding

_THE_ANSWERS = "The answers"
_THE_MAP = "The map"

MAX_GIB = 4.0


def _of_answers(what: str, metavar: str, *called: str) -> Any:
    return typer.Option(*called, help=what, metavar=metavar, rich_help_panel=_THE_ANSWERS)


@dataclass(frozen=True)
class AnswersOptions:
    """Which answers, and how they are written."""

    file: Annotated[
        Path,
        typer.Argument(
            metavar="ANSWERS",
            help="Who answered what, a row for each answer (student,item,answer) or a row for "
            "each person: .csv, .tsv, .txt, .jsonl or .parquet.",
            show_default=False,
        ),
    ]
    column: Annotated[
        list[str] | None,
        _of_answers(
            "What a column is called, as in student=Pupil; likewise item, answer, correct, "
            "time, label. May be repeated.",
            "PART=NAME",
        ),
    ] = None
    labels: Annotated[
        Path | None,
        _of_answers(
            "The expert's label of each item, in its own file: .csv, .json, .yaml.", "FILE"
        ),
    ] = None
    positive: Annotated[
        str | None,
        _of_answers(
            "The answer that counts as yes, with its synonyms (yes: true, 1, y).", "ANSWER"
        ),
    ] = None
    missing: Annotated[
        list[str] | None,
        _of_answers(
            "More words that count as no answer, as in unsure,skipped. May be repeated.", "WORDS"
        ),
    ] = None
    label_yes: Annotated[
        list[str] | None,
        _of_answers("A label of the expert's that means yes. May be repeated.", "LABEL"),
    ] = None
    keep: Annotated[
        str | None,
        _of_answers(
            "Which of several answers of a person to an item counts: last or first. The last, "
            "unless the table counts attempts.",
            "WHICH",
        ),
    ] = None
    roster: Annotated[
        Path | None,
        _of_answers("People's names: a users.csv of OneRoster, its folder or .zip.", "FILE"),
    ] = None
    of_class: Annotated[
        str | None,
        _of_answers(
            "Only the names of this class of the roster: its title, classCode or sourcedId.",
            "CLASS",
            "--class",
        ),
    ] = None
    encoding: Annotated[
        str | None, _of_answers("How the file is written, if it cannot be told.", "NAME")
    ] = None
    no_quotes: Annotated[
        bool,
        typer.Option(
            "--no-quotes",
            help="Take quotation marks as letters; else they enclose cells.",
            rich_help_panel=_THE_ANSWERS,
        ),
    ] = False
    max_gib: Annotated[
        float, _of_answers("Refuse files that fill more memory than this.", "GIB")
    ] = MAX_GIB

    def read(self) -> Answers:
        """Return the answers."""
        from homeroom.crowd.reading import read
        from homeroom.crowd.roster import RosterNames

        if not 0 < self.max_gib < 1e9:
            raise InputError(f"--max-gib must be positive and finite, but is {self.max_gib}.")
        if self.of_class is not None and self.roster is None:
            raise InputError(
                "--class chooses a class of a roster, but there is no --roster: give the export "
                "of OneRoster too, as in --roster export.zip."
            )
        limit, roster = int(self.max_gib * 2**30), None
        if self.roster is not None:
            roster = RosterNames.read(self.roster, of_class=self.of_class, max_bytes=limit)
        with fraction_bar("Reading") as progress:
            answers = read(
                self.file,
                columns=self._columns(),
                labels=self.labels,
                positive=self.positive,
                missing=[word for words in self.missing or [] for word in words.split(",")],
                positive_labels=self.label_yes or None,
                keep=self.keep,
                max_bytes=limit,
                encoding=self.encoding,
                quotes=not self.no_quotes,
                progress=progress,
            )
        return answers if roster is None else roster.name(answers)

    def _columns(self) -> dict[str, str] | None:
        columns: dict[str, str] = {}
        for text in self.column or []:
            part, equals, name = text.partition("=")
            if not equals:
                raise InputError(
                    f"--column says what a column is called, as in student=Pupil, but is {text!r}."
                )
            if part.strip() in columns:
                raise InputError(f"--column names the {part.strip()} twice: leave one out.")
            columns[part.strip()] = name.strip()
        return columns or None


@dataclass(frozen=True)
class MapOptions:
    """How the map is made."""

    dimensions: Annotated[
        int | None,
        typer.Option(
            help="How many axes the map has.",
            rich_help_panel=_THE_MAP,
            show_default="found out",
        ),
    ] = None
    previous: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="An earlier map (embedding.npz), to start from and to lie like.",
            rich_help_panel=_THE_MAP,
        ),
    ] = None
    seed: Annotated[
        int,
        typer.Option(help="The same seed gives the same result.", rich_help_panel=_THE_MAP),
    ] = 0

    def check(self) -> None:
        """Refuse what no answers could give, before they are read."""
        if self.seed < 0:
            raise InputError("--seed must not be negative: try --seed 0.")
        if self.dimensions is not None:
            whole(self.dimensions, "dimensions", at_least=1)
        if self.previous is not None:
            check_file(self.previous)
        if self.previous is not None and self.previous.suffix.lower() != ".npz":
            raise InputError(
                f"--previous must be an embedding.npz, as --out writes it, but is {self.previous}."
            )

    def fit(self, answers: Answers, *, axes: bool = True) -> Embedding:
        """Return the map, and print its warnings; ``axes`` refuses a result without any."""
        from homeroom.crowd import Embedding

        earlier = None if self.previous is None else Embedding.load(self.previous)
        with fraction_bar("Making the map") as progress:
            found = Embedding.fit(
                answers,
                dimensions=self.dimensions,
                previous=earlier,
                seed=self.seed,
                progress=progress,
            )
        if axes:
            found.check_has_axes()
        for warning in found.warnings:
            say_note(f"Note: {warning}")
        return found


KOption = Annotated[
    int | None,
    typer.Option(
        "--k",
        help="How many groups of like-minded people.",
        rich_help_panel="The groups",
        show_default="found out",
    ),
]


def check_k(k: int | None, people: int | None = None) -> None:
    """Refuse a number of groups that cannot be, or not of so many people."""
    if k is not None:
        whole(k, "k", at_least=1, at_most=people)


PicturesOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Pictures of the items: files called like them, as moth.png.",
        rich_help_panel="The result",
    ),
]
