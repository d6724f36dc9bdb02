"""Losses and their derivatives."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from homeroom._arrays import Floats
from homeroom.learners import Absolute, AbstractLoss, Hinge, Logistic, OwnLoss, Squared
from homeroom.learners.losses import labels_for, loss_of
from tests.bad_input import refuse

Value = Callable[[Floats, float], float]


def huber(score: Floats, label: float) -> float:
    error = abs(float(score[0]) - label)
    return 0.5 * error**2 if error <= 1 else error - 0.5


def softmax(scores: Floats, label: float) -> float:
    return float(logsumexp(scores)) - float(scores[int(label) - 1])


def crammer_singer(scores: Floats, label: float) -> float:
    rivals = np.delete(scores, int(label) - 1)
    return max(0.0, 1.0 + float(rivals.max()) - float(scores[int(label) - 1]))


HUBER = OwnLoss(lambda scores, labels: np.clip(scores - labels, -1.0, 1.0))

# Each loss with its value, written down once more from the textbook.
LOSSES: dict[str, tuple[AbstractLoss, Value]] = {
    "squared": (Squared(), lambda s, y: 0.5 * (float(s[0]) - y) ** 2),
    "absolute": (Absolute(), lambda s, y: abs(float(s[0]) - y)),
    "logistic": (Logistic(), lambda s, y: float(np.log1p(np.exp(-y * s[0])))),
    "hinge": (Hinge(), lambda s, y: max(0.0, 1.0 - y * float(s[0]))),
    "own": (HUBER, huber),
    "softmax, 2 classes": (Logistic(classes=2), softmax),
    "softmax, 4 classes": (Logistic(classes=4), softmax),
    "Crammer-Singer, 2 classes": (Hinge(classes=2), crammer_singer),
    "Crammer-Singer, 5 classes": (Hinge(classes=5), crammer_singer),
}
ALL = pytest.mark.parametrize(("loss", "value"), LOSSES.values(), ids=LOSSES)


def slopes_at(loss: AbstractLoss, scores: Floats, label: float) -> Floats:
    shaped = scores[None] if loss.outputs > 1 else scores
    return np.asarray(loss.slopes(shaped, np.asarray(label))).reshape(-1)


def some_label(loss: AbstractLoss, rng: np.random.Generator) -> float:
    return float(loss.labels(rng.standard_normal(loss.outputs) if loss.outputs > 1
                             else np.asarray(2 * rng.standard_normal())))  # fmt: skip


@ALL
def test_the_slope_is_the_derivative_of_the_loss(loss: AbstractLoss, value: Value) -> None:
    """slope = d loss / d score, by central differences of the loss itself."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores, label = 2 * rng.standard_normal(loss.outputs), some_label(loss, rng)
        steps = 1e-6 * np.eye(loss.outputs)
        expected = [(value(scores + h, label) - value(scores - h, label)) / 2e-6 for h in steps]
        np.testing.assert_allclose(slopes_at(loss, scores, label), expected, atol=2e-8)


@ALL
@given(data=st.data())
def test_the_slope_is_a_subgradient_even_at_a_kink(
    loss: AbstractLoss, value: Value, data: st.DataObject
) -> None:
    """loss(t) >= loss(s) + <slope(s), t - s> for all s and t; whole numbers hit every kink."""
    here, there = (
        np.array(data.draw(st.lists(numbers, min_size=loss.outputs, max_size=loss.outputs)), float)
        for numbers in (st.integers(-1, 1), st.integers(-9, 9))
    )
    label = float(data.draw(st.integers(1, loss.outputs))) if loss.outputs > 1 else 1.0
    slope = slopes_at(loss, here, label)
    assert value(there, label) >= value(here, label) + slope @ (there - here) - 1e-12


@ALL
def test_the_slope_is_that_of_automatic_differentiation(loss: AbstractLoss, value: Value) -> None:
    torch = pytest.importorskip("torch")
    functions = {
        Squared: lambda s, y: 0.5 * (s[0] - y) ** 2,
        Absolute: lambda s, y: torch.abs(s[0] - y),
        OwnLoss: lambda s, y: torch.nn.functional.huber_loss(s[0], y),
        Logistic: lambda s, y: torch.nn.functional.softplus(-y * s[0]) if loss.outputs == 1
        else torch.nn.functional.cross_entropy(s[None], y.long()[None] - 1),
        Hinge: lambda s, y: torch.relu(1 - y * s[0]) if loss.outputs == 1
        else torch.relu(1 + torch.cat([s[: int(y) - 1], s[int(y) :]]).max() - s[int(y) - 1]),
    }  # fmt: skip
    rng = np.random.default_rng(1)
    for _ in range(20):
        scores, label = rng.standard_normal(loss.outputs), some_label(loss, rng)
        tensor = torch.tensor(scores, requires_grad=True)
        functions[type(loss)](tensor, torch.tensor(label, dtype=torch.float64)).backward()
        np.testing.assert_allclose(slopes_at(loss, scores, label), tensor.grad.numpy(), atol=1e-12)


@ALL
def test_the_targets_answer_has_the_lowest_loss(loss: AbstractLoss, value: Value) -> None:
    """No label costs the target less than the one that is said to be right."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        scores = 2 * rng.standard_normal(loss.outputs)
        right = float(loss.labels(scores if loss.outputs > 1 else scores[0]))
        others = range(1, loss.outputs + 1) if loss.outputs > 1 else (-1.0, 1.0)
        assert all(value(scores, right) <= value(scores, other) for other in others)


@pytest.mark.parametrize("size", [800.0, 1e200])
def test_large_scores_do_not_overflow(size: float) -> None:
    assert Logistic().slopes(np.array([-size, size]), np.array(1.0)).tolist() == [-1.0, 0.0]
    scores = np.array([[size, -size, 0.0]])
    assert Logistic(classes=3).slopes(scores, np.array(2.0)).tolist() == [[1.0, -1.0, 0.0]]
    assert Hinge(classes=3).slopes(scores, np.array(2.0)).tolist() == [[1.0, -1.0, 0.0]]
    assert Hinge(classes=3).slopes(1e100 * scores, np.array(1.0)).tolist() == [[0.0, 0.0, 0.0]]


def test_answers_are_signs_or_classes() -> None:
    scores = np.array([-2.0, 0.0, 3.0])
    loss: AbstractLoss
    for loss in (Logistic(), Hinge(), OwnLoss(np.subtract, answers="sign")):
        assert loss.labels(scores).tolist() == [-1.0, 1.0, 1.0]
    for loss in (Squared(), Absolute(), OwnLoss(np.subtract)):
        assert loss.labels(scores).tolist() == [-2.0, 0.0, 3.0]
    for loss in (Logistic(classes=3), Hinge(classes=3)):
        assert loss.labels(np.array([[0.0, 2.0, 1.0], [5.0, 0.0, 0.0]])).tolist() == [2.0, 1.0]


class TestLossOf:
    def test_names_functions_and_losses_are_taken(self) -> None:
        assert loss_of("squared") == Squared()
        assert loss_of("logistic", classes=4) == Logistic(4)
        assert loss_of(Hinge(3)) == Hinge(3)
        assert loss_of(np.subtract) == OwnLoss(np.subtract)


@pytest.mark.parametrize(
    ("loss", "labels", "expected"),
    [
        (Squared(), [0.0, 1.0, -7.0], [0.0, 1.0, -7.0]),  # numbers mean themselves
        (Logistic(), [1.0, -1.0], [1.0, -1.0]),
        (Logistic(), [1.0, 0.0], [1.0, -1.0]),
        (Hinge(), [0.0], [-1.0]),
        (Hinge(classes=3), [1.0, 3.0], [1.0, 3.0]),
        (Hinge(classes=3), [1.0, 2.0], [1.0, 2.0]),  # without a 0, classes are counted from 1
        (Hinge(classes=3), [2.0, 0.0, 1.0], [3.0, 1.0, 2.0]),
    ],
)
def test_labels_are_taken_as_the_loss_knows_them_or_counted_from_zero(
    loss: AbstractLoss, labels: list[float], expected: list[float]
) -> None:
    assert labels_for(loss, np.array(labels)).tolist() == expected


def test_texts_are_the_classes_in_alphabetical_order() -> None:
    labels, classes = np.array([2.0, 1.0]), ("moth", "wasp")
    assert labels_for(Logistic(), labels, classes).tolist() == [1.0, -1.0]
    assert labels_for(Logistic(classes=2), labels, classes).tolist() == [2.0, 1.0]
    refuse(lambda: labels_for(Squared(), labels, classes), "numbers")
    refuse(lambda: labels_for(Logistic(classes=3), labels, classes), "'moth'", "GradientLearner")
