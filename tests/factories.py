"""Rows in any state, made the short way: straight into the database, wheels into the storage."""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from envyard.contract.runner_events import RolloutResult
from envyard.contract.transcript import Transcript
from registry import storage
from registry.accounts import tokens
from registry.catalog.services import refresh_latest
from registry.catalog.sorting import sort_key
from registry.models import (
    Environment,
    Organisation,
    Rollout,
    Run,
    Runner,
    SignedCard,
    User,
    Version,
)
from registry.runs import transcripts
from tests.wheels import filename

STATES = ("uploaded", "checking", "evaluating", "listed", "rejected", "held")


def make_environment(
    owner: User | Organisation, name: str = "demo-env", **fields: Any
) -> Environment:
    """The environment of that name under that person or organisation, made where missing."""
    return Environment.objects.get_or_create(owner=owner.owner, name=name, defaults=fields)[0]


def make_version(
    owner: User | Organisation,
    name: str = "demo-env",
    version: str = "0.1.0",
    *,
    status: str = "listed",
    visibility: str = "public",
    wheel: bytes | None = None,
    **fields: Any,
) -> Version:
    """A version in that state; `wheel` gives its bytes, which are then in the storage."""
    environment = make_environment(owner, name, visibility=visibility)
    data = f"{owner.owner} {name} {version}".encode() if wheel is None else wheel
    sha256 = hashlib.sha256(data).hexdigest()
    metadata = b"" if wheel is None else metadata_of(wheel)
    metadata_sha256 = hashlib.sha256(metadata).hexdigest()
    if wheel is not None:
        store = storage.get()
        store.put(storage.key("wheels", sha256), io.BytesIO(data), sha256)
        store.put(storage.key("metadata", metadata_sha256), io.BytesIO(metadata), metadata_sha256)
    defaults = {
        "summary": "Say the word.",
        "readme": "# Demo\n",
        "framework": "verifiers",
        "api": "v1",
        "module": name.replace("-", "_"),
        "listed_at": timezone.now() if status == "listed" else None,
        "uploaded_by": owner if isinstance(owner, User) else None,
    }
    row = Version.objects.create(
        environment=environment,
        version=version,
        sort_key=sort_key(version),
        status=status,
        filename=filename(name, version),
        sha256=sha256,
        metadata_sha256=metadata_sha256,
        size=len(data),
        **defaults | fields,
    )
    with transaction.atomic():
        refresh_latest(environment)
    return row


def metadata_of(wheel: bytes) -> bytes:
    """The bytes of the wheel's METADATA."""
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        return archive.read(next(n for n in archive.namelist() if n.endswith("/METADATA")))


def make_run(version: Version, *, status: str = "succeeded", **fields: Any) -> Run:
    """A run of the version in that state, with the columns that the constraints require."""
    is_leased = status in ("leased", "preparing", "running", "scoring")
    defaults: dict[str, Any] = {
        "policies": ["silent", "oracle"],
        "tasks": 2,
        "attempts": 1,
        "runner": Runner.objects.get_or_create(name="box", digest="0" * 64)[0]
        if is_leased
        else None,
        "started_at": timezone.now() if is_leased else None,
        "lease_expires_at": timezone.now() + timedelta(minutes=1) if is_leased else None,
        "ended_at": None if is_leased or status == "queued" else timezone.now(),
    }
    defaults["environment"] = version.environment
    defaults["owner"] = version.environment.owner
    return Run.objects.create(version=version, status=status, **defaults | fields)


def make_signed_card(run: Run) -> SignedCard:
    """A card of the run's version whose digests are that of the wheel, and whose signature is no
    key's."""
    return SignedCard.objects.create(
        version=run.version,
        run=run,
        sha256=run.version.sha256,
        payload="{}",
        keyid="0" * 64,
        signature="00" * 64,
        evidence=gzip.compress(b"{}"),
        evidence_sha256=run.version.sha256,
    )


def make_rollout(
    run: Run,
    policy: str = "oracle",
    task: int = 0,
    *,
    reward: float | None = 1.0,
    transcript: Transcript | None = None,
    **fields: Any,
) -> Rollout:
    """A finished rollout; without a reward it failed. A transcript is then in the storage."""
    columns: dict[str, Any] = {"attempt": 0, "ok": reward is not None} | fields
    if transcript is not None:
        result = RolloutResult(
            policy, task, columns["attempt"], True, reward, transcript=transcript
        )
        seq = run.packs.count() + 1
        packed = transcripts.put(run=run, seq=seq, rollouts=[result])
        assert packed is not None
        columns["pack"] = transcripts.row_of(run=run, seq=seq, packed=packed)
        columns["offset"], columns["length"] = packed.position(result)
        columns["conversations"] = len(transcript.ends)
    return Rollout.objects.create(run=run, policy=policy, task=task, reward=reward, **columns)


def bearer(
    user: User, scope: str = "read", environment: Environment | None = None
) -> dict[str, str]:
    """Request headers with a fresh token of that person."""
    text = tokens.mint(user=user, name="test", scope=scope, environment=environment)[1]
    return {"Authorization": f"Bearer {text}"}
