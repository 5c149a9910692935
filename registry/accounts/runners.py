"""Runners and their tokens; the token of a runner only gives access to the runner protocol."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from envyard.contract.values import record, text
from registry import events
from registry.accounts import mail, token_format
from registry.accounts.models import Runner, User
from registry.errors import HubError

PREFIX = "hubr_"
SEEN_EVERY = timedelta(seconds=10)
GONE_AFTER = timedelta(minutes=1)  # runners send a heartbeat every 15 seconds
LEAKED = """The token of runner {name!r} was found where others can read it:

{where}

The hub has revoked it, and leases no runs to that runner. Check its machine, then create a new
token: manage.py create_runner --renew {name}
"""


def create(*, name: str) -> tuple[Runner, str]:
    """A new runner and its token, which nobody can see again."""
    name = name.strip()
    if not 1 <= len(name) <= 80:
        raise HubError("request.invalid", f"runner name {name[:90]!r} must have 1 to 80 characters")
    key = token_format.new(PREFIX)
    try:
        with transaction.atomic():
            runner = Runner.objects.create(name=name, digest=key.digest)
            events.record("runner.created", runner=name)
    except IntegrityError:
        raise HubError(
            "request.conflict",
            f"there is a runner {name!r} already",
            "Choose another name, or make a new token for it with --renew.",
            409,
        ) from None
    return runner, key.text


def renew(*, runner: Runner) -> str:
    """A new token for the runner; the old one ends at once."""
    key = token_format.new(PREFIX)
    with transaction.atomic():
        Runner.objects.filter(pk=runner.pk).update(digest=key.digest, enabled=True)
        events.record("runner.renewed", runner=runner.name)
    return key.text


def verify(text: str) -> Runner | None:
    """The enabled runner of that token, noted as seen (at most every ten seconds); else None."""
    digest = token_format.digest(text, PREFIX)
    if digest is None:
        return None
    runner = Runner.objects.filter(digest=digest, enabled=True).first()
    if runner is not None:
        now = timezone.now()
        old = Q(last_seen_at=None) | Q(last_seen_at__lt=now - SEEN_EVERY)
        if runner.last_seen_at is None or runner.last_seen_at < now - SEEN_EVERY:
            Runner.objects.filter(old, pk=runner.pk).update(last_seen_at=now)
    return runner


def describe(*, runner: Runner, capabilities: dict[str, Any]) -> None:
    """Store the capabilities that the runner reports: they only affect which runs it gets."""
    if capabilities == runner.capabilities:
        return
    before = out_of_service(runner)
    with transaction.atomic():
        Runner.objects.filter(pk=runner.pk).update(capabilities=capabilities)
        runner.capabilities = capabilities
        after, away = out_of_service(runner), capabilities.get("away") is True
        if after is not None and before is None:
            events.record("runner.out_of_service", runner=runner.name, reason=after.reason)
        elif before is not None and after is None and not away:
            events.record("runner.in_service", runner=runner.name)


def revoke_leaked(text: str, *, where: str) -> bool:
    """End the runner token of that text, which was found at `where`; was it one of this hub?

    Runners have no owner: staff get one mail. The runner works again with a new token.
    """
    digest = token_format.digest(text, PREFIX)
    where = " ".join(where.split())[:160]
    with transaction.atomic():
        runner = Runner.objects.filter(digest=digest).first() if digest else None
        if runner is None:
            return False
        if Runner.objects.filter(pk=runner.pk, digest=digest, enabled=True).update(enabled=False):
            events.record("runner.leaked", runner=runner.name, where=where)
            for person in User.objects.filter(is_staff=True, is_active=True):
                mail.send(
                    to=person.email,
                    subject="A runner's token leaked and was revoked",
                    text=LEAKED.format(name=runner.name, where=where),
                )
    return True


def drain(*, runner: Runner, by: User | None = None) -> None:
    """Lease no new run to the runner; it finishes those it has. A second call changes nothing."""
    with transaction.atomic():
        now = timezone.now()
        if Runner.objects.filter(pk=runner.pk, draining_since=None).update(draining_since=now):
            events.record("runner.draining", by=by, runner=runner.name)
            runner.draining_since = now


def resume(*, runner: Runner, by: User | None = None) -> None:
    """Lease runs to the runner again."""
    with transaction.atomic():
        drained = Runner.objects.filter(pk=runner.pk, draining_since__isnull=False)
        if drained.update(draining_since=None):
            events.record("runner.resumed", by=by, runner=runner.name)
            runner.draining_since = None


@dataclass(frozen=True, slots=True)
class OutOfService:
    """A runner that takes no runs by its own decision: reason, start and last self-check."""

    reason: str
    since: datetime | None
    check: str


def out_of_service(runner: Runner) -> OutOfService | None:
    """The last report of the runner itself; None where it is in service."""
    reported = runner.capabilities.get("out_of_service")
    if reported is None:
        return None
    fields = record(reported)
    try:
        since = datetime.fromisoformat(text(fields.get("since"), 40))
    except ValueError:
        since = None
    if since is not None and since.tzinfo is None:
        since = None
    return OutOfService(text(fields.get("reason"), 1000), since, text(fields.get("check"), 1000))


def state_names(runner: Runner) -> tuple[str, ...]:
    """The states that apply, of: disabled, draining, out of service, away."""
    capabilities = runner.capabilities
    last_seen = runner.last_seen_at
    away = (
        capabilities.get("away") is True
        or last_seen is None
        or last_seen < timezone.now() - GONE_AFTER
    )
    draining = runner.draining_since is not None or (
        capabilities.get("draining") is True and not away
    )
    words = {
        "disabled": not runner.enabled,
        "draining": draining,
        "out of service": out_of_service(runner) is not None,
        "away": away,
    }
    return tuple(word for word, true in words.items() if true)


def models(runner: Runner) -> list[str]:
    """The models that the runner reports; its JSON may have any shape."""
    names = runner.capabilities.get("models")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def pythons(runner: Runner) -> list[str]:
    """The versions of the Pythons that the runner reports, such as 3.12.4; at most 32."""
    reported = runner.capabilities.get("pythons")
    versions = reported[:32] if isinstance(reported, list) else []
    return [v for v in versions if isinstance(v, str) and re.fullmatch(r"3\.\d{1,3}\.\d{1,3}", v)]


def pythons_offered() -> list[str]:
    """The Pythons of all live runners, the oldest first."""
    offered = {version for runner in alive().only("capabilities") for version in pythons(runner)}
    return sorted(offered, key=lambda version: [int(part) for part in version.split(".")])


def models_offered() -> list[str]:
    """The models that live runners serve, by name."""
    return sorted({name for runner in alive().only("capabilities") for name in models(runner)})


def alive() -> QuerySet[Runner]:
    """The runners seen lately that take new runs: not drained, and by their own report neither
    about to end nor out of service."""
    lately = timezone.now() - GONE_AFTER
    runners = Runner.objects.filter(enabled=True, last_seen_at__gt=lately, draining_since=None)
    stays = Q(capabilities__draining=False) | Q(capabilities__draining__isnull=True)
    return runners.filter(stays, capabilities__out_of_service__isnull=True)


def with_model(name: str) -> tuple[int, int]:
    """The number of live runners, and of those that have the model ready."""
    has = [name in models(runner) for runner in alive().only("capabilities")]
    return len(has), sum(has)
