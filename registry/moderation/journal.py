"""The journal as people read it: a sentence for each verb, and whose events one reads."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from registry.accounts.models import Owner, Token
from registry.accounts.permissions import Actor, can
from registry.catalog.models import Environment
from registry.events import Event

HUB = "The hub"  # where nobody did it
SENTENCES = {
    "account.password_changed": "{actor} changed the password",
    "account.password_reset": "{actor} reset the password",
    "account.password_set": "{actor} set a password",
    "account.password_set_by_staff": "{actor} set the password",
    "account.email_set_by_staff": "{actor} set the address",
    "account.recovery_codes_generated": "{actor} made new recovery codes",
    "account.totp_activated": "{actor} set up an authenticator app",
    "account.totp_deactivated": "{actor} took the authenticator app away",
    "account.webauthn_added": "{actor} added a security key",
    "account.webauthn_removed": "{actor} removed a security key",
    "account.email_changed": "{actor} changed the address",
    "account.email_confirmed": "{actor} confirmed the address",
    "account.email_deleted": "{actor} removed an address",
    "environment.created": "{actor} created {environment} ({visibility})",
    "environment.deleted": "{actor} deleted {environment} with {versions} versions",
    "environment.deprecated": "{actor} deprecated {environment}",
    "environment.private": "{actor} made {environment} private",
    "environment.public": "{actor} made {environment} public",
    "environment.quarantined": "{actor} put {environment} into quarantine",
    "environment.received": "{actor} moved {environment} here from {was}",
    "environment.released": "{actor} released {environment} from quarantine",
    "environment.revived": "{actor} created {environment} anew ({visibility})",
    "environment.transferred": "{actor} gave {environment} to {to}",
    "environment.undeprecated": "{actor} took back the deprecation of {environment}",
    "evaluation.deleted": "{actor} deleted the evaluation {evaluation} of {of}",
    "evaluation.pushed": "{actor} pushed the evaluation {evaluation} of {of}",
    "invitation.accepted": "{actor} accepted the invitation of {sender} as {role}",
    "invitation.declined": "{actor} declined the invitation of {sender} as {role}",
    "invitation.sent": "{actor} invited {to} as {role}",
    "invitation.withdrawn": "{actor} withdrew the invitation of {to} as {role}",
    "member.joined": "{user} joined as {role}, invited by {sender}",
    "member.removed": "{actor} ended the membership of {user}",
    "member.set": "{actor} made {user} {role}",
    "organisation.created": "{actor} created the organisation {owner}",
    "organisation.renamed": "{actor} named {owner} {title!r}",
    "publisher.added": "{actor} added a trusted publisher at {issuer}",
    "publisher.removed": "{actor} removed a trusted publisher at {issuer}",
    "quota.changed": "{actor} set the quota of {owner}: {limits}",
    "report.made": "{actor} reported {about} as {kind}",
    "report.resolved": "{actor} resolved the report of {about}: {resolution}",
    "run.cancel_requested": "{actor} cancelled a run of {version}",
    "run.cancelled": "A run of {version} was cancelled",
    "run.errored": "A run of {version} ended by a fault of the platform",
    "run.failed": "A run of {version} failed",
    "run.leased": "Runner {runner} took attempt {attempt} of a run of {version}",
    "run.requested": "{actor} asked for a run of {version}",
    "run.requeued": "A run of {version} was queued again for attempt {attempt}",
    "run.succeeded": "A run of {version} succeeded",
    "runner.created": "{actor} registered runner {runner}",
    "runner.in_service": "Runner {runner} is in service again",
    "runner.out_of_service": "Runner {runner} took itself out of service",
    "runner.leaked": "{actor} revoked the token of runner {runner}, found at {where}",
    "runner.draining": "{actor} gives runner {runner} no more runs",
    "runner.resumed": "{actor} gives runner {runner} runs again",
    "runner.renewed": "{actor} gave runner {runner} a new token",
    "token.leaked": "{actor} revoked token {token}, found at {where}",
    "token.minted": "{actor} made token {token}",
    "token.revoked": "{actor} revoked token {token}",
    "user.registered": "{actor} signed up",
    "user.staff_added": "{actor} made {user} staff",
    "user.staff_removed": "{actor} took {user} out of the staff",
    "version.checking": "{actor} began to check {version}",
    "version.deleted": "{actor} deleted {version}",
    "version.evaluating": "{actor} began to evaluate {version}",
    "version.held": "{actor} could not decide on {version}",
    "version.listed": "{actor} listed {version}",
    "version.quarantined": "{actor} put {version} into quarantine",
    "version.rejected": "{actor} rejected {version}",
    "version.rejudged": "{actor} had the rejection of {version} judged again",
    "version.released": "{actor} released {version} from quarantine",
    "version.sent_again": "{actor} took {version} up again",
    "version.unyanked": "{actor} took back the yank of {version}",
    "version.uploaded": "{actor} uploaded {version}",
    "version.yanked": "{actor} yanked {version}",
}


def of_environment(environment: Environment) -> QuerySet[Event]:
    """What happened to it, under its owner of now: what another owner did stays theirs."""
    return entire().filter(environment=environment, owner_id=environment.owner_id)


def of_owner(owner: Owner) -> QuerySet[Event]:
    """What happened under that name, to its environments and to its people."""
    return entire().filter(owner=owner)


def entire() -> QuerySet[Event]:
    """Everything, with what sentences name."""
    return Event.objects.select_related(
        "actor", "owner", "environment__owner", "version__environment__owner"
    )


def sentence(event: Event, *, data: dict[str, Any] | None = None) -> str:
    """What happened, in words; the reason stands behind it where one was given.

    `data` is the event's, or what `data_for` leaves of it for one reader.
    """
    data = event.data if data is None else data
    words = _Words({key: value for key, value in data.items() if value is not None})
    if "to" in data and data["to"] is None:
        words["to"] = "another owner"
    words |= {
        "actor": event.actor.username if event.actor else HUB,
        "owner": str(event.owner or ""),
        "environment": environment_then(event) or "an environment",
        "version": _version_then(event) or "a version",
    }
    text = SENTENCES[event.verb].format_map(words)
    reason = str(data.get("reason") or "")
    return f"{text}: {reason}" if reason else text


def environment_then(event: Event) -> str | None:
    """owner/name of the event's environment when it happened: a transfer changes the owner alone,
    and the event keeps the owner of that time."""
    environment = event.environment
    if environment is None:
        return None
    return f"{event.owner}/{environment.name}" if event.owner else str(environment)


def _version_then(event: Event) -> str | None:
    version = event.version
    if version is None:
        return None
    name = f"{event.owner}/{version.environment.name}" if event.owner else version.environment
    return f"{name}=={version.version}"


def data_for(event: Event, who: Actor, token: Token | None = None) -> dict[str, Any]:
    """The event's data as that reader may see it: a new owner (`to`) is None where the reader may
    not see the environment there."""
    data: dict[str, Any] = dict(event.data)
    environment = event.environment
    if event.verb == "environment.transferred" and environment is not None:
        staff = can(who, "hub.moderate", who, token)
        if not staff and not can(who, "environment.see", environment, token):
            data["to"] = None
    return data


class _Words(dict[str, Any]):
    """A word that an old row does not have is shown as a question mark."""

    def __missing__(self, key: str) -> str:
        return "?"
