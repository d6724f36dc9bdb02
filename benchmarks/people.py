"""``python -m benchmarks people [FOLDER]``: how well models predict the next answers of people.

Every model is fitted to some of the people and predicts each answer of the others from the answers
before it. All models see the same people in the same folds. Standard errors are over people.

FOLDER may have data that you downloaded yourself: ``cat_unlearn/sub_1_data.csv`` and so on (from
github.com/crossley/cat_unlearn), ``statics/preprocessed_data.csv``,
``assistments09/preprocessed_data.csv`` or its two parts, and
``algebra05/preprocessed_data_test.csv`` (from
github.com/theophilegervet/learner-performance-prediction). None of them is stored here.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from benchmarks import people_data as readers
from benchmarks.crowds import ducks
from benchmarks.people_data import Mask, Trials
from benchmarks.people_models import (
    FORGETTING,
    Examples,
    Model,
    Variant,
    base_rate,
    choice_losses,
    class_answers,
    fit_choice,
    fit_observer,
    fitted_forgetting,
    fitted_learner,
    follow,
    jackknife,
    logistic,
    losses_of,
    ours,
    plan,
    predict_choice,
    tracing,
)
from benchmarks.people_parts import Part, Predictions, Work, done
from benchmarks.quizzed import newcomers_loss
from homeroom import InputError
from homeroom._arrays import Floats, Ints
from homeroom.observers.quizzing.fitted_people import Estimate, FittedLearner
from homeroom.plots import save_figure
from homeroom.plots.style import figure, look

DATA = Path(__file__).parents[2] / "shared" / "data"
OURS = "our observer"
"""The name of the model with which the others are compared."""

MIXED, RANDOM = "examples in another order", "examples with random labels"
STILL = "without the step"


class DataSet(NamedTuple):
    """A table of people: where it is, how it is read, and which models are compared on it."""

    title: str
    path: str
    read: Callable[[Path], Trials]
    folds: int
    best: Variant
    steps: tuple[int, ...]
    variants: dict[str, Variant]
    others: dict[str, Model]
    limit: float
    choice_limit: float | None = None


IRT = ours(Variant(step="none", difficulty=True, drift=False), (6, 3, 2))
SAME = {"base rate": base_rate, "PFA": logistic("pfa"), "logistic, like DAS3H": logistic("das3h")}
CLASSES = Variant(difficulty=True)
BOTH = Variant(memory=True)
PLACE = Variant(common=True, rates=(0.0, 0.02, 0.06, 0.2))
TIMED = Variant(memory=True, difficulty=True, practice=True, step="none")
SKILLS = Variant(memory=True, difficulty=True, practice=True, gradual=True)


def _classes(title: str, file: str, limit: float, choice_limit: float) -> DataSet:
    return DataSet(
        title,
        f"learners/{file}.csv",
        readers.read_classes,
        5,
        CLASSES,
        (8, 4, 3),
        {
            STILL: CLASSES._replace(step="none"),
            "step without residual": CLASSES._replace(step="label"),
            "gradient learner alone": CLASSES._replace(listen=False),
        },
        {**SAME, "IRT": IRT, "BKT per class": tracing("skill", tied=False)},
        limit,
        choice_limit,
    )


def _skills(title: str, path: str, people: int, trials: int, limit: float) -> DataSet:
    return DataSet(
        title,
        path,
        partial(readers.read_skills, people=people, trials=trials),
        5,
        SKILLS,
        (8, 4, 4),
        {
            STILL: SKILLS._replace(step="none"),
            "without practice counts": SKILLS._replace(practice=False),
            "without item difficulty": SKILLS._replace(difficulty=False),
        },
        {**SAME, "IRT": IRT, "BKT per skill, tied": tracing("skill", tied=True)},
        limit,
    )


SETS = {
    "shepard": DataSet(
        "Shepard's tasks",
        "learners/shepard.csv",
        readers.read_shepard,
        2,
        BOTH,
        (8,),
        {
            STILL: BOTH._replace(step="none"),
            "step without residual": BOTH._replace(step="label"),
            "rule only": BOTH._replace(memory=False),
            "facts only": BOTH._replace(rule=False),
            "without forgetting": BOTH._replace(forgetting="none"),
        },
        {
            **SAME,
            "BKT per object, tied": tracing("skill", tied=True),
            "BKT of the task": tracing("all", tied=True),
        },
        0.550,
    ),
    "butterflies": _classes("butterflies", "butterflies_crop", 0.450, 0.860),
    "characters": _classes("characters", "chinese_chars", 0.617, 0.953),
    "cat_unlearn": DataSet(
        "cat_unlearn",
        "cat_unlearn",
        readers.read_cat_unlearn,
        2,
        PLACE,
        (8,),
        {
            STILL: PLACE._replace(step="none"),
            "step without residual": PLACE._replace(step="label"),
        },
        {
            **SAME,
            "logistic with place": logistic("place"),
            "BKT per category, tied": tracing("skill", tied=True),
        },
        0.501,
    ),
    "statics": _skills("Statics 2011", "statics", 226, 60, 0.287),
    "assistments09": _skills("ASSISTments 2009", "assistments09", 250, 40, 0.533),
    "algebra05": DataSet(
        "Algebra I 2005",
        "algebra05",
        partial(readers.read_skills, people=114, trials=200, part="test", timed=True),
        5,
        TIMED,
        (8, 4, 8),
        {
            "forgetting of the library": TIMED._replace(forgetting="usual"),
            "without forgetting": TIMED._replace(forgetting="none"),
        },
        {**SAME, "BKT per skill, tied": tracing("skill", tied=True)},
        np.inf,
    ),
}


GROUPS = 10
FITS: dict[str, Work] = {
    "shepard": partial(fitted_learner, BOTH, (10,)),
    "algebra05": partial(fitted_forgetting, TIMED, SETS["algebra05"].steps),
}
"""What ``--fit`` computes."""


class Score(NamedTuple):
    """How well a model predicted.

    ``each`` has the mean loss of each person, ``fold`` their fold; ``chance`` the chance of a right
    answer at each scored trial, and ``right`` whether it was.
    """

    each: Floats
    fold: Ints
    chance: Floats
    right: Mask

    @property
    def loss(self) -> float:
        """The mean loss over people."""
        return float(self.each.mean())

    @property
    def error(self) -> float:
        """The standard error of the loss over people."""
        return float(self.each.std(ddof=1) / np.sqrt(len(self.each)))

    @property
    def auc(self) -> float:
        """How often a right answer had a higher predicted chance than a wrong one (AUC)."""
        ones, zeros = int(self.right.sum()), int((~self.right).sum())
        above = float(rankdata(self.chance)[self.right].sum()) - ones * (ones + 1) / 2
        return above / (ones * zeros) if ones and zeros else 0.5

    def behind(self, other: Score) -> tuple[float, float]:
        """Return by how much the loss is higher, and the standard error of that over people."""
        lead = self.each - other.each
        return float(lead.mean()), float(lead.std(ddof=1) / np.sqrt(len(lead)))

    def by_fold(self) -> list[float]:
        """Return the mean loss of the people of each fold."""
        return [float(self.each[self.fold == fold].mean()) for fold in np.unique(self.fold)]

    def calibration(self, bins: int = 10) -> list[tuple[float, float, int]]:
        """Return mean chance, share of right answers and their number, for bins of equal size."""
        order = np.argsort(self.chance, kind="stable")
        return [
            (float(self.chance[part].mean()), float(self.right[part].mean()), len(part))
            for part in np.array_split(order, bins)
            if len(part)
        ]


def folds_of(data: Trials, count: int, seed: int = 0) -> Ints:
    """Return the fold of each sequence: all sequences of a person are in one fold."""
    people = int(data.person.max()) + 1
    fold: Ints = (np.random.default_rng(seed).permutation(people) % count)[data.person]
    return fold


def scored(data: Trials, fold: Ints, chance: Floats) -> Score:
    """Return how well chances of right answers predicted."""
    people, which = int(data.person.max()) + 1, data.scored & (data.said != 0)
    losses = (losses_of(chance, data) * which).sum(axis=1)
    each = np.bincount(data.person, losses, people) / np.bincount(data.person, which.sum(axis=1))
    first = np.unique(data.person, return_index=True)[1]
    return Score(each, fold[first], chance[which], data.marks[which] > 0)


def held_out(model: Model, name: str, data: Trials, test: Mask) -> Predictions:
    """Return what a model predicts for some people from the others."""
    return {name: model(data, ~test)[test]}


def observed(
    variant: Variant,
    steps: tuple[int, ...],
    name: str,
    data: Trials,
    test: Mask,
    *,
    controls: bool = False,
) -> Predictions:
    """Return what the observer predicts, and what with other examples (not fitted again).

    The controls assume that the same examples were shown in another order, or with random labels.
    """
    fit, own = fit_observer(data.some(~test), variant, data.items, steps), data.some(test)
    numbers, easy = plan(fit.values, own, variant), fit.easy.easy[own.item]
    found = {name: follow(numbers, own, easy, variant).chance}
    for other, examples in (other_examples(data) if controls else {}).items():
        shown = Examples(examples.x[test], examples.label[test], examples.skill[test])
        found[other] = follow(numbers, own, easy, variant, shown).chance
    return found


def other_examples(data: Trials) -> dict[str, Examples]:
    """Return examples in another order for each sequence, and with random labels."""
    rng = np.random.default_rng(1)
    order = np.tile(np.arange(data.said.shape[1]), (len(data.said), 1))
    for places, taught in zip(order, data.taught, strict=True):
        places[taught] = rng.permutation(places[taught])
    rows = np.arange(len(order))[:, None]
    labels = np.where(rng.random(data.label.shape) < 0.5, 1.0, -1.0)
    return {
        MIXED: Examples(data.x[rows, order], data.label[rows, order], data.skill[rows, order]),
        RANDOM: Examples(data.x, labels, data.skill),
    }


def chosen(data: Trials, test: Mask, *, step: bool) -> Predictions:
    """Return which of several answers the observer predicts, with or without the step.

    The controls assume, with the parameters of our observer, that the same examples were shown in
    another order, or with random labels.
    """
    past, own = data.some(~test), data.some(test)
    values = fit_choice(past, step=step)
    if not step:
        return {STILL: predict_choice(values, past, own, step=False)}
    random = np.random.default_rng(1).integers(0, data.x.shape[-1], data.skill.shape)[test]
    shuffled = other_examples(data)[MIXED].skill[test]
    return {
        OURS: predict_choice(values, past, own, step=True),
        MIXED: predict_choice(values, past, own, step=True, shown=shuffled),
        RANDOM: predict_choice(values, past, own, step=True, labels=random),
    }


def answers_of_others(data: Trials, test: Mask) -> Predictions:
    """Return how often others give each answer: the base rate of which answer is given."""
    return {"answers of others": class_answers(data.some(~test))[data.skill[test]]}


def work_of(which: DataSet) -> dict[str, Work]:
    """Return what is to be computed for each fold of a table, ours first."""
    controls = which.best.step != "none"
    mine = partial(observed, which.best, which.steps, OURS, controls=controls)
    found: dict[str, Work] = {OURS: mine}
    for name, variant in which.variants.items():
        found[name] = partial(observed, variant, which.steps, name)
    for name, model in which.others.items():
        found[name] = partial(held_out, model, name)
    return found


CHOICE_WORK: dict[str, Work] = {
    "which answer": partial(chosen, step=True),
    "which answer, without the step": partial(chosen, step=False),
    "which answer, base rate": answers_of_others,
}


def parts_of(
    name: str, data: Trials, folds: int, seed: int, work: dict[str, Work]
) -> Iterator[Part]:
    """Yield the parts of a table: everything that is to be computed, for each fold."""
    fold = folds_of(data, folds, seed)
    for model, function in work.items():
        for number in range(folds):
            yield Part(name, model, number, data, fold == number, function)


def put_together(parts: list[Part], results: Iterable[Predictions]) -> dict[str, Score]:
    """Return how well each model predicts, from the predictions for each fold."""
    data, chances = parts[0].data, dict[str, Floats]()
    fold = np.zeros(len(data.said), dtype=np.int64)
    for part, result in zip(parts, results, strict=True):
        fold[part.test] = part.fold
        for name, chance in result.items():
            empty = np.zeros((len(data.said), *chance.shape[1:]))
            chances.setdefault(name, empty)[part.test] = chance
    found = {}
    for name, chance in chances.items():
        right = chance
        if chance.ndim == 3:
            right = np.take_along_axis(chance, data.skill[..., None], axis=2)[..., 0]
        found[name] = scored(data, fold, right)
        if chance.ndim == 3:
            losses = (choice_losses(chance, data) * data.scored).sum(axis=1)
            found[name] = found[name]._replace(each=losses / data.scored.sum(axis=1))
    return found


def compared(
    data: Trials, which: DataSet, seed: int = 0, work: dict[str, Work] | None = None
) -> dict[str, Score]:
    """Return how well each model predicts, ours first; ``seed`` divides people into folds."""
    parts = list(parts_of(which.title, data, which.folds, seed, work or work_of(which)))
    return put_together(parts, [part.work(part.data, part.test) for part in parts])


# --- What is printed and written -----------------------------------------------------------------


def table_of(found: dict[str, Score]) -> str:
    """Return a table that is also Markdown: loss, its error, AUC, and the distance to ours."""
    from benchmarks.__main__ import table

    rows = [("model", "log loss", "AUC", "behind our observer", "in each fold")]
    for name, score in found.items():
        behind = "" if name == OURS else "{:+.4f} +- {:.4f}".format(*score.behind(found[OURS]))
        folds = " ".join(f"{loss:.3f}" for loss in score.by_fold())
        rows.append(
            (name, f"{score.loss:.4f} +- {score.error:.4f}", f"{score.auc:.3f}", behind, folds)
        )
    return table(rows)


def document(data: Trials, found: dict[str, Score]) -> dict[str, Any]:
    """Return the results as plain JSON."""
    return {
        "people": int(data.person.max()) + 1,
        "answers predicted": len(found[OURS].chance),
        "models": {
            name: {
                "loss": score.loss,
                "standard error": score.error,
                "auc": score.auc,
                "behind ours": score.behind(found[OURS]),
                "folds": score.by_fold(),
                "calibration": score.calibration(),
            }
            for name, score in found.items()
        },
    }


def draw_calibration(results: dict[str, dict[str, Score]], path: Path) -> None:
    """Write a picture: how often answers were right, for each predicted chance."""
    with look():
        drawn = figure(2.6 * len(results), 2.8)
        panels = drawn.subplots(1, len(results), sharey=True, squeeze=False)[0]
        for ax, (name, found) in zip(panels, results.items(), strict=True):
            ax.plot([0, 1], [0, 1], color="0.7", linewidth=1)
            bins = np.array(found[OURS].calibration())
            error = np.sqrt(np.maximum(bins[:, 1] * (1 - bins[:, 1]), 1e-4) / bins[:, 2])
            ax.errorbar(bins[:, 0], bins[:, 1], 2 * error, fmt="o-", markersize=3, linewidth=1)
            ax.set(title=SETS[name].title, xlabel="predicted chance", xlim=(0, 1), ylim=(0, 1))
        panels[0].set_ylabel("share of right answers")
    save_figure(drawn, path)


def missed(name: str, found: dict[str, Score]) -> Iterator[str]:
    """Yield a sentence for each limit that the results exceed."""
    mine = found[OURS]
    if mine.loss > SETS[name].limit:
        yield f"{name}: {mine.loss:.4f} is above {SETS[name].limit:g}."
    if name == "shepard":
        for other in ("BKT per object, tied", "facts only"):
            if any(a > b for a, b in zip(mine.by_fold(), found[other].by_fold(), strict=True)):
                yield f"{name}: {other} predicts better in a fold."
        lead, error = found[STILL].behind(mine)
        if lead < 3 * error:
            yield f"{name}: the step gains only {lead:.4f} +- {error:.4f}."


def missed_choice(name: str, found: dict[str, Score]) -> Iterator[str]:
    """Yield a sentence if the answers that people choose are predicted worse than the limit."""
    loss, limit = found[OURS].loss, SETS[name].choice_limit
    if limit is not None and loss > limit:
        yield f"{name}: which answer, {loss:.4f} is above {limit:g}."


def newcomers() -> str:
    """Return the log loss of annotators of ducks who are not on the map, after a few answers."""
    from benchmarks.__main__ import table

    answers = ducks(DATA / "ducks")
    rows = [("answers used", "log loss")]
    for heard, informative in ((0, False), (5, False), (5, True), (10, True)):
        loss, error = newcomers_loss(answers, heard, informative=informative)
        how = "informative" if informative else "random"
        rows.append((f"{heard} {how}", f"{loss:.3f} +- {error:.3f}"))
    return table(rows)


def arguments(given: list[str]) -> argparse.Namespace:
    """Return the arguments of the command."""
    parser = argparse.ArgumentParser("python -m benchmarks people", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="data that you downloaded")
    parser.add_argument("--only", choices=SETS, nargs="+", help="the data sets to use")
    parser.add_argument("--people", type=int, help="students of Statics and ASSISTments")
    parser.add_argument("--fold-seed", type=_seed, default=0, help="another division into folds")
    parser.add_argument(
        "--out",
        type=Path,
        help="a folder for people.json, calibration.svg and finished parts: a run that was killed "
        "goes on where it was",
    )
    parser.add_argument(
        "--workers",
        type=_workers,
        default=os.environ.get("JOBS", str(os.cpu_count() or 1)),
        help="processes; JOBS or all cores unless given; results are the same for any number",
    )
    parser.add_argument("--fit", action="store_true", help="fit the learner to all people instead")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    return parser.parse_args(given)


def _seed(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("a seed is not negative")
    return number


def _workers(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least one process is needed")
    return number


def read(name: str, path: Path, people: int | None) -> Trials:
    """Return a table; of lists of skills, those ``people`` with the most answers."""
    reader = SETS[name].read
    if people is not None and isinstance(reader, partial):
        reader = partial(reader, people=people)
    return reader(path)


def available(folder: Path | None, only: list[str] | None) -> dict[str, Path]:
    """Return the data sets that are there; those asked for must be."""
    if folder is not None and not folder.is_dir():
        raise InputError(f"There is no folder {folder}.")
    found = {}
    for name in only or SETS:
        paths = [base / SETS[name].path for base in (folder, DATA) if base is not None]
        path = next((path for path in paths if path.exists()), None)
        if path is not None:
            found[name] = path
        elif only:
            raise InputError(f"The data set {name} is missing: there is no {paths[0]}.")
    return found


def run(
    tables: dict[str, Trials], wanted: argparse.Namespace
) -> Iterator[tuple[str, dict[str, Score], dict[str, Score]]]:
    """Yield the name of each table, how well answers and (if there are several) which, in turn."""
    parts: dict[tuple[str, bool], list[Part]] = {}
    for name, data in tables.items():
        which = SETS[name]
        for choice, work in (False, work_of(which)), (True, CHOICE_WORK):
            if not choice or which.choice_limit is not None:
                found = parts_of(name, data, which.folds, wanted.fold_seed, work)
                parts[name, choice] = list(found)
    folder = None if wanted.out is None else wanted.out / "parts"
    results = done([part for some in parts.values() for part in some], wanted.workers, folder)
    for name in tables:
        first, second = (
            put_together(some, list(islice(results, len(some)))) if some else {}
            for some in (parts[name, False], parts.get((name, True)))
        )
        yield name, first, second


def main(given: list[str]) -> int:
    """Print a table per data set; return 1 if a limit was missed and 2 for bad input."""
    wanted = arguments(given)
    try:
        paths = available(wanted.folder, wanted.only)
        if wanted.fit and not paths.keys() & FITS.keys():
            raise InputError("There is nothing to fit: shepard and algebra05 are missing.")
        tables = {name: read(name, path, wanted.people) for name, path in paths.items()}
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    if wanted.fit:
        for text in fit_people(tables, wanted):
            print(text, flush=True)
        return 0
    results, documents, complaints = {}, {}, []
    for name, found, which in run(tables, wanted):
        results[name], data = found, tables[name]
        documents[name] = document(data, found)
        complaints += list(missed(name, found))
        text = f"\n{SETS[name].title}: {documents[name]['people']} people\n\n{table_of(found)}"
        if which:
            documents[name]["which answer"] = document(data, which)["models"]
            complaints += list(missed_choice(name, which))
            text += f"\n\nWhich answer\n\n{table_of(which)}"
        if not wanted.json:
            print(text, flush=True)
    if wanted.out is not None and results:
        write(wanted.out, results, documents)
    if wanted.json:
        print(json.dumps(documents, indent=1))
    elif not wanted.only:
        _print_rest([name for name in SETS if name not in paths])
    for sentence in complaints:
        print(sentence, file=sys.stderr)
    return 1 if complaints else 0


def fit(data: Trials, work: Work, workers: int, folder: Path | None) -> list[Estimate]:
    """Return the numbers that fit all people best, with standard errors over people.

    The errors are those of the jackknife: the fit is repeated without each of ten groups of people.
    """
    group = folds_of(data, GROUPS)
    parts = [Part("fit", "all", 0, data, group < 0, work)]
    parts += [Part("fit", "without a group", n, data, group == n, work) for n in range(GROUPS)]
    whole, *without = (found["numbers"] for found in done(parts, workers, folder))
    return jackknife(whole, np.stack(without))


def fit_people(tables: dict[str, Trials], wanted: argparse.Namespace) -> Iterator[str]:
    """Yield the learner that fits people, and how fast they forget, as far as data are here."""
    folder = None if wanted.out is None else wanted.out / "parts"
    for name, work in FITS.items():
        if name not in tables:
            continue
        data, title = tables[name], SETS[name].title
        found = fit(data, work, wanted.workers, folder)
        people, answers = int(data.person.max()) + 1, int((data.said != 0).sum())
        if name == "shepard":
            yield str(FittedLearner(title, people, answers, *found))
        else:
            lines = [f"{what}: {one}" for what, one in zip(FORGETTING, found, strict=True)]
            yield "\n".join([f"{title}: {people} people, {answers} answers", *lines])


def write(out: Path, results: dict[str, dict[str, Score]], documents: dict[str, Any]) -> None:
    """Write the results as JSON, and a picture of their calibration."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "people.json").write_text(json.dumps(documents, indent=1), encoding="utf-8")
    try:
        for ending in ("svg", "png"):
            draw_calibration(results, out / f"calibration.{ending}")
    except ModuleNotFoundError as error:
        print(f"The picture is left out: {error}.", file=sys.stderr)


def _print_rest(left_out: list[str]) -> None:
    if (DATA / "ducks").is_dir():
        print(f"\nAnnotators of ducks who are not on the map\n\n{newcomers()}")
    if left_out:
        print(f"\nLeft out, as there are no such files: {', '.join(left_out)}.")
