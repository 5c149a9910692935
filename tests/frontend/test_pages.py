"""Every page, as each of the four people sees it."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from envyard.contract.replay import Replay
from envyard.contract.transcript import Exchange, Node, Transcript
from registry.models import Event, LogChunk, Rollout, Run, User, Version
from tests.factories import make_rollout, make_run, make_version

PAGE = "/envs/alice/demo-env/"
VERSION = f"{PAGE}0.1.0/"


@pytest.fixture
def listed(alice: User) -> Version:
    """alice/demo-env==0.1.0 with a run of two rollouts, one of them failed."""
    version = make_version(alice, readme="# Say it\n\nA *word*.", readme_type="text/markdown")
    run = make_run(version, total=2, done=2)
    make_rollout(run, "oracle", 0, reward=1.0)
    make_rollout(
        run,
        "silent",
        0,
        reward=None,
        error={"type": "ValueError", "message": "no tag", "traceback": "", "fault": "environment"},
    )
    return version


def text(client: Client, url: str, status: int = 200) -> str:
    """The page's HTML, its status checked."""
    answer = client.get(url)
    assert answer.status_code == status, f"{url}: {answer.status_code}"
    return answer.content.decode()


def test_an_empty_hub_says_what_to_do(client: Client, db: None) -> None:
    assert "Publish the first environment" in text(client, "/")
    assert "Publish the first environment" in text(client, "/envs/")
    assert "hub init my-env" in text(client, "/publish/")


def test_strangers_see_what_is_listed(client: Client, listed: Version) -> None:
    assert "alice/demo-env" in text(client, "/")
    page = text(client, PAGE)
    assert "<em>word</em>" in page
    assert "hub install alice/demo-env==0.1.0" in page
    for tab in ("versions", "runs", "files", "nonsense"):
        text(client, f"{PAGE}?tab={tab}")
    assert listed.sha256 in text(client, VERSION)


def test_other_spellings_of_a_version_find_it(client: Client, listed: Version) -> None:
    assert "0.1.0" in text(client, "/envs/Alice/Demo_Env/v0.1.0/")
    text(client, "/envs/alice/demo-env/newest/", 404)


def test_search_finds_and_says_when_it_does_not(client: Client, listed: Version) -> None:
    assert "alice/demo-env" in text(client, "/envs/?q=demo")
    assert "Nothing matches" in text(client, "/envs/?q=zebra")
    assert 'href="?tag=zebra"' in text(client, "/envs/?tag=zebra&q=demo")
    assert "Nothing matches" in text(client, "/envs/?tag=zebra&owner=alice&sort=name&page=x")


def test_a_run_shows_scores_rollouts_and_errors(client: Client, listed: Version) -> None:
    run = Run.objects.get()
    page = text(client, f"/runs/{run.pk}/")
    assert "ValueError: no tag" in page
    assert "hx-get" not in page
    one = run.rollouts.get(policy="silent")
    assert "no tag" in text(client, f"/runs/{run.pk}/rollouts/{one.pk}/")
    text(client, f"/runs/{run.pk}/rollouts/999999/", 404)
    text(client, "/runs/00000000-0000-4000-8000-000000000000/", 404)


def test_an_active_run_asks_again_and_an_ended_one_does_not(client: Client, alice: User) -> None:
    version = make_version(alice, status="evaluating")
    run = make_run(version, status="running", total=10, done=3)
    client.force_login(alice)
    page = text(client, f"/runs/{run.pk}/live/")
    assert 'hx-trigger="every 1s"' in page
    (again,) = re.findall(r'hx-get="([^"]+)"', page)
    assert client.get(html.unescape(again)).status_code == 204
    Run.objects.update(last_seq=1, done=4)
    assert "4 of 10 rollouts" in text(client, html.unescape(again))
    page = text(client, f"{VERSION}live/")
    assert 'hx-trigger="every 1s"' in page
    assert not text(client, html.unescape(re.findall(r'hx-get="([^"]+)"', page)[0]), 204)
    Run.objects.update(status="cancelled", ended_at=version.uploaded_at)
    Version.objects.update(status="held")
    for path in (f"/runs/{run.pk}/", VERSION):
        assert client.get(f"{path}live/").headers["HX-Refresh"] == "true"
        assert "hx-trigger" not in text(client, path)
    assert f"hub runs retry {run.pk}" in text(client, VERSION)


def test_a_long_log_says_where_the_rest_of_it_is(client: Client, alice: User) -> None:
    run = make_run(make_version(alice))
    LogChunk.objects.create(run=run, attempt=1, seq=1, text="a line\n" * 100)
    assert "hub logs" not in text(client, f"/runs/{run.pk}/")
    LogChunk.objects.create(run=run, attempt=1, seq=2, text="one more\n" * 8000)
    page = text(client, f"/runs/{run.pk}/")
    assert 'aria-label="Log">one more\n' in page  # not the half of a line
    assert f"<code>hub logs {run.pk}</code>" in page


def test_a_run_that_was_asked_to_stop_says_so_and_is_not_asked_again(
    client: Client, alice: User
) -> None:
    run = make_run(make_version(alice, status="evaluating"), status="running", total=10)
    client.force_login(alice)
    path = f"/runs/{run.pk}/"
    for part in (path, f"{path}live/"):
        assert f'href="{path}cancel/">Cancel this run</a>' in text(client, part)
    assert "Let it run" in text(client, f"{path}cancel/")
    run.refresh_from_db()
    assert run.cancel_requested_at is None  # to ask is not to do
    assert client.post(f"{path}cancel/").status_code == 302
    for part in (path, f"{path}live/"):
        page = text(client, part)
        assert "Somebody asked to stop this run" in page
        assert "cancelling</span>" in page
        assert "Cancel this run" not in page
    Run.objects.update(status="cancelled", ended_at=run.created_at)
    assert client.get(f"{path}cancel/").headers["Location"] == path


def test_strangers_watch_a_run_and_cannot_cancel_it(
    client: Client, alice: User, carol: User
) -> None:
    run = make_run(make_version(alice), status="running", total=10)
    client.force_login(carol)
    assert "Cancel this run" not in text(client, f"/runs/{run.pk}/")
    text(client, f"/runs/{run.pk}/cancel/", 403)
    assert client.post(f"/runs/{run.pk}/cancel/").status_code == 403
    run.refresh_from_db()
    assert run.cancel_requested_at is None


def test_a_queued_run_tells_its_place_is_cancelled_and_evaluated_after_all(
    client: Client, alice: User
) -> None:
    version = make_version(alice, status="evaluating", framework="verifiers")
    run = make_run(version, status="queued")
    client.force_login(alice)
    page = f"/runs/{run.pk}/"
    assert "Number 1 of 1 in the queue; 0 runners present." in text(client, page)
    client.post(f"{page}cancel/")
    Version.objects.update(status="held")
    assert "Evaluate again" in text(client, page)
    answer = client.post(f"{page}retry/")
    again = Run.objects.get(status="queued")
    assert answer.headers["Location"] == f"/runs/{again.pk}/"
    assert "Evaluate again" not in text(client, answer.headers["Location"])


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


def test_a_rejected_version_tells_its_author_why(client: Client, alice: User) -> None:
    version = make_version(alice, status="rejected")
    version.findings.create(
        stage="run",
        run=make_run(version, status="failed"),
        code="run.load_failed",
        severity="error",
        message="KeyError: 'answer'",
        hint="See.",
    )
    client.force_login(alice)
    page = text(client, VERSION)
    assert "KeyError: &#x27;answer&#x27;" in page
    assert "run.load_failed" in page
    assert "raise the version" in page


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
    told = Transcript(
        [Node(-1, message), Node(-1, message)],
        [
            Exchange(asked=0, reply=1, tools=0, sampling={"model": evil}, finish_reason=evil),
            Exchange(asked=0, error=evil),
        ],
        [[{"type": "function", "function": {"name": evil, "description": evil}}]],
    )
    one = make_rollout(run, transcript=told, stop=evil)
    for path in (PAGE, VERSION, f"/runs/{run.pk}/", f"/runs/{run.pk}/rollouts/{one.pk}/"):
        page = text(client, path)
        assert "<script>alert" not in page
        assert "javascript:" not in page
    assert "Docs (example.com)" in text(client, PAGE)


def test_a_long_list_of_rollouts_costs_no_more_queries(
    client: Client, alice: User, django_assert_max_num_queries: Any
) -> None:
    run = make_run(make_version(alice), total=300)
    for task in range(300):
        make_rollout(run, "oracle", task)
    with django_assert_max_num_queries(14):
        page = text(client, f"/runs/{run.pk}/")
    assert "200 more are not shown" in page


def test_a_rollout_shows_every_conversation_with_usage_and_what_failed(
    client: Client, listed: Version
) -> None:
    told = Transcript(
        [
            Node(-1, {"role": "system", "content": "You are white."}),
            Node(0, {"role": "assistant", "content": "e4 " + "x" * 5000}),
            Node(-1, {"role": "system", "content": "You are black."}),
            Node(2, {"role": "assistant", "content": "then e5"}),
            Node(0, {"role": "assistant", "content": "d4"}),
        ],
        [
            Exchange(asked=2, reply=3),
            Exchange(asked=0, reply=4, error=""),
            Exchange(asked=0, error="the model server answered 500"),
            Exchange(
                asked=0,
                reply=1,
                tools=0,
                sampling={"model": "stub", "temperature": 1.0, "seed": 7},
                finish_reason="length",
                prompt_tokens=11,
                completion_tokens=640,
                seconds=1.25,
                first_seconds=0.25,
                options=0,
                at=1.8e9,
            ),
        ],
        [[{"type": "function", "function": {"name": "look_up"}}]],
        [{"stop": ["</i>"], "logprobs": True}],
    )
    one = make_rollout(Run.objects.get(), "babble", transcript=told, shortened=True, calls=4)
    page = text(client, f"/runs/{one.run_id}/rollouts/{one.pk}/")
    assert (
        page.index("e4 x") < page.index("Another conversation: 2 messages") < page.index("then e5")
    )
    assert "A branch after 1 shared message: 1 message" in page
    assert '<summary class="small">5003 characters <span class="muted">e4 xxx' in page
    assert "length · 11 tokens in, 640 out · 1.25 s, first token after 0.25 s" in page
    assert '<a href="#options-1">options 1</a>' in page
    assert "1: stop, logprobs</summary>" in page
    assert "&lt;/i&gt;" in page
    failed = page.index("A call got no reply after 0 s: the model server answered 500")
    assert page.index('id="turn-0"') < failed < page.index('id="turn-1"')
    for shown in ("This record is shortened", "look_up", "<dt>temperature</dt><dd>1.0</dd>"):
        assert shown in page
    Rollout.objects.filter(pk=one.pk).update(pack=None, offset=0, length=0)
    page = text(client, f"/runs/{one.run_id}/rollouts/{one.pk}/")
    assert "This transcript is not kept any more." in page


@pytest.mark.parametrize(
    ("again", "row", "side"),
    [
        (Replay(reward=0.5, rewards={"exact": {"score": 0.5, "weight": 1.0}}), "again 0.5",
         ('<b>0.5</b> <span class="pill warn">differs</span>', "<dt>exact</dt><dd>0.5 × 1</dd>",
          "<dd>the same</dd>")),
        (Replay(error="KeyError: <x>", diverged=2, asked="user: <why>?"), "again failed",
         ("KeyError: &lt;x&gt;", "another from call 2 on: user: &lt;why&gt;?")),
        (Replay(left_out="its record is shortened"), "",
         ("Left out: its record is shortened",)),
    ],
)  # fmt: skip
def test_a_rollout_that_was_played_again_shows_its_second_reward(
    client: Client, listed: Version, again: Replay, row: str, side: tuple[str, ...]
) -> None:
    run = Run.objects.get()
    one = make_rollout(run, "babble", replay=again.to_dict(), rescored=again.reward)
    page = text(client, f"/runs/{run.pk}/rollouts/{one.pk}/")
    assert "<h2>Played again</h2>" in page
    for shown in side:
        assert shown in page
    assert ("again" in (table := text(client, f"/runs/{run.pk}/?policy=babble"))) == bool(row)
    assert row in table


def test_a_runs_rollouts_are_chosen_by_policy_and_outcome(client: Client, listed: Version) -> None:
    path = f"/runs/{Run.objects.get().pk}/"
    assert "silent · task 0" in text(client, f"{path}?failed=1")
    assert "oracle · task 0" not in text(client, f"{path}?failed=1")
    assert "No such rollout." in text(client, f"{path}?policy=oracle&failed=1")
