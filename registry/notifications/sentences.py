"""What feeds, notifications and emails say of an event: title, text and page."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from registry.events import Event
from registry.notifications.kinds import Kind

# What an event of a notification comes with.
RELATED = tuple(
    f"event__{name}" for name in ("environment__owner", "version", "run", "owner", "actor")
)
LARGE = ("event__version__readme", "event__version__requires_dist", "event__run__facts")


@dataclass(frozen=True, slots=True)
class News:
    """The sentence without its full stop, the reason or summary, and the address of the page."""

    title: str
    text: str
    url: str


def news(event: Event, kind: Kind) -> News:
    """Of an event that comes with environment, owner, version and run."""
    environment, version, run = event.environment, event.version, event.run
    subject = str(environment or event.owner or "")
    page = reverse("invitations")
    if environment is None and event.owner and event.verb == "webhook.disabled":
        page = reverse("owner-webhooks", args=(event.owner.name,))
    if environment is not None:
        place = (environment.owner.name, environment.name)
        page = reverse("environment", args=place)
        if version is not None:
            subject = f"{environment} {version.version}"
            page = reverse("version", args=(*place, version.version))
        if run is not None and kind.purpose:
            page = reverse("run", args=(run.pk,))
    title = kind.sentence.format(
        subject=subject,
        model=run.model if run else "",
        role=event.data.get("role", "member"),
        sender=event.data.get("sender", ""),
    )
    reason = str(event.data.get("reason") or "")
    summary = version.summary if version is not None and kind.name == "listed" else ""
    return News(title, summary or reason, settings.HUB_URL + page)
