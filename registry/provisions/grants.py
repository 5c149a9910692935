"""What a run is granted of the variables, secrets and hosts of its environment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Max

from envyard.contract.job import BoundSecret
from envyard.contract.needs.kinds import covers
from registry.accounts.models import User
from registry.catalog.models import Environment, Version
from registry.provisions import cipher, hosts
from registry.provisions.models import EnvironmentSecret


@dataclass(frozen=True, slots=True)
class Grant:
    """The variables of a run, the hosts that it may reach, and the secrets bound to them; `set_at`
    has the time in ISO 8601 when each secret was set."""

    variables: dict[str, str]
    hosts: tuple[str, ...]
    secrets: tuple[BoundSecret, ...]
    set_at: dict[str, str]


def of(version: Version, *, requested_by: User | None) -> Grant:
    """The grant of a run that is leased now; an owner's variable replaces the wheel's."""
    own = {row.name: row.value for row in version.environment.variables.all()}
    reachable = hosts.granted(version)
    rows = secrets(version, requested_by=requested_by)
    bound = {row: to_hosts for row in rows if (to_hosts := _reachable(row, reachable))}
    return Grant(
        variables=version.variables | own,
        hosts=reachable,
        secrets=tuple(BoundSecret(row.name, to_hosts) for row, to_hosts in bound.items()),
        set_at={row.name: row.set_at.isoformat() for row in bound},
    )


def values(version: Version, *, requested_by: User | None) -> dict[str, str]:
    """The values of the secrets of `of`; one that cannot be decrypted is left out."""
    names = {secret.name for secret in of(version, requested_by=requested_by).secrets}
    decrypted = {}
    for row in version.environment.secrets.filter(name__in=names):
        try:
            decrypted[row.name] = cipher.decrypt(row.encrypted, row.bound)
        except cipher.Undecryptable:
            continue
    return decrypted


def unreadable(rows: Iterable[EnvironmentSecret]) -> list[str]:
    """The names of the secrets that the hub's keys do not decrypt: their owner sets them again."""
    names = []
    for row in rows if cipher.is_available() else ():
        try:
            cipher.decrypt(row.encrypted, row.bound)
        except cipher.Undecryptable:
            names.append(row.name)
    return names


def secrets(version: Version, *, requested_by: User | None) -> list[EnvironmentSecret]:
    """The secrets of the environment that runs of the version may use.

    None for a version that was uploaded before the environment came to its present owner, and none
    for a run that somebody who does not belong to the owner requested.
    """
    environment = version.environment
    rows = list(environment.secrets.all())
    if not rows or not cipher.is_available():
        return []
    received = environment.former_names.aggregate(at=Max("at"))["at"]
    if received is not None and version.uploaded_at <= received:
        return []
    if requested_by is not None and not _belongs(requested_by, environment):
        return []
    return rows


def _belongs(user: User, environment: Environment) -> bool:
    return user.role(environment.owner_id) is not None


def _reachable(row: EnvironmentSecret, reachable: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        host for host in row.hosts if any(host == name or covers(name, host) for name in reachable)
    )
