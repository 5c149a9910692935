"""Models on several environments by one suite, each on the latest listed version."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from django.core.cache import caches

from envyard.card.across import METHOD, MeanAcross, PlaceAcross, ranked_across
from envyard.card.paired import Rewards
from envyard.card.statistics import Bounds
from envyard.contract.job import MODEL
from registry.accounts.models import Token
from registry.accounts.permissions import Actor
from registry.catalog.models import Environment, Version
from registry.read_models import links, paired_runs, scores
from registry.read_models.annotations import Spec, StoredScore
from registry.read_models.claims import ClaimedRow, claimed_rows
from registry.read_models.leaderboard_columns import Column, columns_of
from registry.read_models.newest_results import Cells, loaded
from registry.read_models.runs import RunSuite
from registry.read_models.shown_results import MAX_MODELS, shown_results
from registry.read_models.suites import OtherDefinition, other_definitions
from registry.runs import suites as suites_of
from registry.runs.models import Run
from registry.runs.suite_models import Suite
from registry.self_reported.models import Evaluation

SECONDS = 3600
cache = caches["local"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One model on one environment. Without a result on the column's version, `run` is empty, and
    `other_version` names an earlier one that has a result."""

    environment: str
    version: str
    score: StoredScore | None
    run: str
    url: str
    other_version: str


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model; rank, mean and difference are null unless it has a result in every environment of
    the mean, with a reward in nearly all tasks. Equal ranks are ties. `lacks` are the environments
    without a result."""

    model: str
    rank: int | None
    mean: MeanAcross | None
    difference: Annotated[
        MeanAcross | None,
        Spec(description="Paired, to the first of its rank or of the rank before; null for one."),
    ]
    cells: list[Cell]
    lacks: list[str]


@dataclass(frozen=True, slots=True)
class ClaimAcross:
    """An evaluation that somebody pushed, with its environment and version."""

    environment: str
    version: str
    claim: ClaimedRow


@dataclass(frozen=True, slots=True)
class OtherEnvironment:
    """One that has results by the suite and is not among the columns."""

    environment: str
    version: str
    models: int


@dataclass(frozen=True, slots=True)
class LeaderboardAcross:
    """Models by one suite over the columns; nothing else is in a mean."""

    suite: RunSuite
    rules: Annotated[int, Spec(description="The rules version that the suite freezes.")]
    is_present: Annotated[bool, Spec(description="A run may have this suite today.")]
    same_name: Annotated[
        list[OtherDefinition],
        Spec(description="Suites of that name that freeze something else, the newest first."),
    ]
    columns: list[Column]
    others: list[OtherEnvironment]
    method: str
    more_models: Annotated[
        int, Spec(description=f"Models with a result beyond the {MAX_MODELS} that are shown.")
    ]
    verified: list[ModelRow]
    reproduced: list[ClaimAcross]
    self_reported: list[ClaimAcross]


def leaderboard_across(
    name: str,
    *,
    digest: str = "",
    environments: Sequence[str] = (),
    actor: Actor,
    token: Token | None = None,
) -> LeaderboardAcross:
    """The models by the suite of that name on the environments, by default those with the most
    models; as the actor sees them. Raises request.invalid for an unknown suite."""
    visible = Environment.objects.visible_to(actor, token)
    suites, others = suites_of.of_name(name, environments=visible, digest=digest)
    shown = shown_results(suites, environments, actor, token)
    columns, results, versions = shown.columns, shown.results, shown.versions
    runs, of_columns = loaded(results, shown.models, {pk: versions[pk] for pk in columns})
    current = {
        model: {pk: run for pk, run in row.items() if results[model][pk].is_current}
        for model, row in runs.items()
    }
    places, left_out = _ranked(columns, current)
    return LeaderboardAcross(
        suite=RunSuite(name, suites[0].digest),
        rules=suites[0].frozen.rules,
        is_present=suites_of.is_present(suites[0]),
        same_name=other_definitions(others),
        columns=columns_of(of_columns, shown.counts, left_out),
        others=[
            OtherEnvironment(versions[pk].ref, versions[pk].number, shown.counts[pk])
            for pk in shown.others
        ],
        method=METHOD,
        more_models=shown.more_models,
        verified=_rows(shown.models, columns, of_columns, runs, places),
        **_claims(suites, list(of_columns.values()), current, actor, token),
    )


def names_in(text: str) -> list[str]:
    """The environments of a list with commas."""
    return [name.strip().lower() for name in text.split(",") if name.strip()]


def _name(version: Version) -> str:
    return str(version.environment)


def _ranked(columns: Sequence[int], cells: Cells) -> tuple[dict[str, PlaceAcross], dict[int, str]]:
    """The places of the models that have a result in every column of the mean, and why the other
    columns are not in it; kept in the cache, as ended runs never change."""
    runs = [run for model in cells.values() for run in model.values()]
    names = " ".join(sorted(run.pk.hex for run in runs)) + repr(list(columns))
    key = f"across-tasks-{hashlib.sha256(names.encode()).hexdigest()}"
    stored: tuple[dict[str, PlaceAcross], dict[int, str]] | None = cache.get(key)
    if stored is None:
        stored = _computed(columns, cells)
        cache.set(key, stored, SECONDS)
    return stored


def _computed(
    columns: Sequence[int], cells: Cells
) -> tuple[dict[str, PlaceAcross], dict[int, str]]:
    rewards: dict[UUID, Rewards] = {}
    bounds: dict[int, Bounds] = {}
    paired_runs.with_facts(run for model in cells.values() for run in model.values())
    for pk in columns:
        runs = [model[pk] for model in cells.values() if pk in model]
        of_column, bounds[pk] = paired_runs.rewards_of(runs)
        rewards |= of_column
    shared = _most_common(bounds.values())
    left_out = {pk: _other_bounds(each, shared) for pk, each in bounds.items() if each != shared}
    compared = [pk for pk in columns if pk not in left_out]
    complete = [
        model
        for model, row in cells.items()
        if compared and all(pk in row and rewards[row[pk].pk] for pk in compared)
    ]
    rows = [[rewards[cells[model][pk].pk] for pk in compared] for model in complete]
    places = {complete[place.index]: place for place in ranked_across(rows, shared)}
    return places, left_out


def _most_common(bounds: Iterable[Bounds]) -> Bounds:
    """The bounds of the most environments, the narrowest of those where several are as common."""
    counts = Counter(bounds)
    return min(counts, key=lambda each: (-counts[each], each.high - each.low), default=Bounds())


def _other_bounds(bounds: Bounds, shared: Bounds) -> str:
    return (
        f"its rewards lie between {bounds.low:g} and {bounds.high:g}, "
        f"those in the mean between {shared.low:g} and {shared.high:g}"
    )


def _rows(
    models: Sequence[str],
    columns: Sequence[int],
    versions: dict[int, Version],
    runs: Cells,
    places: dict[str, PlaceAcross],
) -> list[ModelRow]:
    """Ranked models first, then the others by the number of their results."""
    shown = scores.of_runs(
        run for model in models for pk, run in runs[model].items() if pk in columns
    )
    rows = []
    for model in models:
        cells = [_cell(versions[pk], runs[model].get(pk), shown) for pk in columns]
        place = places.get(model)
        rows.append(
            ModelRow(
                model=model,
                rank=place.rank if place else None,
                mean=place.mean if place else None,
                difference=place.to_first if place else None,
                cells=cells,
                lacks=[cell.environment for cell in cells if not cell.run],
            )
        )
    order = {model: number for number, model in enumerate(places)}
    return sorted(rows, key=lambda row: (order.get(row.model, len(order)), len(row.lacks)))


def _cell(version: Version, run: Run | None, shown: dict[Any, list[dict[str, Any]]]) -> Cell:
    is_latest = run is not None and run.version_id == version.pk
    score = None
    if run is not None and is_latest:
        score = next((row for row in shown[run.pk] if row["policy"] == MODEL), None)
    return Cell(
        environment=_name(version),
        version=version.version,
        score=score,
        run=str(run.pk) if run is not None and is_latest else "",
        url=links.run(run) if run is not None and is_latest else "",
        other_version=run.version.version if run is not None and not is_latest else "",
    )


def _claims(
    suites: Sequence[Suite],
    versions: Sequence[Version],
    current: Cells,
    actor: Actor,
    token: Token | None,
) -> dict[str, list[ClaimAcross]]:
    """What people pushed of the columns' versions by the suite: reproduced, and self-reported."""
    visible = Evaluation.objects.visible_to(actor, token)
    rows: dict[str, list[ClaimAcross]] = {"reproduced": [], "self_reported": []}
    runs = {run.pk: run for model in current.values() for run in model.values()}
    measured: dict[int, dict[str, Run]] = defaultdict(dict)
    for run in runs.values():
        measured[run.version_id][run.model] = run
    claims = visible.filter(version__in=[version.pk for version in versions])
    by_version = {version.pk: version for version in versions}
    for version_pk, row in claimed_rows(claims, suites[0].digest, measured):
        version = by_version[version_pk]
        rows[row.evidence].append(ClaimAcross(_name(version), version.version, row))
    return rows
