"""What a group of annotators believes: how it answers, and where it differs from the expert.

The middle of a group is an annotator on the map with the means of its members' weights and
thresholds. How such an annotator would answer is what the group believes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, softmax

from homeroom._arrays import Floats, Ints
from homeroom._checks import counted, percent
from homeroom.crowd.answers import Answers, Mask
from homeroom.crowd.embedding import Embedding
from homeroom.tables.table import distinct

NAMED = 5
"""How many items are named as examples."""

SURE = 0.6
"""How probable a wrong answer of the middle of a group must be for its item to be listed."""

NOTHING_WRONG = "has no clear misconception"

MOSTLY = 0.5
"""The share of items without a clear answer above which a group is called unsure."""

CLEARLY = 0.3
"""By how much more probable an answer must be than in other groups to be listed."""


class Confusion(NamedTuple):
    """Items to which the middle of a group gives one answer: ``said``.

    ``truth`` is the expert's answer; ``None`` where the group is compared with other groups.
    """

    said: str
    truth: str | None
    items: tuple[str, ...]

    def in_words(self) -> str:
        """Return the confusion as a sentence, with a few of the items."""
        number = counted(len(self.items), "item")
        if self.truth is None:
            return f"says {self.said!r} to {number} more than others ({_examples(self.items)})"
        return f"takes {self.truth!r} for {self.said!r} in {number} ({_examples(self.items)})"


@dataclass(frozen=True)
class GroupBelief:
    """What one group believes.

    Parameters
    ----------
    people
        The number of annotators in the group.
    yes_share
        The share of their answers that are yes; nan if there are more than two classes.
    right_share
        The share of their answers that agree with the expert; nan if no label is known.
    wrongly_yes, wrongly_no
        The items to which the middle of the group says yes and the expert no, and vice versa; the
        most probable first.
    more_yes, more_no
        The items to which the group says yes (or no) clearly more often than other groups; the
        clearest first.
    shares
        With more than two classes: the share of each class among their answers.
    confusions
        With more than two classes: which class the middle of the group clearly takes for which, the
        most items first; without an expert, what it says more often than other groups.
    unsure
        With more than two classes: the share of items to which the middle of the group gives no
        clear answer.
    """

    people: int
    yes_share: float
    right_share: float
    wrongly_yes: tuple[str, ...]
    wrongly_no: tuple[str, ...]
    more_yes: tuple[str, ...] = ()
    more_no: tuple[str, ...] = ()
    shares: tuple[float, ...] = ()
    confusions: tuple[Confusion, ...] = ()
    unsure: float = 0.0

    def in_words(self, positive: str = "yes", negative: str = "no") -> str:
        """Return how the group differs from the expert, or without one from other groups.

        >>> GroupBelief(3, 0.5, 0.9, ("a", "b"), ()).in_words("duck", "goose")
        "takes 2 items wrongly for 'duck' (a, b)"
        >>> wrong = (Confusion("owl", "kite", ("a", "b")),)
        >>> GroupBelief(3, np.nan, 0.9, (), (), shares=(0.5, 0.5), confusions=wrong).in_words()
        "takes 'kite' for 'owl' in 2 items (a, b)"
        """
        if self.shares:
            said = "; ".join(wrong.in_words() for wrong in self.confusions[:NAMED])
            rest = len(self.confusions) - NAMED
            said += f"; and {rest} more" if rest > 0 else ""
            if self.unsure > MOSTLY:
                unsure = f"gives no clear answer to {percent(self.unsure)} of the items"
                return f"{unsure}; {said}" if said else unsure
            return said or ("is like others" if np.isnan(self.right_share) else NOTHING_WRONG)
        if np.isnan(self.right_share):
            kinds = ((positive, self.more_yes), (negative, self.more_no))
            return (
                _sentences(kinds, "says {name!r} to {number} more than others") or "is like others"
            )
        kinds = ((positive, self.wrongly_yes), (negative, self.wrongly_no))
        return _sentences(kinds, "takes {number} wrongly for {name!r}") or NOTHING_WRONG


def beliefs(answers: Answers, found: Embedding, groups: Ints) -> list[GroupBelief]:
    """Return what each group believes, from its answers and from the map.

    Parameters
    ----------
    answers
        The answers.
    found
        The map that was fitted to them.
    groups
        The group of each annotator, counted from 0, from :meth:`homeroom.Embedding.groups`.
    """
    if len(answers.classes) > 2:
        return _class_beliefs(answers, found, groups)
    labels = answers.labels[answers.item]
    right, known = answers.yes == (labels > 0), np.isfinite(labels)
    group_of = groups[answers.person]
    yes = np.array([_yes_chances(found, groups == group) for group in range(int(groups.max()) + 1)])
    return [
        GroupBelief(
            int((groups == group).sum()),
            _share(answers.yes[group_of == group]),
            _share(right[(group_of == group) & known]),
            _names_above(answers.items, np.where(answers.labels < 0, yes[group], 0), SURE),
            _names_above(answers.items, np.where(answers.labels > 0, 1 - yes[group], 0), SURE),
            *_more_than_others(answers.items, yes, group),
        )
        for group in range(len(yes))
    ]


def _class_beliefs(answers: Answers, found: Embedding, groups: Ints) -> list[GroupBelief]:
    """Return what each group believes, with more than two classes."""
    expert = answers.experts[answers.item]
    right, known = answers.choices == expert, expert >= 0
    group_of = groups[answers.person]
    chances = np.array(
        [_answer_chances(found, groups == group) for group in range(int(groups.max()) + 1)]
    )
    return [
        GroupBelief(
            int((groups == group).sum()),
            float("nan"),
            _share(right[(group_of == group) & known]),
            (),
            (),
            shares=tuple(
                _share(answers.choices[group_of == group] == code)
                for code in range(len(answers.classes))
            ),
            confusions=_confusions(answers, chances, group),
            unsure=_share(chances[group].max(axis=1) <= SURE),
        )
        for group in range(len(chances))
    ]


def _confusions(answers: Answers, chances: Floats, group: int) -> tuple[Confusion, ...]:
    """Return which classes the middle of a group confuses, those with most items first.

    ``chances`` are those of each answer, shape ``(groups, items, K)``.
    """
    names, classes, experts = answers.items, answers.classes, answers.experts
    said = chances[group].argmax(axis=1)
    found = []
    if (experts >= 0).any():
        for truth in range(len(classes)):
            for code in range(len(classes)):
                wrong = (experts == truth) & (said == code) & (code != truth)
                items = _names_above(names, np.where(wrong, chances[group, :, code], 0), SURE)
                found.append(Confusion(classes[code], classes[truth], items))
    elif len(chances) > 1:
        more = chances[group] - np.delete(chances, group, axis=0).mean(axis=0)
        for code, name in enumerate(classes):
            found.append(Confusion(name, None, _names_above(names, more[:, code], CLEARLY)))
    return tuple(sorted((one for one in found if one.items), key=lambda one: -len(one.items)))


def _answer_chances(found: Embedding, members: Mask) -> Floats:
    """Return how likely the middle of some annotators gives each answer, ``(items, K)``."""
    weights, thresholds = found.people[members].mean(axis=0), found.thresholds[members].mean(axis=0)
    return np.asarray(softmax(found.items @ weights.T - thresholds, axis=1))


ONE_GROUP = (
    "All annotators are in one group. Groups that do not stand out are formed only if you give "
    "their number, as with k=2 (--k 2); annotators with the same answers are never separated."
)
"""The remark shown if there is only one group."""


def belief_table(
    answers: Answers, believed: Sequence[GroupBelief]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return what groups believe as a table: its header, and one row per group."""
    alone = len(believed) == 1 and np.isnan(believed[0].right_share)
    several = len(answers.classes) > 2
    rows: list[tuple[str, ...]] = [
        (
            str(number),
            str(belief.people),
            _common(answers, belief) if several else percent(belief.yes_share),
            percent(belief.right_share),
            "is the whole crowd" if alone else belief.in_words(answers.positive, answers.negative),
        )
        for number, belief in enumerate(believed, start=1)
    ]
    say = "say mostly" if several else f"say {answers.positive!r}"
    return ("group", "annotators", say, "like the expert", "belief"), rows


def _common(answers: Answers, belief: GroupBelief) -> str:
    """Return the two most common answers of a group."""
    order = np.argsort(-np.array(belief.shares), kind="stable")[:2].tolist()
    names = distinct(answers.classes, 20)
    return ", ".join(f"{names[at]!r} {percent(belief.shares[at])}" for at in order)


def _yes_chances(found: Embedding, members: Mask) -> Floats:
    """Return how likely the middle of some annotators says yes to each item."""
    weights, threshold = found.people[members].mean(axis=0), found.thresholds[members].mean()
    probable: Floats = ndtr(found.items @ weights - threshold)
    return probable


def _more_than_others(
    names: Sequence[str], yes: Floats, group: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the items to which a group says yes, and no, more often than other groups.

    ``yes`` is how likely the middle of each group says yes, shape ``(groups, items)``.
    """
    if len(yes) == 1:
        return (), ()
    more = yes[group] - np.delete(yes, group, axis=0).mean(axis=0)
    return _names_above(names, more, CLEARLY), _names_above(names, -more, CLEARLY)


def _names_above(names: Sequence[str], values: Floats, least: float) -> tuple[str, ...]:
    """Return the names with a value above ``least``, the greatest first."""
    chosen = np.flatnonzero(values > least)
    order = chosen[np.argsort(-values[chosen], kind="stable")]
    return tuple(names[item] for item in order.tolist())


def _share(values: Mask) -> float:
    """Return the share of true values; nan if there are none."""
    return float(values.mean()) if len(values) else float("nan")


def _sentences(kinds: Sequence[tuple[str, Sequence[str]]], sentence: str) -> str:
    """Return a sentence per kind of items, with a few of their names; empty if there are none."""
    return "; ".join(
        f"{sentence.format(name=name, number=counted(len(items), 'item'))} ({_examples(items)})"
        for name, items in kinds
        if items
    )


def _examples(names: Sequence[str]) -> str:
    """Return the first few names, shortened so that they stay different."""
    more = ", ..." if len(names) > NAMED else ""
    return ", ".join(distinct(names[:NAMED], 40)) + more
