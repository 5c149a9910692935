"""What `prime` and `vf-eval --push` send: bodies and query strings as DRF serializers."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import Any

from rest_framework import serializers
from rest_framework.fields import empty

from envyard.contract.values import plain
from registry.api.serializers.base import Body, SharedFieldsSerializer
from registry.api.serializers.fields import (
    MISSING,
    Object,
    QueryFlag,
    QueryWhole,
    Text,
    Whole,
    Word,
    shown,
)
from registry.catalog.models import Environment
from registry.errors import HubError
from registry.self_reported import services
from registry.self_reported.claims import Claims

# Ids grow with time, and `fresh_at` has an index: both sort as what they stand for.
ORDERS = {
    "name": "name",
    "created_at": "pk",
    "updated_at": "fresh_at",
    "stars": "star_count",
}
MAX_OFFSET, MAX_TAGS = 1_000_000, 20
MAX_SHOWN, SHOWN = 500_000, 100_000  # bytes of one file
MAX_CHARACTERS = 100_000  # of metadata or metrics, which every list reads
SHA256 = re.compile(r"[0-9a-f]{64}")


class Flag(QueryFlag):
    """`true` or `1`, `false` or `0` of a query string, in any case."""

    def run_validation(self, data: Any = empty) -> Any:
        """The flag; raises ValidationError."""
        text = data.lower() if isinstance(data, str) else data
        return super().run_validation({"1": "true", "0": "false"}.get(text, text))


class Digest(Text):
    """A sha256 in hex digits of either case."""

    default_error_messages = {"not_hex": "{value} must be 64 hex digits"}

    def run_validation(self, data: Any = empty) -> Any:
        """The digest in small letters; raises ValidationError."""
        text = super().run_validation(data).lower()
        if not SHA256.fullmatch(text):
            self.fail("not_hex", value=shown(text))
        return text


class JsonFlag(serializers.BooleanField):
    """`true` or `false` of JSON."""

    default_error_messages = {"null": f"{MISSING} must be true or false"}

    def to_internal_value(self, data: Any) -> bool:
        """The flag; raises ValidationError."""
        if not isinstance(data, bool):
            raise serializers.ValidationError(f"{shown(data)} must be true or false")
        return data


class BoundedObject(Object):
    """An object of JSON that a list can afford to read, with values that a database stores."""

    def __init__(self) -> None:
        super().__init__(required=False, allow_null=True, default=None)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """The object; raises ValidationError, or 413."""
        cleaned: Any = plain(super().to_internal_value(data))
        if len(json.dumps(cleaned)) > MAX_CHARACTERS:
            raise HubError(
                "request.too_large",
                f"{self.field_name} has more than {MAX_CHARACTERS} characters as JSON",
                "Push what belongs to single samples with the samples.",
                413,
                {"field": self.field_name},
            )
        return dict(cleaned)


class TeamsQuery(SharedFieldsSerializer):
    """Which teams of a person."""

    offset = QueryWhole(max_value=MAX_OFFSET, default=0)
    limit = QueryWhole(min_value=1, max_value=100, default=100)


class EnvironmentsQuery(SharedFieldsSerializer):
    """Which environments; `tags`, which may be repeated, are not among the fields."""

    search = Text(required=False)
    owner = Text(required=False)
    visibility = Word(Environment.Visibility.values, required=False, default="")
    mine_only = Flag(default=False)
    starred_only = Flag(default=False)
    sort_by = Word(list(ORDERS), required=False, default="created_at")
    sort_order = Word(["asc", "desc"], required=False, default="desc")
    limit = QueryWhole(min_value=1, max_value=100, default=20)
    offset = QueryWhole(max_value=MAX_OFFSET, default=0)


class InspectQuery(SharedFieldsSerializer):
    """Which file or folder, and how much of a file."""

    path = serializers.CharField(
        required=False, default="", allow_blank=True, trim_whitespace=False
    )
    max_bytes = QueryWhole(min_value=1, max_value=MAX_SHOWN, default=SHOWN)


class EvaluationsQuery(SharedFieldsSerializer):
    """Which evaluations."""

    environment_name = Text(required=False)
    team_id = Text(required=False)
    suite_id = Text(required=False)
    skip = QueryWhole(max_value=MAX_OFFSET, default=0)
    limit = QueryWhole(min_value=1, max_value=100, default=50)


class SamplesQuery(SharedFieldsSerializer):
    """Which samples of an evaluation."""

    limit = QueryWhole(min_value=1, max_value=1000, default=100)
    page = QueryWhole(min_value=1, max_value=MAX_OFFSET, default=1)


class NewEnvironment(Body):
    """An environment to publish in, and in one of three fields its owner."""

    name = Text(max_length=100)
    visibility = Word(Environment.Visibility.values, required=False, allow_null=True, default=None)
    owner_slug = Text(required=False, allow_blank=False)
    team_slug = Text(required=False, allow_blank=False)
    team_id = Text(required=False, allow_blank=False)


class EnvironmentId(Body):
    """An environment's id, and perhaps a version's number."""

    id = Text(max_length=40)
    version_id = Text(required=False, max_length=80)


class Announcement(Body):
    """A file to send."""

    filename = Text(max_length=255)
    semantic_version = Text(max_length=80)
    sha256 = Digest()
    content_hash = Digest()
    size = Whole(required=False, allow_null=True, default=None)


class PlayedEnvironments(serializers.ListField):
    """A list with the one environment that was played."""

    child = EnvironmentId()

    def run_validation(self, data: Any = empty) -> Any:
        """The list; raises ValidationError or HubError."""
        if not isinstance(data, list) or len(data) != 1 or not isinstance(data[0], dict):
            raise HubError(
                "request.invalid",
                "environments must name exactly one environment: this hub knows neither suites nor "
                "training runs",
                "Push with `--env owner/name`, and each environment's evaluation apart.",
                details={"field": "environments"},
            )
        return super().run_validation(data)


class ClaimsFields(Body):
    """The claims of an uploader; what is left out or empty stays as it is."""

    name = Text(required=False, max_length=200)
    model_name = Text(required=False, max_length=200)
    dataset = Text(required=False, max_length=200)
    framework = Text(required=False, max_length=80)
    task_type = Text(required=False, max_length=80)
    description = Text(required=False, max_length=4000)
    tags = serializers.ListField(
        child=Text(max_length=40),
        max_length=MAX_TAGS,
        required=False,
        allow_null=True,
        default=None,
        error_messages=dict.fromkeys(
            ("not_a_list", "max_length"), f"must be a list of at most {MAX_TAGS} words"
        ),
    )
    metadata = BoundedObject()
    metrics = BoundedObject()


def claims(values: dict[str, Any]) -> Claims:
    """The claims among the values of ClaimsFields."""
    sent = {field.name: values[field.name] for field in fields(Claims)}
    return Claims(**{name: value for name, value in sent.items() if value not in ("", [])})


class NewEvaluation(ClaimsFields):
    """An evaluation to push."""

    name = Text(max_length=200)
    environments = PlayedEnvironments()
    is_public = JsonFlag(default=False)
    team_id = Text(required=False, allow_blank=False)


class ChangedEvaluation(ClaimsFields):
    """More claims, or that it failed."""

    status = Word(
        [services.FAILED, services.CANCELLED],
        required=False,
        default="",
        error_messages={
            "invalid_choice": "{input} must be failed or cancelled; finalize completes"
        },
    )
    error_message = Text(required=False)


class Completion(Body):
    """The last metrics."""

    metrics = BoundedObject()


class SampleList(serializers.ListField):
    """Samples, each an object of any shape."""

    def run_validation(self, data: Any = empty) -> Any:
        """The list as it is, which may be long; raises ValidationError."""
        if not isinstance(data, list) or not data or not all(isinstance(s, dict) for s in data):
            raise serializers.ValidationError("must be a list of objects with at least one")
        return data


class Batch(Body):
    """A batch of samples."""

    samples = SampleList()
