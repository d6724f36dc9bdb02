"""The aggregators of crowd-kit on the same answers; imported only where it is installed.

They estimate one truth behind all answers, and treat other differences between annotators as
errors. They predict an answer from the estimated truth of the item and the annotator's error rate.
"""

from __future__ import annotations

from typing import Any

import crowdkit.aggregation as kit
import numpy as np
import pandas as pd

from homeroom._arrays import Floats, Ints
from homeroom.crowd import Answers
from homeroom.crowd.answers import Codes

SUREST = 0.01
"""No guess is surer than this of being right: zeros among counts would make the loss infinite."""


def aggregators(answers: Answers, folds: list[Ints]) -> dict[str, tuple[float | None, float]]:
    """Return the log loss (if it has one) and the errors of each on held-out answers."""
    found: dict[str, list[tuple[float, float]]] = {}
    for out in folds:
        keep = np.setdiff1d(np.arange(len(answers)), out)
        person, item, yes = answers.person[out], answers.item[out], answers.yes[out]
        for name, model in _models().items():
            labels = model.fit_predict(_frame(answers, keep))
            chance = _chances(name, model, labels, person, item)
            right = np.where(yes, chance, 1 - chance)
            sure = np.clip(right, SUREST, 1 - SUREST)
            found.setdefault(name, []).append(
                (float(-np.log(sure).mean()), float((right <= 0.5).mean()))
            )
    means = {name: np.mean(each, axis=0) for name, each in found.items()}
    return {
        name: (None if name == "MMSR" else float(loss), float(errors))
        for name, (loss, errors) in means.items()
    }


def truths(answers: Answers) -> dict[str, float]:
    """Return the share of items that each labels other than the expert does."""
    frame = _frame(answers, np.arange(len(answers)))
    errors = {}
    for name, model in _models().items():
        labels = model.fit_predict(frame).reindex(range(len(answers.items))).to_numpy()
        errors[name] = float((labels != (answers.labels > 0)).mean())
    return errors


def _models() -> dict[str, Any]:
    return {
        "majority": kit.MajorityVote(),
        "Dawid-Skene": kit.DawidSkene(n_iter=100),
        "one-coin Dawid-Skene": kit.OneCoinDawidSkene(n_iter=100),
        "GLAD": kit.GLAD(n_iter=100),
        "MMSR": kit.MMSR(),
    }


def _frame(answers: Answers, keep: Ints) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "task": answers.item[keep].astype(np.int64),
            "worker": answers.person[keep].astype(np.int64),
            "label": answers.yes[keep].astype(np.int64),
        }
    )


def _chances(name: str, model: Any, labels: Any, person: Codes, item: Codes) -> Floats:
    """Return how likely each of these answers is yes."""
    if name == "MMSR":
        return np.asarray(labels.reindex(item).to_numpy(), dtype=np.float64)
    truth = model.probas_.reindex(item)[1].to_numpy()
    if "Dawid" in name:
        says = model.errors_.xs(1, level="label").reindex(person).fillna(0.0)
        chances: Floats = truth * says[1].to_numpy() + (1 - truth) * says[0].to_numpy()
        return chances
    if name == "GLAD":
        skill = model.alphas_.reindex(person).to_numpy() * np.exp(
            model.betas_.reindex(item).to_numpy()
        )
        right = 1 / (1 + np.exp(-skill))
        return np.asarray(truth * right + (1 - truth) * (1 - right))
    return np.asarray(truth)
