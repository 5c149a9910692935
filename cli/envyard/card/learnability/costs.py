"""What rollouts of a model cost: tokens, turns, seconds, truncation, and the format of replies."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial

from envyard.card import statistics
from envyard.card.learnability.definition import (
    ModelEvidence,
    ModelMeasureDefinition,
    ModelReading,
    share_of,
    unknown,
)
from envyard.card.prices import COMPLETION, PROMPT
from envyard.card.statistics import Bounds
from envyard.contract.runner_events import RolloutResult

FORMAT = "format"  # in the name of a part of the reward, or of a metric
Number = Callable[[RolloutResult], float]


def _percentile(evidence: ModelEvidence, *, number: Number, share: float) -> ModelReading:
    """The percentile among the rollouts seen."""
    values = sorted(map(number, evidence.rollouts))
    if not values:
        return unknown("no rollout completed")
    tasks = len({r.task for r in evidence.rollouts})
    return ModelReading(statistics.percentile(values, share), len(values), tasks)


def _per_thousand(evidence: ModelEvidence, *, number: Number) -> ModelReading:
    """The total of 1,000 rollouts like those seen."""
    n = len(evidence.rollouts)
    if not n:
        return unknown("no rollout completed")
    tasks = len({r.task for r in evidence.rollouts})
    return ModelReading(1000 * sum(map(number, evidence.rollouts)) / n, n, tasks)


def truncation(evidence: ModelEvidence) -> ModelReading:
    """The share of rollouts that a limit of tokens, turns or time ended."""
    n: Counter[int] = Counter(r.task for r in evidence.rollouts)
    hits: Counter[int] = Counter(r.task for r in evidence.rollouts if r.truncated)
    return share_of({task: (hits[task], n[task]) for task in n})


def format_compliance(evidence: ModelEvidence) -> ModelReading:
    """The mean score of the parts of the reward, else of the metrics, that are named for format."""
    scores: dict[int, list[float]] = defaultdict(list)
    names: set[str] = set()
    for rollout in evidence.rollouts:
        parts = {name: part["score"] for name, part in rollout.rewards.items() if _is_format(name)}
        parts = parts or {name: v for name, v in rollout.metrics.items() if _is_format(name)}
        names |= parts.keys()
        if parts:
            mean = sum(min(1.0, max(0.0, score)) for score in parts.values()) / len(parts)
            scores[rollout.task].append(mean)
    if not scores:
        return unknown("no part of the reward and no metric has `format` in its name")
    flat = [score for task in scores.values() for score in task]
    interval = statistics.bounded_mean(scores, Bounds(0.0, 1.0))
    detail = f"mean of {', '.join(sorted(names)[:5])}"
    return ModelReading(statistics.mean(flat), len(flat), len(scores), interval, detail)


def _is_format(name: str) -> bool:
    return FORMAT in name.lower()


def _prompt_tokens(rollout: RolloutResult) -> float:
    return rollout.usage.prompt_tokens


def _completion_tokens(rollout: RolloutResult) -> float:
    return rollout.usage.completion_tokens


def _model_hours(rollout: RolloutResult) -> float:
    return rollout.usage.model_seconds / 3600


# Code, title, unit, meaning and number of a rollout, of which the 50th and 95th percentiles count.
PERCENTILES: tuple[tuple[str, str, str, str, Number], ...] = (
    (
        "tokens",
        "Reply tokens",
        "tokens",
        "Completion tokens of a rollout, reasoning included",
        _completion_tokens,
    ),
    ("turns", "Turns", "turns", "Turns of a rollout", lambda r: r.turns),
    (
        "seconds",
        "Seconds",
        "seconds",
        "Seconds of a rollout, the model's included",
        lambda r: r.seconds,
    ),
)

COSTS = (
    *(
        ModelMeasureDefinition(
            code=f"{code}_p{percent}",
            title=f"{title}, p{percent}",
            unit=unit,
            source="observed",
            read=partial(_percentile, number=number, share=percent / 100),
            meaning=f"{meaning}: {'median' if percent == 50 else '95th percentile'}.",
        )
        for code, title, unit, meaning, number in PERCENTILES
        for percent in (50, 95)
    ),
    ModelMeasureDefinition(
        code=PROMPT,
        title="Prompt tokens of 1,000 rollouts",
        unit="tokens",
        source="observed",
        read=partial(_per_thousand, number=_prompt_tokens),
        meaning="Prompt tokens of all calls of 1,000 rollouts; a call repeats its conversation.",
    ),
    ModelMeasureDefinition(
        code=COMPLETION,
        title="Reply tokens of 1,000 rollouts",
        unit="tokens",
        source="observed",
        read=partial(_per_thousand, number=_completion_tokens),
        meaning="Completion tokens of 1,000 rollouts, reasoning included.",
    ),
    ModelMeasureDefinition(
        code="model_hours_per_1000",
        title="Model hours of 1,000 rollouts",
        unit="hours",
        source="observed",
        read=partial(_per_thousand, number=_model_hours),
        meaning="Hours in which the model replied, summed over 1,000 rollouts.",
    ),
    ModelMeasureDefinition(
        code="truncated",
        title="Truncated",
        unit="share",
        source="claimed",
        read=truncation,
        meaning="Share of rollouts that a limit of tokens, turns or time ended.",
    ),
    ModelMeasureDefinition(
        code="format_compliance",
        title="Format compliance",
        unit="share",
        source="claimed",
        read=format_compliance,
        meaning="Mean score of the parts of the reward, else of the metrics, whose name contains "
        "`format`.",
    ),
)
