"""Environments as the pages and the API show them.

Functions in the plural take a page of rows and cost a fixed number of queries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from envyard.contract.job import MODEL
from registry.card.models import Card
from registry.catalog.models import Environment, Version
from registry.read_models import links, versions
from registry.read_models.annotations import (
    Moment,
    Spec,
    StoredCardSummary,
    StoredScore,
    Uri,
    extended,
)
from registry.read_models.versions import Deprecation, VersionDetail, Visibility


@dataclass(frozen=True, slots=True)
class Latest:
    """The version that an installer picks without a pin."""

    version: str
    listed_at: Moment | None


@dataclass(frozen=True, slots=True)
class EnvironmentSummary:
    """An environment, as lists show it."""

    owner: str
    name: str
    ref: Annotated[str, Spec(description="owner/name")]
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
    card: Annotated[
        StoredCardSummary | None,
        Spec(description="What lists show of the latest version's card; null without a card."),
    ]
    score: Annotated[StoredScore | None, Spec(description="The model's, on the latest version.")]
    learnability: Annotated[
        float | None,
        Spec(description="Share of groups of 4 rollouts whose rewards differ, the model's."),
    ]
    difficulty: Annotated[
        str, Spec(description="Of the latest version for the model; empty without one.")
    ]
    created_at: Moment
    updated_at: Moment
    url: Uri
    api_url: Uri


@dataclass(frozen=True, slots=True)
class EnvironmentDetail(EnvironmentSummary):
    """An environment with its latest version, or the newest that you may see."""

    readme: str
    license: str
    module: str
    versions_count: int
    latest_version: VersionDetail | None
    starred: Annotated[bool, Spec(description="You starred it.")]


def summaries(environments: Sequence[Environment]) -> list[EnvironmentSummary]:
    """EnvironmentSummary of each; rows come from `for_summary()`."""
    return [summary(environment) for environment in environments]


def summary(environment: Environment) -> EnvironmentSummary:
    """EnvironmentSummary; the score is the model's in the latest version's card."""
    latest = environment.latest
    card = versions.card_of(latest) if latest else None
    owner, name = environment.owner.name, environment.name
    return EnvironmentSummary(
        owner=owner,
        name=name,
        ref=f"{owner}/{name}",
        summary=environment.summary,
        tags=sorted(tag.name for tag in environment.tags.all()),
        framework=latest.framework if latest else "",
        api=latest.api if latest else "",
        visibility=environment.visibility,
        quarantined=environment.quarantined_at is not None,
        deprecated=versions.deprecation(environment),
        stars=environment.star_count,
        installs=environment.installs,
        latest=Latest(latest.version, latest.listed_at) if latest else None,
        card=card.summary or None if card else None,
        score=score_of(card),
        learnability=latest.learnability if latest else None,
        difficulty=latest.difficulty if latest else "",
        created_at=environment.created_at,
        updated_at=environment.updated_at,
        url=links.environment(environment),
        api_url=links.to("api-environment", owner, name),
    )


def newest_statuses(environments: Iterable[Environment]) -> dict[str, str]:
    """owner/name of those without a latest version -> the status of their newest one, where that is
    not listed; one query, none where each has a latest version."""
    unlisted = {row.pk: row for row in environments if row.latest_id is None}
    if not unlisted:
        return {}
    versions = Version.objects.filter(environment__in=unlisted, deleted_at=None).newest_first()
    statuses: dict[int, str] = {}
    for environment, status in versions.values_list("environment_id", "status"):
        statuses.setdefault(environment, status)
    listed = Version.Status.LISTED
    return {str(unlisted[pk]): status for pk, status in statuses.items() if status != listed}


def score_of(card: Card | None) -> StoredScore | None:
    """The model's score; None without one."""
    return next((s for s in card.scores if s["policy"] == MODEL), None) if card else None


def detail(
    environment: Environment, version: Version | None, *, starred: bool
) -> EnvironmentDetail:
    """EnvironmentDetail; `version` is the latest, or the newest that the actor may see, and
    `starred` whether the actor starred it."""
    return extended(
        EnvironmentDetail,
        summary(environment),
        readme=version.readme if version else "",
        license=version.license if version else "",
        module=version.module if version else "",
        versions_count=environment.versions.published().count(),
        latest_version=versions.detail(version) if version else None,
        starred=starred,
    )
