"""The JobSpec of a leased run: all that its runner gets."""

from __future__ import annotations

from django.conf import settings

from envyard.contract.job import GitArchive, JobSpec, WheelRef
from envyard.contract.suite import TEMPERATURE
from registry.catalog import data_locks
from registry.git_sources.models import GitSource
from registry.provisions import grants
from registry.runs import limits
from registry.runs.models import Run
from registry.runs.tokens import sign_run_token


def _git_source(row: GitSource) -> GitArchive:
    return GitArchive(
        name=row.name,
        repository=row.repository,
        commit=row.commit,
        subdirectory=row.subdirectory,
        archive=WheelRef(row.path, row.filename, row.sha256, row.size),
    )


def job_spec(run: Run) -> JobSpec:
    """The job of this attempt. `wheel.url` is a path of this hub that needs the run token.

    Costs a query each for suite, version, environment and owner unless they were selected, one each
    for git dependencies and data lock, and five for what is granted to the run.
    """
    version = run.version
    sources = tuple(map(_git_source, version.git_sources.all()))
    data_lock, frozen = data_locks.of(version)
    grant = grants.of(version, requested_by=run.requested_by)
    suite, indexes = run.suite.frozen if run.suite else None, run.task_indexes
    declared = {need.kind: need.names for need in version.needs.filter(declared=True)}
    return JobSpec(
        run=str(run.pk),
        attempt=run.attempt,
        run_token=sign_run_token(run_id=run.pk, attempt=run.attempt),
        environment=str(version.environment),
        version=version.version,
        wheel=WheelRef(
            url=f"/files/{version.sha256[:2]}/{version.sha256}/{version.filename}",
            filename=version.filename,
            sha256=version.sha256,
            size=version.size,
        ),
        framework=version.framework,
        api=version.api,
        module=version.module,
        entry=version.entry,
        uploaded_at=version.uploaded_at.isoformat(),
        policies=tuple(run.policies),
        first_task=run.first_task,
        indexes=tuple(index for index in run.named_tasks if index <= indexes[-1]),
        tasks=run.tasks,
        attempts=run.attempts,
        seed=run.seed,
        lease_seconds=limits.lease().total_seconds(),
        model=run.model,
        judge_model=settings.HUB_JUDGE_MODEL if suite is None else suite.judge,
        declares_judge="judge" in declared,
        variables=grant.variables,
        hosts=grant.hosts,
        declared_hosts=tuple(declared.get("host", ())),
        secrets=grant.secrets,
        limits=limits.run_limits(suite, is_evaluation=run.is_evaluation),
        temperature=TEMPERATURE if suite is None else suite.temperature,
        survey_tasks=0 if run.is_evaluation else settings.HUB_SURVEY_TASKS,
        data_lock=data_lock,
        data_frozen=frozen,
        git_sources=sources,
    )
