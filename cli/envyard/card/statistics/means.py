"""Intervals of means of bounded values, whose rollouts are clustered by task."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from envyard.card.statistics.interval import ALPHA, Interval, no_interval
from envyard.card.statistics.rates import clopper_pearson

ORDERS = 8  # in which the tasks are bet on, fewer where there are many tasks
BETS = 4000  # over all orders, beyond which another order changes nothing visible
LARGEST_BET = 0.75
HALVINGS = 20  # to a millionth of the mean, towards the wider side


@dataclass(frozen=True, slots=True)
class Bounds:
    """The least and the greatest possible value; they differ."""

    low: float = 0.0
    high: float = 1.0


# A task's total above the lower bound and its number of values, both as a share of the most that
# any task could have.
Task = tuple[float, float]


def bounded_mean(
    groups: Mapping[int, Sequence[float]], bounds: Bounds, *, alpha: float = ALPHA
) -> Interval:
    """The interval at level 1 - `alpha` of the mean over all values, tasks being drawn
    independently.

    `groups` holds the values of each task, all within `bounds`. None where there is no value.
    Independent values that are all at a bound have Clopper and Pearson's exact interval. All others
    have the hedged-capital interval by betting (Waudby-Smith and Ramdas 2024, section 4): it holds
    for every distribution within the bounds and every number of tasks, and contains the mean. The
    bets are on a task's total less m times its number of values, so tasks of different sizes weigh
    by their rollouts. Equal values give equal intervals.
    """
    values = [list(group) for _, group in sorted(groups.items()) if group]
    if not values:
        return no_interval()
    flat = [value for group in values for value in group]
    width = bounds.high - bounds.low
    if all(len(group) == 1 for group in values) and set(flat) <= {bounds.low, bounds.high}:
        exact = clopper_pearson(flat.count(bounds.high), len(flat), alpha=alpha)
        low, high, method = exact.low or 0.0, exact.high or 0.0, exact.method
    else:
        largest = max(map(len, values))
        tasks = [
            (sum(value - bounds.low for value in group) / width / largest, len(group) / largest)
            for group in values
        ]
        mirrored = [(size - total, size) for total, size in tasks]
        low, high = _lower(tasks, alpha), 1 - _lower(mirrored, alpha)
        method = "betting, clustered by task"
    return Interval(bounds.low + width * low, bounds.low + width * high, method)


def _lower(tasks: Sequence[Task], alpha: float) -> float:
    """The least mean in [0, 1] against which bets on larger totals do not win 2 / alpha.

    The capital falls as the candidate rises and is at most 1 at the mean of the values, so that
    bisection finds the bound below that mean.
    """
    mean = sum(total for total, _ in tasks) / sum(size for _, size in tasks)
    if mean <= 0:
        return 0.0
    log_capital = _log_capital(tasks, alpha)
    low, high, limit = 0.0, mean, math.log(2 / alpha)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if log_capital(middle) >= limit:
            low = middle
        else:
            high = middle
    return low


def _log_capital(tasks: Sequence[Task], alpha: float) -> Callable[[float], float]:
    """The logarithm of the mean capital of all orders, as a function of the candidate mean.

    Bets of a fixed order depend on the earlier tasks alone; the mean over orders remains a valid
    capital, and hardly depends on how the tasks are numbered.
    """
    draw = random.Random(0)  # noqa: S311 - statistics, not a secret
    orders = []
    for _ in range(max(1, min(ORDERS, BETS // len(tasks)))):
        order = draw.sample(tasks, len(tasks))
        orders.append([(bet, *task) for bet, task in zip(_bets(order, alpha), order, strict=True)])

    def log_capital(candidate: float) -> float:
        cap = LARGEST_BET / candidate if candidate > 0 else math.inf
        logs = [sum(map(math.log, _growths(order, candidate, cap))) for order in orders]
        best = max(logs)
        return best + math.log(sum(math.exp(log - best) for log in logs) / len(logs))

    return log_capital


def _growths(
    order: Sequence[tuple[float, float, float]], candidate: float, cap: float
) -> list[float]:
    """By what each task's bet multiplies the capital; never less than 1 - LARGEST_BET."""
    if all(bet <= cap for bet, _, _ in order):
        return [1 + bet * (total - candidate * size) for bet, total, size in order]
    return [1 + min(bet, cap) * (total - candidate * size) for bet, total, size in order]


def _bets(order: Sequence[Task], alpha: float) -> list[float]:
    """The bet on each task: the predictable plug-in of the paper (equation 26) for a fixed number
    of tasks, from the variance of the tasks before it."""
    n, goal = len(order), 2 * math.log(2 / alpha)
    bets, totals, sizes, squares = [], 0.5, 1.0, 0.25
    for number, (total, size) in enumerate(order, start=1):
        bets.append(math.sqrt(goal * number / (n * squares)))
        totals, sizes = totals + total, sizes + size
        squares += (total - totals / sizes * size) ** 2
    return bets
