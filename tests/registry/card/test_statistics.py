"""Intervals against SciPy, statsmodels, published figures and simulated coverage."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from envyard.card.statistics import (
    Bounds,
    Interval,
    bounded_mean,
    clopper_pearson,
    clustered_wilson,
    percentile,
    wilson,
)
from envyard.card.statistics.beta import beta_cdf, t_quantile

RATES = [(0, 5), (5, 5), (1, 29), (15, 148), (81, 263), (9_999, 10_000)]
BOUNDS = Bounds(0.0, 1.0)
SIMULATIONS = 200


def ends(interval: Interval) -> tuple[float, float]:
    """Both ends, which must be there and must differ."""
    assert interval.low is not None
    assert interval.high is not None
    assert interval.low < interval.high
    return interval.low, interval.high


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
    assert ends(wilson(hits, n)) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("hits", "n"), RATES)
@pytest.mark.parametrize(("ours", "theirs"), [(wilson, "wilson"), (clopper_pearson, "beta")])
def test_rates_have_the_intervals_of_statsmodels(
    hits: int, n: int, ours: Callable[[int, int], Interval], theirs: str
) -> None:
    assert ends(ours(hits, n)) == pytest.approx(
        proportion_confint(hits, n, method=theirs), abs=1e-9
    )


@pytest.mark.parametrize(("hits", "n"), RATES)
@pytest.mark.parametrize(("ours", "theirs"), [(wilson, "wilson"), (clopper_pearson, "exact")])
def test_rates_have_the_intervals_of_scipy(
    hits: int, n: int, ours: Callable[[int, int], Interval], theirs: str
) -> None:
    expected = stats.binomtest(hits, n).proportion_ci(method=theirs)
    assert ends(ours(hits, n)) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_the_beta_distribution_is_that_of_scipy() -> None:
    for a in (0.5, 1, 3, 50, 5_000):
        for b in (0.5, 1, 7, 300, 9_000):
            for x in (0.0, 0.001, 0.1, 0.3, 0.5, 0.9, 0.999, 1.0):
                assert beta_cdf(x, a, b) == pytest.approx(stats.beta.cdf(x, a, b), abs=1e-10)


@pytest.mark.parametrize("degrees", [1, 2, 4, 19, 1_000])
def test_students_t_is_that_of_scipy(degrees: int) -> None:
    assert t_quantile(0.975, degrees) == pytest.approx(stats.t.ppf(0.975, degrees))


def test_nothing_counted_has_no_interval() -> None:
    nothing = Interval(None, None, "")
    assert wilson(0, 0) == clopper_pearson(0, 0) == clustered_wilson({}) == nothing
    assert bounded_mean({}, BOUNDS) == bounded_mean({0: []}, BOUNDS) == nothing


@settings(deadline=None)
@given(st.integers(1, 10_000), st.data())
def test_wilson_holds_the_rate_and_stays_within_its_bounds(n: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, n))
    low, high = ends(wilson(hits, n))
    assert 0 <= low <= hits / n <= high <= 1


@settings(deadline=None)
@given(st.lists(st.integers(1, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))))
def test_clustered_rates_lie_within_their_intervals(counts: list[tuple[int, int]]) -> None:
    interval = clustered_wilson(dict(enumerate(counts)))
    if counts:
        low, high = ends(interval)
        rate = sum(hits for hits, _ in counts) / sum(n for _, n in counts)
        assert 0 <= low <= rate + 1e-12
        assert rate - 1e-12 <= high <= 1


@settings(deadline=None)
@given(
    st.dictionaries(
        st.integers(0, 30),
        st.lists(st.floats(-1, 2) | st.sampled_from([-1.0, 0.0, 1.0, 2.0]), min_size=1, max_size=9),
        min_size=1,
    )
)
def test_means_lie_within_intervals_that_have_a_width(groups: dict[int, list[float]]) -> None:
    low, high = ends(bounded_mean(groups, Bounds(-1.0, 2.0)))
    values = [value for group in groups.values() for value in group]
    mean = sum(values) / len(values)
    assert -1 - 1e-9 <= low <= mean + 1e-9
    assert mean - 1e-9 <= high <= 2 + 1e-9


def test_equal_rewards_have_an_interval_too() -> None:
    low, high = ends(bounded_mean({0: [0.5], 1: [0.5], 2: [0.5]}, BOUNDS))
    assert low < 0.5 < high
    assert ends(bounded_mean({task: [1.0] * 4 for task in range(5)}, BOUNDS)) == (
        pytest.approx((0.4073, 1.0), abs=1e-3)
    )


def test_one_task_says_little_however_often_it_is_played() -> None:
    low, high = ends(bounded_mean({0: [1.0] * 1_000}, BOUNDS))
    assert low < 0.1
    assert high == 1


def test_independent_zeros_and_ones_have_the_exact_interval() -> None:
    interval = bounded_mean({task: [float(task < 3)] for task in range(5)}, BOUNDS)
    assert interval == clopper_pearson(3, 5)
    shifted = bounded_mean({task: [2.0 if task < 3 else -1.0] for task in range(5)}, Bounds(-1, 2))
    low, high = ends(clopper_pearson(3, 5))
    assert ends(shifted) == pytest.approx((3 * low - 1, 3 * high - 1))


def test_rollouts_of_one_task_do_not_narrow_the_interval() -> None:
    few = bounded_mean({task: [float(task % 2)] * 2 for task in range(10)}, BOUNDS)
    many = bounded_mean({task: [float(task % 2)] * 50 for task in range(10)}, BOUNDS)
    assert ends(few) == pytest.approx(ends(many))
    rates = [clustered_wilson({task: (n * (task % 2), n) for task in range(10)}) for n in (2, 50)]
    assert ends(rates[0]) == pytest.approx(ends(rates[1]), abs=0.06)


def test_tasks_weigh_by_their_rollouts() -> None:
    groups = {task: [1.0] * 8 if task % 2 else [0.0] * 2 for task in range(40)}
    low, high = ends(bounded_mean(groups, BOUNDS))
    assert low < 0.8 < high
    assert low > 0.5


def test_the_interval_narrows_with_more_tasks() -> None:
    widths = []
    for tasks in (8, 200, 5_000):
        low, high = ends(bounded_mean({t: [t % 2, (t + 1) % 4 / 3] for t in range(tasks)}, BOUNDS))
        widths.append(high - low)
    assert widths[0] > 3 * widths[1] > 9 * widths[2]


def test_the_order_of_tasks_changes_little() -> None:
    rewards = [[task / 40, 1.0] for task in range(40)]
    rising = ends(bounded_mean(dict(enumerate(rewards)), BOUNDS))
    falling = ends(bounded_mean(dict(enumerate(rewards[::-1])), BOUNDS))
    assert rising == pytest.approx(falling, abs=0.02)


def _simulated(tasks: int, mean: float, seed: int) -> dict[int, list[float]]:
    """Rewards 0 and 1 of eight rollouts a task, whose solve rates are spread widely."""
    draw = random.Random(seed)
    groups = {}
    for task in range(tasks):
        rate = draw.betavariate(mean, 1 - mean)
        groups[task] = [float(draw.random() < rate) for _ in range(8)]
    return groups


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [5, 30])
@pytest.mark.parametrize("mean", [0.1, 0.5, 0.9])
def test_intervals_cover_the_mean_as_often_as_they_promise(tasks: int, mean: float) -> None:
    betting = wilsons = 0
    for seed in range(SIMULATIONS):
        groups = _simulated(tasks, mean, seed)
        low, high = ends(bounded_mean(groups, BOUNDS))
        betting += low <= mean <= high
        counts = {task: (int(sum(values)), len(values)) for task, values in groups.items()}
        low, high = ends(clustered_wilson(counts))
        wilsons += low <= mean <= high
    assert betting >= 0.95 * SIMULATIONS
    assert wilsons >= 0.9 * SIMULATIONS  # approximate: rates near 0 and 1 are covered a little less


@pytest.mark.slow
def test_an_interval_that_ignores_tasks_covers_less_than_it_promises() -> None:
    covered = 0
    for seed in range(SIMULATIONS):
        values = [value for group in _simulated(30, 0.5, seed).values() for value in group]
        low, high = ends(wilson(sum(values), len(values)))
        covered += low <= 0.5 <= high
    assert covered < 0.8 * SIMULATIONS


def test_percentiles_are_interpolated() -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], 0.5) == 2.5
    assert percentile([1.0], 0.95) == 1.0
    assert percentile([0.0, 10.0], 0.95) == 9.5
