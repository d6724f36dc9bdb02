"""All experiments by name. A worker looks up the experiment of a cell here."""

from __future__ import annotations

from collections.abc import Callable

from homeroom.paper import lessons_insects, lessons_letters, lessons_synthetic, lessons_theory
from homeroom.paper.rows import Row

EXPERIMENTS: dict[str, Callable[..., list[Row]]] = {
    experiment.__name__: experiment
    for experiment in (
        lessons_synthetic.rates,
        lessons_synthetic.knowledge,
        lessons_synthetic.whole_class,
        lessons_synthetic.lesson,
        lessons_synthetic.counter_examples,
        lessons_synthetic.noisy_states,
        lessons_synthetic.individually,
        lessons_synthetic.who_takes_longer,
        lessons_synthetic.three_ways,
        lessons_insects.insects,
        lessons_insects.insect_map,
        lessons_insects.insects_shown,
        lessons_letters.pen_samples,
        lessons_letters.pen_shown,
        lessons_letters.pen_costs,
        lessons_letters.pen_word,
        lessons_theory.theorem,
        lessons_theory.noisy_moments,
        lessons_theory.random_rates,
        lessons_theory.langevin,
        lessons_theory.attention,
        lessons_theory.boredom,
        lessons_theory.hyperplanes,
        lessons_theory.pool,
        lessons_theory.against_rank,
        lessons_theory.against_students,
        lessons_theory.against_eps,
        lessons_theory.mean_direction,
    )
}
