"""The card of 10,000 rollouts beside SciPy's bootstrap of its means (see README.md).

    python -m benchmarks.card [--rounds 3] [--json FILE]

Prints a table and whether the target was met; the exit code is 1 if it was missed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from envyard.card import document
from envyard.card.evidence import Evidence
from envyard.card.learnability import model_results
from envyard.card.measures import all_measures
from envyard.card.scores import by_policy
from envyard.card.statistics import Bounds, bounded_mean
from envyard.card.verdict import findings_of
from envyard.contract.facts import Facts, TaskResult
from envyard.contract.runner_events import RolloutResult, Usage

TASKS, ATTEMPTS = 1000, 8
POLICIES = ("silent", "oracle", "model")
TARGET_SECONDS = 5.0
RESAMPLES = 9999  # SciPy's default
WORDS = [f"word{number}" for number in range(5000)]


def evidence() -> Evidence:
    """10,000 rollouts of 1,000 tasks: two probes once, a model eight times, graded rewards."""
    draw = random.Random(0)
    rollouts = [played("silent", task, 0, 0.0, draw) for task in range(TASKS)]
    rollouts += [played("oracle", task, 0, 1.0, draw) for task in range(TASKS)]
    for task in range(TASKS):
        rate = draw.betavariate(0.6, 0.6)
        for attempt in range(ATTEMPTS):
            solved = draw.random() < rate
            reward = 1.0 if solved else round(0.5 * draw.random(), 3)
            rollouts.append(played("model", task, attempt, reward, draw))
    tasks = [
        TaskResult(
            index=index,
            hash=hashlib.sha256(str(index).encode()).hexdigest(),
            prompt=f"Question {index}: {' '.join(draw.choices(WORDS, k=40))}?",
            reference=True,
            hook=True,
        )
        for index in range(TASKS)
    ]
    facts = Facts(load_seconds=1.0, tasks=tasks, hashes_again=[task.hash for task in tasks])
    return Evidence(POLICIES, TASKS, ATTEMPTS, facts, tuple(rollouts), model="org/tiny")


def played(
    policy: str, task: int, attempt: int, reward: float, draw: random.Random
) -> RolloutResult:
    """A rollout with usage and two parts of its reward."""
    tokens = draw.randrange(20, 2000)
    return RolloutResult(
        policy=policy,
        task=task,
        attempt=attempt,
        ok=True,
        reward=reward,
        rewards={
            "right": {"score": reward, "weight": 1.0},
            "format": {"score": float(draw.random() < 0.9), "weight": 0.0},
        },
        turns=draw.randrange(1, 6),
        seconds=draw.uniform(0.5, 20),
        usage=Usage(prompt_tokens=300, completion_tokens=tokens, calls=1, model_seconds=0.4),
    )


def card(data: bytes) -> int:
    """Compute the whole card from its evidence document; returns the number of intervals."""
    read = document.read(data)
    measures = all_measures(read)
    scores = by_policy(read)
    findings_of(read, POLICIES)
    [results] = model_results(read, suite="smoke")
    rows = [*measures, *scores, *results.measures]
    return sum(row.low is not None for row in rows)


def by_task(of: Evidence) -> dict[int, list[float]]:
    """The model's rewards of each task."""
    rewards: dict[int, list[float]] = defaultdict(list)
    for rollout in of.of("model"):
        rewards[rollout.task].append(rollout.reward or 0.0)
    return rewards


def bootstrap(rewards: dict[int, list[float]]) -> None:
    """SciPy's percentile bootstrap of the mean over tasks."""
    means = np.array([np.mean(values) for values in rewards.values()])
    stats.bootstrap((means,), np.mean, n_resamples=RESAMPLES, method="percentile", batch=500, rng=0)


def seconds(work: Callable[[], Any]) -> float:
    """Processor seconds, which a busy machine changes least."""
    began = time.process_time()
    work()
    return time.process_time() - began


def row(name: str, times: list[float]) -> str:
    """The median with minimum and maximum, in seconds."""
    spread = f"({min(times):.2f} to {max(times):.2f})"
    return f"{name:<38}{statistics.median(times):6.2f} s  {spread}"


def main() -> int:
    """Alternate both sides and print the medians."""
    parser = argparse.ArgumentParser(description="the card of 10,000 rollouts")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    made = evidence()
    data = document.write(made)
    intervals = card(data)
    rewards = by_task(made)
    cards, betting, peer = [], [], []
    for _ in range(options.rounds):
        cards.append(seconds(lambda: card(data)))
        betting.append(seconds(lambda: bounded_mean(rewards, Bounds(0.0, 1.0))))
        peer.append(seconds(lambda: bootstrap(rewards)))
    met = statistics.median(cards) < TARGET_SECONDS
    print(f"{len(made.rollouts)} rollouts, {len(data) / 2**20:.1f} MiB of evidence")
    print(row(f"card, {intervals} intervals", cards))
    print(row("betting, interval of one mean", betting))
    print(row("scipy.stats.bootstrap, the same mean", peer))
    for name, times in (("card", cards), ("betting", betting)):
        ratio = statistics.median(times) / statistics.median(peer)
        print(f"{f'ratio {name} / bootstrap':<38}{ratio:6.2f}")
    print(f"target: less than {TARGET_SECONDS:g} s: {'met' if met else 'MISSED'}")
    if options.json:
        figures = {
            "card": cards,
            "betting": betting,
            "bootstrap": peer,
            "intervals": intervals,
            "met": met,
        }
        options.json.write_text(json.dumps(figures))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
