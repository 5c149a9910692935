"""Intervals at 95 % that are never of zero width, percentiles and counts of subsets: pure functions
of numbers; decision 0064 gives reasons and sources. May import nothing of the card.
"""

from __future__ import annotations

from envyard.card.statistics.interval import CONFIDENCE, Interval, no_interval
from envyard.card.statistics.means import Bounds, bounded_mean
from envyard.card.statistics.numbers import mean, percentile
from envyard.card.statistics.rates import clopper_pearson, clustered_wilson, wilson

__all__ = [
    "CONFIDENCE",
    "Bounds",
    "Interval",
    "bounded_mean",
    "clopper_pearson",
    "clustered_wilson",
    "mean",
    "no_interval",
    "percentile",
    "wilson",
]
