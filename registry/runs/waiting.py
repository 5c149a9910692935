"""Why a queued run is not taken: what its page says meanwhile."""

from __future__ import annotations

from registry.accounts import runners
from registry.runs.models import Run


def lacking(run: Run) -> str:
    """The sentence for a run whose model no runner has ready; empty where it only has to wait."""
    if run.status != Run.Status.QUEUED or not run.model:
        return ""
    alive, able = runners.with_model(run.model)
    if able:
        return ""
    are = "1 runner is" if alive == 1 else f"{alive or 'no'} runners are"
    return (
        f"No runner has the model {run.model} ready ({are} connected). The run stays queued until "
        "one has: `hub-runner model` serves it."
    )
