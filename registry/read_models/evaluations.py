"""Pushed evaluations in the fields that `prime` reads, for pages too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from registry.read_models import links
from registry.read_models.links import prime_id
from registry.read_models.times import when
from registry.self_reported.models import Evaluation

REPORTED = "Reported by the uploader, not measured by this hub."


def summaries(evaluations: Iterable[Evaluation]) -> list[dict[str, Any]]:
    """Rows come from `for_summary()`."""
    return [detail(evaluation) for evaluation in evaluations]


def detail(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation without its samples."""
    environment = evaluation.environment
    slug = f"{environment.owner.name}/{environment.name}"
    version = evaluation.version.version if evaluation.version else None
    return {
        "evaluation_id": str(evaluation.pk),
        "name": evaluation.name,
        "note": REPORTED,
        "status": evaluation.status.upper(),
        "error_message": evaluation.error_message or None,
        "environment_ids": [prime_id(environment)],
        "environment_names": [slug],
        "environments": [{"id": prime_id(environment), "slug": slug, "version_id": version}],
        "version_id": version,
        "owner": evaluation.owner.name,
        "user_id": evaluation.created_by.username if evaluation.created_by else None,
        "team_id": evaluation.owner.name if evaluation.owner.organisation_id else None,
        "is_public": evaluation.is_public,
        "is_hosted": False,
        "model_name": evaluation.model_name,
        "dataset": evaluation.dataset,
        "framework": evaluation.framework,
        "task_type": evaluation.task_type,
        "description": evaluation.description,
        "tags": evaluation.tags,
        "metadata": evaluation.metadata,
        "metrics": evaluation.metrics,
        "total_samples": evaluation.sample_count,
        "created_at": when(evaluation.created_at),
        "updated_at": when(evaluation.updated_at),
        "finalized_at": when(evaluation.ended_at),
        "viewer_url": links.to(
            "evaluation", environment.owner.name, environment.name, evaluation.pk
        ),
    }
