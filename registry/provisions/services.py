"""Set and delete the variables and secrets of an environment.

Callers have checked permissions. The journal has names and hosts, never the value of a secret.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.utils import timezone

from envyard.contract.needs.declarations import MAX_VALUE
from envyard.contract.needs.kinds import covers, host_fault, is_secret, secret_fault, variable_fault
from registry import events
from registry.accounts.models import User
from registry.catalog.models import Environment
from registry.catalog.services import lock
from registry.errors import HubError, NotFound
from registry.provisions import cipher, hosts
from registry.provisions.models import EnvironmentSecret, EnvironmentVariable

MAX_ROWS = 100  # variables, and secrets, of one environment
MAX_BYTES = 256 << 10  # of all variables of one environment
MIN_SECRET = 8  # characters: the runner searches transcripts for the value


def set_variable(
    *, environment: Environment, name: str, value: str, by: User
) -> EnvironmentVariable:
    """Set a variable for later runs. Raises request.invalid, request.conflict where it is a secret,
    quota.provisions beyond MAX_ROWS."""
    _check_name(name)
    _check_value(value, minimum=0)
    if is_secret(name, value):
        raise _invalid(
            "value",
            f"the value of {name} looks like a key, and variables are public",
            f"Replace that key if it is real; set it with hub secret set {environment} {name} "
            "--host HOST.",
        )
    with transaction.atomic():
        lock(environment)
        if environment.secrets.filter(name=name).exists():
            raise _taken(name, "secret")
        others = environment.variables.exclude(name=name)
        _check_count(others.count(), "variables")
        _check_size([value, *others.values_list("value", flat=True)])
        row, _ = EnvironmentVariable.objects.update_or_create(
            environment=environment,
            name=name,
            defaults={"value": value, "set_by": by, "set_at": timezone.now()},
        )
        events.record("variable.set", by=by, environment=environment, name=name, value=value[:200])
    return row


def delete_variable(*, environment: Environment, name: str, by: User) -> None:
    """Delete a variable; raises NotFound."""
    with transaction.atomic():
        if not environment.variables.filter(name=name).delete()[0]:
            raise NotFound(f"{environment} has no variable {name[:100]}")
        events.record("variable.deleted", by=by, environment=environment, name=name)


def set_secret(
    *, environment: Environment, name: str, value: str, to_hosts: Collection[str], by: User
) -> EnvironmentSecret:
    """Set a secret that the hosts alone may receive, each declared by the environment.

    Raises request.no_secrets_key (409), request.invalid for a host that is not declared, and what
    `set_variable` raises.
    """
    _check_name(name)
    _check_value(value, minimum=MIN_SECRET)
    if broken := secret_fault(value):
        raise _invalid(
            "value", f"the value {broken}", "The runner sends it in headers of requests."
        )
    if not cipher.is_available():
        raise HubError("request.no_secrets_key", status=409)
    with transaction.atomic():
        lock(environment)
        bound = _checked_hosts(environment, to_hosts)
        if environment.variables.filter(name=name).exists():
            raise _taken(name, "variable")
        _check_count(environment.secrets.exclude(name=name).count(), "secrets")
        secret = EnvironmentSecret(environment=environment, name=name, hosts=bound)
        row, _ = EnvironmentSecret.objects.update_or_create(
            environment=environment,
            name=name,
            defaults={
                "encrypted": cipher.encrypt(value, secret.bound),
                "hosts": bound,
                "set_by": by,
                "set_at": timezone.now(),
            },
        )
        events.record(
            "secret.set", by=by, environment=environment, name=name, hosts=", ".join(bound)
        )
    return row


def delete_secret(*, environment: Environment, name: str, by: User) -> None:
    """Delete a secret; raises NotFound."""
    with transaction.atomic():
        if not environment.secrets.filter(name=name).delete()[0]:
            raise NotFound(f"{environment} has no secret {name[:100]}")
        events.record("secret.deleted", by=by, environment=environment, name=name)


def rotate() -> tuple[int, list[str]]:
    """Encrypt every secret with the first key; the count, and those that no key decrypts."""
    count, lost = 0, []
    for row in EnvironmentSecret.objects.select_related("environment__owner").iterator():
        try:
            encrypted = cipher.encrypt(cipher.decrypt(row.encrypted, row.bound), row.bound)
        except cipher.Undecryptable:
            lost.append(str(row))
            continue
        rows = EnvironmentSecret.objects.filter(pk=row.pk, encrypted=row.encrypted)
        count += rows.update(encrypted=encrypted)
    return count, lost


def _checked_hosts(environment: Environment, to_hosts: Collection[str]) -> list[str]:
    declared = [row.host for row in hosts.of(environment)]
    bound = sorted({host.strip().lower() for host in to_hosts})
    if not bound:
        raise _invalid(
            "hosts",
            "a secret needs a host that may receive it",
            "The value is sent to that host alone: the environment's code never has it.",
        )
    for host in bound:
        if broken := host_fault(host):
            raise _invalid("hosts", f"host {host[:100]!r} {broken}", "Name another host.")
        if not any(host == name or covers(name, host) for name in declared):
            raise _invalid(
                "hosts",
                f"host {host[:100]!r} is not declared by {environment}",
                "Declare it under [tool.envyard] hosts, or with `hub host add "
                f"{environment} {host[:100]}`.",
            )
    return bound


def _check_name(name: str) -> None:
    if broken := variable_fault(name):
        raise _invalid("name", f"name {name[:100]!r} {broken}", "Choose another name.")


def _check_value(value: str, *, minimum: int) -> None:
    if not minimum <= len(value) <= MAX_VALUE or "\0" in value:
        raise _invalid(
            "value",
            f"the value must have {minimum} to {MAX_VALUE} characters and no NUL",
            "Larger data belongs into the wheel or a data set.",
        )


def _check_count(others: int, kind: str) -> None:
    if others >= MAX_ROWS:
        raise HubError(
            "quota.provisions",
            f"the environment has {others} {kind}; the limit is {MAX_ROWS}",
            f"Delete {kind} that no version reads.",
            409,
        )


def _check_size(values: Collection[str]) -> None:
    """Programs start with at most 2 MB of variables, the wheel's included."""
    if sum(len(value.encode()) for value in values) > MAX_BYTES:
        raise HubError(
            "quota.provisions",
            f"the variables of an environment may have {MAX_BYTES} bytes together",
            "Larger data belongs into the wheel or a data set.",
            409,
        )


def _taken(name: str, kind: str) -> HubError:
    return HubError(
        "request.conflict",
        f"{name} is a {kind} of the environment",
        f"Delete it first: hub {kind} delete OWNER/NAME {name}",
        409,
    )


def _invalid(field: str, message: str, hint: str) -> HubError:
    return HubError("request.invalid", message, hint, details={"field": field})
