"""The models that were measured on one version, each by its newest result of any suite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from envyard.contract.job import MODEL
from envyard.contract.suite import SMOKE
from registry.catalog.models import Version
from registry.read_models import links, scores
from registry.runs.models import Run

SHOWN = 5
READ = 50  # runs, among which the newest of each model are


@dataclass(frozen=True, slots=True)
class EvaluatedModel:
    """The newest result of a model: of the run that listed the version, or of an evaluation.

    Results of other suites do not compare. `suite_id` is None for runs from before suites.
    """

    model: str
    suite: str
    suite_id: int | None
    score: dict[str, Any]
    url: str


def of_version(version: Version) -> list[EvaluatedModel]:
    """The SHOWN models that were measured last, the newest result first; two queries, and two more
    where no score is cached."""
    ended = Run.objects.filter(version=version, status=Run.Status.SUCCEEDED).exclude(model="")
    newest: dict[str, Run] = {}
    rows = ended.select_related("suite").only(*scores.COLUMNS, "model", "suite__name", "created_at")
    for run in rows.order_by("-created_at")[:READ]:
        newest.setdefault(run.model, run)
    runs = [*newest.values()][:SHOWN]
    shown = scores.of_runs(runs) if runs else {}
    return [
        EvaluatedModel(
            model=run.model,
            suite=run.suite.name if run.suite else SMOKE,
            suite_id=run.suite_id,
            score=score,
            url=links.run(run),
        )
        for run in runs
        for score in shown[run.pk]
        if score["policy"] == MODEL
    ]
