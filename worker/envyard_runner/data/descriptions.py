"""Reads a repository's description, as the data set hub's API gives it."""

from __future__ import annotations

from typing import Any

from envyard.contract.data_lock import LockedRepository, licence_tag
from envyard.contract.data_requests import Repository
from envyard.contract.values import record


def locked_repository(repository: Repository, info: dict[str, Any]) -> LockedRepository:
    """The repository at the commit of its description, without revisions and files."""
    return LockedRepository(
        kind=repository.kind,
        name=repository.name,
        commit=str(info["sha"]),
        licence=_licence(info),
        gated=bool(info.get("gated")),
    )


def _licence(info: dict[str, Any]) -> str:
    """The licence that the repository's card or tags name."""
    named = record(info.get("cardData")).get("license")
    if isinstance(named, list):
        named = ", ".join(str(each) for each in named[:5])
    tags = info.get("tags")
    for tag in tags if isinstance(tags, list) and not named else ():
        if isinstance(tag, str) and tag.startswith("license:"):
            named = tag.removeprefix("license:")
    return licence_tag(named)
