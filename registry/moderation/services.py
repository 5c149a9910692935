"""Reports by people, and what staff do about them. Callers asked `permissions`.

Who reported something is told to staff alone, so these events belong to no owner's journal.
"""

from __future__ import annotations

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from registry import events
from registry.accounts import mail
from registry.accounts.models import Membership, User
from registry.catalog import overlays
from registry.catalog.models import Environment, Version
from registry.errors import HubError, Stale
from registry.moderation.models import Report

LONGEST_TEXT, LONGEST_RESOLUTION = 2000, 400
QUARANTINED = """{who} of the hub put {what} into quarantine:

{reason}

Nobody can install it until they release it; nothing of it is lost. What you can do, and whom to
ask, stands on its page:

{page}
"""
RELEASED = """{who} of the hub released {what} from quarantine. It can be installed again:

{page}
"""


def open_reports() -> QuerySet[Report]:
    """Those that wait for staff, with what they are about."""
    return rows().filter(resolved_at=None)


def rows() -> QuerySet[Report]:
    """All, with what they are about."""
    return Report.objects.select_related(
        "environment__owner", "version__environment__owner", "reporter", "resolved_by"
    )


def report(
    *, environment: Environment, version: Version | None, by: User, reason: str, text: str
) -> Report:
    """Tell staff; a person has one open report of an environment."""
    if reason not in Report.Reason.values:
        known = ", ".join(Report.Reason.values)
        raise _invalid("reason", f"reason {reason[:40]!r} must be one of {known}")
    text = _said(text, "text", LONGEST_TEXT)
    try:
        with transaction.atomic():
            made = Report.objects.create(
                environment=environment, version=version, reporter=by, reason=reason, text=text
            )
            about = str(version or environment)
            events.record("report.made", by=by, report=made.pk, about=about, kind=reason)
    except IntegrityError:
        raise HubError(
            "request.conflict",
            f"you have reported {environment} already, and staff have not answered yet",
            "Wait for their answer.",
            409,
        ) from None
    return made


def resolve(*, report: Report, by: User, resolution: str) -> None:
    """Close it with a sentence on what was done."""
    resolution = " ".join(_said(resolution, "resolution", LONGEST_RESOLUTION).split())
    change = {"resolved_at": timezone.now(), "resolved_by": by, "resolution": resolution}
    with transaction.atomic():
        if not Report.objects.filter(pk=report.pk, resolved_at=None).update(**change):
            raise Stale(f"{report} is resolved already")
        about = str(report.version or report.environment)
        events.record(
            "report.resolved", by=by, report=report.pk, about=about, resolution=resolution
        )
    report.refresh_from_db()


def quarantine(*, thing: Environment | Version, by: User, reason: str) -> None:
    """Take it away from everybody until it is released, and tell its owners why."""
    with transaction.atomic():
        if isinstance(thing, Version):
            overlays.quarantine(version=thing, by=by, reason=reason)
        else:
            overlays.quarantine_environment(environment=thing, by=by, reason=reason)
        _tell(thing, "is quarantined", QUARANTINED, thing.quarantine_reason)


def release(*, thing: Environment | Version, by: User) -> None:
    """Undo `quarantine`, and tell its owners."""
    with transaction.atomic():
        if isinstance(thing, Version):
            overlays.release(version=thing, by=by)
        else:
            overlays.release_environment(environment=thing, by=by)
        _tell(thing, "is released", RELEASED)


def _tell(thing: Environment | Version, what: str, text: str, reason: str = "") -> None:
    environment = thing.environment if isinstance(thing, Version) else thing
    path = reverse("environment", args=(environment.owner.name, environment.name))
    page = settings.HUB_URL + path
    said = text.format(who="The staff", what=thing, reason=reason, page=page)
    for owner in _owners(environment):
        mail.send(to=owner.email, subject=f"{thing} {what}", text=said)


def _owners(environment: Environment) -> list[User]:
    owner = environment.owner
    if owner.user is not None:
        return [owner.user]
    roles = Membership.objects.filter(
        organisation=owner.organisation, role=Membership.Role.OWNER, user__is_active=True
    )
    return [role.user for role in roles.select_related("user")]


def _said(text: str, field: str, most: int) -> str:
    text = text.strip()
    if not 1 <= len(text) <= most:
        raise _invalid(field, f"{field} must have 1 to {most} characters, not {len(text)}")
    return text


def _invalid(field: str, message: str) -> HubError:
    return HubError("request.invalid", message, details={"field": field})
