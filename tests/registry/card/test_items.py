"""Tasks that weak models solve and strong ones fail: which are named, and how rarely by chance.

The simulations have fixed seeds. docs/evaluations.md states their figures.
"""

import math
import random
from collections.abc import Callable
from typing import Any

import pytest
from scipy import stats

from envyard.card.item_fit import expected_means, intraclass_correlation
from envyard.card.items import MANY, MIN_MODELS, negative_items
from envyard.card.paired import Rewards, Task
from envyard.card.statistics import Bounds

TASKS, ATTEMPTS = 60, 4
UNIT = Bounds(0.0, 1.0)
WRONG = 5  # of 100 tasks, where some are
SETS = 20  # simulated ones of each kind
SIX = [-1.0, -0.5, 0.0, 0.5, 1.0, 1.5]
SHAPES = {  # skills in logits
    "three alike and a weak one": [-1.0, 1.0, 1.0, 1.0],
    "four in steps": [-1.0, 0.0, 1.0, 2.0],
    "four alike and a weak one": [-2.0, 1.5, 1.6, 1.7, 1.5],
    "six in steps": [-1.0, -0.6, -0.2, 0.2, 0.6, 1.0],
    "ten in steps": [step / 3 for step in range(-4, 6)],
}


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


def simulated(
    skills: list[float],
    *,
    seed: int,
    attempts: int,
    slope: Callable[[random.Random], float] = lambda _: 1.0,
    taste: float = 0.0,
    spread: float = 1.5,
    wrong: int = 0,
) -> list[Rewards]:
    """Rewards of 0 and 1 at 100 tasks whose difficulty is normal with that spread, and whose slope
    over the skills is drawn; with `taste` each model is better or worse at single tasks. At the
    first `wrong` tasks it earns what it should not, in three cases of ten."""
    draw = random.Random(seed)
    tasks = [(draw.gauss(0.0, spread), slope(draw)) for _ in range(100)]
    rows: list[Rewards] = []
    for skill in skills:
        row: dict[tuple[Task, int], float] = {}
        for task, (difficulty, steepness) in enumerate(tasks):
            logit = steepness * (skill - difficulty) + (draw.gauss(0.0, taste) if taste else 0.0)
            share = 1.0 / (1.0 + math.exp(-logit))
            share = 0.3 * (1.0 - share) if task < wrong else share
            for attempt in range(attempts):
                row[(f"task-{task:02}", 0), attempt] = float(draw.random() < share)
        rows.append(row)
    return rows


def test_tasks_with_a_wrong_label_are_found() -> None:
    items = negative_items(models(12, seed=1, wrong=frozenset({3, 17})), UNIT)
    assert {item.task[0] for item in items} == {"task-03", "task-17"}
    assert all(item.discrimination < 0 and item.models == 12 for item in items)
    assert all(0 < item.false_share <= 0.1 for item in items)


def test_many_models_find_them_too() -> None:
    items = negative_items(models(MANY + 4, seed=1, wrong=frozenset({3, 17})), UNIT)
    assert {item.task[0] for item in items} == {"task-03", "task-17"}


@pytest.mark.parametrize("count", [4, 8, 16])
def test_no_sound_task_is_accused_over_many_seeds(count: int) -> None:
    assert not any(negative_items(models(count, seed=seed), UNIT) for seed in range(20))


@pytest.mark.slow
@pytest.mark.parametrize("attempts", [1, 4])
@pytest.mark.parametrize("skills", SHAPES.values(), ids=SHAPES)
def test_at_most_one_set_in_twenty_without_errors_accuses_a_task(
    skills: list[float], attempts: int
) -> None:
    accused = sum(
        bool(negative_items(simulated(skills, seed=seed, attempts=attempts), UNIT))
        for seed in range(SETS)
    )
    assert accused <= 0.05 * SETS


@pytest.mark.slow
def test_neither_do_sets_whose_tasks_differ_from_the_fitted_model() -> None:
    kinds: list[dict[str, Any]] = [
        {"taste": 2.0},  # a model always or never solves many a task, whatever its skill
        {"slope": lambda draw: draw.choice([0.0, 0.0, 0.5, 1.0, 2.0])},
        {"slope": lambda draw: 0.0 if draw.random() < 0.05 else 1.0},
    ]
    sets = [
        simulated(SHAPES[shape], seed=seed, attempts=4, **kind)
        for shape in ("six in steps", "ten in steps")
        for kind in kinds
        for seed in range(SETS)
    ]
    assert sum(bool(negative_items(rows, UNIT)) for rows in sets) <= 0.05 * len(sets)


@pytest.mark.slow
@pytest.mark.parametrize(("skills", "least"), [(SIX, 0.3), (SHAPES["ten in steps"], 2.0)])
def test_part_of_five_wrong_labels_is_found_and_nothing_else(
    skills: list[float], least: float
) -> None:
    right = false = 0
    for seed in range(SETS):
        rows = simulated(
            [2 * skill for skill in skills], seed=seed, attempts=4, spread=2.0, wrong=WRONG
        )
        names = [int(item.task[0][5:]) for item in negative_items(rows, UNIT)]
        right += sum(name < WRONG for name in names)
        false += sum(name >= WRONG for name in names)
    assert right / SETS >= least
    assert false <= 0.1 * right


def test_models_of_equal_strength_accuse_no_task() -> None:
    for seed in range(20):
        assert not negative_items([model(seed * 10 + at, 0.5) for at in range(8)], UNIT)


def test_fewer_models_than_an_order_needs_give_nothing() -> None:
    assert negative_items(models(MIN_MODELS - 1, seed=1, wrong=frozenset({3})), UNIT) == []
    assert negative_items([], UNIT) == []


def test_a_model_that_fails_at_most_tasks_does_not_hide_the_others() -> None:
    rows = models(12, seed=1, wrong=frozenset({3, 17}))
    broken = {key: reward for key, reward in rows[0].items() if key[0][0] == "task-00"}
    assert negative_items([*rows, broken], UNIT) == negative_items(rows, UNIT)


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


def test_attempts_of_one_model_are_as_alike_as_they_repeat_each_other() -> None:
    apart = simulated(SHAPES["ten in steps"], seed=1, attempts=4)
    tasks = sorted({task for task, _ in apart[0]})
    values = [[[row[task, attempt] for attempt in range(4)] for task in tasks] for row in apart]
    assert intraclass_correlation(values) < 0.05
    same = [[[row[task, 0]] * 4 for task in tasks] for row in apart]
    assert intraclass_correlation(same) == 1.0
    single = [[[row[task, 0]] for task in tasks] for row in apart]
    assert intraclass_correlation(single) == 0.0


def test_the_fit_has_the_totals_of_models_and_tasks() -> None:
    means = [[0.9, 0.5, 0.2], [0.8, 0.4, 0.3], [0.6, 0.3, 0.1]]
    fitted = expected_means(means)
    for row, own in zip(fitted, means, strict=True):
        assert sum(row) == pytest.approx(sum(own), abs=0.15)
    assert fitted[0][0] > fitted[0][2]
    assert fitted[0][1] > fitted[2][1]
