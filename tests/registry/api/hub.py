"""One hub with a row of everything, so that each operation of the API has something to answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from registry import events
from registry.accounts import devices, invitations, runners, services, tokens
from registry.attestations.models import Provenance
from registry.catalog import data_locks, locks, overlays
from registry.catalog.models import Version
from registry.models import Card, Environment, Organisation, Owner, Run, User
from registry.moderation import services as moderation
from registry.notifications import services as notifications
from registry.notifications import watches
from registry.publishers.models import TrustedPublisher
from registry.runs import suites
from registry.runs.tokens import sign_run_token
from registry.webhooks import services as webhooks
from tests.data_locks import locked
from tests.factories import make_rollout, make_run, make_signed_card, make_version
from tests.wheels import make_wheel

SCORE = {"policy": "model", "n": 4, "mean": 0.5, "low": 0.2, "high": 0.8, "ok": 4, "failed": 0}
MEASURE = {
    "code": "floor",
    "title": "Floor",
    "value": 0.0,
    "unit": "",
    "threshold": 0.1,
    "status": "pass",
    "n": 4,
    "low": None,
    "high": None,
    "detail": "",
}
PLATFORM = "cpython-311-x86_64-linux-gnu-2.36"


@dataclass(frozen=True, slots=True)
class Hub:
    """What paths may name, by how they begin, what bodies may say, and the tokens."""

    places: dict[str, dict[str, Any]]
    fields: dict[str, Any]
    tokens: dict[str, str]

    def place(self, path: str) -> dict[str, str]:
        """A value for each parameter of the path; the longest beginning that fits decides."""
        known: dict[str, Any] = {}
        for start in sorted(self.places, key=len):
            known |= self.places[start] if path.startswith(start) else {}
        return {name: str(known[name]) for name in re.findall(r"\{(\w+)\}", path)}

    def bearer(self, name: str) -> dict[str, str]:
        """The header that carries that token."""
        return {"Authorization": f"Bearer {self.tokens[name]}"}


def build(alice: User, lab: Organisation, root: User) -> Hub:
    """alice owns an environment with all that one can have, and lab, where bob is a member."""
    version = make_version(alice, wheel=make_wheel(), keywords=["maths"])
    overlays.deprecate(
        environment=version.environment,
        by=alice,
        reason="There is a better one.",
        successor=make_version(alice, "better-env").environment,
    )
    make_version(alice, version="0.0.9", yanked_at=timezone.now(), yanked_reason="wrong")
    Provenance.objects.create(version=version, document={"version": 1})
    run = make_run(version, status="running")
    make_run(make_version(alice, "new-run", status="evaluating"), status="queued")
    requested = {"purpose": "evaluation", "suite": suites.built_in("full"), "policies": ["model"]}
    evaluated = make_run(version, **requested, model="tiny")
    make_rollout(evaluated, "model")
    locks.agree(version=version, run_id=run.pk, platform=PLATFORM, offered="")
    data_locks.extend(version=version, offered=locked("train.parquet"))
    rollout = make_rollout(run, rewards={"right": {"score": 1.0, "weight": 1.0}})
    _evidence(version, run)
    make_signed_card(run)
    bob = lab.memberships.get(user__username="bob").user
    invited = services.create_organisation(name="guild", title="", by=bob)
    to_alice = invitations.invite(organisation=invited, to="alice", role="member", by=bob)
    out = invitations.invite(organisation=lab, to="dan@example.com", role="member", by=alice)
    reported = moderation.report(
        environment=version.environment, version=version, by=bob, reason="spam", text="No tasks."
    )
    events.record("environment.public", by=alice, environment=version.environment)
    webhook = webhooks.add(to=alice.owner, url="https://example.org/x", kinds=[], by=alice)[0]
    webhooks.add(to=version.environment, url="https://example.org/x", kinds=["listed"], by=alice)
    delivery = webhook.deliveries.create(message_id="msg_0", type="version.listed", state="failed")
    watches.watch(environment=version.environment, by=alice)
    notifications.deliver()  # bob's invitation among them
    _provisions(version.environment)
    publisher = _publisher(alice, environment=version.environment)
    pending = _publisher(alice, owner=alice.owner, name="coming-env")
    api = "/api/v1/"
    return Hub(
        {
            "/": {
                "owner": "alice",
                "name": "demo-env",
                "number": "0.1.0",
                "shard": version.sha256[:2],
                "sha256": version.sha256,
                "filename": version.filename,
                "platform": PLATFORM,
                "variable": "MODE",
                "code": "card.floor",
                "measure": "floor",
                "key": "EXA_API_KEY",
                "host": "api.exa.ai",
            },
            f"{api}environments/": {"id": publisher.pk},
            f"{api}owners/": {"name": "alice", "id": pending.pk},
            f"{api}runs/{{id}}/comparison/": {"id": evaluated.pk, "other": evaluated.pk},
            f"{api}runs/": {"id": run.pk, "number": rollout.pk},
            f"{api}runner/": {"id": run.pk},
            f"{api}runners/": {"id": run.runner_id or 0},
            f"{api}organisations/": {"name": "lab", "username": "bob", "id": out.pk},
            f"{api}invitations/": {"id": to_alice.pk},
            f"{api}webhooks/": {"id": webhook.pk, "number": delivery.pk},
            f"{api}moderation/reports/": {"id": reported.pk},
            f"{api}tokens/": {"public_id": "current"},
        },
        {
            "owner": "lab",
            "name": "new-env",
            "visibility": "private",
            "title": "Guild",
            "reason": "spam",
            "text": "No tasks.",
            "version": "",
            "resolution": "Done.",
            "successor": "alice/better-env",
            "environment": "alice/demo-env",
            "days": 30,
            "to": "eve@example.com",
            "role": "member",
            "scope": "read",
            "kind": "github",
            "issuer": "",
            "workflow": "a.yml",
            "ci_environment": "",
            "repository": "alice/more",
            "owner_id": "1",
            "sub": "",
            "claims": None,
            "attempt": 1,
            "seq": 1,
            "phase": "running",
            "outcome": "succeeded",
            "value": "value-of-it",
            "hosts": ["api.exa.ai"],
            "device_name": "laptop",
            "device_code": devices.begin(device_name="laptop").device_code,
        },
        {
            "read": tokens.mint(user=alice, name="read", scope="read")[1],
            "admin": tokens.mint(user=alice, name="admin", scope="admin")[1],
            "root": tokens.mint(user=root, name="root", scope="admin")[1],
            "runner": runners.create(name="tester")[1],
            "run": sign_run_token(run_id=run.pk, attempt=1),
        },
    )


def _provisions(environment: Environment) -> None:
    now = timezone.now()
    environment.variables.create(name="MODE", value="hard", set_at=now)
    environment.secrets.create(name="EXA_API_KEY", encrypted="", hosts=["api.exa.ai"], set_at=now)
    environment.hosts.create(host="api.exa.ai", on_page=True, declared_at=now, approved_at=now)
    environment.hosts.create(host="*.example.org", declared_at=now)


def _evidence(version: Version, run: Run) -> None:
    Card.objects.create(version=version, run=run, scores=[SCORE], measures=[MEASURE])
    for stage, of in (("check", None), ("run", run)):
        version.findings.create(
            stage=stage, code="run.network", severity="warning", message="It tried.", run=of
        )


def _publisher(by: User, **of: Environment | Owner | str) -> TrustedPublisher:
    return TrustedPublisher.objects.create(
        kind="github",
        issuer="https://token.actions.githubusercontent.com",
        subject="alice/code",
        claims={"repository": "alice/code"},
        key="0" * 64,
        added_by=by,
        **of,
    )
