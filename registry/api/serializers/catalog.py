"""Environments, versions, locks and trusted publishers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

from rest_framework import serializers
from rest_framework.serializers import Serializer

from envyard.contract.facets import FACETS
from registry.api.serializers.base import Body, SharedFieldsSerializer, read_model
from registry.api.serializers.fields import Choice, Object, Text, Word
from registry.catalog.models import Environment
from registry.catalog.search.criteria import WITHIN
from registry.catalog.search.results import SORTS
from registry.publishers.models import TrustedPublisher
from registry.read_models.annotations import Spec, Uri
from registry.read_models.environments import EnvironmentDetail, EnvironmentSummary
from registry.read_models.locks import LockDetail, LockSummary
from registry.read_models.versions import VersionDetail, VersionSummary

VISIBILITIES = Environment.Visibility.values


EnvironmentSerializer = read_model(EnvironmentSummary)
EnvironmentDetailSerializer = read_model(EnvironmentDetail)
VersionSerializer = read_model(VersionSummary)
VersionDetailSerializer = read_model(VersionDetail)
LockDetailSerializer = read_model(LockDetail)


@dataclass(frozen=True, slots=True)
class LockList:
    """The locks of a version."""

    results: list[LockSummary]


LockListSerializer = read_model(LockList)


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


CataloguePageSerializer = read_model(CataloguePage)


class CatalogQuery(SharedFieldsSerializer):
    """Words, filters and order of a search."""

    q = Text(required=False, help_text="Words; all must occur, misspelled ones are forgiven.")
    mine = Choice(["1"], required=False, help_text="1: what you belong to, listed or not.")
    facets = Choice(["1"], required=False, help_text="1: count what the filters would leave.")
    within = Choice(
        [str(days) for days in WITHIN],
        required=False,
        help_text="Whose latest version was listed within this many days.",
    )
    sort = Choice(
        SORTS, required=False, help_text="`relevance` needs `q`, and is then the usual order."
    )

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """With one for each facet."""
        filters: dict[str, serializers.Field[Any, Any, Any, Any]] = {
            name: Word(facet.choices, required=False, help_text=facet.description)
            if facet.choices
            else Text(required=False, help_text=facet.description)
            for name, facet in FACETS.items()
        }
        return super().get_fields() | filters


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
