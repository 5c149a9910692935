"""Versions as the pages and the API show them.

Functions in the plural take a page of rows and cost a fixed number of queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from envyard.contract.facts import Facts
from registry.attestations import services as attestations
from registry.card.models import Card
from registry.catalog import data_locks
from registry.catalog.models import Environment, Version
from registry.provisions import hosts
from registry.read_models import links, needs, remeasurements, runs, signed_cards, steps
from registry.read_models.annotations import (
    Moment,
    Sha256,
    Spec,
    StoredMeasure,
    StoredModelResults,
    Uri,
    extended,
)
from registry.read_models.costs import ModelCost, of_models
from registry.read_models.data_locks import DataSet, data_sets
from registry.read_models.git_sources import GitDependency, git_dependencies
from registry.read_models.measure_sources import sourced, sourced_results
from registry.read_models.needs import Requirement, VersionNeeds
from registry.read_models.remeasurements import Remeasurement
from registry.read_models.runs import FollowedRun, RecordedFinding
from registry.read_models.signed_cards import CardSignature
from registry.runs.models import Run

# The columns that a summary needs.
SUMMARISED = (
    *("environment", "version", "status", "status_at", "summary", "size", "uploaded_at"),
    *("listed_at", "yanked_at", "yanked_reason", "quarantined_at"),
)
Visibility = Annotated[str, Spec(enum=Environment.Visibility.values)]


@dataclass(frozen=True, slots=True)
class Successor:
    """What to use instead."""

    ref: str
    url: Uri


@dataclass(frozen=True, slots=True)
class Deprecation:
    """Its owner advises against it."""

    at: Moment
    reason: str
    successor: Successor | None


@dataclass(frozen=True, slots=True)
class Yank:
    """Its owner took it back; exact pins still find it (PEP 592)."""

    at: Moment
    reason: str


@dataclass(frozen=True, slots=True)
class VersionSummary:
    """One immutable wheel, as lists show it."""

    version: str
    ref: Annotated[str, Spec(description="owner/name==version")]
    status: Annotated[str, Spec(enum=Version.Status.values)]
    status_at: Moment
    uploaded_at: Moment
    listed_at: Moment | None
    yanked: Yank | None
    quarantined: bool
    summary: str
    size: Annotated[int, Spec(description="Bytes of the wheel.")]
    url: Uri


@dataclass(frozen=True, slots=True)
class File:
    """The wheel; `.metadata` behind its address is its METADATA."""

    filename: str
    url: Uri
    sha256: Sha256
    size: int
    metadata_sha256: Sha256


@dataclass(frozen=True, slots=True)
class VersionCard:
    """How good a training ground the version is."""

    measures: list[StoredMeasure]
    computed_at: Moment
    run: str
    uses_network: Annotated[
        bool, Spec(description="Its run exchanged data with hosts, which may answer otherwise.")
    ]
    measured_at: Annotated[Moment, Spec(description="The end of its run.")]
    rules: Annotated[
        int, Spec(description="Version of the rules that it was computed by; 0 before they had any")
    ]
    signature: CardSignature | None
    models: Annotated[
        list[StoredModelResults],
        Spec(description="What each model can learn from it, and what that costs."),
    ]
    costs: Annotated[
        list[ModelCost], Spec(description="In money, where the operator names prices.")
    ]


@dataclass(frozen=True, slots=True)
class VersionHead(VersionSummary):
    """What stands under the title of a listed version's environment."""

    hosts: list[str]
    no_longer_passes: Remeasurement | None


@dataclass(frozen=True, slots=True)
class VersionDetail(VersionSummary):
    """A version with its metadata, findings, last run and card."""

    environment: str
    visibility: Visibility
    deprecated: Deprecation | None
    framework: str
    framework_version: Annotated[
        str, Spec(description="The release that its last run had; empty before one has loaded.")
    ]
    api: str
    module: str
    entry: str
    requires_python: str
    requires_dist: list[str]
    keywords: list[str]
    license: str
    readme: str
    readme_type: str
    authors: str
    links: dict[str, str]
    uploaded_by: str | None
    published_with: Annotated[
        dict[str, Any] | None, Spec(description="The trusted publisher, if any.")
    ]
    provenance: Uri | None
    file: File
    requirements: Annotated[
        list[Requirement], Spec(description="What it is held for; empty unless it is held.")
    ]
    needs: list[VersionNeeds]
    variables: Annotated[dict[str, str], Spec(description="Those that the wheel declares.")]
    hosts: Annotated[list[str], Spec(description="Hosts that its runs may reach.")]
    findings: list[RecordedFinding]
    pipeline: list[steps.PipelineStep]
    run: FollowedRun | None
    card: VersionCard | None
    remeasured: Annotated[
        Remeasurement | None, Spec(description="The newest measurement since it was listed.")
    ]
    no_longer_passes: Annotated[
        Remeasurement | None, Spec(description="The measurement that it failed, until it passes.")
    ]
    data_sets: Annotated[
        list[DataSet], Spec(description="What its runs read; `data-lock/` has the files.")
    ]
    git_dependencies: Annotated[
        list[GitDependency], Spec(description="What it takes from git repositories.")
    ]


def summaries(versions: Sequence[Version]) -> list[VersionSummary]:
    """VersionSummary of each; rows come with environment and owner."""
    return [summary(version) for version in versions]


def summary(version: Version) -> VersionSummary:
    """VersionSummary."""
    return VersionSummary(
        version=version.version,
        ref=str(version),
        status=version.status,
        status_at=version.status_at,
        uploaded_at=version.uploaded_at,
        listed_at=version.listed_at,
        yanked=Yank(version.yanked_at, version.yanked_reason) if version.yanked_at else None,
        quarantined=bool(version.quarantined_at or version.environment.quarantined_at),
        summary=version.summary,
        size=version.size,
        url=links.version(version),
    )


def head(version: Version) -> VersionHead:
    """VersionHead."""
    return extended(
        VersionHead,
        summary(version),
        hosts=list(hosts.granted(version)),
        no_longer_passes=remeasurements.failure(version),
    )


def detail(version: Version) -> VersionDetail:
    """VersionDetail."""
    run = version.runs.deciding().select_related("runner", "suite").first()
    if run is not None:
        run.version = version
    lock, _ = data_locks.of(version)
    remeasured = remeasurements.newest(version)
    return extended(
        VersionDetail,
        summary(version),
        environment=str(version.environment),
        visibility=version.environment.visibility,
        deprecated=deprecation(version.environment),
        framework=version.framework,
        framework_version=run.facts.get("framework_version", "") if run else "",
        api=version.api,
        module=version.module,
        entry=version.entry,
        requires_python=version.requires_python,
        requires_dist=version.requires_dist,
        keywords=version.keywords,
        license=version.license,
        readme=version.readme,
        readme_type=version.readme_type,
        authors=version.authors,
        links=version.links,
        uploaded_by=version.uploaded_by.username if version.uploaded_by else None,
        published_with=version.published_with or None,
        provenance=attestations.url(version),
        file=_file(version),
        requirements=needs.requirements(version),
        needs=needs.of_version(version, lock),
        variables=version.variables,
        hosts=list(hosts.granted(version)),
        findings=[runs.finding(row) for row in version.findings.deciding()],
        pipeline=steps.pipeline(version),
        run=runs.followed(run) if run else None,
        card=_card(version, run),
        remeasured=remeasured,
        no_longer_passes=remeasurements.failure(version) if remeasured else None,
        data_sets=data_sets(lock),
        git_dependencies=git_dependencies(version),
    )


def deprecation(environment: Environment) -> Deprecation | None:
    """Deprecation; its successor only while it may be one."""
    if environment.deprecated_at is None:
        return None
    row = environment.shown_successor
    successor = Successor(str(row), links.environment(row)) if row else None
    return Deprecation(environment.deprecated_at, environment.deprecation_reason, successor)


def _file(version: Version) -> File:
    return File(
        filename=version.filename,
        url=links.file(version),
        sha256=version.sha256,
        size=version.size,
        metadata_sha256=version.metadata_sha256,
    )


def _card(version: Version, newest: Run | None) -> VersionCard | None:
    card = card_of(version)
    if card is None:
        return None
    run = newest if newest is not None and newest.pk == card.run_id else card.run
    uses_network = Facts.from_dict({"connections": run.facts.get("connections")}).uses_network
    return VersionCard(
        measures=sourced(card.measures),
        computed_at=card.computed_at,
        run=str(card.run_id),
        uses_network=uses_network,
        measured_at=run.ended_at or card.computed_at,
        rules=card.rules,
        signature=signed_cards.newest(version, card.run_id),
        models=sourced_results(card.model_results),
        costs=of_models(card.model_results),
    )


def card_of(version: Version) -> Card | None:
    """The row of its card."""
    try:
        return version.card
    except Card.DoesNotExist:
        return None
