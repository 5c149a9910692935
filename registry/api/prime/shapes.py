"""Environments and versions in the fields that `prime` reads."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from django.conf import settings

from registry.accounts import index_credentials
from registry.accounts.models import Owner, Token
from registry.accounts.permissions import Actor, can
from registry.api.auth import BASIC_USER
from registry.catalog.models import Environment, Version
from registry.read_models import links
from registry.read_models.links import prime_id
from registry.read_models.times import when
from registry.sources.models import Source

Shape = dict[str, Any]


def owner(owner: Owner) -> Shape:
    """An owner."""
    return {"name": owner.name, "type": "team" if owner.organisation_id else "user"}


def environment(environment: Environment) -> Shape:
    """A line of `prime env list`; rows come from `for_summary()`."""
    return {
        "id": prime_id(environment),
        "name": environment.name,
        "owner": owner(environment.owner),
        "description": environment.summary,
        "visibility": environment.visibility.upper(),
        "latest_version": environment.latest.version if environment.latest else None,
        "stars": environment.star_count,
        "tags": sorted(tag.name for tag in environment.tags.all()),
        "created_at": when(environment.created_at),
        "updated_at": when(environment.fresh_at),
    }


def content_hash(version: Version) -> str:
    """The version's hash for prime: prime's own digest of the source, else that of the wheel."""
    source = source_of(version)
    return source.content_hash if source else version.sha256


def source_of(version: Version) -> Source | None:
    """Its source archive, where one was sent."""
    try:
        return version.source
    except Source.DoesNotExist:
        return None


def version(version: Version) -> Shape:
    """A line of `prime env version list`; its "size" counts files."""
    return {
        "version": version.version,
        "version_id": version.version,
        "status": version.status,
        "created_at": when(version.uploaded_at),
        "sha256": content_hash(version),
        "size": 1 if source_of(version) is None else 2,
    }


def detail(version: Version, actor: Actor, token: Token | None) -> Shape:
    """What info, pull and install read.

    The addresses of a private environment, and of a version that is not listed, carry a loan of
    the actor's token: prime hands them to uv and pip, which have no other credentials.
    """
    environment = version.environment
    shown: Shape = {
        "id": prime_id(environment),
        "name": environment.name,
        "owner": owner(environment.owner),
        "visibility": environment.visibility.upper(),
        "semantic_version": version.version,
        "version_id": version.version,
        "status": version.status,
        "content_hash": content_hash(version),
        "sha256": version.sha256,
        "created_at": when(version.uploaded_at),
        "url_dependencies": [],
        "metadata": {
            "description": version.summary,
            "tags": version.keywords,
            "license": version.license,
            "dependencies": version.requires_dist,
            "python_requires": version.requires_python,
        },
    }
    if can(actor, "version.install", version, token):
        shown |= _addresses(version, token)
    return shown


def _addresses(version: Version, token: Token | None) -> Shape:
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
