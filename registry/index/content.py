"""The content of the simple index, one dict per page with the keys of the JSON form (PEP 691).

The JSON is the dict, and the HTML is rendered from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC
from typing import Any

from registry.attestations import services as attestations
from registry.catalog.models import Environment, Version

API_VERSION = "1.4"  # PEP 629, 700, 714 and 792
META = {"api-version": API_VERSION}
Page = dict[str, Any]


def root(names: Iterable[str]) -> Page:
    """The root page of an owner: the list of environments."""
    return {"meta": META, "projects": [{"name": name} for name in names]}


def environment(environment: Environment) -> Page:
    """The files of an environment: listed versions, yanked ones with their reason, oldest first.

    A quarantined environment offers none (PEP 792); a quarantined version is left out. File
    addresses are relative to the page, so that the page may be served from any host. The serial
    grows with every change of the page, as that of PyPI does for mirrors.
    """
    rows = environment.versions.installable().select_related("provenance")
    versions = list(rows.order_by("sort_key", "pk"))
    return {
        "meta": META | {"_last-serial": environment.index_serial},
        "name": environment.name,
        "project-status": _status(environment),
        "versions": [version.version for version in versions],
        "files": [_file(version) for version in versions],
    }


def _status(environment: Environment) -> Page:
    """PEP 792; of two statuses the one that prevents installing."""
    if environment.quarantined_at is not None:
        status, reason = "quarantined", environment.quarantine_reason
    elif environment.deprecated_at is not None:
        status, reason = "deprecated", environment.deprecation_reason
    else:
        status, reason = "active", ""
    return {"status": status, "reason": reason} if reason else {"status": status}


def _file(version: Version) -> Page:
    """One wheel. `upload-time` is the upload's and not the listing's, as in PEP 700.

    No `dist-info-metadata` beside `core-metadata`: pip 22.3 to 23.0 fails on it (PEP 714).
    """
    uploaded = version.uploaded_at.astimezone(UTC)
    entry: Page = {
        "filename": version.filename,
        "url": f"../../../files/{version.sha256[:2]}/{version.sha256}/{version.filename}",
        "hashes": {"sha256": version.sha256},
        "size": version.size,
        "upload-time": uploaded.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "core-metadata": {"sha256": version.metadata_sha256},
        "yanked": (version.yanked_reason or True) if version.yanked_at else False,
    }
    if version.requires_python:
        entry["requires-python"] = version.requires_python
    if proof := attestations.url(version):
        entry["provenance"] = proof  # absolute, as PEP 740 requires
    return entry
