"""Tasks that weak models solve and strong ones fail: found, and no sound task accused."""

import random

import pytest
from scipy import stats

from envyard.card.items import MIN_MODELS, negative_items
from envyard.card.paired import Rewards
from envyard.card.statistics import Bounds

TASKS, ATTEMPTS = 60, 4
UNIT = Bounds(0.0, 1.0)


def model(seed: int, skill: float, *, wrong: frozenset[int] = frozenset()) -> Rewards:
    """Solves each task with probability `skill`, and those with a wrong label with the rest."""
    draw = random.Random(seed)
    return {
        ((f"task-{task:02}", 0), attempt): float(
            draw.random() < ((1.0 - skill) if task in wrong else skill)
        )
        for task in range(TASKS)
        for attempt in range(ATTEMPTS)
    }


def models(count: int, *, seed: int, wrong: frozenset[int] = frozenset()) -> list[Rewards]:
    return [
        model(seed * 100 + at, 0.05 + 0.9 * at / (count - 1), wrong=wrong) for at in range(count)
    ]


def test_tasks_with_a_wrong_label_are_found() -> None:
    items = negative_items(models(12, seed=1, wrong=frozenset({3, 17})), UNIT)
    assert {item.task[0] for item in items} == {"task-03", "task-17"}
    assert all(item.high < 0 and item.models == 12 for item in items)


@pytest.mark.parametrize("count", [4, 8, 16])
def test_no_sound_task_is_accused_over_many_seeds(count: int) -> None:
    assert not any(negative_items(models(count, seed=seed), UNIT) for seed in range(20))


def test_models_of_equal_strength_accuse_no_task() -> None:
    for seed in range(20):
        assert not negative_items([model(seed * 10 + at, 0.5) for at in range(8)], UNIT)


def test_fewer_models_than_the_interval_needs_give_nothing() -> None:
    assert negative_items(models(MIN_MODELS - 1, seed=1, wrong=frozenset({3})), UNIT) == []
    assert negative_items([], UNIT) == []


def test_the_discrimination_is_pearsons_correlation_with_the_other_tasks() -> None:
    rows = models(12, seed=2, wrong=frozenset({5}))
    [item] = negative_items(rows, UNIT)
    values, rest = [], []
    for row in rows:
        own = [reward for (task, _), reward in row.items() if task == item.task]
        others = [reward for (task, _), reward in row.items() if task != item.task]
        values.append(sum(own) / len(own))
        rest.append(sum(others) / len(others))
    expected = stats.pearsonr(values, rest).statistic
    assert item.discrimination == pytest.approx(expected)
