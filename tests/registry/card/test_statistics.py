"""Intervals against figures from elsewhere and against their own laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envyard.card.statistics import bootstrap_mean, percentile, wilson


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    # Newcombe 1998, table I, method 3 (Wilson's score interval without continuity correction).
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(hits: int, n: int, low: float, high: float) -> None:
    assert wilson(hits, n) == pytest.approx((low, high), abs=5e-5)


def test_nothing_counted_has_no_interval() -> None:
    assert wilson(0, 0) == (None, None)


@given(st.integers(1, 10_000), st.data())
def test_wilson_holds_the_rate_and_stays_within_its_bounds(n: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, n))
    low, high = wilson(hits, n)
    assert low is not None
    assert high is not None
    assert 0 <= low <= hits / n <= high <= 1


def test_one_task_has_no_interval() -> None:
    assert bootstrap_mean({0: [0.0, 1.0, 1.0]}) == (None, None)
    assert bootstrap_mean({0: [1.0], 1: []}) == (None, None)


def test_equal_rewards_have_no_spread() -> None:
    assert bootstrap_mean({0: [0.5], 1: [0.5], 2: [0.5]}) == (0.5, 0.5)


def test_rollouts_of_one_task_do_not_narrow_the_interval() -> None:
    few = bootstrap_mean({task: [float(task % 2)] for task in range(10)})
    many = bootstrap_mean({task: [float(task % 2)] * 50 for task in range(10)})
    assert few == many


def test_the_interval_narrows_with_more_tasks() -> None:
    few = bootstrap_mean({task: [float(task % 2)] for task in range(8)})
    many = bootstrap_mean({task: [float(task % 2)] for task in range(200)})
    assert None not in (*few, *many)
    assert many[1] - many[0] < few[1] - few[0]  # type: ignore[operator]
    # The normal interval of 200 coin flips is 0.5 +- 0.069.
    assert many == pytest.approx((0.431, 0.569), abs=0.01)


def test_percentiles_are_interpolated() -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], 0.5) == 2.5
    assert percentile([1.0], 0.95) == 1.0
    assert percentile([0.0, 10.0], 0.95) == 9.5
