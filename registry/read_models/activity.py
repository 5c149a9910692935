"""What a person or an organisation did in public, from the journal, the newest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q

from registry.accounts.models import Owner
from registry.catalog.models import Environment, Version
from registry.events import Event
from registry.read_models import links

SHOWN = 10
# Verbs of the journal -> what the page says before the name.
DONE = {
    "environment.created": "created",
    "environment.deprecated": "deprecated",
    "version.uploaded": "published",
    "version.yanked": "yanked",
    "run.requested": "requested an evaluation of",
}


@dataclass(frozen=True, slots=True)
class Activity:
    """One line: who did what to which environment or version, with its page."""

    actor: str
    verb: str
    ref: str
    url: str
    detail: str
    at: datetime


def of_owner(owner: Owner) -> list[Activity]:
    """Of a person what they did anywhere; of an organisation what its members did there. Only what
    an anonymous reader may see now; one query."""
    about = Q(owner=owner) if owner.organisation_id else Q(actor=owner.user_id)
    nobody = AnonymousUser()
    environments = Environment.objects.visible_to(nobody).filter(pk=OuterRef("environment"))
    versions = Version.objects.visible_to(nobody).installable().filter(pk=OuterRef("version"))
    rows = (
        Event.objects.filter(about, verb__in=DONE, actor__isnull=False)
        .filter(Exists(environments), Q(version=None) | Exists(versions))
        .select_related("actor", "environment__owner", "version")
        .defer("version__readme", "version__requires_dist")
        .order_by("-pk")[:SHOWN]
    )
    return [activity for event in rows if (activity := _activity(event)) is not None]


def _activity(event: Event) -> Activity | None:
    environment, version, actor = event.environment, event.version, event.actor
    if environment is None or actor is None:
        return None
    if version is not None:
        version.environment = environment
    model = str(event.data.get("model") or "")[:200]
    return Activity(
        actor=actor.get_username(),
        verb=DONE[event.verb],
        ref=f"{environment}=={version.version}" if version else str(environment),
        url=links.version(version) if version else links.environment(environment),
        detail=f"with {model}" if model else "",
        at=event.at,
    )
