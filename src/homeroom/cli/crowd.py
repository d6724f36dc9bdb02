"""``homeroom crowd embed``, ``groups`` and ``map``: maps from a table of answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import numpy.typing as npt

from homeroom._checks import counted
from homeroom._files import replacing
from homeroom.cli.crowd_options import AnswersOptions, KOption, MapOptions, PicturesOption, check_k
from homeroom.cli.output import (
    ForceOption,
    JsonOption,
    ResultOptions,
    check_file_to_write,
    csv_file,
    result_option,
    show,
)
from homeroom.cli.report import CommandReport, Facts, Files, Heading, Sentence, Table

if TYPE_CHECKING:
    from homeroom._arrays import Floats, Ints
    from homeroom.crowd import Answers, Embedding
    from homeroom.crowd.group_beliefs import GroupBelief


def embed(which: AnswersOptions, how: MapOptions, result: ResultOptions) -> None:
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
    how.check()
    with result.folder() as out:
        answers = which.read()
        found = how.fit(answers, axes=False)
        labels: list[Any] = found.labels.tolist()
        if len(found.classes) > 2:
            labels = [None if code < 0 else found.classes[code] for code in found.experts]
        items = zip(
            found.item_names,
            found.items.tolist(),
            deviations(found.uncertainty.items),
            labels,
            strict=True,
        )
        people = zip(
            found.person_names,
            found.people.tolist(),
            found.thresholds.tolist(),
            deviations(found.uncertainty.people),
            strict=True,
        )
        report = crowd_report(answers, found)
        report.files |= map_files(answers, found)
        report.values |= {
            "items": [
                {"item": name, "place": place, "deviation": deviation, "label": label}
                for name, place, deviation, label in items
            ],
            "people": [
                {"person": name, "weights": weights, "threshold": threshold, "deviation": deviation}
                for name, weights, threshold, deviation in people
            ],
        }
        out.write(report)
    result.show(report)


def groups(
    which: AnswersOptions, how: MapOptions, result: ResultOptions, k: KOption = None
) -> None:
    """Find groups of like-minded annotators, and what each group believes.

    --out writes the group of each annotator (groups.csv), a table for each group
    (group-1.csv, ...) and a page with the map (report.html).

    [bold]Examples[/bold]
    $ homeroom crowd groups answers.csv --labels experts.csv
    $ homeroom crowd groups answers.csv --k 3 --out groups
    """
    from homeroom.crowd.atlas import map_page
    from homeroom.crowd.group_beliefs import beliefs

    how.check()
    check_k(k)
    with result.folder() as out:
        answers = which.read()
        check_k(k, len(answers.people))
        found = how.fit(answers)
        group_of = found.groups(k, seed=how.seed)
        believed = beliefs(answers, found, group_of)
        report = crowd_report(answers, found, believed)
        report.values |= {
            "groups": [belief_values(number, belief) for number, belief in enumerate(believed)],
            "group_of": dict(zip(found.person_names, (group_of + 1).tolist(), strict=True)),
        }
        report.files |= {
            "groups.csv": groups_file(found, group_of),
            **group_tables(answers, group_of),
            "embedding.npz": found.save,
            "report.html": lambda path: map_page(answers, found, group_of, believed).write(path),
        }
        out.write(report)
    result.show(report)


def map_(
    which: AnswersOptions,
    how: MapOptions,
    *,
    k: KOption = None,
    pictures: PicturesOption = None,
    out: Annotated[Path, result_option("Where the page is written.", metavar="FILE")] = Path(
        "map.html"
    ),
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Draw the map: items as points, annotators as lines, groups in colours.

    The map is one HTML file that opens in any browser. Point at an item or a line
    to see its name.

    [bold]Examples[/bold]
    $ homeroom crowd map answers.csv --labels experts.csv --out map.html
    $ homeroom crowd map answers.csv --pictures photos --k 4
    """
    from homeroom.crowd.atlas import map_page, read_pictures
    from homeroom.crowd.group_beliefs import beliefs

    how.check()
    check_k(k)
    check_file_to_write(out, endings=(".html", ".htm"), force=force)
    answers = which.read()
    check_k(k, len(answers.people))
    found_pictures = {} if pictures is None else read_pictures(pictures, answers.items)
    found = how.fit(answers)
    group_of = found.groups(k, seed=how.seed)
    believed = beliefs(answers, found, group_of)
    page = map_page(answers, found, group_of, believed, found_pictures)
    with replacing(out) as path:
        page.write(path)
    report = crowd_report(answers, found, believed)
    report.values |= {
        "groups": [belief_values(number, belief) for number, belief in enumerate(believed)],
        "out": str(out),
    }
    report.add(Sentence(f"The map is at {out}", "bold"))
    show(report, json=json)


def crowd_report(
    answers: Answers, found: Embedding, believed: Sequence[GroupBelief] | None = None
) -> CommandReport:
    """Return a report about the answers, the map, and the groups if there are any."""
    report = CommandReport(
        "The answers", {"answers": answers_values(answers), "map": map_values(found)}
    )
    report.add(Facts(answers.summary()), Heading("The map"), Facts(_map_facts(found)))
    report.add(*(Sentence(f"Note: {warning}", remark=True) for warning in found.warnings))
    if believed is not None:
        _add_beliefs(report, answers, believed)
    return report


def _add_beliefs(report: CommandReport, answers: Answers, believed: Sequence[GroupBelief]) -> None:
    """Add what each group believes: a table of numbers, and a line of words for each group."""
    from homeroom.crowd.group_beliefs import ONE_GROUP, belief_table

    header, rows = belief_table(answers, believed)
    report.add(
        Heading(f"{counted(len(believed), 'group')} of like-minded annotators"),
        Table(header[:-1], [row[:-1] for row in rows]),
        Facts([(f"group {row[0]}", row[-1]) for row in rows]),
    )
    if len(believed) == 1:
        report.add(Sentence(ONE_GROUP, "dim"))


def _map_facts(found: Embedding) -> list[tuple[str, str]]:
    """Return the facts of a report about the map: dimensions, log loss, target."""
    dimensions = str(found.dimensions)
    if found.held_out:
        tried = ", ".join(
            f"{loss:.3f} with {d or 'none'}" for d, loss in sorted(found.held_out.items())
        )
        dimensions += f", chosen by the log loss on held-out answers: {tried}"
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
    return {
        "people": len(answers.people),
        "items": len(answers.items),
        "answers": len(answers),
        "yes": int(answers.yes.sum()) if len(answers.classes) == 2 else None,
        "classes": dict(zip(answers.classes, _class_counts(answers.choices, answers), strict=True)),
        "labelled": int(np.isfinite(answers.labels).sum()),
        "positive": answers.positive,
        "negative": answers.negative,
        "dropped": dict(answers.dropped),
        "merged": {name: dict(words) for name, words in answers.merged.items()},
        "notes": list(answers.notes),
    }


def _class_counts(codes: npt.NDArray[np.integer], answers: Answers) -> list[int]:
    """Return how many answers or items there are of each class."""
    counts: list[int] = np.bincount(codes, minlength=len(answers.classes)).tolist()
    return counts


def map_values(found: Embedding) -> dict[str, Any]:
    """Return a summary of the map as plain values."""
    rule = found.rule() if has_target(found) else None
    return {
        "dimensions": found.dimensions,
        "log_loss": found.log_loss,
        "held_out": {str(d): loss for d, loss in found.held_out.items()},
        "dawid_skene": found.dawid_skene,
        "target": None if rule is None else rule.target,
        "contradicting": []
        if rule is None
        else [found.item_names[item] for item in rule.contradicting],
        "warnings": list(found.warnings),
    }


def belief_values(number: int, belief: GroupBelief) -> dict[str, Any]:
    """Return what a group believes as plain values."""
    return {
        "group": number + 1,
        "people": belief.people,
        "yes_share": belief.yes_share,
        "right_share": belief.right_share,
        "wrongly_yes": list(belief.wrongly_yes),
        "wrongly_no": list(belief.wrongly_no),
        "more_yes": list(belief.more_yes),
        "more_no": list(belief.more_no),
        "shares": list(belief.shares),
        "confusions": [
            {"said": one.said, "truth": one.truth, "items": list(one.items)}
            for one in belief.confusions
        ],
    }


def deviations(covariances: Floats) -> list[Any]:
    """Return the standard deviations, one list per covariance matrix."""
    spread: list[Any] = np.sqrt(np.einsum("...aa->...a", covariances)).tolist()
    return spread


def groups_file(found: Embedding, group_of: Ints) -> Callable[[Path], None]:
    """Return a function that writes the group of each annotator."""
    return csv_file(
        ["student", "group"], lambda: zip(found.person_names, (group_of + 1).tolist(), strict=True)
    )


def group_tables(answers: Answers, group_of: Ints) -> Files:
    """Return a table for each group: its annotators, and how often they agree with the expert."""
    given = np.bincount(answers.person, minlength=len(answers.people))
    expert = answers.experts[answers.item]
    known = expert >= 0
    right = known & (expert == answers.choices)
    judged, agreed = (
        np.bincount(answers.person[rows], minlength=len(answers.people)) for rows in (known, right)
    )

    def rows(group: int) -> Iterator[Sequence[Any]]:
        for place in np.flatnonzero(group_of == group).tolist():
            share = f"{agreed[place] / judged[place]:.3f}" if judged[place] else ""
            yield answers.people[place], int(given[place]), int(judged[place]), share

    header = [
        "student",
        "answers",
        "answers to labelled items",
        "share that agrees with the expert",
    ]
    return {
        f"group-{group + 1}.csv": csv_file(header, partial(rows, group))
        for group in range(int(group_of.max()) + 1)
    }


def map_files(answers: Answers, found: Embedding) -> Files:
    """Return the files of a map: itself, its tables and, with a target, the class to teach."""
    from homeroom.crowd.dawid_skene import feasible

    axes = range(1, found.dimensions + 1)
    several = len(found.classes) > 2
    items = csv_file(
        [
            "item",
            *(f"x{axis}" for axis in axes),
            *(f"sd_x{axis}" for axis in axes),
            "label",
            "answers",
            *([f"said {name}" for name in found.classes] if several else ["yes"]),
        ],
        lambda: _item_rows(answers, found),
    )
    people = csv_file(
        [
            "person",
            *(["class"] if several else []),
            *(f"w{axis}" for axis in axes),
            "threshold",
            *(f"sd_w{axis}" for axis in axes),
            "sd_threshold",
        ],
        lambda: _person_rows(found),
    )
    files: Files = {"embedding.npz": found.save, "items.csv": items, "people.csv": people}
    if feasible(answers):
        files["consensus.csv"] = csv_file(
            ["item", "label", "chance"], lambda: _consensus_rows(answers)
        )
    if has_target(found):
        files["class.npz"] = lambda path: found.to_classroom().save(path)
    return files


def _person_rows(found: Embedding) -> list[list[Any]]:
    """Return a row per annotator, or per annotator and class."""
    d = found.dimensions
    names: list[list[Any]] = [[name] for name in found.person_names]
    if len(found.classes) > 2:
        names = [[*name, of_class] for name in names for of_class in found.classes]
    spread = deviations(found.uncertainty.people.reshape(-1, d + 1, d + 1))
    rows = zip(
        names,
        found.people.reshape(len(names), d).tolist(),
        found.thresholds.ravel().tolist(),
        spread,
        strict=True,
    )
    return [[*name, *weights, threshold, *sd] for name, weights, threshold, sd in rows]


def _item_rows(answers: Answers, found: Embedding) -> list[list[Any]]:
    """Return the rows of the table of items: place, answers, label and uncertainty."""
    classes, items = len(found.classes), len(answers.items)
    cells = np.bincount(
        answers.item * np.int64(classes) + answers.choices, minlength=items * classes
    )
    said = cells.reshape(items, classes)
    number = said.sum(axis=1).tolist()
    labels: list[Any] = ["" if np.isnan(label) else int(label) for label in found.labels.tolist()]
    if classes > 2:
        labels = ["" if code < 0 else found.classes[code] for code in found.experts.tolist()]
    else:
        said = said[:, 1:]
    spread = deviations(found.uncertainty.items)
    columns = zip(
        found.item_names, found.items.tolist(), spread, labels, number, said.tolist(), strict=True
    )
    return [[name, *place, *sd, label, n, *given] for name, place, sd, label, n, given in columns]


def _consensus_rows(answers: Answers) -> list[list[Any]]:
    """Return the most probable class of each item by Dawid and Skene's model."""
    from homeroom.crowd import dawid_skene

    found = dawid_skene(answers)
    chances = found.chances.max(axis=1).tolist()
    rows = zip(answers.items, found.labels.tolist(), chances, strict=True)
    return [[item, found.classes[label], f"{chance:.6g}"] for item, label, chance in rows]
