"""The newest result of each model on each environment by one suite."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from registry.accounts.models import Token
from registry.accounts.permissions import Actor
from registry.catalog.models import Environment, Version
from registry.runs.models import Run
from registry.runs.suite_models import Suite

MAX_RUNS = 5000
Cells = dict[str, dict[int, Run]]  # model -> environment -> its newest run


def is_current(run: Run) -> bool:
    """Whether the run is of the latest listed version of its environment."""
    return run.version_id == run.version.environment.latest_id


def latest_versions(
    suites: Sequence[Suite], actor: Actor, token: Token | None
) -> dict[int, Version]:
    """Environment -> its latest listed version, of those visible that have a run by the suites."""
    measured = Run.objects.filter(suite__in=suites, status=Run.Status.SUCCEEDED).exclude(model="")
    rows = Environment.objects.visible_to(actor, token).filter(
        pk__in=measured.values("version__environment")
    )
    latest = Version.objects.filter(pk__in=rows.exclude(latest=None).values("latest"))
    newest = latest.select_related("environment__owner")[:MAX_RUNS]
    return {version.environment_id: version for version in newest}


def newest_runs(suites: Sequence[Suite], versions: Iterable[Version]) -> Cells:
    """The newest run of each model on each environment: on the latest version, else on another."""
    environments = {version.environment_id: version.environment for version in versions}
    rows = Run.objects.filter(
        version__environment__in=environments,
        version__deleted_at=None,
        suite__in=suites,
        status=Run.Status.SUCCEEDED,
    ).exclude(model="")
    cells: Cells = defaultdict(dict)
    for run in rows.select_related("version", "suite").order_by("-created_at")[:MAX_RUNS]:
        run.version.environment = environments[run.version.environment_id]
        before = cells[run.model].get(run.version.environment_id)
        if before is None or (is_current(run) and not is_current(before)):
            cells[run.model][run.version.environment_id] = run
    return cells
