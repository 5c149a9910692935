"""The results of each model of a run: measures, solve rate per task, histograms, a sentence."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from envyard.card.evidence import Evidence
from envyard.card.learnability.constant import constant_reward
from envyard.card.learnability.definition import ModelEvidence, ModelMeasure
from envyard.card.learnability.registry import MODEL_MEASURES
from envyard.card.learnability.useful_groups import COMPARED_SIZE
from envyard.card.reward_bounds import NEARLY_FULL, floor, full_marks
from envyard.card.scores import bounds_of
from envyard.contract.job import MODEL

MAX_TASKS, MAX_PARTS, BARS = 500, 20, 10


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a histogram: the number of values from `low` to below `high`, the last bar's
    included."""

    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class RewardHistogram:
    """The values of one part of the reward, `reward` for the whole."""

    part: str
    bars: list[Bar]


@dataclass(frozen=True, slots=True)
class TaskResults:
    """One task: rewarded rollouts, solved ones, and their mean reward."""

    task: int
    n: int
    solved: int
    mean: float


@dataclass(frozen=True, slots=True)
class ModelResults:
    """One model in one suite.

    `learnability` is the share of useful groups of COMPARED_SIZE and `difficulty` a word for the
    solve rate, None and empty where unknown. `sentence` states plainly what a trainer can expect.
    `difficulty_bars` counts tasks by solve rate. `task_results` holds the first MAX_TASKS tasks.
    """

    policy: str
    model: str
    suite: str
    n: int
    tasks: int
    learnability: float | None
    solve_rate: float | None
    difficulty: str
    sentence: str
    measures: list[ModelMeasure]
    difficulty_bars: list[Bar]
    reward_bars: list[RewardHistogram]
    task_results: list[TaskResults]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form that the card stores."""
        return asdict(self)


def model_results(
    evidence: Evidence, *, suite: str, probes: Evidence | None = None
) -> list[ModelResults]:
    """The results of the run's model; empty where none of its rollouts was rewarded.

    `probes` is the run of the same version that played probes, which an evaluation does not; None:
    the run itself. The baselines come from it.
    """
    seen = _model_evidence(evidence, evidence if probes is None else probes)
    if not seen.rewards:
        return []
    measures = {code: entry.measure(seen) for code, entry in MODEL_MEASURES.items()}
    rates = [seen.solved(task) / len(rewards) for task, rewards in seen.rewards.items()]
    rate = measures["solve_rate"].value
    return [
        ModelResults(
            policy=MODEL,
            model=evidence.model,
            suite=suite,
            n=seen.n,
            tasks=len(seen.rewards),
            learnability=measures[f"useful_groups_{COMPARED_SIZE}"].value,
            solve_rate=rate,
            difficulty="" if rate is None else difficulty(rate),
            sentence=_sentence(seen, rate or 0.0),
            measures=list(measures.values()),
            difficulty_bars=bars_of(rates, 0.0, 1.0),
            reward_bars=_reward_bars(seen),
            task_results=[
                TaskResults(task, len(r), seen.solved(task), round(sum(r) / len(r), 6))
                for task, r in list(seen.rewards.items())[:MAX_TASKS]
            ],
        )
    ]


def difficulty(rate: float) -> str:
    """The word of a solve rate, a value of the facet `difficulty`."""
    if rate in (0.0, 1.0):
        return "unsolved" if rate == 0 else "solved"
    return "hard" if rate < 0.2 else "medium" if rate <= 0.8 else "easy"


def _model_evidence(evidence: Evidence, probes: Evidence) -> ModelEvidence:
    completed = tuple(r for r in evidence.of(MODEL) if r.ok)
    rewards: dict[int, list[float]] = defaultdict(list)
    for rollout in sorted(completed, key=lambda r: (r.task, r.attempt)):
        if rollout.reward is not None:
            rewards[rollout.task].append(rollout.reward)
    floors = [(f.score.policy, f.score.mean) for f in floor(probes)]
    scoring = evidence.facts.scoring
    paid = [(policy, mean) for policy, mean in floors if mean is not None]
    return ModelEvidence(
        rollouts=completed,
        rewards={task: tuple(values) for task, values in rewards.items()},
        bounds=bounds_of(evidence),
        declares_range=scoring is not None and scoring.reward is not None,
        solved_from=NEARLY_FULL * full_marks(evidence),
        baseline=max(paid, key=lambda row: row[1], default=None),
        constant=constant_reward(probes),
    )


def _sentence(seen: ModelEvidence, rate: float) -> str:
    """What a trainer can expect: whether rewards of one task differ, and how much is solved."""
    tasks = len(seen.rewards)
    varied = sum(max(rewards) - min(rewards) > 1e-9 for rewards in seen.rewards.values())
    solved = f"{rate:.0%} of {seen.n} rollouts are solved"
    if 0 < rate < 1:
        solved = f"{min(max(rate, 0.01), 0.99):.0%} of {seen.n} rollouts are solved"
    if all(len(rewards) == 1 for rewards in seen.rewards.values()):
        return f"{solved}; one rollout a task shows no variance, more attempts do."
    if not varied:
        return f"{solved}, and no task has two different rewards: no gradient for this model."
    return f"{solved}; rewards differ within {varied} of {tasks} tasks."


def _reward_bars(seen: ModelEvidence) -> list[RewardHistogram]:
    """Histograms of the whole reward and of each of its parts, in the order of their names."""
    values: dict[str, list[float]] = defaultdict(list)
    for rollout in seen.rollouts:
        for part, row in rollout.rewards.items():
            values[part].append(row["score"])
    whole = [reward for rewards in seen.rewards.values() for reward in rewards]
    histograms = [RewardHistogram("reward", bars_of(whole, seen.bounds.low, seen.bounds.high))]
    for part in sorted(values)[:MAX_PARTS]:
        low, high = min(0.0, *values[part]), max(1.0, *values[part])
        histograms.append(RewardHistogram(part, bars_of(values[part], low, high)))
    return histograms


def bars_of(values: Sequence[float], low: float, high: float) -> list[Bar]:
    """BARS bars of equal width from low to high; none where floats cannot hold that width."""
    width = (high - low) / BARS
    if not math.isfinite(width):
        return []
    counts = [0] * BARS
    for value in values:
        counts[min(BARS - 1, max(0, int((value - low) / width + 1e-9)))] += 1
    return [
        Bar(round(low + i * width, 9), round(low + (i + 1) * width, 9), count)
        for i, count in enumerate(counts)
    ]
