"""What the simple index says, as one dict a page in the JSON form's own keys (PEP 691).

Everything else is made from it: the JSON is the dict, the HTML a rendering of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC
from typing import Any

from registry.catalog.models import Environment, Version

API_VERSION = "1.4"  # PEP 629, 700, 714 and 792
META = {"api-version": API_VERSION}
Page = dict[str, Any]


def root(names: Iterable[str]) -> Page:
    """The list of an owner's environments."""
    return {"meta": META, "projects": [{"name": name} for name in names]}


def environment(environment: Environment) -> Page:
    """The files of an environment: listed versions, yanked ones with their reason, oldest first.

    A quarantined environment offers none (PEP 792); a quarantined version is left out. File
    addresses are relative to the page, so that the page may be served from any host.
    """
    versions = list(environment.versions.installable().order_by("sort_key", "pk"))
    quarantined = environment.quarantined_at is not None
    status: Page = {"status": "quarantined" if quarantined else "active"}
    if quarantined and environment.quarantine_reason:
        status["reason"] = environment.quarantine_reason
    return {
        "meta": META,
        "name": environment.name,
        "project-status": status,
        "versions": [version.version for version in versions],
        "files": [_file(version) for version in versions],
    }


def _file(version: Version) -> Page:
    """One wheel. `upload-time` is the upload's and not the listing's, as PEP 700 says."""
    metadata = {"sha256": version.metadata_sha256}
    uploaded = version.uploaded_at.astimezone(UTC)
    entry: Page = {
        "filename": version.filename,
        "url": f"../../../files/{version.sha256[:2]}/{version.sha256}/{version.filename}",
        "hashes": {"sha256": version.sha256},
        "size": version.size,
        "upload-time": uploaded.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "core-metadata": metadata,
        "dist-info-metadata": metadata,
        "yanked": (version.yanked_reason or True) if version.yanked_at else False,
    }
    if version.requires_python:
        entry["requires-python"] = version.requires_python
    return entry
