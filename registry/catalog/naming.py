"""Which names a new environment may have, and how many of them a person takes in an hour."""

from __future__ import annotations

import sys
from datetime import timedelta
from math import ceil

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from envyard.contract.names import BadName, check_name, module_name
from registry.accounts.models import Owner, User
from registry.accounts.permissions import can
from registry.catalog.likeness import like, likeness
from registry.catalog.models import Environment
from registry.catalog.related_models import FormerName
from registry.errors import HubError
from registry.events import Event

ADDRESSES = frozenset({"simple", "legacy"})  # they follow an owner's name in the hub's addresses
# What environments depend on or are installed with: an owner's index must not answer for it.
DEPENDED_ON = frozenset(
    """
    datasets envyard envyard-hub envyard-runner gym gymnasium hatchling numpy openai openenv
    openenv-core ors pip prime prime-sandboxes setuptools skyrl-gym torch transformers trl twine uv
    verifiers vllm wheel
    """.split()  # noqa: SIM905 - as a list it would be thirty lines
)
# Modules of Python 3.11 that newer ones lack, and of newer ones that 3.11 lacks: whichever
# Python the hub runs on, it knows those of all that environments run on.
OTHER_PYTHONS = frozenset(
    """
    aifc annotationlib asynchat asyncore audioop cgi cgitb chunk compression crypt distutils imghdr
    imp lib2to3 mailcap msilib nis nntplib ossaudiodev pipes smtpd sndhdr spwd sunau telnetlib uu
    xdrlib
    """.split()  # noqa: SIM905
)
STDLIB = sys.stdlib_module_names | OTHER_PYTHONS
HOUR = timedelta(hours=1)


def normal(name: str) -> str:
    """The name as it is stored; raises HubError where it breaks the rule of names."""
    try:
        return check_name(name)
    except BadName as refused:
        raise HubError("metadata.bad_name", str(refused)) from None


def check_new(*, owner: Owner, name: str, by: User) -> None:
    """Refuse a normal name that the owner has not, and may not get.

    Call it under a lock on the owner, which all who give the owner a name take. `by` publishes
    there, so that what is told of the owner's own environments is no secret.
    """
    check_allowed(owner=owner, name=name, by=by)
    _check_rate(by)


def check_allowed(*, owner: Owner, name: str, by: User) -> None:
    """The same without the number of new names an hour, for a check that makes none."""
    _check_reserved(name)
    check_unlike(owner=owner, name=name, by=by)


def check_unlike(*, owner: Owner, name: str, by: User, but: Environment | None = None) -> None:
    """Refuse a name that looks like one which the owner has, or once had; `but` does not count."""
    seen = likeness(name)
    former = FormerName.objects.annotate(seen=like(F("name"))).filter(owner=owner, seen=seen)
    for gone in former.exclude(environment=but).select_related("environment__owner"):
        _refuse_former(gone, name, by)
    found = Environment.objects.filter(owner=owner, likeness=seen).first()
    if found is not None and found != but:
        was = " (deleted)" if found.deleted_at else ""
        raise HubError(
            "name.too_similar",
            f"environment name {name!r} looks like {owner}/{found.name}{was}: "
            "hyphens do not tell names apart, nor l, i and 1, nor o and 0",
            status=409,
        )


def _refuse_former(gone: FormerName, name: str, by: User) -> None:
    where = f" to {gone.environment}" if can(by, "environment.see", gone.environment) else " away"
    alike = f", and environment name {name!r} looks like it" if name != gone.name else ""
    raise HubError(
        "name.moved",
        f"environment {gone} moved{where}; its former name is taken for ever{alike}",
        status=409,
    )


def _check_reserved(name: str) -> None:
    if name in ADDRESSES:
        why = "is reserved by the hub"
    elif name in DEPENDED_ON:
        why = "is the name of something that environments depend on"
    elif module_name(name) in STDLIB:
        why = f"is that of Python's own module {module_name(name)}"
    else:
        return
    raise HubError("metadata.bad_name", f"environment name {name!r} {why}")


def _check_rate(by: User) -> None:
    most = settings.HUB_NEW_NAMES_PER_HOUR
    if by.is_staff:
        return
    now = timezone.now()
    made = Event.objects.filter(actor=by, verb="environment.created", at__gt=now - HOUR)
    times = list(made.order_by("-at").values_list("at", flat=True)[:most])
    if len(times) == most:
        seconds = max(1, ceil((times[-1] + HOUR - now).total_seconds()))
        raise HubError(
            "request.throttled",
            f"{by.get_username()} made {most} new environments within an hour, the most allowed",
            f"Try again in {seconds} seconds; versions of existing environments go through.",
            429,
            {"retry_after": seconds},
        )
