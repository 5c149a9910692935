"""What a version takes from git repositories, as the API and pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from registry.catalog.models import Version
from registry.git_sources.models import COMMIT
from registry.read_models import links
from registry.read_models.annotations import Sha256, Spec, Uri


@dataclass(frozen=True, slots=True)
class GitDependency:
    """A distribution that is built from the files of one commit, which the hub keeps as an archive.

    `revision` is the branch, tag or commit that the wheel names, "" for the default branch;
    `subdirectory` the folder that is built; `size` the archive's, in bytes.
    """

    name: str
    repository: Uri
    revision: str
    commit: Annotated[str, Spec(pattern=COMMIT)]
    subdirectory: str
    filename: str
    url: Uri
    sha256: Sha256
    size: int


def git_dependencies(version: Version) -> list[GitDependency]:
    """Those of the version, by name; empty before it was checked."""
    return [
        GitDependency(
            name=row.name,
            repository=row.repository,
            revision=row.revision,
            commit=row.commit,
            subdirectory=row.subdirectory,
            filename=row.filename,
            url=links.to("file", row.sha256[:2], row.sha256, row.filename),
            sha256=row.sha256,
            size=row.size,
        )
        for row in version.git_sources.all()
    ]
