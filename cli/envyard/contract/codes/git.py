"""Codes of dependencies that come from git repositories."""

from __future__ import annotations

from envyard.contract.codes.code import environment_fault, platform_fault

GIT = (
    environment_fault(
        "git.no_revision",
        "The repository has no such branch, tag or commit.",
        "Name a tag, or a commit that a branch or tag of that very repository leads to.",
    ),
    environment_fault(
        "git.unusable",
        "The files of the commit cannot be used.",
        "Depend on a commit without them, or on a release from the index.",
    ),
    environment_fault(
        "git.build_failed",
        "No wheel could be built from the repository.",
        "Building has no network: `pip wheel --no-build-isolation` on a clean clone shows the "
        "same. Depend on a release from the index if there is one.",
    ),
    platform_fault(
        "git.unreachable",
        "The repository could not be fetched.",
        "The hub's operator sets which repositories are fetched, and from where. "
        "`hub retry` tries it again.",
    ),
)
