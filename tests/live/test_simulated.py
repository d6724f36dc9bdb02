from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from homeroom.live.activities import catalogue, insects
from homeroom.live.events import PhaseBegan
from homeroom.live.registry import ClassRegistry
from homeroom.live.simulated import Mind, attend, crowd
from homeroom.live.store import open_store


def a_mind(seed: int = 0) -> Mind:
    space = insects.activity().space
    assert space is not None
    return Mind.some(space, np.random.default_rng(seed))


def test_a_mind_answers_yes_with_the_probability_of_its_state() -> None:
    mind = a_mind()
    item = mind.space.ids[3]
    chance = ndtr(mind.state @ mind.space.rows[3] / mind.space.sigma)
    share = np.mean([mind.answers(item) == 1 for _ in range(2000)])
    assert abs(share - chance) < 4 * np.sqrt(0.25 / 2000)


def test_every_example_moves_a_mind_towards_the_target() -> None:
    """For ``rate |x|^2 < 2`` a gradient step never leads away."""
    mind = a_mind()
    target = mind.space.target
    distances = [np.linalg.norm(mind.state - target)]
    for item in 5 * mind.space.ids:
        mind.learns(item)
        distances.append(np.linalg.norm(mind.state - target))
    assert np.all(np.diff(distances) <= 1e-12)
    assert distances[-1] < 0.5 * distances[0]


def test_minds_differ() -> None:
    assert not np.allclose(a_mind(0).state, a_mind(1).state)
    assert np.array_equal(a_mind(1).state, a_mind(1).state)


def test_a_class_of_simulated_students_learns() -> None:
    async def lesson() -> list[float]:
        with open_store(":memory:") as store:
            registry = ClassRegistry(store)
            class_id, _ = await registry.create("demo", insects.ID, goal=0.2)
            tasks = [
                asyncio.create_task(attend(registry, class_id, f"s{number}", number, (0.0, 0.001)))
                for number in range(6)
            ]
            live = await registry.find(class_id)
            while len(live.state.here) < 6:
                await asyncio.sleep(0.01)
            await registry.act(class_id, PhaseBegan("teach"))
            while live.state.last_round < 12 and live.state.finished is None:
                await asyncio.sleep(0.01)
            errors = [point.total for point in live.state.errors]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await registry.close()
            return errors

    errors = asyncio.run(asyncio.wait_for(lesson(), 120))
    assert len(errors) >= 5
    assert errors[-1] < 0.7 * errors[0]


def test_simulated_students_need_a_map(monkeypatch: pytest.MonkeyPatch) -> None:
    unmapped = replace(insects.activity(), places=None, target=None)
    monkeypatch.setattr(catalogue, "find", lambda _store, _id: unmapped)

    async def lesson() -> None:
        with open_store(":memory:") as store:
            registry = ClassRegistry(store)
            class_id, _ = await registry.create("demo", insects.ID)
            with pytest.raises(
                ValueError, match="need an activity with a map, such as the insects"
            ):
                await attend(registry, class_id, "Ada", 1)
            await registry.close()

    asyncio.run(lesson())


def test_students_leave_if_the_server_stops_while_they_join() -> None:
    async def lesson() -> None:
        with open_store(":memory:") as store:
            registry = ClassRegistry(store)
            class_id, _ = await registry.create("demo", insects.ID)
            joining = asyncio.create_task(crowd(registry, class_id, 20))
            await asyncio.sleep(0.4)
            joining.cancel()
            with pytest.raises(asyncio.CancelledError):
                await joining
            assert not [task for task in asyncio.all_tasks() if "attend" in repr(task)]
            await registry.close()

    asyncio.run(lesson())


def test_a_name_that_is_taken_keeps_only_that_student_away() -> None:
    async def lesson() -> int:
        with open_store(":memory:") as store:
            registry = ClassRegistry(store)
            class_id, _ = await registry.create("demo", insects.ID)
            await registry.join(class_id, "Ben")
            joining = asyncio.create_task(crowd(registry, class_id, 4))
            live = await registry.find(class_id)
            for _ in range(100):
                await asyncio.sleep(0.05)
                if len(live.state.people) == 4:
                    break
            joining.cancel()
            await asyncio.gather(joining, return_exceptions=True)
            await registry.close()
            return len(live.state.people)

    assert asyncio.run(lesson()) == 4  # the visitor, and all but the second student
