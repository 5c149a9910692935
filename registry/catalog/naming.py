"""The names that a new environment may have, and how many a user may create in an hour."""

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

ADDRESSES = frozenset({"simple", "legacy"})  # addresses of the hub after the name of an owner
# Distributions that environments depend on or are installed with: an owner's index must not
# offer them.
DEPENDED_ON = frozenset(
    """
    datasets envyard envyard-hub envyard-runner gym gymnasium hatchling numpy openai openenv
    openenv-core ors pip prime prime-sandboxes setuptools skyrl-gym torch transformers trl twine uv
    verifiers vllm wheel
    """.split()  # noqa: SIM905 - as a list it would be thirty lines
)
# Modules of Python 3.11 that newer versions lack, and of newer versions that 3.11 lacks: the hub
# must refuse those of every Python that environments run on, whichever it runs on itself.
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
    """Refuse a normal name that the owner does not have and may not get.

    Call it under a lock on the owner, which all callers that add a name take. `by` publishes there,
    so an error may name the owner's private environments.
    """
    check_allowed(owner=owner, name=name, by=by)
    _check_rate(by)


def check_allowed(*, owner: Owner, name: str, by: User) -> None:
    """The same without the limit of new names per hour, for a check that creates none."""
    _check_reserved(name)
    check_similar(owner=owner, name=name, by=by)


def check_similar(*, owner: Owner, name: str, by: User, but: Environment | None = None) -> None:
    """Refuse a name that looks like a present or former one of the owner; `but` does not count."""
    key = likeness(name)
    names = FormerName.objects.annotate(likeness=like(F("name"))).filter(owner=owner, likeness=key)
    for former in names.exclude(environment=but).select_related("environment__owner"):
        _refuse_former(former, name, by)
    similar = Environment.objects.filter(owner=owner, likeness=key).first()
    if similar is not None and similar != but:
        suffix = " (deleted)" if similar.deleted_at else ""
        raise HubError(
            "name.too_similar",
            f"environment name {name!r} looks like {owner}/{similar.name}{suffix}: "
            "hyphens do not tell names apart, nor l, i and 1, nor o and 0",
            status=409,
        )


def _refuse_former(former: FormerName, name: str, by: User) -> None:
    environment = former.environment
    target = f" to {environment}" if can(by, "environment.see", environment) else " away"
    similarity = f", and environment name {name!r} looks like it" if name != former.name else ""
    raise HubError(
        "name.moved",
        f"environment {former} moved{target}; its former name is taken for ever{similarity}",
        status=409,
    )


def _check_reserved(name: str) -> None:
    if name in ADDRESSES:
        reason = "is reserved by the hub"
    elif name in DEPENDED_ON:
        reason = "is the name of something that environments depend on"
    elif module_name(name) in STDLIB:
        reason = f"is that of Python's own module {module_name(name)}"
    else:
        return
    raise HubError("metadata.bad_name", f"environment name {name!r} {reason}")


def _check_rate(by: User) -> None:
    maximum = settings.HUB_NEW_NAMES_PER_HOUR
    if by.is_staff:
        return
    now = timezone.now()
    creations = Event.objects.filter(actor=by, verb="environment.created", at__gt=now - HOUR)
    times = list(creations.order_by("-at").values_list("at", flat=True)[:maximum])
    if len(times) == maximum:
        seconds = max(1, ceil((times[-1] + HOUR - now).total_seconds()))
        raise HubError(
            "request.throttled",
            f"{by.get_username()} made {maximum} new environments within an hour, the most allowed",
            f"Try again in {seconds} seconds; versions of existing environments go through.",
            429,
            {"retry_after": seconds},
        )
