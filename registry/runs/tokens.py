"""Run tokens: signed pairs of run and attempt.

The runner that leases the run gets one; it ends with the attempt, since every use checks it.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.core import signing

from registry.errors import HubError

RUN_TOKEN_PREFIX = "hubrun_"  # noqa: S105 - the public prefix, not a secret
TOKEN_SALT = "registry.runs.token"  # noqa: S105


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of one run."""

    run: UUID
    attempt: int


def sign_run_token(*, run_id: UUID, attempt: int) -> str:
    """The bearer token with which a runner reports on this attempt."""
    return RUN_TOKEN_PREFIX + signing.dumps([str(run_id), attempt], salt=TOKEN_SALT, compress=False)


def read_run_token(text: str) -> Attempt:
    """The attempt a run token is for; raises HubError token.invalid (401).

    The signature does not show whether the attempt is still current: `runs.queries.leased_run` and
    `runner_events` check that.
    """
    body = text.removeprefix(RUN_TOKEN_PREFIX)
    try:
        if body == text:
            raise ValueError(text)
        run, attempt = signing.loads(body, salt=TOKEN_SALT)
        return Attempt(UUID(run), int(attempt))
    except (signing.BadSignature, ValueError):  # ValueError: text that UTF-8 cannot hold, too
        raise HubError(
            "token.invalid",
            "This is not a run token of this hub.",
            "Send the run_token of the JobSpec as `Authorization: Bearer hubrun_...`.",
            status=401,
        ) from None
