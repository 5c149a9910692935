"""Unbiased estimates from n rollouts of a task: of groups and of pass@k. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb

DIGITS = 9  # decimals that are compared; sums in another order differ by less


def variance_share(rewards: Sequence[float], size: int) -> float:
    """The share of groups of `size` rollouts of one task whose rewards are not all equal.

    Unbiased: the share among all subsets of that size of the n rewards, drawn without replacement
    (the hypergeometric probability that a subset has two different values). Only such groups have
    an advantage other than zero in GRPO (Shao et al. 2024, equation 4). Raises ValueError where n
    is below `size`.
    """
    n = len(rewards)
    if not 1 <= size <= n:
        raise ValueError(f"groups of {size} from {n} rollouts")
    counts = Counter(round(reward, DIGITS) for reward in rewards)
    return 1 - sum(comb(count, size) for count in counts.values()) / comb(n, size)


def pass_at(n: int, solved: int, k: int) -> float:
    """The share of subsets of k of n rollouts that contain a solved one, an unbiased pass@k.

    Source: Chen et al. 2021, "Evaluating large language models trained on code", equation 1.
    Raises ValueError where n is below k.
    """
    if not 1 <= k <= n:
        raise ValueError(f"pass@{k} from {n} rollouts")
    return 1 - comb(n - solved, k) / comb(n, k)
