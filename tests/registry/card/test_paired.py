"""Paired comparisons and ranks: exact counts, honest intervals, ties."""

import random

from scipy import stats

from envyard.card.paired import Rewards, compare, ranked
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
    places = ranked(rows, UNIT)
    assert [place.rank for place in places] == [1, 1, 3, 3]
    assert {place.index for place in places[:2]} == {1, 2}
    assert places[0].to_first is None


def test_rows_without_rewards_come_last_as_ties() -> None:
    places = ranked([{}, solved(1, 0.5)], UNIT)
    assert [place.index for place in places] == [1, 0]
    assert ranked([], UNIT) == []
