"""Variables, secrets and hosts of an environment, as the API and pages show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from registry.accounts.models import User
from registry.provisions.models import EnvironmentHost, EnvironmentSecret, EnvironmentVariable
from registry.read_models.annotations import Moment, Spec


@dataclass(frozen=True, slots=True)
class Variable:
    """A public variable."""

    name: str
    value: str
    set_by: str | None
    set_at: Moment


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret without its value."""

    name: str
    hosts: Annotated[list[str], Spec(description="The hosts that may receive the value.")]
    set_by: str | None
    set_at: Moment


@dataclass(frozen=True, slots=True)
class Host:
    """A declared host; runs reach it once it is approved."""

    host: str
    on_page: Annotated[bool, Spec(description="An owner declared it, for every version.")]
    declared_at: Moment
    approved_at: Moment | None
    approved_by: str | None


def variable(row: EnvironmentVariable) -> Variable:
    """Variable; the row comes with `set_by`."""
    return Variable(row.name, row.value, _name(row.set_by), row.set_at)


def secret(row: EnvironmentSecret) -> Secret:
    """Secret; the row comes with `set_by`."""
    return Secret(row.name, list(row.hosts), _name(row.set_by), row.set_at)


def host(row: EnvironmentHost) -> Host:
    """Host; the row comes with `approved_by`."""
    return Host(row.host, row.on_page, row.declared_at, row.approved_at, _name(row.approved_by))


def _name(user: User | None) -> str | None:
    return user.username if user else None
