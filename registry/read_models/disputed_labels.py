"""Tasks whose reference disagrees with what models agree on, as pages and API show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from django.core.cache import caches

from envyard.card.consensus import DisputedTask, Disputes, disputes_finding
from registry.card import disputed_labels
from registry.read_models.annotations import Spec
from registry.runs.models import Run

SECONDS = 3600
STAGE = "card"
cache = caches["local"]


@dataclass(frozen=True, slots=True)
class DisputedLabels:
    """The finding `card.disputed_labels` over the models of a leaderboard.

    The models agree at `agreed` other tasks, and their answer is paid at `paid` of these; `low` is
    the lower bound of that share at 95 % (Wilson). At `shared_errors` tasks half of the rollouts,
    but not all, share an unpaid answer.
    """

    code: str
    severity: Annotated[str, Spec(enum=["warning"])]
    message: str
    models: int
    agreed: int
    paid: int
    share: float
    low: float
    shared_errors: int
    tasks: list[DisputedTask]


def of_models(runs: Sequence[Run]) -> DisputedLabels | None:
    """What the models of runs of one version and suite dispute together; None for fewer than two
    models."""
    disputed = disputed_labels.of_runs(runs) if len(runs) > 1 else None
    return _shown(disputed) if disputed is not None and disputed.models > 1 else None


def of_evaluation(run: Run) -> DisputedLabels | None:
    """What all attempts of an evaluation's model dispute; runs that decide on versions store it
    among their findings instead."""
    if not run.is_evaluation or run.status != Run.Status.SUCCEEDED or run.parent_id is not None:
        return None
    key = f"disputed-labels-{run.pk}-{run.attempt}-{run.last_seq}"
    stored: tuple[DisputedLabels | None] | None = cache.get(key)
    if stored is None:
        disputed = disputed_labels.of_runs([run])
        stored = (None if disputed is None else _shown(disputed),)
        cache.set(key, stored, SECONDS)
    return stored[0]


def _shown(disputed: Disputes) -> DisputedLabels:
    warning = disputes_finding(disputed)
    return DisputedLabels(
        code=warning.code,
        severity=warning.severity,
        message=warning.message,
        models=disputed.models,
        agreed=disputed.agreed,
        paid=disputed.paid,
        share=disputed.share,
        low=disputed.low,
        shared_errors=disputed.shared_errors,
        tasks=disputed.tasks,
    )
