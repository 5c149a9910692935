"""The newest result of each model on each environment by one suite.

They are read as plain values: a hub has results on thousands of environments, of which a page
shows few.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple
from uuid import UUID

from django.db.models import CharField
from django.db.models.functions import Cast

from registry.accounts.models import Token
from registry.accounts.permissions import Actor
from registry.catalog.models import Environment, Version
from registry.read_models.scores import COLUMNS
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
    """A run with a result; `is_current` if it is of the latest listed version.

    `run` is its key as the database writes it: few of them are read as UUIDs.
    """

    run: str
    version: int
    is_current: bool


Row = tuple[str, str, int]  # a run, its model and its version
Results = dict[str, dict[int, Result]]  # model -> environment -> its newest result


def newest_results(
    suites: Sequence[Suite], actor: Actor, token: Token | None
) -> tuple[Results, dict[int, LatestVersion]]:
    """The newest result of each model on each visible environment: on the latest listed version,
    else on another; and these versions by environment."""
    rows = Run.objects.filter(suite__in=suites, status=Run.Status.SUCCEEDED).exclude(model="")
    columns = (Cast("pk", CharField()), "model", "version_id")
    newest = rows.order_by("-created_at").values_list(*columns).iterator(chunk_size=MAX_RUNS)
    environments = _Environments(actor, token)
    results: Results = defaultdict(dict)
    for pk, model, version in islice(environments.visible(newest), MAX_RUNS):
        environment = environments.of_version[version]
        result = Result(pk, version, version == environments.latest[environment].pk)
        before = results[model].get(environment)
        if before is None or (result.is_current and not before.is_current):
            results[model][environment] = result
    return results, environments.latest


class _Environments:
    """The environments of versions, as far as the actor sees them: looked up for many rows at once
    and once for each version, of which few have all results."""

    def __init__(self, actor: Actor, token: Token | None) -> None:
        self._visible = Environment.objects.visible_to(actor, token).exclude(latest=None)
        self._read: set[int] = set()
        self.of_version: dict[int, int] = {}
        self.latest: dict[int, LatestVersion] = {}

    def visible(self, rows: Iterator[Row]) -> Iterator[Row]:
        """The rows of visible environments and versions that are not deleted."""
        while chunk := list(islice(rows, MAX_RUNS)):
            self._read_versions({version for _, _, version in chunk})
            yield from (row for row in chunk if row[2] in self.of_version)

    def _read_versions(self, versions: set[int]) -> None:
        unread = versions - self._read
        self._read |= unread
        existing = Version.objects.filter(pk__in=unread, deleted_at=None)
        of_version = dict(existing.values_list("pk", "environment_id"))
        columns = ("pk", "latest", "owner__name", "name", "latest__version")
        rows = self._visible.filter(pk__in={*of_version.values()} - self.latest.keys())
        for pk, latest, owner, name, number in rows.values_list(*columns):
            self.latest[pk] = LatestVersion(latest, f"{owner}/{name}", number)
        self.of_version |= {pk: env for pk, env in of_version.items() if env in self.latest}


def loaded(
    results: Results,
    models: Iterable[str],
    latest: Mapping[int, LatestVersion],
) -> tuple[Cells, dict[int, Version]]:
    """The runs of those models on those environments, with version and without facts, and the
    latest version of each environment; two queries."""
    shown = {
        model: {pk: results[model][pk] for pk in latest if pk in results[model]} for model in models
    }
    keys = [UUID(result.run) for row in shown.values() for result in row.values()]
    runs = Run.objects.only(*COLUMNS, "model", "version", "suite").in_bulk(keys)
    numbers = {run.version_id for run in runs.values()} | {row.pk for row in latest.values()}
    rows = Version.objects.select_related("environment__owner")
    rows = rows.only("version", "environment__name", "environment__owner__name")
    versions = rows.in_bulk(numbers)
    for run in runs.values():
        run.version = versions[run.version_id]
    cells = {
        model: {pk: runs[UUID(result.run)] for pk, result in row.items()}
        for model, row in shown.items()
    }
    return cells, {pk: versions[row.pk] for pk, row in latest.items()}
