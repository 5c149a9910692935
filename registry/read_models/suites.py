"""Suites as the pages and the API show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from django.db.models import Exists, OuterRef, QuerySet

from envyard.contract.suite import SuiteDefinition
from registry.catalog.models import Environment, Version
from registry.read_models.annotations import Moment, Sha256, Spec, Stored
from registry.runs import suites
from registry.runs.models import Run
from registry.runs.suite_models import Suite


@dataclass(frozen=True, slots=True)
class SuiteSummary:
    """A frozen choice of tasks, attempts, seed, sampling, limits, judge and rules version."""

    name: str
    digest: Sha256
    built_in: Annotated[bool, Spec(description="The hub's own, for every environment.")]
    definition: Annotated[dict[str, Any], Stored(SuiteDefinition)]
    created_at: Moment
    seed: Annotated[
        int | None,
        Spec(description="That of the runs of the listed version that the query names; else null."),
    ] = None


def summary(suite: Suite, *, seed: int | None = None) -> SuiteSummary:
    """SuiteSummary; `seed` is that of a version's runs."""
    return SuiteSummary(
        name=suite.name,
        digest=suite.digest,
        built_in=suite.environment_id is None,
        definition=suite.definition,
        created_at=suite.created_at,
        seed=seed,
    )


def of_version(environment: Environment, version: Version | None) -> list[SuiteSummary]:
    """The suites of the environment with the seeds of the version's runs, where there is one."""
    rows = suites.of_environment(environment)
    seeds = {} if version is None else suites.seeds_shown(rows, version)
    return [summary(row, seed=seeds.get(row.pk)) for row in rows]


@dataclass(frozen=True, slots=True)
class OtherDefinition:
    """A suite of the same name that freezes something else, such as an earlier rules version."""

    name: str
    digest: Sha256
    rules: int
    created_at: Moment
    is_present: Annotated[bool, Spec(description="A run may have it today.")]
    has_results: Annotated[bool, Spec(description="The hub measured a model by it.")]


def other_definitions(
    rows: QuerySet[Suite], *, version: Version | None = None
) -> list[OtherDefinition]:
    """Those suites in their order; `has_results` counts the version's runs alone where one is
    given, else runs of any environment."""
    measured = Run.objects.filter(suite=OuterRef("pk"), status=Run.Status.SUCCEEDED)
    if version is not None:
        measured = measured.filter(version=version)
    return [
        OtherDefinition(
            name=row.name,
            digest=row.digest,
            rules=row.frozen.rules,
            created_at=row.created_at,
            is_present=suites.is_present(row),
            has_results=row.has_results,
        )
        for row in rows.annotate(has_results=Exists(measured.exclude(model="")))
    ]
