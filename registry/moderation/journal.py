"""Journal pages: a sentence for each verb, and the events of an environment or owner."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from registry.accounts.models import Owner, Token
from registry.accounts.permissions import Actor, can
from registry.catalog.models import Environment
from registry.events import Event

HUB = "The hub"  # the actor of events without one
SENTENCES = {
    "account.password_changed": "{actor} changed the password",
    "account.password_reset": "{actor} reset the password",
    "account.password_set": "{actor} set a password",
    "account.password_set_by_staff": "{actor} set the password",
    "account.email_set_by_staff": "{actor} set the address",
    "account.recovery_codes_generated": "{actor} made new recovery codes",
    "account.session_ended": "{actor} signed out {browser}",
    "account.sessions_ended": "{actor} signed out {sessions} other browsers",
    "account.totp_activated": "{actor} set up an authenticator app",
    "account.totp_deactivated": "{actor} removed the authenticator app",
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
    "environment.received": "{actor} transferred {environment} here from {was}",
    "environment.released": "{actor} released {environment} from quarantine",
    "environment.revived": "{actor} created {environment} again ({visibility})",
    "environment.transferred": "{actor} transferred {environment} to {to}",
    "environment.undeprecated": "{actor} took back the deprecation of {environment}",
    "evaluation.deleted": "{actor} deleted the evaluation {evaluation} of {of}",
    "evaluation.pushed": "{actor} pushed the evaluation {evaluation} of {of}",
    "host.approved": "{actor} approved the host {host} for {environment}",
    "host.declared": "{actor} declared the host {host} for {environment}",
    "host.refused": "{actor} ended the approval of the host {host} for {environment}",
    "host.removed": "{actor} removed the host {host} of {environment}",
    "invitation.accepted": "{actor} accepted the invitation of {sender} as {role}",
    "invitation.declined": "{actor} declined the invitation of {sender} as {role}",
    "invitation.sent": "{actor} invited {to} as {role}",
    "invitation.withdrawn": "{actor} withdrew the invitation of {to} as {role}",
    "member.joined": "{user} joined as {role}, invited by {sender}",
    "member.removed": "{actor} ended the membership of {user}",
    "member.set": "{actor} made {user} {role}",
    "organisation.created": "{actor} created the organisation {owner}",
    "organisation.renamed": "{actor} renamed {owner} to {title!r}",
    "publisher.added": "{actor} added a trusted publisher at {issuer}",
    "publisher.removed": "{actor} removed a trusted publisher at {issuer}",
    "quota.changed": "{actor} set the quota of {owner}: {limits}",
    "report.made": "{actor} reported {about} as {kind}",
    "report.resolved": "{actor} resolved the report of {about}: {resolution}",
    "run.cancel_requested": "{actor} cancelled a run of {version}",
    "run.cancelled": "A run of {version} was cancelled",
    "run.errored": "A run of {version} ended without a result",
    "run.failed": "A run of {version} failed",
    "run.leased": "Runner {runner} took attempt {attempt} of a run of {version}",
    "run.requested": "{actor} requested a run of {version}",
    "run.requeued": "A run of {version} was queued again for attempt {attempt}",
    "run.secrets_sent": "Attempt {attempt} of a run of {version} received the secrets {names}",
    "run.succeeded": "A run of {version} succeeded",
    "runner.created": "{actor} registered runner {runner}",
    "runner.in_service": "Runner {runner} is in service again",
    "runner.out_of_service": "Runner {runner} took itself out of service",
    "runner.leaked": "{actor} revoked the token of runner {runner}, found at {where}",
    "runner.draining": "{actor} drained runner {runner}",
    "runner.resumed": "{actor} resumed runner {runner}",
    "runner.renewed": "{actor} gave runner {runner} a new token",
    "secret.deleted": "{actor} deleted the secret {name} of {environment}",
    "secret.set": "{actor} set the secret {name} of {environment} for {hosts}",
    "shard.cancelled": "A shard of a run of {version} was cancelled",
    "shard.errored": "A shard of a run of {version} ended without a result",
    "shard.failed": "A shard of a run of {version} failed",
    "shard.leased": "Runner {runner} took attempt {attempt} of a shard of a run of {version}",
    "shard.requeued": "A shard of a run of {version} was queued again for attempt {attempt}",
    "shard.succeeded": "A shard of a run of {version} succeeded",
    "suite.created": "{actor} created the suite {name} of {environment}",
    "token.leaked": "{actor} revoked token {token}, found at {where}",
    "token.minted": "{actor} made token {token}",
    "token.revoked": "{actor} revoked token {token}",
    "user.registered": "{actor} signed up",
    "user.staff_added": "{actor} made {user} staff",
    "user.staff_removed": "{actor} removed {user} from the staff",
    "variable.deleted": "{actor} deleted the variable {name} of {environment}",
    "variable.set": "{actor} set the variable {name} of {environment} to {value!r}",
    "version.checking": "{actor} began to check {version}",
    "version.deleted": "{actor} deleted {version}",
    "version.evaluating": "{actor} began to evaluate {version}",
    "version.held": "{actor} could not decide on {version}",
    "version.listed": "{actor} listed {version}",
    "version.quarantined": "{actor} put {version} into quarantine",
    "version.rejected": "{actor} rejected {version}",
    "version.remeasured": "{version} was measured again: {outcome}",
    "version.rejudged": "{actor} had the rejection of {version} judged again",
    "version.released": "{actor} released {version} from quarantine",
    "version.sent_again": "{actor} sent the step of {version} again",
    "version.unyanked": "{actor} took back the yank of {version}",
    "version.uploaded": "{actor} uploaded {version}",
    "version.yanked": "{actor} yanked {version}",
    "webhook.added": "{actor} added a webhook to {host}",
    "webhook.disabled": "A webhook to {host} was disabled after three days of failures",
    "webhook.enabled": "{actor} enabled the webhook to {host}",
    "webhook.removed": "{actor} removed the webhook to {host}",
    "webhook.renewed": "{actor} gave the webhook to {host} a new secret",
}


def of_environment(environment: Environment) -> QuerySet[Event]:
    """Its events under its present owner; those under a former owner are not included."""
    return of_hub().filter(environment=environment, owner_id=environment.owner_id)


def of_owner(owner: Owner) -> QuerySet[Event]:
    """The events of that owner, its environments and its members."""
    return of_hub().filter(owner=owner)


def of_hub() -> QuerySet[Event]:
    """All events, with the rows that sentences name."""
    return Event.objects.select_related(
        "actor", "owner", "environment__owner", "version__environment__owner"
    )


def sentence(event: Event, *, data: dict[str, Any] | None = None) -> str:
    """The event as a sentence, with its reason if there is one.

    `data` is the event's, or that of `data_for` for one reader.
    """
    data = event.data if data is None else data
    words = _Words({key: value for key, value in data.items() if value is not None})
    if "to" in data and data["to"] is None:
        words["to"] = "another owner"
    words |= {
        "actor": event.actor.username if event.actor else HUB,
        "owner": str(event.owner or ""),
        "environment": environment_then(event) or "an environment",
        "version": version_then(event) or "a version",
    }
    text = SENTENCES[event.verb].format_map(words)
    reason = str(data.get("reason") or "")
    return f"{text}: {reason}" if reason else text


def environment_then(event: Event) -> str | None:
    """owner/name of the environment at the time of the event, whose owner the event stores."""
    environment = event.environment
    if environment is None:
        return None
    return f"{event.owner}/{environment.name}" if event.owner else str(environment)


def version_then(event: Event) -> str | None:
    """owner/name==version of the version at the time of the event."""
    version = event.version
    if version is None:
        return None
    name = f"{event.owner}/{version.environment.name}" if event.owner else version.environment
    return f"{name}=={version.version}"


def data_for(event: Event, actor: Actor, token: Token | None = None) -> dict[str, Any]:
    """The event's data as the actor may see it: a new owner (`to`) is None where the actor may not
    see the environment there."""
    data: dict[str, Any] = dict(event.data)
    environment = event.environment
    if event.verb == "environment.transferred" and environment is not None:
        staff = can(actor, "hub.moderate", actor, token)
        if not staff and not can(actor, "environment.see", environment, token):
            data["to"] = None
    return data


class _Words(dict[str, Any]):
    """A value that an old row lacks is shown as a question mark."""

    def __missing__(self, key: str) -> str:
        return "?"
