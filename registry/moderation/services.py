"""Reports of users, and the actions of staff. Callers have checked permissions.

Only staff may see the reporter, so these events are in no owner's journal.
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

MAX_TEXT, MAX_RESOLUTION = 2000, 400
QUARANTINED = """The staff of the hub put {target} into quarantine:

{reason}

Nobody can install it until they release it; nothing of it is lost. Its page shows what you can do
and who can help:

{page}
"""
RELEASED = """The staff of the hub released {target} from quarantine. It can be installed again:

{page}
"""


def open_reports() -> QuerySet[Report]:
    """The open reports, with their environments and versions."""
    return rows().filter(resolved_at=None)


def rows() -> QuerySet[Report]:
    """All reports, with their environments and versions."""
    return Report.objects.select_related(
        "environment__owner", "version__environment__owner", "reporter", "resolved_by"
    )


def report(
    *, environment: Environment, version: Version | None, by: User, reason: str, text: str
) -> Report:
    """Create a report; a user has at most one open report of an environment."""
    if reason not in Report.Reason.values:
        reasons = ", ".join(Report.Reason.values)
        raise _invalid("reason", f"reason {reason[:40]!r} must be one of {reasons}")
    text = _checked(text, "text", MAX_TEXT)
    try:
        with transaction.atomic():
            row = Report.objects.create(
                environment=environment, version=version, reporter=by, reason=reason, text=text
            )
            subject = str(version or environment)
            events.record("report.made", by=by, report=row.pk, about=subject, kind=reason)
    except IntegrityError:
        raise HubError(
            "request.conflict",
            f"you have reported {environment} already, and staff have not answered yet",
            "Wait for their answer.",
            409,
        ) from None
    return row


def resolve(*, report: Report, by: User, resolution: str) -> None:
    """Close it with a sentence about the action taken."""
    resolution = " ".join(_checked(resolution, "resolution", MAX_RESOLUTION).split())
    change = {"resolved_at": timezone.now(), "resolved_by": by, "resolution": resolution}
    with transaction.atomic():
        if not Report.objects.filter(pk=report.pk, resolved_at=None).update(**change):
            raise Stale(f"{report} is resolved already")
        subject = str(report.version or report.environment)
        events.record(
            "report.resolved", by=by, report=report.pk, about=subject, resolution=resolution
        )
    report.refresh_from_db()


def quarantine(*, target: Environment | Version, by: User, reason: str) -> None:
    """Make it unavailable until it is released, and mail its owners the reason."""
    with transaction.atomic():
        if isinstance(target, Version):
            overlays.quarantine(version=target, by=by, reason=reason)
        else:
            overlays.quarantine_environment(environment=target, by=by, reason=reason)
        _mail_owners(target, "is quarantined", QUARANTINED, target.quarantine_reason)


def release(*, target: Environment | Version, by: User) -> None:
    """Undo `quarantine`, and mail its owners."""
    with transaction.atomic():
        if isinstance(target, Version):
            overlays.release(version=target, by=by)
        else:
            overlays.release_environment(environment=target, by=by)
        _mail_owners(target, "is released", RELEASED)


def _mail_owners(target: Environment | Version, change: str, text: str, reason: str = "") -> None:
    environment = target.environment if isinstance(target, Version) else target
    path = reverse("environment", args=(environment.owner.name, environment.name))
    page = settings.HUB_URL + path
    body = text.format(target=target, reason=reason, page=page)
    for owner in _owners(environment):
        mail.send(to=owner.email, subject=f"{target} {change}", text=body)


def _owners(environment: Environment) -> list[User]:
    owner = environment.owner
    if owner.user is not None:
        return [owner.user]
    roles = Membership.objects.filter(
        organisation=owner.organisation, role=Membership.Role.OWNER, user__is_active=True
    )
    return [role.user for role in roles.select_related("user")]


def _checked(text: str, field: str, maximum: int) -> str:
    text = text.strip()
    if not 1 <= len(text) <= maximum:
        raise _invalid(field, f"{field} must have 1 to {maximum} characters, not {len(text)}")
    return text


def _invalid(field: str, message: str) -> HubError:
    return HubError("request.invalid", message, details={"field": field})
