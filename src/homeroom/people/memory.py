"""A learner law without similarity: students remember units (items, kinds or classes)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit, logit

from homeroom._arrays import Floats, Ints
from homeroom.people.laws import AbstractLaw, ClassAnswers

HORIZON = 8.0
"""What counts is what is still known this many rounds after a showing."""

SHOWINGS = 10
"""The number of showings of a unit that are kept, the latest ones."""

WRONG, GUESS, KNOWN = 0, 1, 2
OLD_STRENGTH = np.array([0.0, 0.4, 2.5])
"""The strength of old knowledge in the three states, if knowledge fades."""

MOST_PAIRS = 2**14
"""The largest number of pairs of a student and a unit with states of their own."""

MOST_ROWS = 32
"""If a unit has more rows than this, rows with similar states are merged."""

SPREAD = np.array([-1.2, 0.0, 1.2])
"""Three points that stand for a normal distribution of easiness."""

SHIFTS = np.linspace(-3.0, 3.0, 13)
"""The grid of easiness, in logits."""


class UnitLaw(AbstractLaw):
    """About each unit, a student has a wrong belief, guesses, or knows it.

    All or none: each showing of the unit makes it known with a chance. Fading: a showing ``t``
    rounds ago adds ``t^-decay`` to the strength of the unit, which is recalled with chance
    ``sigmoid((ln strength - threshold) / .35)``; the three states are then old knowledge.

    The easiness of a unit is common to the class. It is fitted when the unit is first asked, to the
    answers of all students. Students who answered all questions about a unit alike share a row of
    its table of states. The first rows are those of each cohort's students who never answered. Only
    the units that were asked or shown last have a table, so that the cost of a round does not grow;
    for the others, the mean of each cohort is kept.

    Parameters
    ----------
    students
        Their number.
    units
        The unit of each item, counted from 0.
    chances
        The chance to guess each item.
    """

    kept = (*AbstractLaw.kept, "easiness")

    def __init__(self, students: int, units: Ints, chances: Floats) -> None:
        known, tops = (0.1, 0.35, 0.65, 0.9), (0.97, 0.8)
        sudden = [(a, 0.0, 0.0, k, top) for a, k, top in product((0.1, 0.3, 0.6, 0.9), known, tops)]
        fading = [
            (0.0, decay, threshold, k, 0.97)
            for decay, threshold, k in product((0.25, 0.5), (-1.4, -0.5), (0.15, 0.4, 0.7))
        ]
        grid = np.array(sudden + fading)
        super().__init__(students, np.where(grid[:, 4] < 0.9, 0.25, 1.0))
        self.learns, self.decay, self.threshold, level, self.top = grid.T
        self.level, self.fades = logit(level), self.decay > 0.0
        self.units, self.sizes = units, np.bincount(units) / len(units)
        self.guess: Floats = np.bincount(units, chances) / np.bincount(units)
        number = len(self.sizes)
        self.asked = np.zeros(number, dtype=bool)
        self.easiness = np.zeros(number)
        self.centre, self.spread = 0.0, 1.0  # of the easiness of units that were not asked
        self.time, self.shown_at = 0.0, np.full((number, SHOWINGS), -np.inf)
        self.joined_at = np.full(1, -np.inf)  # of each cohort
        self.tables = dict[int, Floats]()  # of some units: (rows, hypotheses, 3)
        self.row_cohorts = dict[int, Ints]()
        self.rows: Ints = np.zeros((students, number), dtype=np.int64)
        self.touched = np.zeros(number, dtype=bool)
        self.means = self._begin(np.zeros((1, number)), 1.0)  # of each cohort

    # ------------------------------------------------------------------ before the lesson

    def _begin(self, easiness: Floats, spread: float) -> Floats:
        """Return the shares of the three states before the lesson, shape ``(..., hypotheses, 3)``.

        For units whose easiness is around ``easiness``, with this standard deviation.
        """
        points = easiness[..., None, None] + spread * SPREAD
        known = expit(self.level[:, None] + points).mean(axis=-1)
        wrong = np.where(self.fades, 0.0, 0.2 * (1.0 - known))
        return np.stack([wrong, 1.0 - known - wrong, known], axis=-1)

    def _begin_unit(self, unit: int) -> Floats:
        """Return the states before the lesson of a unit, as known now: ``(hypotheses, 3)``."""
        if self.asked[unit]:
            return self._begin(self.easiness[unit], 0.0)
        return self._begin(np.array(self.centre), self.spread)

    def _touch(self, unit: int) -> None:
        """Make a table for a unit, if it has none; the oldest table is replaced by its mean."""
        self.touched[unit] = True
        if unit in self.tables:
            return
        if (len(self.tables) + 1) * len(self.rows) > MOST_PAIRS and self.tables:
            oldest = next(iter(self.tables))
            del self.tables[oldest], self.row_cohorts[oldest]
        self.tables[unit] = self.means[:, unit].copy()
        self.row_cohorts[unit] = np.arange(self.cohort_count)
        self.rows[:, unit] = self.cohorts

    def _change_table(self, unit: int, states: Floats) -> None:
        """Replace the states of a table; keep their mean over the students of each cohort."""
        self.tables[unit], cohorts = states, self.row_cohorts[unit]
        counts = np.bincount(self.rows[:, unit], minlength=len(states)).astype(np.float64)
        counts[: self.cohort_count] += 1e-9  # of those who never answered, if there are no others
        total = np.bincount(cohorts, counts)[cohorts]
        share = (counts / total) * (cohorts == np.arange(self.cohort_count)[:, None])
        self.means[:, unit] = np.tensordot(share, states, axes=1)

    # ------------------------------------------------------------------ chances

    def _state_chances(self, units: Ints, ahead: float = 0.0, *, shown: bool = False) -> Floats:
        """Return the chance of a right answer in each state: ``(cohorts, units, hypotheses, 3)``.

        It is the chance ``ahead`` rounds from now; with ``shown``, as if the units were shown now.
        """
        guess, top, fades = self.guess[units, None], self.top, self.fades
        chances = np.empty((self.cohort_count, len(units), len(top), 3))
        chances[..., WRONG] = 0.4 * guess
        chances[..., GUESS] = guess
        chances[..., KNOWN] = top
        recall = self._recall(units, ahead, shown=shown)
        chances[:, :, fades] = guess[:, None] + (top[fades] - guess)[:, :, None] * recall
        return chances

    def _recall(self, units: Ints, ahead: float, *, shown: bool) -> Floats:
        """Return the chance of recall in each state: ``(cohorts, units, fading hypotheses, 3)``."""
        shown_at = self.shown_at[units]
        ages = np.maximum(self.time + ahead - shown_at, 0.5)
        there = shown_at >= self.joined_at[:, None, None]
        decays, place = np.unique(self.decay[self.fades], return_inverse=True)
        strength = np.stack([(there * ages**-decay).sum(axis=2) for decay in decays], axis=2)
        if shown:
            strength += (ahead + 0.5) ** -decays
        strength = np.log(strength[..., None] + OLD_STRENGTH + 1e-9)[:, :, place]
        return np.asarray(expit((strength - self.threshold[self.fades, None]) / 0.35))

    def rows_of(self, item: int) -> Ints:
        unit = int(self.units[item])
        return np.asarray(self.rows[:, unit] if unit in self.tables else self.cohorts)

    def expect_rows(self, item: int) -> Floats:
        unit = int(self.units[item])
        states = self.tables.get(unit, self.means[:, unit])
        cohorts = self.row_cohorts.get(unit, np.arange(self.cohort_count))
        chances = self._state_chances(np.array([unit]))[cohorts, 0]
        return np.asarray((states * chances).sum(axis=2))

    def expect_all(self) -> Floats:
        """Cost: O(students * hypotheses * tables)."""
        units: Ints = np.array(list(self.tables), dtype=np.int64)
        chances = self._state_chances(np.arange(len(self.sizes))) * self.sizes[:, None, None]
        known = np.einsum("cugs,cugs->cug", self.means, chances)
        if not len(self.rows):
            return np.asarray(known[-1:].sum(axis=1))
        known[:, units] = 0.0
        same = known.sum(axis=1)[self.cohorts]
        if not len(units):
            return np.asarray(same)
        rows = [chances[self.row_cohorts[unit], unit] * self.tables[unit] for unit in self.tables]
        lengths = np.array([len(each) for each in rows])
        places = self.rows[:, units] + np.cumsum(lengths) - lengths
        starts, shape = np.arange(len(places) + 1) * len(units), (len(places), lengths.sum())
        members = csr_array((np.ones(places.size), places.ravel(), starts), shape=shape)
        return np.asarray(same + members @ np.concatenate(rows).sum(axis=2))

    @property
    def shared_variance(self) -> float:
        """Units that were never asked may be easy or difficult for the whole class."""
        points = self.centre + self.spread * SPREAD
        above = self.prior * (self.top - self.guess.mean())
        share = above @ expit(self.level[:, None] + points)
        return float(share.var() * (self.sizes[~self.touched] ** 2).sum())

    # ------------------------------------------------------------------ answers

    def hear(self, item: int, answers: ClassAnswers) -> None:
        unit = int(self.units[item])
        if not self.touched[unit] and answers.heard.any():
            self.easiness[unit] = self._fit_easiness(unit, answers)
        self._ask(unit, answers)
        super().hear(item, answers)

    def _ask(self, unit: int, answers: ClassAnswers) -> None:
        """Begin a unit that is asked for the first time."""
        if not self.touched[unit] and answers.heard.any():
            self._note_easiness(unit)
        self._touch(unit)

    def prepare(self, kept: Mapping[str, Floats]) -> None:
        self.easiness = kept["easiness"].astype(np.float64)

    def _fit_easiness(self, unit: int, answers: ClassAnswers) -> float:
        """Return the easiness of a unit, from the answers to its first question."""
        chances = self._state_chances(np.array([unit]))[0, 0]
        begins = self._begin(SHIFTS, 0.0)
        right = self.weights[answers.heard] @ np.einsum("zgs,gs->gz", begins, chances)
        likely = np.where(answers.right[answers.heard, None], right, 1.0 - right)
        fit = np.log(likely).sum(axis=0) - 0.5 * (SHIFTS / 1.5) ** 2
        return float(np.average(SHIFTS, weights=np.exp(fit - fit.max())))

    def _note_easiness(self, unit: int) -> None:
        """Begin with the easiness of a unit; expect others to be similar."""
        self.asked[unit] = True
        asked = self.easiness[self.asked]
        self.spread = float(np.sqrt((1.0 + ((asked - asked.mean()) ** 2).sum()) / (1 + len(asked))))
        self.centre = float(asked.sum() / (len(asked) + 3.0))
        self.means[:, ~self.touched] = self._begin(np.array(self.centre), self.spread)
        self.means[:, unit] = self._begin_unit(unit)

    def follow(self, item: int, answers: ClassAnswers) -> None:
        """Update the states of the unit of an item by Bayes' rule; students who differ part."""
        unit = int(self.units[item])
        self._ask(unit, answers)
        states, cohorts = self.tables[unit], self.row_cohorts[unit]
        chances = self._state_chances(np.array([unit]))[cohorts, 0]
        number = len(states)
        codes = number * answers.codes + self.rows[:, unit]
        keys = self._regroup(unit, np.append(np.arange(self.cohort_count), codes))
        said, rows = np.divmod(keys, number)
        likely = np.stack([np.ones_like(chances), chances, 1.0 - chances])[said, rows]
        after = states[rows] * likely
        self.row_cohorts[unit] = cohorts[rows]
        self._change_table(unit, after / after.sum(axis=2, keepdims=True))
        if len(after) > MOST_ROWS:
            self._merge_rows(unit)

    def _regroup(self, unit: int, keys: Ints) -> Ints:
        """Give students the rows of their keys, after those of the cohorts; return those keys."""
        rows, places = np.unique(keys, return_inverse=True)
        self.rows[:, unit] = places[self.cohort_count :]
        return rows

    def _merge_rows(self, unit: int) -> None:
        """Merge rows of a cohort in which the unit is about equally well known."""
        states, cohorts = self.tables[unit], self.row_cohorts[unit]
        known = np.round(20.0 * states @ np.array([-0.5, 0.0, 1.0]) @ self.start_prior) + 20.0
        keys = (self.cohort_count + cohorts * 100 + known).astype(np.int64)
        keys[: self.cohort_count] = np.arange(self.cohort_count)
        counts = np.bincount(self.rows[:, unit], minlength=len(states)) + 1e-9
        merged, places = np.unique(keys, return_inverse=True)
        share = counts * (places == np.arange(len(merged))[:, None])
        share /= share.sum(axis=1, keepdims=True)
        self.rows[:, unit] = places[self.rows[:, unit]]
        self.row_cohorts[unit] = cohorts[share.argmax(axis=1)]
        self._change_table(unit, np.tensordot(share, states, axes=1))

    # ------------------------------------------------------------------ showing

    def _learn(self, states: Floats) -> Floats:
        """Return the states once the unit is shown."""
        moved = states[..., :KNOWN] * self.learns[:, None]
        known = states[..., KNOWN:] + moved.sum(axis=-1, keepdims=True)
        return np.concatenate([states[..., :KNOWN] - moved, known], axis=-1)

    def show(self, item: int, rounds: float) -> None:
        unit = int(self.units[item])
        self._touch(unit)
        self._change_table(unit, self._learn(self.tables[unit]))
        self.shown_at[unit] = np.append(self.shown_at[unit, 1:], self.time)
        self.time += rounds

    def gain(self, candidates: Ints) -> Floats:
        """Cost: O(units * hypotheses), independent of the number of students."""
        units, place = np.unique(self.units[candidates], return_inverse=True)
        states, counts = (
            self.means[:, units],
            np.bincount(self.cohorts, minlength=self.cohort_count),
        )
        counts[-1] += not len(self.cohorts)
        now = self._state_chances(units, HORIZON)
        then = self._state_chances(units, HORIZON, shown=True)
        more = (self._learn(states) * then - states * now).sum(axis=3) @ self.class_weights
        return np.asarray((counts / counts.sum() @ more * self.sizes[units])[place])

    # ------------------------------------------------------------------ students

    def add_cohort(self) -> None:
        """Begin a cohort; its first row in a table is after those of the other cohorts."""
        number = self.cohort_count
        begin = np.stack([self._begin_unit(unit) for unit in range(len(self.sizes))])
        self.means = np.concatenate([self.means, begin[None]])
        for unit, table in self.tables.items():
            self.tables[unit] = np.insert(table, number, begin[unit], axis=0)
            self.row_cohorts[unit] = np.insert(self.row_cohorts[unit], number, number)
            self.rows[:, unit] += self.rows[:, unit] >= number
        self.joined_at = np.append(self.joined_at, self.time)
        super().add_cohort()

    def add_student(self) -> None:
        super().add_student()
        self.rows = np.vstack([self.rows, np.full(len(self.sizes), self.cohort_count - 1)])

    def keep_students(self, rows: Ints) -> None:
        super().keep_students(rows)
        self.rows = self.rows[rows]
