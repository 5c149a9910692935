"""Environments and their versions. Status is written by `catalog.lifecycle.move` alone."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from envyard.contract.frameworks.adapter import MAX_API, MAX_ENTRY_NAME, MAX_FRAMEWORK
from registry import constraints
from registry.accounts.models import Owner, User
from registry.catalog.likeness import like
from registry.catalog.querysets import EnvironmentFilters, VersionFilters


class Tag(models.Model):
    """A keyword from METADATA, lower case."""

    name = models.CharField(max_length=40, unique=True)

    def __str__(self) -> str:
        return self.name


class EnvironmentQuerySet(EnvironmentFilters["Environment"]):
    """Environments."""

    def indexed(self) -> Self:
        """Those with a published version, yanked or not: the names in an owner's index."""
        versions = Version.objects.using(self.db).published()
        return self.filter(Exists(versions.filter(environment=OuterRef("pk"))))


class Environment(models.Model):
    """owner/name; its page shows `latest`, the newest listed version.

    `fresh_at` is when that version was listed, or the environment was created, `star_count` counts
    `stars`, and `learnability` is that version's, -1 where it has none: they are columns so that
    the catalogue sorts by an index. A deleted one stays as
    a tombstone, which a new upload under its name revives.
    """

    class Visibility(models.TextChoices):
        PUBLIC = "public"
        PRIVATE = "private"

    owner = models.ForeignKey(Owner, on_delete=models.PROTECT, related_name="environments")
    name = models.CharField(max_length=100)
    visibility = models.CharField(
        max_length=8, choices=Visibility.choices, default=Visibility.PUBLIC
    )
    latest = models.ForeignKey(
        "registry.Version", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    summary = models.CharField(max_length=512, blank=True)
    tags = models.ManyToManyField(Tag, related_name="environments")
    likeness = models.GeneratedField(
        expression=like(models.F("name")),
        output_field=models.CharField(max_length=100),
        db_persist=True,
    )
    installs = models.PositiveBigIntegerField(default=0)
    star_count = models.PositiveIntegerField(default=0)
    learnability = models.FloatField(default=-1.0)
    fresh_at = models.DateTimeField(default=timezone.now)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    quarantined_at = models.DateTimeField(null=True, blank=True)
    quarantine_reason = models.CharField(max_length=400, blank=True)
    deprecated_at = models.DateTimeField(null=True, blank=True)
    deprecation_reason = models.CharField(max_length=400, blank=True)
    successor = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="predecessors"
    )
    deleted_at = models.DateTimeField(null=True, blank=True)
    index_serial = models.PositiveBigIntegerField(default=0)  # of the last change of its page

    objects = EnvironmentQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("owner", "name"), name="one_environment_a_name"),
            models.UniqueConstraint(
                fields=("owner", "likeness"), name="no_two_environments_look_alike"
            ),
            models.CheckConstraint(
                condition=Q(deleted_at__isnull=True) | Q(latest__isnull=True),
                name="deleted_environments_have_no_latest",
            ),
            models.CheckConstraint(
                condition=Q(successor__isnull=True) | Q(deprecated_at__isnull=False),
                name="only_the_deprecated_have_a_successor",
            ),
            models.CheckConstraint(
                condition=Q(name__regex=constraints.NAME),
                name="environment_name_normalised",
            ),
            models.UniqueConstraint(fields=("latest",), name="latest_of_one_environment"),
            models.CheckConstraint(
                condition=Q(visibility__in=("public", "private")), name="visibility_is_known"
            ),
            models.CheckConstraint(
                condition=constraints.only_with("quarantine_reason", "quarantined_at"),
                name="only_quarantined_environments_say_why",
            ),
            models.CheckConstraint(
                condition=constraints.only_with("deprecation_reason", "deprecated_at"),
                name="only_the_deprecated_say_why",
            ),
            models.CheckConstraint(
                condition=~Q(successor=models.F("id")), name="no_environment_succeeds_itself"
            ),
        )
        indexes = (
            models.Index(fields=("likeness",), name="environment_by_likeness"),
            models.Index(fields=("fresh_at", "id"), name="environment_by_fresh_at"),
            models.Index(fields=("installs", "id"), name="environment_by_installs"),
            models.Index(fields=("star_count", "id"), name="environment_by_stars"),
            models.Index(fields=("name", "id"), name="environment_by_name"),
            models.Index(fields=("learnability", "id"), name="environment_by_learnability"),
        )

    def __str__(self) -> str:
        return f"{self.owner.name}/{self.name}"

    @property
    def was_listed(self) -> bool:
        """Some version is listed, yanked or not. Costs a query where there is no `latest`."""
        return self.latest_id is not None or self.versions.published().exists()

    def may_succeed(self, other: Environment) -> bool:
        """It is in the catalogue, and everybody who sees `other` sees it too."""
        if self.latest_id is None or self.quarantined_at is not None:
            return False
        private = self.visibility == self.Visibility.PRIVATE
        return not private or (other.visibility, other.owner_id) == (self.visibility, self.owner_id)

    @property
    def shown_successor(self) -> Environment | None:
        """The successor while it may be one: it can become private or deleted after it was
        named."""
        successor = self.successor
        return successor if successor is not None and successor.may_succeed(self) else None


class VersionQuerySet(VersionFilters["Version"]):
    """Versions."""


class Version(models.Model):
    """One immutable wheel of an environment, its metadata and its status.

    `sort_key` orders versions as PEP 440 does, as plain text. `deleted_at` is a tombstone: the row
    and its file name stay so that neither ever returns. `published_with` holds the claims of the
    trusted publisher that uploaded it, {} for a user's own token. `staged` is the name of the
    upload's objects in the storage until they are moved to their sha256. `variables` are those that
    the wheel declares. `learnability` and `difficulty` are those of its card's model, `facets` the
    values of facets that its card gives. `emptied_at` is when the objects of a deleted version were
    released: from then on it refers to none.
    """

    class Status(models.TextChoices):
        UPLOADED = "uploaded"
        CHECKING = "checking"
        EVALUATING = "evaluating"
        LISTED = "listed"
        REJECTED = "rejected"
        HELD = "held"

    environment = models.ForeignKey(Environment, on_delete=models.PROTECT, related_name="versions")
    version = models.CharField(max_length=80)
    sort_key = models.CharField(max_length=400)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.UPLOADED)
    status_at = models.DateTimeField(auto_now_add=True)

    filename = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    metadata_sha256 = models.CharField(max_length=64)
    staged = models.CharField(max_length=32, blank=True)

    summary = models.CharField(max_length=512, blank=True)
    readme = models.TextField(blank=True)
    readme_type = models.CharField(max_length=80, blank=True)
    license = models.CharField(max_length=200, blank=True)
    requires_python = models.CharField(max_length=120, blank=True)
    requires_dist = models.JSONField(default=list)
    keywords = models.JSONField(default=list)
    links = models.JSONField(default=dict)
    authors = models.CharField(max_length=400, blank=True)

    framework = models.CharField(max_length=MAX_FRAMEWORK, blank=True)
    api = models.CharField(max_length=MAX_API, blank=True)
    module = models.CharField(max_length=200, blank=True)
    entry = models.CharField(max_length=MAX_ENTRY_NAME, blank=True)
    variables = models.JSONField(default=dict)
    learnability = models.FloatField(null=True)
    difficulty = models.CharField(max_length=10, blank=True)
    facets = models.JSONField(default=dict)

    published_with = models.JSONField(default=dict)
    uploaded_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    uploaded_at = models.DateTimeField(auto_now_add=True)
    listed_at = models.DateTimeField(null=True, blank=True)
    yanked_at = models.DateTimeField(null=True, blank=True)
    yanked_reason = models.CharField(max_length=400, blank=True)
    quarantined_at = models.DateTimeField(null=True, blank=True)
    quarantine_reason = models.CharField(max_length=400, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    emptied_at = models.DateTimeField(null=True, blank=True)

    objects = VersionQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("environment", "version"), name="one_wheel_a_version"),
            models.UniqueConstraint(
                fields=("environment", "sort_key"), name="one_spelling_a_version"
            ),
            models.CheckConstraint(
                condition=~Q(status="listed") | Q(listed_at__isnull=False),
                name="listed_versions_have_a_time",
            ),
            models.CheckConstraint(
                condition=Q(yanked_at__isnull=True) | Q(status="listed"),
                name="only_listed_versions_are_yanked",
            ),
            models.CheckConstraint(
                condition=constraints.sha256("sha256", "metadata_sha256"),
                name="version_digests_are_sha256",
            ),
            models.UniqueConstraint(
                fields=("environment", "filename"), name="one_version_a_file_name"
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=("uploaded", "checking", "evaluating", "listed", "rejected", "held")
                ),
                name="version_status_is_known",
            ),
            models.CheckConstraint(
                condition=Q(staged="") | Q(status="uploaded"),
                name="only_uploaded_versions_are_staged",
            ),
            models.CheckConstraint(condition=Q(size__gt=0), name="wheels_have_bytes"),
            models.CheckConstraint(
                condition=constraints.only_with("yanked_reason", "yanked_at"),
                name="only_yanked_versions_say_why",
            ),
            models.CheckConstraint(
                condition=constraints.only_with("quarantine_reason", "quarantined_at"),
                name="only_quarantined_versions_say_why",
            ),
            models.CheckConstraint(
                condition=Q(emptied_at__isnull=True) | Q(deleted_at__isnull=False, staged=""),
                name="only_deleted_versions_are_emptied",
            ),
        )
        indexes = (
            models.Index(
                fields=("deleted_at",),
                condition=Q(deleted_at__isnull=False, emptied_at__isnull=True),
                name="version_to_empty",
            ),
            models.Index(fields=("status", "status_at"), name="version_by_status"),
            # Of an environment with thousands of versions, the keys of the listed ones without
            # their rows.
            models.Index(
                fields=("environment", "status", "deleted_at", "id"), name="listed_version_by_env"
            ),
            models.Index(fields=("sha256",), name="version_by_sha256"),
            models.Index(fields=("metadata_sha256",), name="version_by_metadata"),
            models.Index(fields=("uploaded_by", "-uploaded_at"), name="version_by_uploader"),
        )

    def __str__(self) -> str:
        return f"{self.environment}=={self.version}"
