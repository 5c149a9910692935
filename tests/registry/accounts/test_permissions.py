"""The table of who may do what, as a matrix; and that queries say the same."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import AnonymousUser
from django.db import transaction

from registry.accounts import tokens
from registry.accounts.permissions import Actor, can, require, verbs
from registry.errors import HubError
from registry.models import Environment, Evaluation, Membership, Token, User, Version
from registry.publishers.models import TrustedPublisher
from registry.webhooks.models import Webhook
from tests.factories import make_run, make_version
from tests.people import make_lab, person

OWNER, MAINTAINER, MEMBER, STRANGER, STAFF, NOBODY = [
    "owner",
    "maintainer",
    "member",
    "stranger",
    "staff",
    "nobody",
]
TEAM = {OWNER, MAINTAINER, MEMBER}
EVERYBODY = {*TEAM, STRANGER, STAFF, NOBODY}
INSIDE = {*TEAM, STAFF}
PUBLISH = {OWNER, MAINTAINER}
MANAGE = {*PUBLISH, STAFF}

READING = {
    *("environment.see", "version.see", "version.install", "run.see", "organisation.see"),
    *("evaluation.see", "owner.quota", "account.read_notifications"),
}

STAFFS = {
    *("version.rejudge", "version.quarantine", "hub.moderate"),
    *("environment.quarantine", "environment.approve_hosts"),
}

# verb -> object -> who may, in the browser
MATRIX: dict[tuple[str, str], set[str]] = {
    ("environment.see", "public"): EVERYBODY,
    ("environment.see", "private"): INSIDE,
    ("environment.see", "unlisted"): INSIDE,
    ("environment.publish", "public"): PUBLISH,
    ("environment.publish", "private"): PUBLISH,
    ("environment.manage", "public"): MANAGE,
    ("environment.manage", "private"): MANAGE,
    ("environment.set_secrets", "public"): PUBLISH,
    ("environment.approve_hosts", "public"): {STAFF},
    ("environment.deprecate", "public"): MANAGE,
    ("environment.transfer", "public"): {OWNER, STAFF},
    ("environment.delete", "private"): {OWNER, STAFF},
    ("environment.star", "public"): EVERYBODY - {NOBODY},
    ("environment.star", "private"): INSIDE,
    ("environment.watch", "public"): EVERYBODY - {NOBODY},
    ("environment.watch", "private"): INSIDE,
    ("environment.push_evaluation", "public"): EVERYBODY - {NOBODY},
    ("environment.push_evaluation", "private"): INSIDE,
    ("environment.report", "public"): EVERYBODY - {NOBODY},
    ("environment.report", "private"): INSIDE,
    ("environment.journal", "public"): MANAGE,
    ("environment.journal", "private"): MANAGE,
    ("environment.quarantine", "public"): {STAFF},
    ("evaluation.see", "public"): EVERYBODY,
    ("evaluation.see", "yanked"): INSIDE,
    ("evaluation.see", "private"): INSIDE,
    ("evaluation.change", "public"): MANAGE,
    ("evaluation.remove", "public"): MANAGE,
    ("owner.publish", "public"): PUBLISH,
    ("owner.manage", "public"): {OWNER, STAFF},
    ("owner.journal", "public"): MANAGE,
    ("owner.quota", "public"): INSIDE,
    ("hub.moderate", "public"): {STAFF},
    ("version.see", "public"): EVERYBODY,
    ("version.see", "yanked"): EVERYBODY,
    ("version.see", "quarantined"): EVERYBODY,
    ("version.see", "private"): INSIDE,
    ("version.see", "unlisted"): INSIDE,
    ("version.install", "public"): EVERYBODY,
    ("version.install", "yanked"): EVERYBODY,
    ("version.install", "quarantined"): set(),
    ("version.install", "private"): INSIDE,
    ("version.install", "unlisted"): INSIDE,
    ("version.yank", "public"): MANAGE,
    ("version.delete", "public"): {OWNER, STAFF},
    ("version.retry", "public"): MANAGE,
    ("version.retry", "private"): MANAGE,
    ("version.evaluate", "public"): EVERYBODY - {NOBODY},
    ("version.evaluate", "private"): INSIDE,
    ("version.evaluate", "quarantined"): set(),
    ("version.rejudge", "public"): {STAFF},
    ("version.quarantine", "public"): {STAFF},
    ("run.see", "public"): EVERYBODY,
    ("run.see", "private"): INSIDE,
    ("run.see", "unlisted"): INSIDE,
    ("run.cancel", "public"): MANAGE,
    ("run.retry", "public"): MANAGE,
    ("publisher.manage", "public"): PUBLISH,
    ("webhook.manage", "public"): PUBLISH,
    ("token.manage", "public"): {OWNER},
    ("account.organise", "public"): {OWNER},
    ("account.answer", "public"): {OWNER},
    ("account.read_notifications", "public"): {OWNER},
    ("account.mark_notifications", "public"): {OWNER},
    ("organisation.see", "public"): INSIDE,
    ("organisation.manage", "public"): {OWNER, STAFF},
    ("organisation.leave", "public"): TEAM,
}


@dataclass
class World:
    people: dict[str, Actor]
    versions: dict[str, Version]

    def object(self, verb: str, kind: str) -> Any:
        version = self.versions[kind]
        match verb.partition(".")[0]:
            case "environment":
                return version.environment
            case "evaluation":  # public of the public one, of the others private to lab
                environment = version.environment
                public = kind == "public"
                return Evaluation(
                    environment=environment, owner=environment.owner, is_public=public
                )
            case "owner":
                return version.environment.owner
            case "run":
                return version.runs.get()
            case "token":
                return Token(user=version.uploaded_by)
            case "publisher":
                return TrustedPublisher(environment=version.environment)
            case "webhook":
                return Webhook(environment=version.environment, owner=version.environment.owner)
            case "hub":
                return AnonymousUser()
            case "account":
                return version.uploaded_by
            case "organisation":
                return version.environment.owner.organisation
        return version


@pytest.fixture(scope="module")
def keys(
    django_db_setup: None, django_db_blocker: Any
) -> Iterator[tuple[dict[str, int], dict[str, int]]]:
    """The primary keys of people by role and of versions by kind; the rows end with the module."""
    with django_db_blocker.unblock(), transaction.atomic():
        alice, bob = person("alice"), person("bob")
        people = {OWNER: alice, MEMBER: bob, STRANGER: person("carol")}
        people |= {STAFF: person("root", staff=True), MAINTAINER: User.objects.create_user("mia")}
        lab = make_lab(alice, bob)
        Membership.objects.create(organisation=lab, user=people[MAINTAINER], role="maintainer")
        now = "2026-01-01T00:00:00Z"
        versions = {
            "public": make_version(lab, "public", uploaded_by=alice),
            "private": make_version(lab, "private", visibility="private"),
            "unlisted": make_version(lab, "unlisted", status="rejected"),
            "yanked": make_version(lab, "yanked", yanked_at=now, yanked_reason="bad"),
            "quarantined": make_version(lab, "quarantined", quarantined_at=now),
        }
        for version in versions.values():
            make_run(version)
        yield (
            {role: user.pk for role, user in people.items()},
            {kind: version.pk for kind, version in versions.items()},
        )
        transaction.set_rollback(True)


@pytest.fixture
def world(keys: tuple[dict[str, int], dict[str, int]], db: None) -> World:
    """The rows as this test reads them: the objects of no other test."""
    people: dict[str, Actor] = {role: User.objects.get(pk=pk) for role, pk in keys[0].items()}
    versions = {kind: Version.objects.get(pk=pk) for kind, pk in keys[1].items()}
    return World(people | {NOBODY: AnonymousUser()}, versions)


@pytest.mark.parametrize(("verb", "kind"), MATRIX)
def test_each_verb_is_for_exactly_these_people(world: World, verb: str, kind: str) -> None:
    obj = world.object(verb, kind)
    may = {role for role, actor in world.people.items() if can(actor, verb, obj)}
    assert may == MATRIX[verb, kind]


def test_matrix_has_every_verb() -> None:
    assert {verb for verb, _ in MATRIX} == set(verbs())


def test_querysets_return_the_rows_that_permissions_allow(world: World) -> None:
    for kind in world.versions:
        world.object("evaluation.see", kind).save()
    for role, actor in world.people.items():
        for token in _tokens(actor, world):
            case = (role, token and (token.scope, str(token.environment)))
            allowed = {
                e for e in Environment.objects.all() if can(actor, "environment.see", e, token)
            }
            assert set(Environment.objects.visible_to(actor, token)) == allowed, case
            visible = {v for v in world.versions.values() if can(actor, "version.see", v, token)}
            assert set(Version.objects.visible_to(actor, token)) == visible, case
            pushed = {e for e in Evaluation.objects.all() if can(actor, "evaluation.see", e, token)}
            assert set(Evaluation.objects.visible_to(actor, token)) == pushed, case


def _tokens(actor: Actor, world: World) -> list[Token | None]:
    if not isinstance(actor, User):
        return [None]
    limited = world.versions["private"].environment
    return [
        None,
        *(tokens.mint(user=actor, name=s, scope=s)[0] for s in ("read", "admin")),
        *(
            tokens.mint(user=actor, name=s, scope=s, environment=limited)[0]
            for s in ("read", "admin")
        ),
    ]


@pytest.mark.parametrize(
    ("scope", "allowed"),
    [
        ("read", READING),
        (
            "publish",
            {
                *READING,
                *("environment.publish", "owner.publish", "version.yank", "version.retry"),
                *("run.cancel", "run.retry", "version.evaluate"),
                *("environment.deprecate", "environment.star"),
                *("evaluation.change", "evaluation.remove", "environment.push_evaluation"),
                *("environment.report", "environment.watch", "account.mark_notifications"),
            },
        ),
        ("admin", set(verbs()) - STAFFS),
    ],
)
def test_a_token_allows_no_more_than_its_scope(world: World, scope: str, allowed: set[str]) -> None:
    alice = world.people[OWNER]
    assert isinstance(alice, User)
    token = tokens.mint(user=alice, name="t", scope=scope)[0]
    assert {v for v in verbs() if can(alice, v, world.object(v, "public"), token)} == allowed


def test_a_token_of_one_environment_is_a_stranger_elsewhere(world: World) -> None:
    alice = world.people[OWNER]
    assert isinstance(alice, User)
    mine, other = world.versions["private"], world.versions["unlisted"]
    token = tokens.mint(user=alice, name="t", scope="admin", environment=mine.environment)[0]
    assert can(alice, "version.see", mine, token)
    assert can(alice, "environment.publish", mine.environment, token)
    assert not can(alice, "version.see", other, token)
    assert not can(alice, "environment.publish", other.environment, token)
    assert can(alice, "version.see", world.versions["public"], token)
    assert not can(alice, "owner.publish", mine.environment.owner, token)
    assert not can(alice, "organisation.see", mine.environment.owner.organisation, token)
    assert not can(alice, "token.manage", Token(user=alice), token)


def test_staff_powers_need_the_browser_or_an_admin_token(world: World) -> None:
    root = world.people[STAFF]
    assert isinstance(root, User)
    private = world.versions["private"]
    for scope, may in (("read", False), ("publish", False), ("admin", True)):
        token = tokens.mint(user=root, name="t", scope=scope)[0]
        assert can(root, "version.see", private, token) is may


def test_disabled_account_has_no_permissions(world: World) -> None:
    alice = world.people[OWNER]
    assert isinstance(alice, User)
    alice.is_active = False
    assert not can(alice, "version.see", world.versions["private"])


@pytest.mark.parametrize(
    ("role", "verb", "kind", "status", "code"),
    [
        (NOBODY, "environment.manage", "private", 404, "request.not_found"),
        (STRANGER, "environment.manage", "private", 404, "request.not_found"),
        (NOBODY, "environment.manage", "public", 401, "request.unauthenticated"),
        (STRANGER, "environment.manage", "public", 403, "request.forbidden"),
        (MEMBER, "environment.manage", "private", 403, "request.forbidden"),
        (STRANGER, "version.yank", "unlisted", 404, "request.not_found"),
        (STRANGER, "run.cancel", "private", 404, "request.not_found"),
        (STRANGER, "version.retry", "private", 404, "request.not_found"),
        (STRANGER, "version.retry", "public", 403, "request.forbidden"),
        (MEMBER, "version.retry", "public", 403, "request.forbidden"),
        (OWNER, "version.rejudge", "public", 403, "request.forbidden"),
        (STRANGER, "organisation.manage", "public", 404, "request.not_found"),
        (NOBODY, "organisation.see", "public", 404, "request.not_found"),
        (MEMBER, "organisation.manage", "public", 403, "request.forbidden"),
        (NOBODY, "account.organise", "public", 401, "request.unauthenticated"),
    ],
)
def test_a_refusal_gives_nothing_away(
    world: World, role: str, verb: str, kind: str, status: int, code: str
) -> None:
    with pytest.raises(HubError) as refused:
        require(world.people[role], verb, world.object(verb, kind))
    assert (refused.value.status, refused.value.code) == (status, code)


def test_refusal_names_the_scope_that_a_token_lacks(world: World) -> None:
    alice = world.people[OWNER]
    assert isinstance(alice, User)
    token = tokens.mint(user=alice, name="t", scope="read")[0]
    with pytest.raises(HubError, match="scope read") as refused:
        require(alice, "version.yank", world.versions["public"], token)
    assert refused.value.code == "token.scope"
    assert "scope publish" in refused.value.hint


def test_publishing_needs_a_second_factor_where_required(world: World, settings: Any) -> None:
    alice = world.people[OWNER]
    assert isinstance(alice, User)
    token = tokens.mint(user=alice, name="made before", scope="admin")[0]
    settings.HUB_REQUIRE_MFA = "publish"
    weak = {"environment.star", "organisation.leave", "account.answer", "token.manage"}
    weak |= {"environment.watch", "account.mark_notifications"}
    weak |= {"version.evaluate", "environment.report", "environment.journal", "owner.journal"}
    for acting in (None, token):
        allowed = {v for v in verbs() if can(alice, v, world.object(v, "public"), acting)}
        assert allowed == READING | weak
        with pytest.raises(HubError, match="second factor") as refused:
            require(alice, "environment.publish", world.versions["public"].environment, acting)
        assert refused.value.code == "account.mfa_required"
        assert refused.value.hint.endswith("/settings/security/")
    for scope in ("publish", "admin"):
        with pytest.raises(HubError, match="second factor"):
            tokens.mint(user=alice, name="new", scope=scope)
    tokens.mint(user=alice, name="new", scope="read")
    recovery = {"type": "recovery_codes", "data": {}}
    Authenticator.objects.create(user=alice, **recovery)
    assert not can(alice, "owner.publish", alice.owner, token)
    Authenticator.objects.create(user=alice, type="totp", data={})
    assert can(alice, "owner.publish", alice.owner, token)


def test_a_second_factor_gives_no_rights(world: World, settings: Any) -> None:
    settings.HUB_REQUIRE_MFA = "publish"
    for role, actor in world.people.items():
        if isinstance(actor, User):
            Authenticator.objects.create(user=actor, type="webauthn", data={})
        for verb, kind in MATRIX:
            may = can(actor, verb, world.object(verb, kind))
            assert may is (role in MATRIX[verb, kind]), (role, verb, kind)
