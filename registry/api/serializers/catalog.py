"""Environments, versions, locks and trusted publishers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

from rest_framework import serializers
from rest_framework.serializers import Serializer

from envyard.contract.facets import FACETS
from registry.api.serializers.base import Body, ReadModelSerializer
from registry.api.serializers.fields import Choice, Object, Text
from registry.catalog.models import Environment
from registry.publishers.models import TrustedPublisher
from registry.read_models.annotations import Spec, Uri
from registry.read_models.environments import EnvironmentDetail, EnvironmentSummary
from registry.read_models.versions import LockDetail, LockSummary, VersionDetail, VersionSummary

VISIBILITIES = Environment.Visibility.values


class EnvironmentSerializer(ReadModelSerializer):
    """An environment, as lists show it."""

    model = EnvironmentSummary


class EnvironmentDetailSerializer(ReadModelSerializer):
    """An environment with its latest version, or the newest that you may see."""

    model = EnvironmentDetail


class VersionSerializer(ReadModelSerializer):
    """One immutable wheel, as lists show it."""

    model = VersionSummary


class VersionDetailSerializer(ReadModelSerializer):
    """A version with its metadata, findings, last run and card."""

    model = VersionDetail


class LockDetailSerializer(ReadModelSerializer):
    """A lock with the requirements file, as pip and uv read it."""

    model = LockDetail


@dataclass(frozen=True, slots=True)
class LockList:
    """The locks of a version."""

    results: list[LockSummary]


class LockListSerializer(ReadModelSerializer):
    """The locks of a version."""

    model = LockList


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value and how many environments it would leave."""

    value: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class FacetValues:
    """The most frequent values; counts are minimums unless `whole`."""

    whole: bool
    values: list[FacetValue]


@dataclass(frozen=True, slots=True)
class CataloguePage:
    """A page of the catalogue; `facets` only with `facets=1`."""

    results: list[EnvironmentSummary]
    next: Uri | None
    facets: Annotated[dict[str, FacetValues], Spec(description=", ".join(FACETS))] = field(
        default_factory=dict
    )


class CataloguePageSerializer(ReadModelSerializer):
    """A page of the catalogue; `facets` only with `facets=1`."""

    model = CataloguePage


class NewEnvironmentSerializer(Body):
    """An environment to create, or to find where it exists."""

    refuses_unknown = True
    name = Text()
    owner = Text(required=False, help_text="Left out: yours.")
    visibility = Choice(VISIBILITIES, required=False, allow_null=True, default=None)


class ChangedEnvironmentSerializer(Body):
    """What may be changed of an environment."""

    refuses_unknown = True
    visibility = Choice(VISIBILITIES)


class NewOwnerSerializer(Body):
    """The new owner; you must publish under that name too."""

    refuses_unknown = True
    owner = Text()


class NewDeprecationSerializer(Body):
    """Why not to use it, and perhaps what to use instead."""

    reason = Text()
    successor = Text(required=False, help_text="owner/name")


class ReasonSerializer(Body):
    """Why."""

    reason = Text()


class StarredSerializer(Serializer[Any]):
    """Whether you star it now, and how many do."""

    starred = serializers.BooleanField()
    stars = serializers.IntegerField()


class PublisherSerializer(Serializer[TrustedPublisher]):
    """A workflow that may publish; `claims` is what its identity token must hold."""

    id = serializers.IntegerField()
    environment = serializers.CharField(source="*")
    pending = serializers.SerializerMethodField()
    kind = serializers.ChoiceField(TrustedPublisher.Kind.values)
    issuer = serializers.CharField()
    claims = serializers.DictField()
    added_by = serializers.CharField(source="added_by.username")
    added_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True)

    def get_pending(self, publisher: TrustedPublisher) -> bool:
        """Whether its environment does not exist yet."""
        return publisher.environment_id is None


class PublisherListSerializer(Serializer[Any]):
    """All publishers of an environment or owner."""

    results = PublisherSerializer(many=True)


class NewPublisherSerializer(Body):
    """A publisher to trust: what its identity token must hold."""

    kind = Choice(TrustedPublisher.Kind.values)
    issuer = Text(required=False, help_text="Left out: the one of that kind.")
    repository = Text(required=False)
    workflow = Text(required=False)
    ci_environment = Text(required=False)
    owner_id = Text(required=False)
    sub = Text(required=False)
    claims = Object(
        child=Text(), required=False, allow_null=True, default=None, help_text="More claims."
    )

    def validate_claims(self, claims: dict[str, str] | None) -> dict[str, str]:
        """The claims by their names, which are texts too."""
        name = Text()
        return {name.run_validation(key): value for key, value in (claims or {}).items()}


class NewPendingPublisherSerializer(NewPublisherSerializer):
    """The same for an environment that its first upload will make."""

    name = Text()
