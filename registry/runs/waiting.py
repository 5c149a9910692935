"""The reason why a queued run is not taken, for its page."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from registry.accounts import runners
from registry.runs import pythons, queue
from registry.runs.models import Run


def paused(run: Run) -> datetime | None:
    """When the next attempt may begin; None unless the run waits for that time."""
    if run.status != Run.Status.QUEUED or run.not_before is None:
        return None
    return run.not_before if run.not_before > timezone.now() else None


def lacking(run: Run) -> str:
    """The sentence for a run whose Python or model no runner has; empty where it only has to
    wait."""
    row = queue.waiting_row(run)
    if row is None:
        return ""
    if sentence := pythons.lacking(run):
        return sentence
    if not run.model:
        return ""
    alive, able = runners.with_model(run.model)
    if able:
        return ""
    are = "1 runner is" if alive == 1 else f"{alive or 'no'} runners are"
    return (
        f"No runner has the model {run.model} ready ({are} connected). The run stays queued until "
        "one has: `hub-runner model` serves it."
    )
