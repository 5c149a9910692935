"""A superseded attempt reports: each of its requests gets 409 and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core import serializers
from django.utils import timezone

from envyard.contract.job import JobSpec
from registry import storage
from registry.accounts import runners
from registry.accounts.models import Runner, User
from registry.catalog.locks import VersionLock
from registry.models import (
    Event,
    LogChunk,
    Rollout,
    Run,
    TranscriptPack,
    Version,
    VersionFinding,
)
from registry.runs import services, sweep
from registry.runs.tokens import sign_run_token
from tests.registry.api.test_locks import FIRST, PLATFORM
from tests.registry.api.test_runner import Caller, code
from tests.registry.run_factories import (
    honest_rollouts,
    make_events,
    make_facts,
    make_rollout,
    make_run,
    make_version,
    skip_pause,
)

KEPT = (Run, Rollout, TranscriptPack, LogChunk, VersionFinding, VersionLock, Version, Event)


@pytest.fixture
def old(db: None) -> Caller:
    """The runner that will be too late."""
    return Caller(runners.create(name="old")[1])


@pytest.fixture
def job(old: Caller, alice: User) -> JobSpec:
    """Its job, with one batch of events stored."""
    make_run(make_version(alice.owner), policies=("silent", "model"))
    job = JobSpec.from_dict(old.post("poll/", {}).json())
    fields = make_events(log="first\n", rollouts=[make_rollout("silent")]).to_dict()
    assert old.post(f"runs/{job.run}/events/", fields, token=job.run_token).status_code == 200
    return job


def lost(alice: User) -> None:
    """The lease ran out; the next attempt waits."""
    Run.objects.update(lease_expires_at=timezone.now())
    assert sweep.sweep(now=timezone.now()).expired == 1
    skip_pause()


def given_away(alice: User) -> None:
    """Another runner has the next attempt and has stored a batch."""
    lost(alice)
    other = Caller(runners.create(name="new")[1])
    job = JobSpec.from_dict(other.post("poll/", {}).json())
    fields = make_events(attempt=2, log="second\n", rollouts=[make_rollout("silent")]).to_dict()
    assert other.post(f"runs/{job.run}/events/", fields, token=job.run_token).status_code == 200


def given_back(alice: User) -> None:
    """The same runner has the next attempt: its token is as good, its old attempt is not."""
    lost(alice)
    assert services.lease(runner=Runner.objects.get(name="old")) is not None


def finished(alice: User) -> None:
    """Another runner has brought it to its end."""
    given_away(alice)
    run = Run.objects.get()
    new = Caller(runners.create(name="newer")[1])
    token = sign_run_token(run_id=run.pk, attempt=run.attempt)
    ending = {"attempt": 2, "outcome": "succeeded"}
    assert new.post(f"runs/{run.pk}/finish/", ending, token=token).status_code == 200


def cancelled(alice: User) -> None:
    """Its owner gave it up while its next attempt waited."""
    lost(alice)
    services.cancel(run=Run.objects.get(), by=alice)


def batch(**fields: Any) -> tuple[str, dict[str, Any]]:
    return "events", make_events(fields.pop("seq", 2), **fields).to_dict()


REPORTS: dict[str, tuple[str, dict[str, Any]]] = {
    "a heartbeat": batch(),
    "a heartbeat sent again": batch(seq=1),
    "a log": batch(log="ghost\n"),
    "facts": batch(facts=make_facts()),
    "rollouts with transcripts": batch(rollouts=honest_rollouts(("silent", "model"))),
    "rollouts that nobody planned": batch(rollouts=[make_rollout("oracle", 77)]),
    "a batch after a gap": batch(seq=9, log="ghost\n"),
    "success": ("finish", {"attempt": 1, "outcome": "succeeded"}),
    "failure": ("finish", {"attempt": 1, "outcome": "failed"}),
    "an error": ("finish", {"attempt": 1, "outcome": "errored"}),
    "a cancellation": ("finish", {"attempt": 1, "outcome": "cancelled"}),
    "a question for the lock": ("lock", {"attempt": 1, "platform": PLATFORM, "lock": None}),
    "a lock": ("lock", {"attempt": 1, "platform": PLATFORM, "lock": FIRST}),
    "a lie about its attempt": ("finish", {"attempt": 2, "outcome": "failed"}),
}


def everything() -> tuple[str, list[tuple[str, int]]]:
    rows = [item for model in KEPT for item in model._default_manager.order_by("pk")]
    return serializers.serialize("json", rows), [(o.key, o.size) for o in storage.get().list()]


@pytest.mark.parametrize("overtaken", [lost, given_away, given_back, finished, cancelled])
def test_events_of_a_superseded_attempt_are_refused_and_change_nothing(
    old: Caller, job: JobSpec, alice: User, overtaken: Callable[[User], None]
) -> None:
    overtaken(alice)
    before = everything()
    for name, (endpoint, text) in REPORTS.items():
        for _ in range(2):
            answer = old.post(f"runs/{job.run}/{endpoint}/", text, token=job.run_token)
            assert code(answer) == (409, "runner.superseded"), name
    headers = {"Authorization": f"Bearer {job.run_token}"}
    assert old.client.get(job.wheel.url, headers=headers).status_code == 401
    assert everything() == before
    # The runner itself is as welcome as before.
    assert old.post("present/", {"capabilities": {"models": []}}).status_code == 200
