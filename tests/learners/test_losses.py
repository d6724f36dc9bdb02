"""Losses and their derivatives."""

from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from homeroom._arrays import Floats, to_numpy
from homeroom.learners import Absolute, AbstractLoss, Hinge, Logistic, OwnLoss, Squared
from homeroom.learners.losses import labels_for, loss_of

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


@pytest.mark.parametrize("xp", [np, strict])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@ALL
def test_slopes_keep_library_precision_and_shape(
    loss: AbstractLoss, value: Value, xp: Any, dtype: str
) -> None:
    if loss is HUBER and xp is strict:
        pytest.skip("this loss is written in NumPy")
    rng = np.random.default_rng(3)
    shape = (6, 4) if loss.outputs == 1 else (6, 4, loss.outputs)
    scores, labels = rng.standard_normal(shape), np.array([1.0, 1.0, 2.0, 1.0][: shape[1]])
    if loss.outputs == 1:
        labels = np.array([1.0, -1.0, -1.0, 1.0])
    dtype = getattr(xp, dtype)
    found = loss.slopes(xp.asarray(scores, dtype=dtype), xp.asarray(labels, dtype=dtype))
    assert found.dtype == dtype
    assert found.shape == shape
    expected = np.stack([
        [slopes_at(loss, np.atleast_1d(scores[i, j]), labels[j]) for j in range(4)]
        for i in range(6)
    ]).reshape(shape)  # fmt: skip
    np.testing.assert_allclose(to_numpy(found), expected, atol=1e-6)


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

    @pytest.mark.parametrize("loss", [Hinge(), np.subtract])
    def test_classes_need_a_loss_by_name(self, loss: Any) -> None:
        with pytest.raises(ValueError, match="`classes` needs a loss given by name, as in"):
            loss_of(loss, classes=3)

    @pytest.mark.parametrize("loss", [3, None, Hinge])
    def test_anything_else_is_refused(self, loss: Any) -> None:
        with pytest.raises(
            TypeError,
            match=r"`loss` must be one of absolute, hinge, logistic, "
            r"squared, a function slope\(scores, labels\), or a ",
        ):
            loss_of(loss)

    def test_an_unknown_name_suggests_a_similar_one(self) -> None:
        with pytest.raises(ValueError, match="no loss called 'squarred': did you mean 'squared'"):
            loss_of("squarred")

    def test_a_loss_without_classes_takes_none(self) -> None:
        with pytest.raises(ValueError, match="unexpected keyword argument 'classes'; squared take"):
            loss_of("squared", classes=3)


@pytest.mark.parametrize("loss", [Logistic, Hinge])
def test_there_are_at_least_two_classes(loss: Any) -> None:
    with pytest.raises(ValueError, match="`classes` must be at least 2, but is 1"):
        loss(classes=1)
    with pytest.raises(TypeError, match=r"`classes` must be a whole number, but is 2\.5"):
        loss(classes=2.5)


def test_a_user_defined_loss_states_the_kind_of_its_answers() -> None:
    with pytest.raises(ValueError, match="`answers` must be 'real' or 'sign', but is 'both'"):
        OwnLoss(np.subtract, answers="both")


@pytest.mark.parametrize(
    ("slope", "returned"),
    [
        (lambda s, y: (s - y)[:, None], r"shape \(3, 1\)"),
        (lambda s, y: np.sum(s), r"shape \(\)"),
        (lambda s, y: 1.0, "float"),
        (lambda s, y: None, "NoneType"),
    ],
)
def test_a_user_defined_slope_must_have_the_shape_of_the_scores(slope: Any, returned: str) -> None:
    message = (
        rf"`slope` must return one number for each score, shape \(3,\), but returned {returned}"
    )
    with pytest.raises(ValueError, match=message):
        OwnLoss(slope).slopes(np.ones(3), np.array(0.0))


SIGNS = r"`labels` must be -1 and \+1, or 0 and 1, for this loss, but are"
CLASSES = "must be classes 1 to 3, or 0 to 2, for this loss, but are"


@pytest.mark.parametrize(
    ("loss", "labels", "message"),
    [
        (Logistic(), [1.0, 0.0, -1.0], rf"{SIGNS} -1, 0, 1\."),
        (Hinge(), [2.0, 1.0], rf"{SIGNS} 1, 2\."),
        (OwnLoss(np.subtract, answers="sign"), [0.5], rf"{SIGNS} 0\.5\."),
        (Hinge(classes=3), [3.0, 0.0], rf"{CLASSES} 0, 3\."),
        (Logistic(classes=3), [4.0], rf"{CLASSES} 4\."),
        (Logistic(classes=3), np.arange(1.0, 9.0), rf"{CLASSES} 1, 2, 3, 4, 5, 6, \.\.\.\."),
        (Logistic(classes=3), [1.5], rf"{CLASSES} 1\.5\."),
    ],
)
def test_labels_that_a_loss_does_not_know_are_refused(
    loss: AbstractLoss, labels: list[float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        labels_for(loss, np.array(labels))


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
    with pytest.raises(ValueError, match="must be numbers for the loss Squared, but are texts suc"):
        labels_for(Squared(), labels, classes)
    with pytest.raises(
        ValueError,
        match=r"must be 3 different texts for this loss, but are 2: 'moth', 'wasp'\. Use, for "
        r"example, GradientLearner\('logistic', classes=2\)",
    ):
        labels_for(Logistic(classes=3), labels, classes)
