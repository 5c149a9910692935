"""Tickets and run tokens: signed pairs of run and attempt.

A ticket travels through the broker and is worth nothing without a runner token. A run token is
given to the runner that redeemed the ticket, and dies with the attempt: every use is fenced.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.core import signing

from registry.errors import HubError

RUN_TOKEN_PREFIX = "hubrun_"  # noqa: S105 - the public prefix, not a secret
TICKET_SALT = "registry.runs.ticket"
TOKEN_SALT = "registry.runs.token"  # noqa: S105


@dataclass(frozen=True, slots=True)
class Ticket:
    """One attempt of one run."""

    run: UUID
    attempt: int


def sign_ticket(*, run_id: UUID, attempt: int) -> str:
    """The text that rings for this attempt."""
    return signing.dumps([str(run_id), attempt], salt=TICKET_SALT, compress=False)


def read_ticket(text: str) -> Ticket:
    """The attempt a ticket is for; raises HubError runner.bad_ticket."""
    ticket = _read(text, TICKET_SALT)
    if ticket is None:
        raise HubError("runner.bad_ticket", "The ticket was not signed by this hub.")
    return ticket


def sign_run_token(*, run_id: UUID, attempt: int) -> str:
    """The bearer token with which a runner reports on this attempt."""
    return RUN_TOKEN_PREFIX + signing.dumps([str(run_id), attempt], salt=TOKEN_SALT, compress=False)


def read_run_token(text: str) -> Ticket:
    """The attempt a run token is for; raises HubError token.invalid (401).

    The signature says nothing about whether the attempt is still under way: ask the fence.
    """
    body = text.removeprefix(RUN_TOKEN_PREFIX)
    ticket = _read(body, TOKEN_SALT) if body != text else None
    if ticket is None:
        raise HubError(
            "token.invalid",
            "This is not a run token of this hub.",
            "Send the run_token of the JobSpec as `Authorization: Bearer hubrun_...`.",
            status=401,
        )
    return ticket


def _read(text: str, salt: str) -> Ticket | None:
    try:
        run, attempt = signing.loads(text, salt=salt)
        return Ticket(UUID(run), int(attempt))
    except (signing.BadSignature, ValueError):  # ValueError: text that UTF-8 cannot hold
        return None
