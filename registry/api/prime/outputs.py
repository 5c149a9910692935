"""What `prime` reads: people, environments, versions, files and evaluations, in its own fields.

Its word for an organisation is a team. What it sends is in `inputs.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from django.conf import settings
from rest_framework import serializers

from registry.accounts import index_credentials
from registry.accounts.models import Token, User
from registry.accounts.permissions import can
from registry.api.auth import BASIC_USER
from registry.api.serializers.base import SharedFieldsSerializer
from registry.catalog.models import Environment, Version
from registry.read_models import links
from registry.self_reported.models import REPORTED
from registry.sources.models import Source


class Computed(serializers.Field[Any, Any, Any, Any]):
    """A field whose value a function computes from the row."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        super().__init__(source="*", read_only=True)
        self.compute = compute

    def to_representation(self, value: Any) -> Any:
        """The value."""
        return self.compute(value)


def _shown_name(user: User) -> str:
    return user.get_full_name() or user.username


def source_of(version: Version) -> Source | None:
    """The version's source archive; None where none was sent."""
    try:
        return version.source
    except Source.DoesNotExist:
        return None


def _content_hash(version: Version) -> str:
    """Prime's own digest of the source, else that of the wheel."""
    source = source_of(version)
    return source.content_hash if source else version.sha256


class WhoamiSerializer(SharedFieldsSerializer):
    """The person, and what the `token` of the context may do; none is a browser's session."""

    id = serializers.CharField(source="username")
    slug = serializers.CharField(source="owner.name")
    name = Computed(_shown_name)
    email = serializers.SerializerMethodField()
    scope = serializers.SerializerMethodField()

    def get_email(self, user: User) -> str | None:
        """The address, for tokens of the whole person."""
        token: Token | None = self.context["token"]
        return user.email if token is None or token.environment_id is None else None

    def get_scope(self, user: User) -> dict[str, dict[str, bool]]:
        """What the token may do."""
        token: Token | None = self.context["token"]
        may = {"read": True, "write": token is None or token.scope != Token.Scope.READ}
        return {"environments": may, "evaluations": may}


class TeamSerializer(SharedFieldsSerializer):
    """An organisation that the person is in."""

    teamId = serializers.CharField(source="organisation.owner.name")
    slug = serializers.CharField(source="organisation.owner.name")
    name = Computed(lambda row: row.organisation.title or row.organisation.owner.name)
    role = serializers.CharField()
    createdAt = serializers.DateTimeField(source="organisation.created_at")


class MemberSerializer(SharedFieldsSerializer):
    """A member of an organisation, without the address."""

    userId = serializers.CharField(source="user.username")
    userName = Computed(lambda row: _shown_name(row.user))
    userEmail = Computed(lambda _: None)
    role = serializers.CharField()
    joinedAt = serializers.DateTimeField(source="since")


class OwnerSerializer(SharedFieldsSerializer):
    """A person or an organisation."""

    name = serializers.CharField()
    type = Computed(lambda owner: "team" if owner.organisation_id else "user")


class EnvironmentSerializer(SharedFieldsSerializer):
    """A line of `prime env list`; rows come from `for_list()` or more."""

    id = Computed(links.prime_id)
    name = serializers.CharField()
    owner = OwnerSerializer()
    description = serializers.CharField(source="summary")
    visibility = Computed(lambda environment: environment.visibility.upper())
    latest_version = serializers.CharField(source="latest.version", allow_null=True)
    stars = serializers.IntegerField(source="star_count")
    tags = Computed(lambda environment: sorted(tag.name for tag in environment.tags.all()))
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField(source="fresh_at")


class LatestVersionSerializer(SharedFieldsSerializer):
    """The latest version, in the status of an environment."""

    semantic_version = serializers.CharField(source="version")
    content_hash = Computed(_content_hash)
    status = serializers.CharField()
    created_at = serializers.DateTimeField(source="uploaded_at")


class VersionSerializer(SharedFieldsSerializer):
    """A line of `prime env version list`; its "size" counts files."""

    version = serializers.CharField()
    version_id = serializers.CharField(source="version")
    status = serializers.CharField()
    created_at = serializers.DateTimeField(source="uploaded_at")
    sha256 = Computed(_content_hash)
    size = Computed(lambda version: 1 if source_of(version) is None else 2)


class MetadataSerializer(SharedFieldsSerializer):
    """The metadata of a version's wheel."""

    description = serializers.CharField(source="summary")
    tags = serializers.JSONField(source="keywords")
    license = serializers.CharField()
    dependencies = serializers.JSONField(source="requires_dist")
    python_requires = serializers.CharField(source="requires_python")


class VersionDetailSerializer(SharedFieldsSerializer):
    """What info, pull and install read, for the `actor` of the context: person and token.

    The addresses of a private environment, and of a version that is not listed, hold a short-lived
    credential made from the token: prime hands them to uv and pip, which have no other credentials.
    """

    id = Computed(lambda row: links.prime_id(row.environment))
    name = serializers.CharField(source="environment.name")
    owner = OwnerSerializer(source="environment.owner")
    visibility = Computed(lambda version: version.environment.visibility.upper())
    semantic_version = serializers.CharField(source="version")
    version_id = serializers.CharField(source="version")
    status = serializers.CharField()
    content_hash = Computed(_content_hash)
    sha256 = serializers.CharField()
    created_at = serializers.DateTimeField(source="uploaded_at")
    url_dependencies = Computed(lambda _: [])
    metadata = MetadataSerializer(source="*")

    def to_representation(self, instance: Version) -> dict[str, Any]:
        """With addresses where the actor may install it."""
        shown: dict[str, Any] = super().to_representation(instance)
        actor, token = self.context["actor"]
        if can(actor, "version.install", instance, token):
            shown |= _addresses(instance, token)
        return shown


def _addresses(version: Version, token: Token | None) -> dict[str, str | None]:
    environment = version.environment
    listed = version.status == Version.Status.LISTED
    public = environment.visibility == Environment.Visibility.PUBLIC and listed
    credential = (
        ""
        if public or token is None
        else index_credentials.issue(token=token, environment_id=environment.pk)
    )
    source = links.to("prime-source", environment.owner.name, environment.name, version.version)
    return {
        "install_index_url": None,  # prime would pass it on as --extra-index-url
        "simple_index_url": None,
        "wheel_url": f"{_with(credential, links.file(version))}#sha256={version.sha256}",
        "package_url": source if source_of(version) else None,
    }


def _with(credential: str, address: str) -> str:
    if not credential:
        return address
    scheme, rest = settings.HUB_URL.split("://", 1)
    path = address.removeprefix(settings.HUB_URL)
    return f"{scheme}://{BASIC_USER}:{quote(credential, safe='')}@{rest}{path}"


class EntrySerializer(SharedFieldsSerializer):
    """A file or a folder in a folder."""

    name = Computed(lambda entry: entry.path.rpartition("/")[2])
    path = serializers.CharField()
    is_directory = Computed(lambda entry: entry.size is None)
    size = serializers.IntegerField(allow_null=True)


class TreeSerializer(SharedFieldsSerializer):
    """A folder of a version's files."""

    kind = Computed(lambda _: "directory")
    path = serializers.CharField()
    entries = EntrySerializer(many=True)
    truncated = serializers.BooleanField(source="cut")


class FileSerializer(SharedFieldsSerializer):
    """The beginning of a file."""

    kind = Computed(lambda _: "file")
    path = serializers.CharField()
    content = Computed(lambda file: file.data.decode(errors="replace"))
    total_bytes = serializers.IntegerField(source="size")
    truncated = Computed(lambda file: len(file.data) < file.size)


class PlayedEnvironmentSerializer(SharedFieldsSerializer):
    """The environment and version that an evaluation is of."""

    id = Computed(lambda row: links.prime_id(row.environment))
    slug = serializers.CharField(source="environment")
    version_id = serializers.CharField(source="version.version", allow_null=True)


class EvaluationSerializer(SharedFieldsSerializer):
    """An evaluation without its samples; rows come from `for_summary()`."""

    evaluation_id = serializers.CharField(source="pk")
    name = serializers.CharField()
    note = Computed(lambda _: REPORTED)
    status = Computed(lambda row: row.status.upper())
    error_message = Computed(lambda row: row.error_message or None)
    environment_ids = Computed(lambda row: [links.prime_id(row.environment)])
    environment_names = Computed(lambda row: [str(row.environment)])
    environments = Computed(lambda row: [PlayedEnvironmentSerializer(row).data])
    version_id = serializers.CharField(source="version.version", allow_null=True)
    owner = serializers.CharField(source="owner.name")
    user_id = serializers.CharField(source="created_by.username", allow_null=True)
    team_id = Computed(lambda row: row.owner.name if row.owner.organisation_id else None)
    is_public = serializers.BooleanField()
    is_hosted = Computed(lambda _: False)
    model_name = serializers.CharField()
    dataset = serializers.CharField()
    framework = serializers.CharField()
    task_type = serializers.CharField()
    description = serializers.CharField()
    tags = serializers.JSONField()
    metadata = serializers.JSONField()
    metrics = serializers.JSONField()
    total_samples = serializers.IntegerField(source="sample_count")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    finalized_at = serializers.DateTimeField(source="ended_at", allow_null=True)
    viewer_url = Computed(links.evaluation)
