"""Paired comparisons and ranks: exact counts, honest intervals, ties."""

import random
from itertools import permutations

import pytest
from scipy import stats

from envyard.card.across import ranked_across
from envyard.card.paired import Ranking, Rewards, compare, ranked
from envyard.card.statistics import Bounds

UNIT = Bounds(0.0, 1.0)


def rewards(values: dict[int, list[float]]) -> Rewards:
    return {
        ((f"task-{task}", 0), attempt): reward
        for task, row in values.items()
        for attempt, reward in enumerate(row)
    }


def solved(seed: int, rate: float, tasks: int = 200) -> Rewards:
    draw = random.Random(seed)
    return rewards({task: [float(draw.random() < rate)] for task in range(tasks)})


def test_only_rollouts_of_the_same_task_and_attempt_are_compared() -> None:
    first = rewards({0: [1.0, 0.0], 1: [1.0], 2: [0.5]})
    second = rewards({0: [0.0], 1: [0.0], 2: [0.5], 3: [1.0]})
    result = compare(first, second, UNIT)
    assert (result.tasks, result.pairs, result.left_out) == (3, 3, 2)
    assert (result.wins, result.ties, result.losses) == (2, 1, 0)
    assert result.difference == 2 / 3


def test_the_other_way_round_everything_is_mirrored() -> None:
    first, second = solved(1, 0.7), solved(2, 0.4)
    one, other = compare(first, second, UNIT), compare(second, first, UNIT)
    assert one.difference == -(other.difference or 0)
    assert (one.low, one.high) == (-(other.high or 0), -(other.low or 0))
    assert (one.wins, one.losses) == (other.losses, other.wins)


def test_a_clear_difference_is_none_of_a_tie_and_an_equal_one_is() -> None:
    assert not compare(solved(1, 0.9), solved(2, 0.3), UNIT).is_tie
    assert compare(solved(1, 0.5), solved(2, 0.5), UNIT).is_tie
    same = compare(solved(1, 0.5), solved(1, 0.5), UNIT)
    assert same.difference == 0.0
    assert same.is_tie
    assert same.low < 0 < same.high  # type: ignore[operator]


def test_nothing_shared_gives_no_number() -> None:
    result = compare(rewards({0: [1.0]}), rewards({1: [1.0]}), UNIT)
    assert (result.difference, result.low, result.high, result.tasks) == (None, None, None, 0)
    assert result.is_tie


def test_the_interval_is_wider_than_that_of_the_t_test_and_agrees_with_it() -> None:
    first, second = solved(1, 0.8, tasks=400), solved(2, 0.4, tasks=400)
    result = compare(first, second, UNIT)
    differences = [first[key] - second[key] for key in first]
    interval = stats.ttest_1samp(differences, 0.0).confidence_interval(0.95)
    assert result.low is not None
    assert result.high is not None
    assert result.low <= interval.low < interval.high <= result.high
    assert result.high - result.low < 3 * (interval.high - interval.low)


def test_ranks_share_a_place_where_the_difference_may_be_zero() -> None:
    rows = [solved(1, 0.1), solved(2, 0.9), solved(3, 0.88), solved(4, 0.12)]
    ranking = ranked(rows, UNIT)
    places = ranking.places
    assert ranking.tasks == 200
    assert [place.rank for place in places] == [1, 1, 3, 3]
    assert {place.index for place in places[:2]} == {1, 2}
    assert (places[0].first, places[0].to_first) == (None, None)
    best, low = places[0].index, places[2].index
    assert [place.first for place in places[1:]] == [best, best, low]


def test_rows_without_rewards_come_last_without_a_rank() -> None:
    ranking = ranked([{}, solved(1, 0.5)], UNIT)
    assert [(place.index, place.rank, place.tasks) for place in ranking.places] == [
        (1, 1, 200), (0, None, 0),
    ]  # fmt: skip
    assert ranked([], UNIT) == Ranking(0, [])
    assert [place.rank for place in ranked([{}, {}], UNIT).places] == [None, None]


def test_a_row_that_fails_at_the_hard_tasks_is_not_ranked_above_one_that_beats_it() -> None:
    fails = rewards({task: [0.8] for task in range(60)})
    better = rewards({task: [1.0 if task < 60 else 0.2] for task in range(200)})
    first, last = ranked([fails, better], UNIT).places
    assert (first.index, first.rank) == (1, 1)
    assert (last.index, last.rank, last.tasks, last.first) == (0, None, 60, 1)
    assert last.to_first is not None
    assert (last.to_first.losses, last.to_first.tasks) == (60, 60)
    assert (last.to_first.high or 0.0) < 0.0


def test_ranks_are_over_the_tasks_that_all_rows_have() -> None:
    fails = rewards({task: [0.8] for task in range(95)})
    better = rewards({task: [1.0 if task < 95 else 0.0] for task in range(100)})
    weaker = rewards({task: [0.7 if task < 95 else 1.0] for task in range(100)})
    ranking = ranked([fails, weaker, better], UNIT)
    assert ranking.tasks == 95
    assert [place.index for place in ranking.places] == [2, 0, 1]
    difference, paired = ranking.places[1].to_first, compare(fails, better, UNIT)
    assert difference is not None
    assert (difference.low, difference.high, difference.losses) == (paired.low, paired.high, 95)


def test_one_row_that_fails_nearly_everywhere_leaves_the_others_their_tasks() -> None:
    rows = [solved(seed, 0.2 * seed) for seed in range(1, 5)]
    broken = rewards({0: [1.0]})
    ranking = ranked([broken, *rows], UNIT)
    assert ranking.tasks == 200
    assert [place.index for place in ranking.places] == [4, 3, 2, 1, 0]
    assert ranking.places[-1].rank is None


def test_tasks_that_most_rows_lack_are_left_out_and_not_the_rows() -> None:
    rows = [solved(seed, 0.3 * seed, tasks=170) for seed in range(1, 4)]
    ranking = ranked([solved(9, 0.5, tasks=200), *rows], UNIT)
    assert ranking.tasks == 170
    assert None not in [place.rank for place in ranking.places]


@pytest.mark.parametrize("seed", range(6))
def test_no_paired_comparison_contradicts_two_ranks(seed: int) -> None:
    draw = random.Random(seed)
    rows = []
    for skill in range(8):
        failing = draw.choice([0.0, 0.01, 0.05, 0.3])
        hard = [draw.random() for _ in range(100)]
        solve = {task: 0.1 + 0.1 * skill - 0.3 * hard[task] for task in range(100)}
        rows.append(
            {
                ((f"task-{task}", 0), attempt): float(draw.random() < solve[task])
                for task in range(100)
                for attempt in range(2)
                if draw.random() >= failing * (1 + hard[task])
            }
        )
    ranks = {place.index: place.rank for place in ranked(rows, UNIT).places}
    for better, worse in permutations([index for index in ranks if ranks[index]], 2):
        if ranks[better] < ranks[worse]:  # type: ignore[operator]
            difference = compare(rows[better], rows[worse], UNIT)
            assert difference.high is not None
            assert difference.high > 0


def test_across_environments_a_row_is_compared_on_tasks_that_all_have() -> None:
    easy = {task: [1.0] for task in range(95)}
    fails = rewards({task: [0.9] for task in range(95)})
    better = rewards(easy | {task: [0.0] for task in range(95, 100)})
    broken = rewards({0: [1.0]})
    complete = rewards({task: [1.0] for task in range(100)})
    places = ranked_across(
        [[fails, complete], [better, complete], [broken, complete], [better, complete]], UNIT
    )
    assert [place.index for place in places] == [1, 3, 0]
    assert [place.mean.value for place in places] == pytest.approx([1.0, 1.0, 0.95])
