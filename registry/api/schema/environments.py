"""Environments, versions and runs as the API answers them: `registry.api.shapes`, described."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from envyard.contract.facets import FACETS
from envyard.contract.job import MODEL
from envyard.contract.probes import PROBE_NAMES
from registry.api.schema.base import Moment, Page, Shape, among
from registry.api.shapes import STEPS
from registry.card.measures import Measure
from registry.card.scores import Score
from registry.catalog.models import Environment, Version
from registry.catalog.related_models import VersionFinding
from registry.runs.models import Run

Visibility = Annotated[str, among(Environment.Visibility.values)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Uri = Annotated[str, Field(json_schema_extra={"format": "uri"})]


class Latest(Shape):
    """The version that an installer picks without a pin."""

    version: str
    listed_at: Moment | None


class Successor(Shape):
    """What to use instead."""

    ref: str
    url: Uri


class Deprecation(Shape):
    """Its owner advises against it."""

    at: Moment
    reason: str
    successor: Successor | None


class EnvironmentSummary(Shape):
    """An environment, as lists show it."""

    owner: str
    name: str
    ref: Annotated[str, Field(description="owner/name")]
    summary: str
    tags: list[str]
    framework: str
    api: str
    visibility: Visibility
    quarantined: bool
    deprecated: Deprecation | None
    stars: int
    installs: int
    latest: Latest | None
    score: Annotated[Score | None, Field(description="The model's, on the latest version.")]
    created_at: Moment
    updated_at: Moment
    url: Uri
    api_url: Uri


class FacetValue(Shape):
    """One value and how many it would leave."""

    value: str
    count: int
    chosen: bool


class Facet(Shape):
    """The most frequent values; counts are at least so many unless `whole`."""

    whole: bool
    values: list[FacetValue]


class EnvironmentPage(Page[EnvironmentSummary]):
    """A page of the catalogue; `facets` where they were asked for."""

    facets: Annotated[dict[str, Facet], Field(default_factory=dict, description=", ".join(FACETS))]


class Yank(Shape):
    """Its owner took it back; exact pins still find it (PEP 592)."""

    at: Moment
    reason: str


class VersionSummary(Shape):
    """One immutable wheel, as lists show it."""

    version: str
    ref: Annotated[str, Field(description="owner/name==version")]
    status: Annotated[str, among(Version.Status.values)]
    status_at: Moment
    uploaded_at: Moment
    listed_at: Moment | None
    yanked: Yank | None
    quarantined: bool
    summary: str
    size: Annotated[int, Field(description="Bytes of the wheel.")]
    url: Uri


class File(Shape):
    """The wheel; `.metadata` behind its address is its METADATA."""

    filename: str
    url: Uri
    sha256: Sha256
    size: int
    metadata_sha256: Sha256


class RecordedFinding(Shape):
    """One result of one check, with a stable code."""

    stage: Annotated[str, among(VersionFinding.Stage.values)]
    code: str
    severity: Annotated[str, among(("error", "warning", "info"))]
    message: str
    hint: str
    where: str
    details: dict[str, Any]
    run: str | None


class Step(Shape):
    """One step to being listed."""

    step: Annotated[str, among(STEPS)]
    state: Annotated[str, among(("done", "active", "failed", "waiting"))]
    at: Moment | None


class RunSummary(Shape):
    """One evaluation of one version, as lists show it."""

    id: Annotated[str, Field(json_schema_extra={"format": "uuid"})]
    environment: str
    version: str
    status: Annotated[str, among(Run.Status.values)]
    attempt: int
    policies: Annotated[list[str], Field(description=f"{', '.join(PROBE_NAMES)}, {MODEL}")]
    model: str
    done: int
    total: int
    created_at: Moment
    started_at: Moment | None
    ended_at: Moment | None
    runner: str | None
    scores: list[Score]
    url: Uri


class QueuePosition(Shape):
    """How many runs come before it, how many wait with it, and how many runners are there."""

    before: int
    waiting: int
    runners: int


class LostAttempt(Shape):
    """An attempt that ended without a result."""

    attempt: int
    runner: str
    counted: Annotated[
        bool,
        Field(description="It used up one of the attempts that a run has: its code had begun."),
    ]
    handed_back: Annotated[bool, Field(description="Its runner was stopped or taken out.")]
    code: str
    message: str
    at: Moment


class FollowedRun(RunSummary):
    """A run and where it waits, while it does; `not_before` is when its next attempt may begin."""

    queue: QueuePosition | None
    not_before: Moment | None
    lost_attempts: list[LostAttempt]


class RunDetail(FollowedRun):
    """A run with what was found."""

    facts: Annotated[dict[str, Any], Field(description="What the runner noted about the wheel.")]
    findings: list[RecordedFinding]
    tasks: int
    attempts: int
    seed: int


class Card(Shape):
    """How good a training ground the version is."""

    measures: list[Measure]
    computed_at: Moment
    run: str


class VersionDetail(VersionSummary):
    """A version with its metadata, findings, last run and card."""

    environment: str
    visibility: Visibility
    deprecated: Deprecation | None
    framework: str
    framework_version: Annotated[
        str, Field(description="The release that its last run had; empty before one has loaded.")
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
        dict[str, Any] | None, Field(description="The trusted publisher, if any.")
    ]
    provenance: Annotated[str | None, Field(json_schema_extra={"format": "uri"})]
    file: File
    findings: list[RecordedFinding]
    pipeline: list[Step]
    run: FollowedRun | None
    card: Card | None


class EnvironmentDetail(EnvironmentSummary):
    """An environment with its latest version, or the newest that you may see."""

    readme: str
    license: str
    module: str
    versions_count: int
    latest_version: VersionDetail | None
    starred: Annotated[bool, Field(description="You starred it.")]


class Starred(Shape):
    """Whether you star it now, and how many do."""

    starred: bool
    stars: int


class LogPiece(Shape):
    """A piece of the log; ask again `after` what `next` says, until `ended`."""

    text: str
    next: int
    ended: bool
