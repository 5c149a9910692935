"""The seeded schedule of games: opponent skill in strata, starting player alternating."""

import random
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Opening:
    """What makes one game: the opponent's skill, who starts and the seed of its choices."""

    random_move_prob: float
    opponent_starts: bool
    seed: str


def openings(*, seed: int, low: float, high: float, strata: int, count: int) -> Iterator[Opening]:
    """`count` games; any `strata` games in a row cover [low, high] once in equal steps.

    The starting player flips between neighbours and between rounds of strata, so skill and start
    stay independent. The skill is rounded to 0.0001, which keeps prompts apart.
    """
    rng = random.Random(f"tic-tac-toe/{seed}")
    for number in range(count):
        bucket, turn = number % strata, number // strata
        prob = low + (high - low) * (bucket + rng.random()) / strata
        yield Opening(
            random_move_prob=min(high, max(low, round(prob, 4))),
            opponent_starts=bool((bucket + turn) % 2),
            seed=f"{seed}/{number}",
        )
