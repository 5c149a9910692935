"""Speed: the environment's own seconds in a rollout, apart from the model's."""

from __future__ import annotations

from envyard.card import statistics
from envyard.card.evidence import Evidence
from envyard.card.measures.definition import MeasureDefinition, Reading, unknown

SLOW_SECONDS = 10.0


def speed(evidence: Evidence) -> Reading:
    """The 95th percentile of a rollout's own seconds: those without the models' replies."""
    waited = [(r, r.usage.model_seconds + r.usage.judge_seconds) for r in evidence.rollouts if r.ok]
    seconds = sorted(max(0.0, r.seconds - models) for r, models in waited)
    if not seconds:
        return unknown("no rollout completed")
    p50, p95 = statistics.percentile(seconds, 0.5), statistics.percentile(seconds, 0.95)
    rate = f"; {len(seconds) / sum(seconds):.3g} rollouts a second" if sum(seconds) > 0 else ""
    return Reading(
        value=p95,
        status="warn" if p95 > SLOW_SECONDS else "pass",
        n=len(seconds),
        detail=f"p50 {p50:.3g} s, p95 {p95:.3g} s a rollout, apart from the model{rate}",
    )


SPEED = (
    MeasureDefinition(
        code="speed",
        rollouts="sort=-seconds",
        title="Environment seconds",
        unit="seconds",
        threshold=SLOW_SECONDS,
        source="observed",
        read=speed,
        question="How many seconds does the environment take, apart from the model?",
        advice="Profile the slowest rollout.",
    ),
)
