"""The journal: nothing is recorded without a sentence, and who reads what."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import allauth
import pytest
from django.test import Client
from django.utils.html import strip_tags

from registry import events
from registry.accounts import invitations
from registry.catalog import services
from registry.catalog.models import Version
from registry.catalog.transfer import transfer
from registry.models import Environment, Event, Organisation, Run, User
from registry.moderation import journal
from registry.self_reported import services as evaluations
from registry.self_reported.claims import Claims
from registry.self_reported.models import Evaluation
from tests.factories import bearer, make_version

ROOT = Path(__file__).parents[3]
# What the places that build a verb from a word can put there.
WORDS = {
    "environment.{verb}": ["quarantined", "released", "deprecated", "undeprecated"],
    "environment.{visibility}": Environment.Visibility.values,
    "evaluation.{change}": ["pushed", "deleted"],
    "invitation.{change}": ["sent", "accepted", "declined", "withdrawn"],
    "{run.kind}.leased": ["run.leased", "shard.leased"],
    "{run.kind}.requeued": ["run.requeued", "shard.requeued"],
    "{run.kind}.{status.value}": [
        f"{kind}.{status}"
        for kind in ("run", "shard")
        for status in Run.Status
        if status not in Run.ACTIVE
    ],
    "version.{to}": [s for s in Version.Status if s != Version.Status.UPLOADED],
    "version.{verb}": ["yanked", "unyanked", "quarantined", "released"],
    "webhook.{change}": ["added", "enabled", "removed", "renewed"],
    "account.{change}": None,  # sent to users by allauth
    "verb": ["publisher.added", "publisher.removed", "user.staff_added", "user.staff_removed"],
}


def recorded() -> Iterator[str]:
    """The first argument of every call of `events.record`, as written in the code."""
    for folder in ("registry", "frontend", "hub"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "events.record":
                    first = node.args[0]
                    text = ast.unparse(first)
                    yield first.value if isinstance(first, ast.Constant) else text.strip("f'\"")


def verbs() -> Iterator[str]:
    """Every verb that the code can write."""
    for verb in recorded():
        if verb == "account.{change}":
            yield from allauth_verbs()
        elif verb in WORDS:
            before = verb.partition("{")[0] if "{" in verb else ""
            yield from (f"{before}{word}" for word in WORDS[verb] or ())
        else:
            assert "." in verb, f"say in WORDS which verbs {verb!r} stands for"
            assert "{" not in verb, f"say in WORDS which verbs {verb!r} stands for"
            yield verb


def allauth_verbs() -> Iterator[str]:
    """What it calls `send_notification_mail` with."""
    call = re.compile(r'send_notification_mail\(\s*"(?:account|mfa)/email/(\w+)"')
    for path in Path(allauth.__file__).parent.rglob("*.py"):
        if path.parts[-2] != "tests":
            yield from (f"account.{word}" for word in call.findall(path.read_text()))


def test_every_verb_has_a_sentence_and_every_sentence_a_verb() -> None:
    known = set(verbs())
    assert len(known) > 50
    assert known - journal.SENTENCES.keys() == set(), "add these to registry/moderation/journal.py"
    never = {v for v in journal.SENTENCES if v not in known and not v.startswith("account.")}
    assert never == set(), "nothing records these any more"


@pytest.mark.parametrize("verb", journal.SENTENCES)
def test_every_sentence_reads_without_its_words(verb: str, db: None) -> None:
    event = events.record(verb, reason="it was time")
    text = journal.sentence(event)
    assert text.endswith(": it was time")
    assert "{" not in text


def test_its_publishers_and_staff_read_an_environments_journal(
    client: Client, lab: Organisation, alice: User, bob: User, root: User
) -> None:
    env = make_version(lab).environment
    events.record("environment.deprecated", by=alice, environment=env, reason="too easy")
    path = "/api/v1/environments/lab/demo-env/events/"
    for reader in (alice, root):
        (row,) = client.get(path, headers=bearer(reader, "admin")).json()["results"]
        assert row["text"] == "alice deprecated lab/demo-env: too easy"
        assert (row["verb"], row["data"]["reason"]) == ("environment.deprecated", "too easy")
    assert client.get(path, headers=bearer(bob, "admin")).status_code == 403


def test_pages_of_the_journal_neither_repeat_nor_skip(
    client: Client, lab: Organisation, alice: User
) -> None:
    env = make_version(lab).environment
    keys = [events.record("environment.public", by=alice, environment=env).pk for _ in range(5)]
    url, pages = "/api/v1/owners/lab/events/?limit=2", []
    while url:
        page = client.get(url, headers=bearer(alice, "admin")).json()
        pages += [row["id"] for row in page["results"] if row["id"] in keys]
        url = page["next"]
    assert pages == keys[::-1]


def test_new_owner_does_not_read_events_of_the_former_owner(
    client: Client, lab: Organisation, alice: User, carol: User
) -> None:
    env = make_version(alice).environment
    events.record("environment.public", by=alice, environment=env)
    transfer(environment=env, to=carol.owner, by=alice)
    path = "/api/v1/environments/carol/demo-env/events/"
    rows = client.get(path, headers=bearer(carol, "admin")).json()["results"]
    assert [row["verb"] for row in rows] == ["environment.received"]
    assert Event.objects.filter(environment=env).count() == 3


def test_lines_keep_the_name_that_an_environment_had_at_the_time(
    client: Client, lab: Organisation, alice: User, carol: User
) -> None:
    env = make_version(alice).environment
    events.record("environment.public", by=alice, environment=env)
    transfer(environment=env, to=lab.owner, by=alice)
    rows = events_of(client, alice, "alice")
    assert [(row["text"], row["environment"]) for row in rows] == [
        ("alice transferred alice/demo-env to lab", "alice/demo-env"),
        ("alice made alice/demo-env public", "alice/demo-env"),
    ]
    version = make_version(alice, name="other-env")
    events.record("version.yanked", by=alice, environment=version.environment, version=version)
    transfer(environment=version.environment, to=lab.owner, by=alice)
    assert events_of(client, alice, "alice")[1]["text"] == "alice yanked alice/other-env==0.1.0"
    moved = events_of(client, alice, "lab")[0]
    assert moved["text"] == "alice transferred lab/other-env here from alice"


def test_the_old_owners_journal_names_no_new_owner_to_who_may_not_see_the_environment(
    client: Client, lab: Organisation, alice: User, carol: User, root: User
) -> None:
    env = make_version(carol).environment
    services.set_visibility(environment=env, visibility="private", by=carol)
    transfer(environment=env, to=lab.owner, by=root)
    row = events_of(client, carol, "carol")[0]
    assert row["text"] == "root transferred carol/demo-env to another owner"
    assert "lab" not in str(row)
    client.force_login(carol)
    page = client.get("/owners/carol/journal/").content.decode()
    assert "root transferred carol/demo-env to another owner" in strip_tags(page)
    assert client.get("/envs/carol/demo-env/").status_code == 404, "where the line leads"
    assert "lab/demo-env" not in page
    assert events_of(client, root, "carol")[0]["text"] == "root transferred carol/demo-env to lab"


def events_of(client: Client, reader: User, owner: str) -> list[dict[str, Any]]:
    """The owner's journal as the API shows it to the reader."""
    answer = client.get(f"/api/v1/owners/{owner}/events/", headers=bearer(reader, "admin"))
    rows: list[dict[str, Any]] = answer.json()["results"]
    return [row for row in rows if not row["verb"].startswith("token.")]


def test_an_accepted_invitation_names_who_invited(
    lab: Organisation, alice: User, carol: User
) -> None:
    invitation = invitations.invite(organisation=lab, to="carol", role="owner", by=alice)
    invitations.accept(invitation=invitation, user=carol)
    lines = [journal.sentence(event) for event in journal.of_owner(lab.owner)]
    assert lines == [
        "alice invited carol as owner",
        "carol accepted the invitation of alice as owner",
        "carol joined as owner, invited by alice",
    ]


def test_evaluations_stand_in_the_journals_of_both_sides(alice: User, carol: User) -> None:
    environment = make_version(alice).environment

    def push(by: User, *, is_public: bool) -> Evaluation:
        return evaluations.create(
            environment=environment,
            version=None,
            owner=by.owner,
            by=by,
            claims=Claims(name="tried"),
            is_public=is_public,
        )

    def sentences(owner: User) -> list[str]:
        rows = journal.of_owner(owner.owner).filter(verb__startswith="evaluation")
        return [journal.sentence(event) for event in rows]

    secret, shown, own = (
        push(carol, is_public=False),
        push(carol, is_public=True),
        push(alice, is_public=False),
    )
    pk = shown.pk
    evaluations.delete(evaluation=shown, by=alice)
    both = f"carol pushed the evaluation {pk} of alice/demo-env"
    gone = f"alice deleted the evaluation {pk} of alice/demo-env"
    sentence = f"carol pushed the evaluation {secret.pk} of alice/demo-env"
    assert sentences(carol) == [sentence, both, gone]
    assert sentences(alice) == [
        both,
        f"alice pushed the evaluation {own.pk} of alice/demo-env",
        gone,
    ]
    assert journal.of_environment(environment).filter(verb__startswith="evaluation").count() == 3
