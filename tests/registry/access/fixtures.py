"""The people, objects and credentials with which every route is requested."""

from __future__ import annotations

import hashlib
import io
import tarfile
import time
import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.utils import timezone

from envyard.contract.data_lock import DataLock, LockedRepository
from registry import events, storage
from registry.accounts import runners, token_format, tokens
from registry.accounts.models import Invitation, Membership, Organisation, Owner, Token, User
from registry.attestations.models import Provenance
from registry.catalog import data_locks, locks
from registry.models import Environment, SignedInBrowser
from registry.moderation.models import Report
from registry.notifications.models import Notification
from registry.publishers.models import TrustedPublisher
from registry.read_models.links import prime_id
from registry.runs.tokens import sign_run_token
from registry.self_reported import samples
from registry.self_reported.models import Evaluation
from registry.sources import services as sources
from registry.sources.models import Delivery, Source
from registry.webhooks.models import Webhook, WebhookDelivery
from tests.factories import (
    make_environment,
    make_rollout,
    make_run,
    make_signed_card,
    make_version,
)
from tests.people import person
from tests.wheels import make_wheel

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
SECRET = "the-secret-of-an-invitation"
PLATFORM = "cpython-311-x86_64-linux-gnu-2.36"
DATA_LOCK = DataLock((LockedRepository("dataset", "openai/gsm8k", "0" * 40, ("main",)),))


@dataclass(frozen=True, slots=True)
class Place:
    """The value of each name in a route's path, for one environment of `lab`."""

    words: dict[str, str]

    def fill(self, path: str, more: dict[str, str]) -> str:
        """The address; `more` maps a bare `pk` and the like to the name that it means."""
        for name, value in (self.words | {k: self.words[v] for k, v in more.items()}).items():
            path = path.replace(f"<{name}>", value)
        return path

    def blank(self, text: str) -> str:
        """The text without what differs between one place and another."""
        longest = sorted(self.words.items(), key=lambda word: -len(word[1]))
        for name, value in longest:
            if len(value) > 4:
                text = text.replace(value, f"<{name}>")
        return text


@dataclass(frozen=True, slots=True)
class Fixtures:
    """Three environments of `lab`, one that is not there, and headers or session by role."""

    known: Place
    private: Place
    unlisted: Place
    absent: Place
    sessions: dict[str, str]
    headers: dict[str, str]


def build() -> Fixtures:
    """Make all rows; the caller's transaction takes them away."""
    people = {name: person(name, staff=name == "root") for name in _NAMES}
    lab = _lab(people)
    alice = people["alice"]
    bound = make_environment(lab, "other-env")
    texts = {scope: tokens.mint(user=alice, name=scope, scope=scope)[1] for scope in _SCOPES}
    texts["elsewhere"] = tokens.mint(user=alice, name="e", scope="admin", environment=bound)[1]
    texts["runner"] = runners.create(name="machine")[1]
    texts["token"] = texts["admin"]
    shared = _of_lab(lab, people)
    return Fixtures(
        known=_place(lab, alice, "demo-env", shared),
        private=_place(lab, alice, "hidden-env", shared, visibility="private"),
        unlisted=_place(lab, alice, "draft-env", shared, status="held"),
        absent=_absent(),
        sessions={name: _session(user) for name, user in people.items()},
        headers={role: f"Bearer {text}" for role, text in texts.items()},
    )


_NAMES = ("alice", "bob", "carol", "mia", "root")
_SCOPES = ("read", "publish", "admin")


def _lab(people: dict[str, User]) -> Organisation:
    lab = Organisation.objects.create(title="Lab")
    Owner.objects.create(name="lab", organisation=lab)
    roles = {"alice": "owner", "bob": "member", "mia": "maintainer"}
    for name, role in roles.items():
        Membership.objects.create(organisation=lab, user=people[name], role=role)
    return lab


def _session(user: User) -> str:
    """Signed in by password just now, so that no page requires it again."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = BACKEND
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session["account_authentication_methods_user"] = str(user.pk)
    session["account_authentication_methods"] = [{"method": "password", "at": time.time()}]
    session.save()
    return str(session.session_key)


def _of_lab(lab: Organisation, people: dict[str, User]) -> dict[str, str]:
    """What does not belong to one environment."""
    invitation = Invitation.objects.create(
        organisation=lab,
        user=people["carol"],
        role="member",
        digest=token_format.sha256(SECRET),
        invited_by=people["alice"],
        expires_at=timezone.now() + timedelta(days=1),
    )
    pending = _publisher(people["alice"], owner=lab.owner, name="coming-env")
    token = Token.objects.filter(user=people["alice"], name="read").get()
    session = Session.objects.get(pk=_session(people["alice"]))
    browser = SignedInBrowser.objects.create(
        session=session, user=people["alice"], family="Firefox"
    )
    about = Environment.objects.get(name="other-env")
    report = Report.objects.create(
        environment=about, reporter=people["carol"], reason="spam", text="It sells shoes."
    )
    webhook = Webhook.objects.create(owner=lab.owner, url="https://example.org/hook", salt="0")
    delivery = WebhookDelivery.objects.create(webhook=webhook, message_id="msg_0", state="failed")
    event = events.record("invitation.sent", owner=lab.owner, to="alice")
    notification = Notification.objects.create(user=people["alice"], event=event, kind="invitation")
    return {
        "owner": "lab",
        "team": "lab",
        "organisation": "lab",
        "username": "bob",
        "secret": SECRET,
        "invitation": str(invitation.pk),
        "pending": str(pending.pk),
        "public_id": token.public_id,
        "report": str(report.pk),
        "machine": str(runners.create(name="lent")[0].pk),
        "notification": str(notification.pk),
        "webhook": str(webhook.pk),
        "delivery": str(delivery.pk),
        "browser": str(browser.pk),
    }


def _place(
    lab: Organisation, alice: User, name: str, shared: dict[str, str], **state: Any
) -> Place:
    version = make_version(lab, name, "1.0.0", wheel=make_wheel(name, "1.0.0"), **state)
    env = version.environment
    run = make_run(version, status="running")
    rollout = make_rollout(run)
    Provenance.objects.create(version=version, document={"version": 1})
    make_signed_card(run)
    _source(version)
    locks.agree(version=version, run_id=run.pk, platform=PLATFORM, offered="")
    data_locks.extend(version=version, offered=DATA_LOCK)
    now = timezone.now()
    env.variables.create(name="MODE", value="hard", set_at=now)
    env.secrets.create(name="EXA_API_KEY", encrypted="", hosts=["api.exa.ai"], set_at=now)
    env.hosts.create(host="api.exa.ai", on_page=True, declared_at=now)
    evaluation = Evaluation.objects.create(
        environment=env, owner=lab.owner, created_by=alice, is_public=True, name="tried"
    )
    samples.add(evaluation=evaluation, samples=[{"example_id": 0, "reward": 1.0}])
    digest = hashlib.sha256(name.encode()).hexdigest()
    deliveries = {
        kind: Delivery.objects.create(
            environment=env,
            by=alice,
            kind=kind,
            filename="x",
            version=version.version if kind == "source" else "2.0.0",
            sha256=digest,
            content_hash=digest,
        )
        for kind in ("wheel", "source")
    }
    return Place(
        shared
        | {
            "name": env.name,
            "number": version.version,
            "run": str(run.pk),
            "other": str(run.pk),
            "rollout": str(rollout.pk),
            "evaluation": str(evaluation.pk),
            "publisher": str(_publisher(alice, environment=env).pk),
            "id": prime_id(env),
            "wheel": str(deliveries["wheel"].pk),
            "source": str(deliveries["source"].pk),
            "signed": sources.sign(deliveries["wheel"]),
            "shard": version.sha256[:2],
            "sha256": version.sha256,
            "filename": version.filename,
            "platform": PLATFORM,
            "variable": "MODE",
            "key": "EXA_API_KEY",
            "host": "api.exa.ai",
            "run_token": sign_run_token(run_id=run.pk, attempt=1),
        }
    )


def _publisher(alice: User, **of: Environment | Owner | str) -> TrustedPublisher:
    return TrustedPublisher.objects.create(
        **of,
        kind="github",
        issuer="https://token.actions.githubusercontent.com",
        subject="lab/repository",
        claims={"repository": "lab/repository"},
        key="0" * 64,
        added_by=alice,
    )


def _source(version: Any) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("README.md"), io.BytesIO())
    data = packed.getvalue()
    sha256 = hashlib.sha256(data).hexdigest()
    storage.get().put(storage.key("sources", sha256), io.BytesIO(data), sha256)
    Source.objects.create(
        version=version,
        filename=f"{version.environment.name}.tar.gz",
        sha256=sha256,
        size=len(data),
        content_hash=sha256,
    )


def _absent() -> Place:
    """Names, numbers and digests of the right shape that nothing has."""
    none = str(uuid.uuid4())
    return Place(
        {
            "owner": "lab",
            "team": "nolab",
            "organisation": "nolab",
            "username": "nobody",
            "secret": "no-invitation",
            "invitation": "900000001",
            "pending": "900000002",
            "public_id": "0" * 12,
            "report": "900000006",
            "browser": "900000010",
            "machine": "900000007",
            "notification": "900000008",
            "webhook": none,
            "delivery": "900000009",
            "name": "absent-env",
            "number": "1.0.0",
            "run": none,
            "other": none,
            "rollout": "900000003",
            "evaluation": none,
            "publisher": "900000004",
            "id": "env_900000005",
            "wheel": none,
            "source": none,
            "signed": "signed-by-nobody",
            "shard": "00",
            "sha256": "0" * 64,
            "filename": "absent_env-1.0.0-py3-none-any.whl",
            "platform": PLATFORM,
            "variable": "NOTHING",
            "key": "NOTHING",
            "host": "nothing.example.org",
            "run_token": "hubrun_of-nobody",
        }
    )
