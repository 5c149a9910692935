"""Every page but those of runs, as each of the four people sees it."""

from typing import Any

import pytest
from django.test import Client

from envyard.contract.transcript import Exchange, Node, Transcript
from frontend.pages.environment_head import TABS
from registry.models import Event, User, Version
from tests.factories import make_rollout, make_run, make_version
from tests.frontend.people import text

pytestmark = pytest.mark.once

PAGE = "/envs/alice/demo-env/"
VERSION = f"{PAGE}0.1.0/"


def test_home_page_of_an_empty_hub_shows_the_next_step(client: Client, db: None) -> None:
    assert "Publish the first environment" in text(client, "/")
    assert "Publish the first environment" in text(client, "/envs/")
    assert "hub init my-env" in text(client, "/publish/")


def test_strangers_see_what_is_listed(client: Client, listed: Version) -> None:
    assert "alice/demo-env" in text(client, "/")
    page = text(client, PAGE)
    assert "<em>word</em>" in page
    assert "hub install alice/demo-env==0.1.0" in page
    for tab in (*TABS, "runs", "nonsense"):
        text(client, f"{PAGE}?tab={tab}")
    assert listed.sha256 in text(client, VERSION)


def test_other_spellings_of_a_version_find_it(client: Client, listed: Version) -> None:
    assert "0.1.0" in text(client, "/envs/Alice/Demo_Env/v0.1.0/")
    text(client, "/envs/alice/demo-env/newest/", 404)


def test_search_page_lists_results_or_states_that_there_are_none(
    client: Client, listed: Version
) -> None:
    assert "alice/demo-env" in text(client, "/envs/?q=demo")
    assert "No environment matches" in text(client, "/envs/?q=zebra")
    assert 'href="?tag=zebra"' in text(client, "/envs/?tag=zebra&q=demo")
    assert "No environment matches" in text(client, "/envs/?tag=zebra&owner=alice&sort=name&page=x")


@pytest.mark.parametrize("private", [True, False])
def test_what_one_may_not_know_is_not_there(
    client: Client, alice: User, carol: User, private: bool
) -> None:
    shape: dict[str, Any] = {"visibility": "private"} if private else {"status": "rejected"}
    run = make_run(make_version(alice, **shape))
    for path in (PAGE, VERSION, f"{VERSION}live/", f"/runs/{run.pk}/", "/envs/alice/none/"):
        text(client, path, 404)
    assert "alice/demo-env" not in text(client, "/envs/?q=demo")
    client.force_login(carol)
    for path in (PAGE, VERSION, f"/runs/{run.pk}/"):
        text(client, path, 404)
    client.force_login(alice)
    for path in (PAGE, VERSION, f"/runs/{run.pk}/"):
        text(client, path)
    assert "alice/demo-env" in text(client, "/envs/?mine=1")


def test_page_of_a_rejected_version_shows_its_author_the_reason(
    client: Client, alice: User
) -> None:
    version = make_version(alice, status="rejected")
    version.findings.create(
        stage="run",
        run=make_run(version, status="failed"),
        code="run.load_failed",
        severity="error",
        message="KeyError: 'answer'",
        hint="See.",
        details={"traceback": "Traceback:\n  <b>line 3</b>", "cause": "unknown"},
    )
    client.force_login(alice)
    page = text(client, VERSION)
    assert '<details><summary class="small">Traceback</summary><pre' in page
    assert "&lt;b&gt;line 3&lt;/b&gt;</pre></details>" in page
    assert "KeyError: &#x27;answer&#x27;" in page
    assert "run.load_failed" in page
    assert "increase the version number" in page


def test_page_of_an_environment_without_a_listed_version_states_why(
    client: Client, alice: User
) -> None:
    version = make_version(alice, status="rejected")
    message = "a reply without content earned 1"
    version.findings.create(stage="card", code="card.floor", severity="error", message=message)
    client.force_login(alice)
    page = text(client, PAGE)
    assert "Version 0.1.0 was not listed." in page
    assert "card.floor" in page
    assert message in page
    for status, sentence in (("held", "is held"), ("evaluating", "is not listed yet")):
        Version.objects.update(status=status)
        assert f"Version 0.1.0 {sentence}" in text(client, PAGE)
    assert "No description" not in text(client, "/owners/alice/")


def test_pages_of_a_version_have_its_own_summary_and_the_environments_tabs(
    client: Client, alice: User
) -> None:
    old = make_version(alice, version="0.1.0", summary="Counts words.")
    make_version(alice, version="0.2.0", summary="Counts letters.")
    assert "Counts letters." in text(client, PAGE)
    page = text(client, VERSION)
    assert "Counts words." in page
    assert "Counts letters." not in page
    for url in (VERSION, f"/runs/{make_run(old).pk}/"):
        tabs = text(client, url).partition('aria-label="Environment"')[2].partition("</nav>")[0]
        assert f'href="{PAGE}?tab=readme"' in tabs
        assert tabs.count('aria-current="page"') == 1


def test_the_users_name_leads_to_their_page(client: Client, alice: User, bob: User) -> None:
    client.force_login(alice)
    assert '<a href="/owners/alice/">alice</a>' in text(client, "/")
    assert "/envs/?mine=1" in text(client, "/owners/alice/")
    assert "/envs/?mine=1" not in text(client, "/owners/bob/")


def test_only_who_may_can_yank(client: Client, alice: User, carol: User, listed: Version) -> None:
    client.force_login(carol)
    assert "Yank this version" not in text(client, VERSION)
    client.post(f"{VERSION}yank/", {"reason": "x"})
    listed.refresh_from_db()
    assert listed.yanked_at is None
    client.force_login(alice)
    assert "Yank this version" in text(client, VERSION)
    client.post(f"{VERSION}yank/", {"reason": "wrong reward"})
    assert "wrong reward" in text(client, VERSION)
    client.post(f"{VERSION}unyank/")
    listed.refresh_from_db()
    assert listed.yanked_at is None
    assert Event.objects.filter(verb="version.yanked", actor=alice).count() == 1


def test_forms_without_their_token_are_refused(alice: User, listed: Version) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    assert client.post(f"{VERSION}yank/", {"reason": "x"}).status_code == 403


@pytest.mark.parametrize(
    ("hostile", "never"),
    [
        ("<script>alert(1)</script>", "<script>alert"),
        ('<img src=x onerror="alert(1)">', "onerror"),
        ("[x](javascript:alert(1))", 'href="javascript:'),
        ('<a href="data:text/html,x">y</a>', "data:text"),
        ('<form action="/logout/"><button>', '<form action="/logout/"><button>'),
        ('<div style="position:fixed">', "position:fixed"),
        ("<iframe src=//evil>", "<iframe"),
        ("<svg><style>*{display:none}</style></svg>", "display:none"),
    ],
)
def test_a_hostile_readme_is_only_text(
    client: Client, alice: User, hostile: str, never: str
) -> None:
    make_version(alice, readme=f"before\n\n{hostile}\n\nafter", readme_type="text/markdown")
    page = text(client, PAGE)
    prose = page[page.index('<article class="prose">') : page.index("</article>")]
    assert never not in prose
    assert "before" in prose


def test_hostile_messages_and_links_are_only_text(client: Client, alice: User) -> None:
    evil = "<script>alert(1)</script>"
    version = make_version(
        alice, links={evil: "javascript:alert(1)", "Docs": "https://example.com/x"}, summary=evil
    )
    run = make_run(version)
    call = {"id": "1", "type": "function", "function": {"name": evil, "arguments": evil}}
    message = {"role": evil, "content": evil, "tool_calls": [call]}
    transcript = Transcript(
        [Node(-1, message), Node(-1, message)],
        [
            Exchange(asked=0, reply=1, tools=0, sampling={"model": evil}, finish_reason=evil),
            Exchange(asked=0, error=evil),
        ],
        [[{"type": "function", "function": {"name": evil, "description": evil}}]],
    )
    rollout = make_rollout(run, transcript=transcript, stop=evil)
    for path in (PAGE, VERSION, f"/runs/{run.pk}/", f"/runs/{run.pk}/rollouts/{rollout.pk}/"):
        page = text(client, path)
        assert "<script>alert" not in page
        assert "javascript:" not in page
    assert "Docs (example.com)" in text(client, PAGE)
