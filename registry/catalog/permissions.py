"""Permission rules for environments and versions, each `see` with its SQL twin."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q

from registry.accounts.models import Token
from registry.accounts.permissions import (
    ADMIN,
    PUBLISH,
    READ,
    Actor,
    Principal,
    Rule,
    Rules,
    member_rows,
    register,
)
from registry.catalog.models import Environment, Version


def sees_environment(principal: Principal, environment: Environment) -> bool:
    """Members see it; everybody sees it where it is public and a version of it was listed."""
    if environment.deleted_at is not None:
        return False
    if principal.is_member(environment.owner_id):
        return True
    return environment.visibility == "public" and environment.was_listed


def _visible_environments(actor: Actor, token: Token | None) -> Q:
    published = Version.objects.published().filter(environment=OuterRef("pk"))
    public = Q(visibility="public") & (Q(latest__isnull=False) | Exists(published))
    members = member_rows(actor, token, owner="owner_id", environment="pk")
    return (public | members) & Q(deleted_at=None)


def sees_version(principal: Principal, version: Version) -> bool:
    """Members see every version; everybody sees the listed ones of a public environment."""
    if version.deleted_at is not None:
        return False
    environment = version.environment
    if principal.is_member(environment.owner_id):
        return True
    return environment.visibility == "public" and version.status == "listed"


def _visible_versions(actor: Actor, token: Token | None) -> Q:
    public = Q(environment__visibility="public", status="listed")
    members = member_rows(
        actor, token, owner="environment__owner_id", environment="environment__pk"
    )
    return (public | members) & Q(deleted_at=None)


def installs_version(principal: Principal, version: Version) -> bool:
    """Those that see it, unless it or its environment is quarantined."""
    blocked = version.quarantined_at or version.environment.quarantined_at
    return blocked is None and sees_version(principal, version)


def publishes_environment(principal: Principal, environment: Environment) -> bool:
    """A deleted environment is revived through `owner.publish`, not through a token or a publisher
    that was made for it alone."""
    return environment.deleted_at is None and principal.publishes(environment.owner_id)


def manages_environment(principal: Principal, environment: Environment) -> bool:
    """Owners, maintainers and staff."""
    return environment.deleted_at is None and principal.manages(environment.owner_id)


def _owns_environment(principal: Principal, environment: Environment) -> bool:
    return environment.deleted_at is None and principal.is_owner(environment.owner_id)


def _sees_as_user(principal: Principal, environment: Environment) -> bool:
    return principal.user is not None and sees_environment(principal, environment)


def _moderates(principal: Principal, obj: Environment | Version) -> bool:
    return principal.staff and obj.deleted_at is None


def _manages_version(principal: Principal, version: Version) -> bool:
    return version.deleted_at is None and manages_environment(principal, version.environment)


def _evaluates_version(principal: Principal, version: Version) -> bool:
    return principal.user is not None and installs_version(principal, version)


def _owns_version(principal: Principal, version: Version) -> bool:
    return version.deleted_at is None and _owns_environment(principal, version.environment)


register(
    "environment",
    Rules[Environment](
        (Environment,),
        {
            "see": Rule(READ, sees_environment, where=_visible_environments),
            "publish": Rule(PUBLISH, publishes_environment, "publish versions of {obj}"),
            "manage": Rule(ADMIN, manages_environment, "change {obj}"),
            "deprecate": Rule(PUBLISH, manages_environment, "deprecate {obj}"),
            "set_secrets": Rule(ADMIN, publishes_environment, "change the secrets of {obj}"),
            "approve_hosts": Rule(ADMIN, _moderates, "approve the hosts of {obj}"),
            "transfer": Rule(ADMIN, _owns_environment, "transfer {obj}"),
            "delete": Rule(ADMIN, _owns_environment, "delete {obj}"),
            "star": Rule(PUBLISH, _sees_as_user, "star {obj}", exempt=True),
            "watch": Rule(PUBLISH, _sees_as_user, "watch {obj}", exempt=True),
            "push_evaluation": Rule(PUBLISH, _sees_as_user, "push evaluations of {obj}"),
            "report": Rule(PUBLISH, _sees_as_user, "report {obj} to the staff", exempt=True),
            "journal": Rule(ADMIN, manages_environment, "read the journal of {obj}", exempt=True),
            "quarantine": Rule(ADMIN, _moderates, "quarantine {obj}"),
        },
        lambda environment: environment.pk,
    ),
)
register(
    "version",
    Rules[Version](
        (Version,),
        {
            "see": Rule(READ, sees_version, where=_visible_versions),
            "install": Rule(READ, installs_version, "install {obj}"),
            "yank": Rule(PUBLISH, _manages_version, "yank {obj}"),
            "delete": Rule(ADMIN, _owns_version, "delete {obj}"),
            "quarantine": Rule(ADMIN, _moderates, "quarantine {obj}"),
            "retry": Rule(PUBLISH, _manages_version, "retry {obj}"),
            "evaluate": Rule(PUBLISH, _evaluates_version, "evaluate {obj}", exempt=True),
            "rejudge": Rule(ADMIN, _moderates, "have the rejection of {obj} judged again"),
        },
        lambda version: version.environment_id,
    ),
)
