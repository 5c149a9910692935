"""The git dependencies of a version, each resolved once to a commit and its archive."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from registry import constraints
from registry.catalog.models import Version

COMMIT = r"^[0-9a-f]{40}$"


class GitSource(models.Model):
    """One distribution that a version takes from a git repository. The row never changes.

    `repository` is the address that the wheel names, `revision` what it names there, `sha256` and
    `size` those of the archive with all files of `commit`.
    """

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="git_sources")
    name = models.CharField(max_length=100)
    repository = models.CharField(max_length=1000)
    revision = models.CharField(max_length=200, blank=True)
    commit = models.CharField(max_length=40)
    subdirectory = models.CharField(max_length=500, blank=True)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    pinned_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(fields=("version", "name"), name="git_source_once_a_name"),
            models.CheckConstraint(
                condition=constraints.sha256("sha256") & Q(commit__regex=COMMIT),
                name="git_source_digests",
            ),
        )
        indexes = (models.Index(fields=("sha256",), name="git_source_by_sha256"),)

    def __str__(self) -> str:
        return f"{self.name} of {self.version}"

    @property
    def filename(self) -> str:
        """The archive's file name."""
        return f"{self.name}-{self.commit[:12]}.tar.gz"

    @property
    def path(self) -> str:
        """The archive's address on this hub."""
        return f"/files/{self.sha256[:2]}/{self.sha256}/{self.filename}"
