"""``homeroom crowd embed``, ``groups`` and ``map``: maps from a table of answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from homeroom._checks import counted, whole
from homeroom.cli.command import PAGE_ENDINGS, Bounds, Output, Seed, command
from homeroom.cli.files import csv_file
from homeroom.cli.options import parse_columns
from homeroom.cli.output import fraction_bar
from homeroom.cli.result import Files, Result

if TYPE_CHECKING:
    from homeroom._arrays import Floats, Ints
    from homeroom.crowd import Answers, Embedding
    from homeroom.crowd.group_beliefs import GroupBelief


@dataclass(frozen=True)
class AnswersOptions:
    """The answers.

    Parameters
    ----------
    file : ANSWERS
        A table of answers, one row per answer (student,item,answer) or one row per annotator, or an
        export of Zooniverse, Label Studio, Mechanical Turk or a form: .csv, .tsv, .txt, .json,
        .jsonl, .xlsx, .ods or .parquet.
    columns : --column PART=NAME
        The name of a column, as in student=Pupil; also for item, answer, correct, time, label. May
        be repeated.
    workflow : NAME
        The workflow of a Zooniverse export, if it has several: its number or name.
    task : NAME
        The task of an export, if it has several, as in T0.
    sheet : NAME
        The sheet of a spreadsheet, if several have cells.
    labels : FILE
        A file with the expert's label of each item: .csv, .json, .yaml.
    positive : ANSWER
        The answer that counts as yes, with its synonyms (yes: true, 1, y).
    missing : WORDS
        More words that count as no answer, as in unsure,skipped. May be repeated.
    positive_labels : --label-yes LABEL
        An expert's label that means yes. May be repeated.
    keep : WHICH
        Which of an annotator's answers to an item counts: last or first. By default the last,
        unless the table numbers attempts.
    encoding : NAME
        The text encoding, where it is not detected.
    quotes
        Read quotation marks as part of the text; by default they enclose cells.
    as_read
        Accept a table that may not be what it was read as; by default it is refused.
    """

    file: Path
    _: KW_ONLY
    columns: list[str] | None = None
    workflow: str | None = None
    task: str | None = None
    sheet: str | None = None
    labels: Path | None = None
    positive: str | None = None
    missing: list[str] | None = None
    positive_labels: list[str] | None = None
    keep: str | None = None
    encoding: str | None = None
    quotes: bool = True
    as_read: bool = False

    def read(self) -> Answers:
        """Return the answers."""
        from homeroom.crowd.reading import read

        options = {name: value for name, value in vars(self).items() if name != "file"}
        options["columns"] = parse_columns(self.columns, "student=Pupil") or None
        options["missing"] = self.missing or ()
        return read(self.file, **options)


@dataclass(frozen=True, kw_only=True)
class MapOptions:
    """The map.

    Parameters
    ----------
    dimensions
        The number of dimensions of the map. [default: chosen automatically]
    previous : FILE
        An earlier map (embedding.npz): start from it, and keep its orientation.
    seed
        The random seed: the same seed gives the same result.
    """

    dimensions: Annotated[int | None, Bounds(1)] = None
    previous: Path | None = None
    seed: Seed = 0

    def read_previous(self) -> Embedding | None:
        """Return the earlier map, if there is one."""
        from homeroom.crowd import Embedding

        return None if self.previous is None else Embedding.load(self.previous)

    def fit(self, answers: Answers, previous: Embedding | None) -> Embedding:
        """Return the map."""
        from homeroom.crowd import Embedding

        settings: dict[str, Any] = {"dimensions": self.dimensions, "seed": self.seed}
        with fraction_bar("Fitting the map") as progress:
            return Embedding.fit(answers, previous=previous, progress=progress, **settings)


@dataclass(frozen=True, kw_only=True)
class GroupsOptions:
    """The groups.

    Parameters
    ----------
    k
        The number of groups of like-minded annotators. [default: chosen automatically]
    """

    k: Annotated[int | None, Bounds(1)] = None


class GroupedCrowd(NamedTuple):
    """Answers, the map of them, the group of each annotator, and what the groups believe.

    ``pictures`` are those of items, by name, as data URLs.
    """

    answers: Answers
    found: Embedding
    group_of: Ints
    believed: list[GroupBelief]
    pictures: dict[str, str]


def read_crowd(
    which: AnswersOptions,
    how: MapOptions,
    groups: GroupsOptions,
    pictures: Path | None = None,
    *,
    has_rule: bool = False,
) -> GroupedCrowd:
    """Return the crowd that options describe; everything is checked before the work.

    With ``has_rule``, the answers must be enough to teach a rule, and an expert must have labelled
    items.
    """
    from homeroom.crowd.atlas import read_pictures
    from homeroom.crowd.group_beliefs import beliefs
    from homeroom.crowd.map_warnings import check_enough
    from homeroom.crowd.rule import check_labelled

    previous, answers = how.read_previous(), which.read()
    if has_rule:
        check_enough(answers)
        check_labelled(answers.labels)
    whole(groups.k or 1, "k", at_least=1, at_most=len(answers.people))
    shown = {} if pictures is None else read_pictures(pictures, answers.items)
    fitted = how.fit(answers, previous)
    fitted.check_has_axes()
    group_of = fitted.groups(groups.k, seed=how.seed)
    return GroupedCrowd(answers, fitted, group_of, beliefs(answers, fitted, group_of), shown)


@command()
def embed(which: AnswersOptions, how: MapOptions) -> Result:
    """Fit a map of items and annotators from a table of answers.

    Items are points. Annotators are lines: an annotator answers yes on one side
    of their line. With more than two answers, an annotator has a region per
    answer. --out writes the map (embedding.npz), tables of items and of
    annotators, the items' labels by Dawid and Skene's model (consensus.csv), and,
    if there are expert's labels, the annotators as a class (class.npz) for the
    other commands.

    [bold]Examples[/bold]
    $ homeroom crowd embed answers.csv --labels experts.csv --out crowd
    $ homeroom crowd embed clicks.txt --column student=Rater --column answer=Vote
    $ homeroom teach crowd/class.npz
    """
    previous, answers = how.read_previous(), which.read()
    fitted = how.fit(answers, previous)
    result = crowd_result(answers, fitted)
    result.files |= map_files(answers, fitted)
    labels: list[Any] = fitted.labels.tolist()
    if len(fitted.classes) > 2:
        labels = _name_classes(fitted, None)
    result.values |= {
        "items": make_rows(
            item=fitted.item_names,
            place=fitted.items.tolist(),
            deviation=standard_deviations(fitted.uncertainty.items),
            label=labels,
        ),
        "people": make_rows(
            person=fitted.person_names,
            weights=fitted.people.tolist(),
            threshold=fitted.thresholds.tolist(),
            deviation=standard_deviations(fitted.uncertainty.people),
        ),
    }
    return result


@command()
def groups(which: AnswersOptions, how: MapOptions, split: GroupsOptions) -> Result:
    """Find groups of like-minded annotators, and what each group believes.

    --out writes the group of each annotator (groups.csv), a table for each group
    (group-1.csv, ...) and a page with the map (report.html).

    [bold]Examples[/bold]
    $ homeroom crowd groups answers.csv --labels experts.csv
    $ homeroom crowd groups answers.csv --k 3 --out groups
    """
    crowd = read_crowd(which, how, split)
    result = map_result(crowd)
    result.values["group_of"] = dict(_list_members(crowd))
    result.files |= {**group_files(crowd), "embedding.npz": crowd.found.save}
    return result


@command(Output("Where the page is written.", Path("map.html"), PAGE_ENDINGS))
def draw_map(
    which: AnswersOptions,
    how: MapOptions,
    split: GroupsOptions,
    *,
    pictures: Path | None = None,
) -> Result:
    """Draw the map: items as points, annotators as lines, groups in colours.

    The map is one HTML file that opens in any browser. Point at an item or a line
    to see its name.

    [bold]Examples[/bold]
    $ homeroom crowd map answers.csv --labels experts.csv --out map.html
    $ homeroom crowd map answers.csv --pictures photos --k 4

    Parameters
    ----------
    pictures : FOLDER
        A folder of pictures of the items, each named after its item, as in moth.png.
    """
    return map_result(read_crowd(which, how, split, pictures))


def map_result(crowd: GroupedCrowd) -> Result:
    """Return a result about the map and its groups, whose page shows the map."""
    from homeroom.crowd.atlas import map_page

    result = crowd_result(crowd.answers, crowd.found, crowd.believed)
    result.values["groups"] = belief_values(crowd.believed)
    result.page = lambda: map_page(*crowd)
    return result


def crowd_result(
    answers: Answers, found: Embedding, believed: Sequence[GroupBelief] | None = None
) -> Result:
    """Return a result about the answers, the map, and the groups if there are any."""
    result = Result("The answers", {"answers": answers_values(answers), "map": map_values(found)})
    for sentence in answers.describe():
        result.sentence(sentence)
    result.facts(answers.summary())
    result.heading("The map")
    result.facts(_describe_map(found))
    for warning in found.warnings:
        result.sentence(f"Note: {warning}", remark=True)
    if believed is not None:
        _add_beliefs(result, answers, believed)
    return result


def make_rows(**columns: Sequence[Any]) -> list[dict[str, Any]]:
    """Return a dictionary for each row of a table that is given by its columns."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _add_beliefs(result: Result, answers: Answers, believed: Sequence[GroupBelief]) -> None:
    """Add what each group believes: a table of numbers, and a line of words for each group."""
    from homeroom.crowd.group_beliefs import ONE_GROUP, belief_table

    header, rows = belief_table(answers, believed)
    result.heading(f"{counted(len(believed), 'group')} of like-minded annotators")
    result.table(header[:-1], [row[:-1] for row in rows])
    result.facts((f"group {row[0]}", row[-1]) for row in rows)
    if len(believed) == 1:
        result.sentence(ONE_GROUP, "dim")


def _describe_map(found: Embedding) -> list[tuple[str, str]]:
    """Return the facts of a report about the map: dimensions, log loss, target."""
    dimensions = str(found.dimensions)
    if found.held_out:
        tried = (f"{loss:.3f} with {d or 'none'}" for d, loss in sorted(found.held_out.items()))
        dimensions += f", chosen by the log loss on held-out answers: {', '.join(tried)}"
    if len(found.classes) > 2 and found.dawid_skene is not None:
        dimensions += f" (Dawid and Skene's model: {found.dawid_skene:.3f})"
    target = "none, as no item has an expert's label"
    if not found.dimensions:
        target = "none, as the answers support no map"
    elif has_target(found):
        rule = found.rule()
        agree = rule.labelled - len(rule.contradicting)
        target = f"a straight rule that fits {agree} of {rule.labelled} labels"
    return [
        ("dimensions", dimensions),
        ("log loss", f"{found.log_loss:.3f} ({np.log(len(found.classes)):.3f} would be guessing)"),
        ("target", target),
    ]


def has_target(found: Embedding) -> bool:
    """Return whether there is a rule to teach: a map, and an expert's label of any item."""
    return bool(found.dimensions and np.isfinite(found.labels).any())


def answers_values(answers: Answers) -> dict[str, Any]:
    """Return what was read as plain values."""
    counts = np.bincount(answers.choices, minlength=len(answers.classes))
    return {
        "people": len(answers.people),
        "items": len(answers.items),
        "answers": len(answers),
        "yes": int(answers.yes.sum()) if len(answers.classes) == 2 else None,
        "classes": dict(zip(answers.classes, counts.tolist(), strict=True)),
        "labelled": int(np.isfinite(answers.labels).sum()),
        "positive": answers.positive,
        "negative": answers.negative,
        "dropped": dict(answers.dropped),
        "merged": {name: dict(words) for name, words in answers.merged.items()},
        "notes": answers.notes,
    }


def map_values(found: Embedding) -> dict[str, Any]:
    """Return a summary of the map as plain values."""
    rule = found.rule() if has_target(found) else None
    contradicting = () if rule is None else rule.contradicting
    return {
        "dimensions": found.dimensions,
        "log_loss": found.log_loss,
        "held_out": dict(found.held_out),
        "dawid_skene": found.dawid_skene,
        "target": None if rule is None else rule.target,
        "contradicting": [found.item_names[item] for item in contradicting],
        "warnings": found.warnings,
    }


def belief_values(believed: Sequence[GroupBelief]) -> list[dict[str, Any]]:
    """Return what each group believes as plain values."""
    return [
        {
            "group": number,
            **{
                one.name: getattr(belief, one.name)
                for one in fields(belief)
                if one.name != "unsure"
            },
            "confusions": [one._asdict() for one in belief.confusions],
        }
        for number, belief in enumerate(believed, start=1)
    ]


def standard_deviations(covariances: Floats) -> list[Any]:
    """Return the standard deviations, one list per covariance matrix."""
    spread: list[Any] = np.sqrt(np.einsum("...aa->...a", covariances)).tolist()
    return spread


def _list_members(crowd: GroupedCrowd) -> Iterator[tuple[str, int]]:
    """Yield each annotator with the number of their group, from 1."""
    return zip(crowd.found.person_names, (crowd.group_of + 1).tolist(), strict=True)


def group_files(crowd: GroupedCrowd) -> Files:
    """Return the group of each annotator, and for each group a table of its annotators.

    It states how often they agree with the expert.
    """
    answers = crowd.answers
    expert = answers.experts[answers.item]
    known, people = expert >= 0, len(answers.people)
    number, judged, agreed = (
        np.bincount(answers.person[rows], minlength=people).tolist()
        for rows in (slice(None), known, known & (expert == answers.choices))
    )

    def rows(group: int) -> Iterator[Sequence[Any]]:
        for place in np.flatnonzero(crowd.group_of == group).tolist():
            share = f"{agreed[place] / judged[place]:.3f}" if judged[place] else ""
            yield answers.people[place], number[place], judged[place], share

    header = ["student", "answers", "answers to labelled items"]
    header.append("share that agrees with the expert")
    return {
        "groups.csv": csv_file(["student", "group"], _list_members(crowd)),
        **{
            f"group-{group + 1}.csv": csv_file(header, rows(group))
            for group in range(int(crowd.group_of.max()) + 1)
        },
    }


def map_files(answers: Answers, found: Embedding) -> Files:
    """Return the files of a map: itself, its tables and, with a target, the class to teach."""
    from homeroom.crowd.dawid_skene import feasible

    places, sds, weights, weight_sds = (
        [f"{name}{axis}" for axis in range(1, found.dimensions + 1)]
        for name in ("x", "sd_x", "w", "sd_w")
    )
    several = len(found.classes) > 2
    said = [f"said {name}" for name in found.classes] if several else ["yes"]
    items = ["item", *places, *sds, "label", "answers", *said]
    people = ["person", *(["class"] if several else []), *weights, "threshold", *weight_sds]
    files: Files = {
        "embedding.npz": found.save,
        "items.csv": csv_file(items, _list_items(answers, found)),
        "people.csv": csv_file([*people, "sd_threshold"], _list_people(found)),
    }
    if feasible(answers):
        header = ["item", "label", "chance"]
        files["consensus.csv"] = csv_file(header, _list_consensus(answers))
    if has_target(found):
        files["class.npz"] = lambda path: found.to_classroom().save(path)
    return files


def _list_people(found: Embedding) -> Iterator[list[Any]]:
    """Yield a row per annotator, or per annotator and class."""
    d = found.dimensions
    names: list[list[Any]] = [[name] for name in found.person_names]
    if len(found.classes) > 2:
        names = [[*name, of_class] for name in names for of_class in found.classes]
    weights = found.people.reshape(len(names), d).tolist()
    spread = standard_deviations(found.uncertainty.people.reshape(-1, d + 1, d + 1))
    rows = zip(names, weights, found.thresholds.ravel().tolist(), spread, strict=True)
    for name, weight, threshold, sd in rows:
        yield [*name, *weight, threshold, *sd]


def _list_items(answers: Answers, found: Embedding) -> Iterator[list[Any]]:
    """Yield a row per item: place, uncertainty, label and answers."""
    said = count_choices(answers)
    labels: list[Any] = ["" if np.isnan(label) else int(label) for label in found.labels.tolist()]
    counts = said[:, 1:]
    if len(found.classes) > 2:
        labels, counts = _name_classes(found, ""), said
    columns = (
        found.items.tolist(),
        standard_deviations(found.uncertainty.items),
        [[label, number] for label, number in zip(labels, said.sum(axis=1).tolist(), strict=True)],
        counts.tolist(),
    )
    for name, *cells in zip(found.item_names, *columns, strict=True):
        yield [name, *(cell for part in cells for cell in part)]


def _name_classes(found: Embedding, unknown: str | None) -> list[Any]:
    """Return the expert's label of each item by its name."""
    return [unknown if code < 0 else found.classes[code] for code in found.experts.tolist()]


def count_choices(answers: Answers) -> Ints:
    """Return how often each class was chosen for each item, of shape ``(items, classes)``."""
    classes, items = len(answers.classes), len(answers.items)
    cells = answers.item * np.int64(classes) + answers.choices
    counts: Ints = np.bincount(cells, minlength=items * classes).reshape(items, classes)
    return counts


def _list_consensus(answers: Answers) -> Iterator[list[Any]]:
    """Yield the most probable class of each item by Dawid and Skene's model."""
    from homeroom.crowd import dawid_skene

    model = dawid_skene(answers)
    chances = model.chances.max(axis=1).tolist()
    for item, label, chance in zip(answers.items, model.labels.tolist(), chances, strict=True):
        yield [item, model.classes[label], f"{chance:.6g}"]
