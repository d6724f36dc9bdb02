"""Models of people's next answers, on small synthetic tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from benchmarks import people
from benchmarks.people import OURS, compared, folds_of, scored
from benchmarks.people_data import Trials
from benchmarks.people_models import (
    Model,
    Variant,
    base_rate,
    choice_losses,
    class_answers,
    fit_choice,
    follow,
    logistic,
    losses_of,
    ours,
    parameters,
    plan,
    predict_choice,
    tracing,
)
from benchmarks.people_parts import Work
from homeroom.learners.item_memory import Forgetting
from homeroom.observers.quizzing import beliefs
from homeroom.observers.quizzing.beliefs import Belief, BeliefBank
from homeroom.observers.quizzing.item_memory import ItemMemory
from homeroom.observers.quizzing.practice import Practice


def skills_table(people: int = 30, trials: int = 10, seed: int = 0) -> Trials:
    """Return people who differ in ability and learn three skills of different difficulty."""
    rng = np.random.default_rng(seed)
    skill = rng.integers(0, 3, (people, trials))
    item = 4 * skill + rng.integers(0, 4, skill.shape)
    score = rng.standard_normal((people, 1)) + np.array([-1.0, 0.0, 1.0])[skill]
    score = score + 0.1 * np.arange(trials)
    said = np.where(rng.random(skill.shape) < 1 / (1 + np.exp(-score)), 1.0, -1.0)
    said[0, -2:] = 0.0  # a person who stopped early
    ones = np.ones(said.shape)
    return Trials(np.arange(people), said, ones, item, skill, ones[..., None], said != 0, said != 0)


def rule_table(people: int = 20, trials: int = 12, seed: int = 0) -> Trials:
    """Return people who learn by gradient steps which of eight objects are yes."""
    rng = np.random.default_rng(seed)
    objects = np.array([[1, a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]) / 2.0
    item = np.concatenate([[rng.permutation(8) for _ in range(people)] for _ in range(2)], axis=1)
    item = item[:, :trials]
    label = np.where(objects[item][..., 1] > 0, 1.0, -1.0)
    states, said = np.zeros((people, 4)), np.zeros(item.shape)
    for trial in range(trials):
        x = objects[item[:, trial]]
        score = (states * x).sum(axis=1)
        said[:, trial] = np.where(score + 0.5 * rng.standard_normal(people) > 0, 1.0, -1.0)
        states += (0.5 * (label[:, trial] - score))[:, None] * x
    every = np.ones(item.shape, dtype=bool)
    person = np.repeat(np.arange(people // 2), 2)
    return Trials(person, said, label, item, item, objects[item], every, every)


MODELS: dict[str, tuple[Callable[[], Trials], Model]] = {
    "base rate": (skills_table, base_rate),
    "IRT": (skills_table, ours(Variant(step="none", difficulty=True, drift=False), (2, 1))),
    "BKT per skill": (skills_table, tracing("skill", tied=False)),
    "BKT": (rule_table, tracing("all", tied=True)),
    "PFA": (skills_table, logistic("pfa")),
    "DAS3H": (rule_table, logistic("das3h")),
    "skills": (skills_table, ours(Variant(memory=True, difficulty=True, practice=True), (2, 1))),
    "rule": (rule_table, ours(Variant(), (2,))),
    "label step": (rule_table, ours(Variant(memory=True, step="label"), (2,))),
    "facts": (rule_table, ours(Variant(memory=True, rule=False), (2,))),
    "alone": (skills_table, ours(Variant(listen=False), (1,))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_prediction_uses_no_answer_that_comes_later(name: str) -> None:
    """Changing the answers of a held-out person from a trial on changes nothing before it."""
    make, model = MODELS[name]
    data = make()
    train = folds_of(data, 2) == 0
    test = np.flatnonzero(~train)
    said = data.said.copy()
    said[test, 6:] *= -1.0
    before = model(data, train)
    after = model(data._replace(said=said), train)
    marks = data.marks[test, :6]  # where there is no answer, there is nothing to predict
    assert np.where(marks != 0, (before - after)[test, :6], 0.0) == pytest.approx(0.0, abs=1e-12)
    given = before[data.said != 0]
    assert given.min() > 0.0
    assert given.max() < 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in MODELS if name not in ("base rate", "alone", "facts")]
)
def test_each_model_predicts_better_than_the_base_rate(name: str) -> None:
    make, model = MODELS[name]
    which = people.SETS["shepard"]._replace(folds=2)
    models = {"base rate": base_rate, name: model}
    work: dict[str, Work] = {key: partial(people.held_out, one, key) for key, one in models.items()}
    found = compared(make(), which, work=work)
    assert found[name].loss < found["base rate"].loss


def test_the_observer_is_the_one_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Following a table gives the evidence of a bank that hears and is shown the same."""
    monkeypatch.setattr(beliefs, "RATE_ERROR", 0.0)
    data, variant = rule_table(people=2), Variant(memory=True)
    values = parameters(data, variant) | {"drift": -20.0, "stability": np.log(30.0)}
    numbers = plan(values, data, variant)
    found = follow(numbers, data, np.zeros(data.said.shape), variant)
    belief = Belief(numbers.mean[None], numbers.covariance[None])
    for row in range(2):
        bank = BeliefBank.of(belief, np.zeros(1), numbers.usual, numbers.rates)
        memory = ItemMemory(numbers.kappa, 1, len(numbers.rates), forgetting=Forgetting(30.0))
        bank = replace(bank, memory=memory)
        for trial in range(data.said.shape[1]):
            item, label = int(data.item[row, trial]), float(data.label[row, trial])
            x, said = data.x[row, trial], data.said[row, [trial]]
            before = bank.total_evidence[0]
            bank = bank.heard(x, said, numbers.model, item=item, label=label, at=float(trial))
            chance = np.exp(bank.total_evidence[0] - before)
            chance = chance if said[0] * label > 0 else 1.0 - chance
            assert found.chance[row, trial] == pytest.approx(chance, abs=1e-9)
            bank = bank.shown(
                x, label * numbers.margin, attention=1.0, drift=0.0, items=item, at=float(trial)
            )


def test_difficulty_and_practice_are_those_of_the_library() -> None:
    data, variant = skills_table(people=3), Variant(step="none", practice=True, drift=False)
    numbers = plan(parameters(data, variant) | {"right": 0.4, "wrong": -0.3}, data, variant)
    easy = np.random.default_rng(0).standard_normal(data.items)
    found = follow(numbers, data, easy[data.item], variant)
    belief = Belief(np.tile(numbers.mean, (3, 1)), np.tile(numbers.covariance, (3, 1, 1)))
    bank = BeliefBank.of(belief, np.zeros(3), numbers.usual, numbers.rates)
    practice = Practice.none(3, data.skills)
    for trial in range(data.said.shape[1]):
        said, skill = data.said[:, trial], data.skill[:, trial]
        extra = easy[data.item[:, trial]] + practice.score(skill, 0.4, -0.3)
        before = bank.total_evidence
        bank = bank.heard(data.x[:, trial], said, numbers.model, extra=extra)
        given = np.exp(bank.total_evidence - before)
        chance = np.where(said > 0, given, 1.0 - given)
        assert found.chance[said != 0, trial] == pytest.approx(chance[said != 0], abs=1e-12)
        practice = practice.after(skill, said)


def classes_table() -> Trials:
    """Return people who learn three classes of pictures, with the answers that they choose."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, (24, 8))
    knows = rng.random((24, 1)) < 0.5
    guess = rng.integers(0, 3, kind.shape)
    answer = np.where(knows & (rng.random(kind.shape) < 0.9), kind, guess)
    said, taught = np.where(answer == kind, 1.0, -1.0), np.tile(np.arange(8) < 4, (24, 1))
    item = 4 * kind + rng.integers(0, 4, kind.shape)
    ones = np.ones(kind.shape)
    return Trials(np.arange(24), said, ones, item, kind, np.eye(3)[kind], taught, ~taught, answer)


def test_which_answer_is_predicted_from_the_answers_before() -> None:
    data = classes_table()
    train = np.arange(24) % 2 == 0
    assert data.chosen is not None
    later = data.chosen.copy()
    later[~train, 5:] = (later[~train, 5:] + 1) % 3
    past, test = data.some(train), data.some(~train)
    values = fit_choice(past, step=True, steps=2)
    before = predict_choice(values, past, test, step=True)
    assert before.sum(axis=2) == pytest.approx(1.0)
    changed = data._replace(chosen=later).some(~train)
    after = predict_choice(values, past, changed, step=True)
    assert after[:, :6] == pytest.approx(before[:, :6], abs=1e-12)
    losses = [
        (choice_losses(chances, test) * test.scored).sum()
        for chances in (before, class_answers(past)[test.skill])
    ]
    assert losses[0] < losses[1]
    shown = predict_choice(values, past, test, step=True, labels=(test.skill + 1) % 3)
    assert (shown[:, 0] == before[:, 0]).all()
    right = [
        np.take_along_axis(one, test.skill[..., None], 2)[:, 4:].mean() for one in (before, shown)
    ]
    assert right[0] > right[1]  # wrong labels teach wrong answers


def test_scores_have_errors_over_people_and_calibration() -> None:
    data = skills_table()
    chance = np.full(data.said.shape, 0.5)
    score = scored(data, folds_of(data, 5), chance)
    assert score.loss == pytest.approx(np.log(2))
    assert score.error == pytest.approx(0.0, abs=1e-12)
    assert score.auc == 0.5
    assert sum(count for _, _, count in score.calibration()) == (data.said != 0).sum()
    assert losses_of(chance, data)[0, -1] == 0.0


def test_a_comparison_has_controls_and_a_table() -> None:
    data = rule_table()
    which = people.SETS["shepard"]._replace(
        steps=(1,), variants={"facts only": Variant(memory=True, rule=False)}, others={}
    )
    found = compared(data, which)
    assert list(found) == [
        OURS,
        "examples in another order",
        "examples with random labels",
        "facts only",
    ]
    assert found["examples with random labels"].loss > found[OURS].loss
    assert "+-" in people.table_of(found)


def _chance_after(days: float, forgetting: str = "fitted") -> float:
    """Return the chance of a right answer after five right ones and some days."""
    said, ones = np.ones((1, 6)), np.ones((1, 6, 1))
    zeros, every = np.zeros((1, 6), dtype=np.int64), np.ones((1, 6), dtype=bool)
    when = np.array([[0.0, 1e-4, 2e-4, 3e-4, 4e-4, days]])
    one = np.zeros(1, dtype=np.int64)
    data = Trials(one, said, said, zeros, zeros, ones, every, every, when=when)
    variant = Variant(step="none", memory=True, forgetting=forgetting)
    values = parameters(data, variant) | {"together": -5.0, "drift": -9.0}
    if forgetting == "fitted":
        values |= {"stability": np.log(2.0), "exponent": np.log(0.8)}
    return float(follow(plan(values, data, variant), data, np.zeros((1, 6)), variant).chance[0, -1])


def test_memory_fades_with_the_days_between_answers() -> None:
    """With times, forgetting depends on them and not on the number of answers between."""
    at_once, next_day, next_month = (_chance_after(days) for days in (0.001, 1.0, 30.0))
    assert at_once > next_day > next_month
    assert _chance_after(0.001, "none") == pytest.approx(_chance_after(30.0, "none"))
    assert _chance_after(1.0, "usual") != pytest.approx(next_day, abs=1e-3)
