"""The newest result of each model on each environment by one suite.

They are read as plain values: a hub has results on thousands of environments, of which a page
shows few.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple
from uuid import UUID

from registry.accounts.models import Token
from registry.accounts.permissions import Actor
from registry.catalog.models import Environment, Version
from registry.runs.models import Run
from registry.runs.suite_models import Suite

MAX_RUNS = 5000
Cells = dict[str, dict[int, Run]]  # model -> environment -> its newest run


class LatestVersion(NamedTuple):
    """The latest listed version of an environment, `ref` being owner/name."""

    pk: int
    ref: str
    number: str


class Result(NamedTuple):
    """A run with a result; `is_current` if it is of the latest listed version."""

    run: UUID
    version: int
    is_current: bool


Results = dict[str, dict[int, Result]]  # model -> environment -> its newest result


def latest_versions(
    suites: Sequence[Suite], actor: Actor, token: Token | None
) -> dict[int, LatestVersion]:
    """Environment -> its latest listed version, of those visible that have a run by the suites."""
    measured = Run.objects.filter(suite__in=suites, status=Run.Status.SUCCEEDED).exclude(model="")
    rows = Environment.objects.visible_to(actor, token).filter(
        pk__in=measured.values("version__environment")
    )
    columns = ("pk", "latest", "owner__name", "name", "latest__version")
    return {
        pk: LatestVersion(latest, f"{owner}/{name}", number)
        for pk, latest, owner, name, number in rows.exclude(latest=None).values_list(*columns)[
            :MAX_RUNS
        ]
    }


def newest_results(suites: Sequence[Suite], versions: Mapping[int, LatestVersion]) -> Results:
    """The newest result of each model on each environment: on the latest version, else on another.

    `versions` are those of the environments.
    """
    rows = Run.objects.filter(
        version__deleted_at=None, suite__in=suites, status=Run.Status.SUCCEEDED
    ).exclude(model="")
    columns = ("pk", "model", "version_id", "version__environment_id")
    newest = rows.order_by("-created_at").values_list(*columns).iterator(chunk_size=MAX_RUNS)
    visible = (row for row in newest if row[3] in versions)
    results: Results = defaultdict(dict)
    for pk, model, version, environment in islice(visible, MAX_RUNS):
        result = Result(pk, version, version == versions[environment].pk)
        before = results[model].get(environment)
        if before is None or (result.is_current and not before.is_current):
            results[model][environment] = result
    return results


def loaded(
    results: Results,
    models: Iterable[str],
    latest: Mapping[int, LatestVersion],
) -> tuple[Cells, dict[int, Version]]:
    """The runs of those models on those environments, with version and suite, and the latest
    version of each environment; two queries."""
    shown = {
        model: {pk: results[model][pk] for pk in latest if pk in results[model]} for model in models
    }
    keys = [result.run for row in shown.values() for result in row.values()]
    runs = Run.objects.select_related("suite").in_bulk(keys)
    numbers = {run.version_id for run in runs.values()} | {row.pk for row in latest.values()}
    rows = Version.objects.select_related("environment__owner").defer("readme")
    versions = rows.in_bulk(numbers)
    for run in runs.values():
        run.version = versions[run.version_id]
    cells = {
        model: {pk: runs[result.run] for pk, result in row.items()} for model, row in shown.items()
    }
    return cells, {pk: versions[row.pk] for pk, row in latest.items()}
