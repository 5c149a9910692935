"""The beta distribution and Student's t, from which exact intervals are read."""

from __future__ import annotations

import math
from functools import lru_cache

STEPS = 200  # of the continued fraction; it converges in fewer than 100 for a + b < 100,000
TINY = 1e-300


def beta_cdf(x: float, a: float, b: float) -> float:
    """The share of the beta distribution (a, b) that lies below x; a and b are positive.

    Source: the continued fraction 8.17.22 of the NIST Digital Library of Mathematical Functions,
    evaluated by Lentz's method.
    """
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - beta_cdf(1 - x, b, a)
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    return math.exp(log_front) / (a * _continued_fraction(x, a, b))


@lru_cache(maxsize=4096)
def beta_quantile(share: float, a: float, b: float) -> float:
    """The x below which that share of the beta distribution (a, b) lies, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if beta_cdf(middle, a, b) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def t_quantile(share: float, degrees: int) -> float:
    """The t below which that share (above one half) of Student's distribution lies."""
    x = beta_quantile(2 * (1 - share), degrees / 2, 0.5)
    return math.sqrt(degrees * (1 - x) / x)


def _continued_fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > TINY else TINY)
    value = d
    for m in range(1, STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for numerator in (even, odd):
            d = 1 + numerator * d
            c = 1 + numerator / c
            d = 1 / (d if abs(d) > TINY else TINY)
            c = c if abs(c) > TINY else TINY
            value *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return 1 / value
