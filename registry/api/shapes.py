"""Models to the JSON that the API answers and the pages show. Times are ISO 8601 in UTC.

Functions in the plural take a page of rows and cost a fixed number of queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from envyard.contract.job import MODEL
from registry.accounts.models import Token
from registry.api import lost_attempts, scores
from registry.attestations import services as attestations
from registry.card.models import Card
from registry.catalog.locks import VersionLock
from registry.catalog.models import Environment, Version
from registry.catalog.related_models import VersionFinding
from registry.events import Event
from registry.read_models import links
from registry.runs import queue
from registry.runs.models import Run

Shape = dict[str, Any]
STEPS = ("uploaded", "checking", "evaluating", "listed")


def when(moment: datetime | None) -> str | None:
    """ISO 8601 in UTC with a Z, or None."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def environment_summaries(environments: Sequence[Environment]) -> list[Shape]:
    """EnvironmentSummary of each; rows come from `for_summary()`."""
    return [environment_summary(environment) for environment in environments]


def environment_summary(environment: Environment) -> Shape:
    """EnvironmentSummary; the score is the model's in the latest version's card."""
    latest = environment.latest
    owner, name = environment.owner.name, environment.name
    return {
        "owner": owner,
        "name": name,
        "ref": f"{owner}/{name}",
        "summary": environment.summary,
        "tags": sorted(tag.name for tag in environment.tags.all()),
        "framework": latest.framework if latest else "",
        "api": latest.api if latest else "",
        "visibility": environment.visibility,
        "quarantined": environment.quarantined_at is not None,
        "deprecated": _deprecated(environment),
        "stars": environment.star_count,
        "installs": environment.installs,
        "latest": latest and {"version": latest.version, "listed_at": when(latest.listed_at)},
        "score": _headline(latest),
        "created_at": when(environment.created_at),
        "updated_at": when(environment.updated_at),
        "url": links.environment(environment),
        "api_url": links.to("api-environment", owner, name),
    }


def _deprecated(environment: Environment) -> Shape | None:
    if environment.deprecated_at is None:
        return None
    successor = environment.shown_successor
    return {
        "at": when(environment.deprecated_at),
        "reason": environment.deprecation_reason,
        "successor": successor and {"ref": str(successor), "url": links.environment(successor)},
    }


def _headline(latest: Version | None) -> Shape | None:
    card = None if latest is None else _card_of(latest)
    return next((s for s in card.scores if s["policy"] == MODEL), None) if card else None


def environment_detail(
    environment: Environment, version: Version | None, *, starred: bool
) -> Shape:
    """EnvironmentDetail; `version` is the latest, or the newest that the get_actor may see, and
    `starred` says whether the get_actor did that."""
    return environment_summary(environment) | {
        "readme": version.readme if version else "",
        "license": version.license if version else "",
        "module": version.module if version else "",
        "versions_count": environment.versions.published().count(),
        "latest_version": version_detail(version) if version else None,
        "starred": starred,
    }


def version_summaries(versions: Sequence[Version]) -> list[Shape]:
    """VersionSummary of each; rows come with environment and owner."""
    return [version_summary(version) for version in versions]


def version_summary(version: Version) -> Shape:
    """VersionSummary."""
    quarantined = version.quarantined_at or version.environment.quarantined_at
    return {
        "version": version.version,
        "ref": str(version),
        "status": version.status,
        "status_at": when(version.status_at),
        "uploaded_at": when(version.uploaded_at),
        "listed_at": when(version.listed_at),
        "yanked": version.yanked_at
        and {"at": when(version.yanked_at), "reason": version.yanked_reason},
        "quarantined": quarantined is not None,
        "summary": version.summary,
        "size": version.size,
        "url": links.version(version),
    }


def lock_summaries(version: Version) -> list[Shape]:
    """LockSummary of each of its locks, without the texts."""
    return [lock_summary(lock) for lock in version.locks.defer("text")]


def lock_summary(lock: VersionLock) -> Shape:
    """LockSummary."""
    return {
        "platform": lock.platform,
        "packages": lock.packages,
        "sha256": lock.sha256,
        "made_at": when(lock.made_at),
        "run": lock.run_id and str(lock.run_id),
    }


def lock_detail(lock: VersionLock) -> Shape:
    """LockDetail."""
    return lock_summary(lock) | {"text": lock.text}


def version_detail(version: Version) -> Shape:
    """VersionDetail."""
    run = version.runs.select_related("runner").first()
    if run is not None:
        run.version = version
    card = _card_of(version)
    return version_summary(version) | {
        "environment": str(version.environment),
        "visibility": version.environment.visibility,
        "deprecated": _deprecated(version.environment),
        "framework": version.framework,
        "framework_version": run.facts.get("framework_version", "") if run else "",
        "api": version.api,
        "module": version.module,
        "entry": version.entry,
        "requires_python": version.requires_python,
        "requires_dist": version.requires_dist,
        "keywords": version.keywords,
        "license": version.license,
        "readme": version.readme,
        "readme_type": version.readme_type,
        "authors": version.authors,
        "links": version.links,
        "uploaded_by": version.uploaded_by.username if version.uploaded_by else None,
        "published_with": version.published_with or None,
        "provenance": attestations.url(version),
        "file": {
            "filename": version.filename,
            "url": links.file(version),
            "sha256": version.sha256,
            "size": version.size,
            "metadata_sha256": version.metadata_sha256,
        },
        "findings": [finding(found) for found in version.findings.all()],
        "pipeline": pipeline(version),
        "run": followed_run(run) if run else None,
        "card": card
        and {
            "measures": card.measures,
            "computed_at": when(card.computed_at),
            "run": str(card.run_id),
        },
    }


def _card_of(version: Version) -> Card | None:
    try:
        return version.card
    except Card.DoesNotExist:
        return None


def finding(found: VersionFinding) -> Shape:
    """One finding of a check, a run or the card."""
    return {
        "stage": found.stage,
        "code": found.code,
        "severity": found.severity,
        "message": found.message,
        "hint": found.hint,
        "where": found.where,
        "details": found.details,
        "run": str(found.run_id) if found.run_id else None,
    }


def pipeline(version: Version) -> list[Shape]:
    """The four steps to being listed: where the version is, or where it stopped, and when.

    Times come from the journal, whose last word counts where a step was made twice.
    """
    moves = Event.objects.filter(version=version, verb__startswith="version.").order_by("pk")
    times: dict[str, datetime] = {"uploaded": version.uploaded_at}
    stopped_in = "checking"
    for event in moves:
        times[event.verb.removeprefix("version.")] = event.at
        if event.data.get("before") in ("checking", "evaluating"):
            stopped_in = event.data["before"]
    failed = version.status in (Version.Status.REJECTED, Version.Status.HELD)
    here = STEPS.index(stopped_in if failed else version.status)
    states = ["done" if place < here else "waiting" for place in range(len(STEPS))]
    at_rest = STEPS[here] in ("uploaded", "listed")
    states[here] = "failed" if failed else "done" if at_rest else "active"
    return [
        {
            "step": step,
            "state": state,
            "at": when(version.status_at if state == "failed" else times.get(step)),
        }
        for step, state in zip(STEPS, states, strict=True)
    ]


def run_summaries(runs: Sequence[Run]) -> list[Shape]:
    """RunSummary of each; rows come with version, environment, owner and runner."""
    known = scores.of_runs(runs)
    return [_run(run, known[run.pk]) for run in runs]


def run_summary(run: Run) -> Shape:
    """RunSummary."""
    return run_summaries([run])[0]


def _run(run: Run, policies: scores.Scores) -> Shape:
    return {
        "id": str(run.pk),
        "environment": str(run.version.environment),
        "version": run.version.version,
        "status": run.status,
        "attempt": run.attempt,
        "policies": run.policies,
        "model": run.model,
        "done": run.done,
        "total": run.total,
        "created_at": when(run.created_at),
        "started_at": when(run.started_at),
        "ended_at": when(run.ended_at),
        "runner": run.runner.name if run.runner else None,
        "scores": policies,
        "url": links.run(run),
    }


def followed_run(run: Run) -> Shape:
    """FollowedRun."""
    place = queue.position(run)
    waits = {"queue": None if place is None else asdict(place)}
    return run_summary(run) | waits | lost_attempts.of_run(run)


def run_detail(run: Run) -> Shape:
    """RunDetail."""
    return followed_run(run) | {
        "facts": run.facts,
        "findings": [finding(found) for found in run.findings.all()],
        "tasks": run.tasks,
        "attempts": run.attempts,
        "seed": run.seed,
    }


def token(token: Token) -> Shape:
    """A token without its secret."""
    return {
        "public_id": token.public_id,
        "name": token.name,
        "scope": token.scope,
        "environment": str(token.environment) if token.environment else None,
        "parent": token.parent.public_id if token.parent else None,
        "created_at": when(token.created_at),
        "expires_at": when(token.expires_at),
        "last_used_at": when(token.last_used_at),
    }
