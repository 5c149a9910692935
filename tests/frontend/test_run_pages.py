"""The pages of runs and rollouts, as each of the four people sees them."""

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import strip_tags

from envyard.contract.connections import Connection
from envyard.contract.facts import Facts
from envyard.contract.judge import JudgeExchange
from envyard.contract.replay import Replay
from envyard.contract.transcript import Exchange, Node, Transcript
from registry.models import Card, LogChunk, LostAttempt, Organisation, Rollout, Run, User, Version
from tests.factories import make_rollout, make_run, make_version
from tests.frontend.people import text

pytestmark = pytest.mark.once

VERSION = "/envs/alice/demo-env/0.1.0/"


def test_a_run_shows_scores_rollouts_and_errors(client: Client, listed: Version) -> None:
    run = Run.objects.get()
    page = text(client, f"/runs/{run.pk}/")
    assert "ValueError: no tag" in page
    assert "hx-get" not in page
    assert f"hub rollouts export {run.pk} -o rollouts.jsonl" in page
    rollout = run.rollouts.get(policy="silent")
    assert "no tag" in text(client, f"/runs/{run.pk}/rollouts/{rollout.pk}/")
    text(client, f"/runs/{run.pk}/rollouts/999999/", 404)
    text(client, "/runs/00000000-0000-4000-8000-000000000000/", 404)


def test_page_of_an_active_run_refreshes_and_of_an_ended_one_does_not(
    client: Client, alice: User
) -> None:
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
    assert "hub retry alice/demo-env==0.1.0" in text(client, VERSION)


def test_page_of_an_ended_run_refreshes_until_its_version_is_decided_on(
    client: Client, alice: User
) -> None:
    version = make_version(alice, status="evaluating")
    run = make_run(version, status="cancelled", ended_at=version.uploaded_at)
    client.force_login(alice)
    page = text(client, f"/runs/{run.pk}/")
    assert "Evaluate again" not in page
    (live,) = re.findall(r'hx-get="([^"]+)"', page)
    assert client.get(html.unescape(live)).status_code == 204
    Version.objects.update(status="held")
    assert client.get(html.unescape(live)).headers["HX-Refresh"] == "true"
    assert "Evaluate again" in text(client, f"/runs/{run.pk}/")


def test_page_of_a_long_log_links_to_the_rest(client: Client, alice: User) -> None:
    run = make_run(make_version(alice))
    LogChunk.objects.create(run=run, attempt=1, seq=1, text="a line\n" * 100)
    assert "hub logs" not in text(client, f"/runs/{run.pk}/")
    LogChunk.objects.create(run=run, attempt=1, seq=2, text="one more\n" * 8000)
    page = text(client, f"/runs/{run.pk}/")
    assert 'aria-label="Log">one more one more' in page  # not the half of a line
    assert f"<code>hub logs {run.pk}</code>" in page


def test_page_of_a_cancelling_run_offers_no_second_cancellation(
    client: Client, alice: User
) -> None:
    run = make_run(make_version(alice, status="evaluating"), status="running", total=10)
    client.force_login(alice)
    path = f"/runs/{run.pk}/"
    for part in (path, f"{path}live/"):
        assert f'href="{path}cancel/">Cancel this run</a>' in text(client, part)
    assert "Keep it running" in text(client, f"{path}cancel/")
    run.refresh_from_db()
    assert run.cancel_requested_at is None  # to ask is not to do
    assert client.post(f"{path}cancel/").status_code == 302
    for part in (path, f"{path}live/"):
        page = text(client, part)
        assert "This run is being cancelled" in page
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


def test_page_of_a_queued_run_shows_its_position_and_cancels_and_restarts_it(
    client: Client, alice: User
) -> None:
    version = make_version(alice, status="evaluating", framework="verifiers")
    run = make_run(version, status="queued")
    client.force_login(alice)
    page = f"/runs/{run.pk}/"
    assert f'Position 1 of 1 in the <a href="{page}queue/">queue</a>; 0 runners' in text(
        client, page
    )
    client.post(f"{page}cancel/")
    Version.objects.update(status="held")
    assert "Evaluate again" in text(client, page)
    answer = client.post(f"{page}retry/")
    again = Run.objects.get(status="queued")
    assert answer.headers["Location"] == f"/runs/{again.pk}/"
    assert "Evaluate again" not in text(client, answer.headers["Location"])


def test_a_long_list_of_rollouts_costs_no_more_queries(
    client: Client, alice: User, django_assert_max_num_queries: Any
) -> None:
    run = make_run(make_version(alice), total=300)
    for task in range(300):
        make_rollout(run, "oracle", task)
    with django_assert_max_num_queries(14):
        page = text(client, f"/runs/{run.pk}/")
    assert "300 rollouts. Text is" in page
    assert "Page 1 of 6" in page


def test_a_rollout_shows_every_conversation_with_usage_and_what_failed(
    client: Client, listed: Version
) -> None:
    opening = {"role": "assistant", "content": "e4 " + "x" * 5000, "reasoning_content": "<b>e4?</"}
    transcript = Transcript(
        [
            Node(-1, {"role": "system", "content": "You are white."}),
            Node(0, opening),
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
                reasoning_tokens=5,
            ),
        ],
        [[{"type": "function", "function": {"name": "look_up"}}]],
        [{"stop": ["</i>"], "logprobs": True}],
    )
    tokens = {"completion_tokens": 640, "reasoning_tokens": 5}
    run = Run.objects.get()
    rollout = make_rollout(run, "babble", transcript=transcript, shortened=True, calls=4, **tokens)
    page = text(client, f"/runs/{rollout.run_id}/rollouts/{rollout.pk}/")
    assert (
        page.index("e4 x") < page.index("Another conversation: 2 messages") < page.index("then e5")
    )
    assert "A branch after 1 shared message: 1 message" in page
    assert '<summary class="small">5003 characters <span class="muted">e4 xxx' in page
    assert "length · 11 tokens in, 640 out · 1.25 s, first token after 0.25 s" in page
    assert '<a href="#options-1">options 1</a>' in page
    assert "1: stop, logprobs</summary>" in page
    assert "&lt;/i&gt;" in page
    failed = page.index("A call failed after 0 s: the model server answered 500")
    assert page.index('id="turn-0"') < failed < page.index('id="turn-1"')
    for shown in ("This record is shortened", "look_up", "<dt>temperature</dt><dd>1.0</dd>"):
        assert shown in page
    summary = '<summary class="small">Reasoning: 8 characters, 5 tokens <span class="muted">'
    assert f"<details>{summary}&lt;b&gt;e4?" in page
    assert "<pre>&lt;b&gt;e4?&lt;/</pre></details>" in page
    assert "640 out, 5 of them reasoning" in page
    Rollout.objects.filter(pk=rollout.pk).update(pack=None, offset=0, length=0)
    page = text(client, f"/runs/{rollout.run_id}/rollouts/{rollout.pk}/")
    assert "This transcript is no longer stored." in page


@pytest.mark.parametrize(
    ("again", "row", "side"),
    [
        (Replay(reward=0.5, rewards={"exact": {"score": 0.5, "weight": 1.0}}), "replay 0.5",
         ('<b>0.5</b> <span class="pill warn">differs</span>', "<dt>exact</dt><dd>0.5 × 1</dd>",
          "<dd>identical</dd>")),
        (Replay(error="KeyError: <x>", diverged=2, asked="user: <why>?"), "replay failed",
         ("KeyError: &lt;x&gt;", "diverged at call 2: user: &lt;why&gt;?")),
        (Replay(left_out="its record is shortened"), "",
         ("Not replayed: its record is shortened",)),
    ],
)  # fmt: skip
def test_a_rollout_that_was_played_again_shows_its_second_reward(
    client: Client, listed: Version, again: Replay, row: str, side: tuple[str, ...]
) -> None:
    run = Run.objects.get()
    rollout = make_rollout(run, "babble", replay=again.to_dict(), rescored=again.reward)
    page = text(client, f"/runs/{run.pk}/rollouts/{rollout.pk}/")
    assert "<h2>Replay</h2>" in page
    for shown in side:
        assert shown in page
    assert (
        "Reward of the replay" in (table := text(client, f"/runs/{run.pk}/?policy=babble"))
    ) == bool(row)
    assert row in table


def test_a_runs_rollouts_are_chosen_by_policy_and_outcome(client: Client, listed: Version) -> None:
    path = f"/runs/{Run.objects.get().pk}/"
    assert "silent · task 0" in text(client, f"{path}?outcome=failed")
    assert "oracle · task 0" not in text(client, f"{path}?outcome=failed")
    assert "No matching rollout." in text(client, f"{path}?policy=oracle&outcome=failed")


def test_a_version_page_names_what_no_runner_has(client: Client, alice: User) -> None:
    version = make_version(alice, status="evaluating", requires_python=">=3.14")
    run = make_run(version, status="queued", pythons=",3.14,")
    client.force_login(alice)
    for path in (f"/runs/{run.pk}/", VERSION):
        assert "No runner has Python 3.14" in text(client, path)
    address = re.findall(r'hx-get="([^"]+)"', text(client, VERSION))[0]
    text(client, html.unescape(address), 204)
    Run.objects.update(pythons="")
    assert "No runner has" not in text(client, html.unescape(address))


def test_a_held_version_offers_one_way_to_retry_to_those_who_may(
    client: Client, alice: User, bob: User, lab: Organisation
) -> None:
    make_version(lab, status="held")
    client.force_login(bob)
    page = text(client, "/envs/lab/demo-env/0.1.0/")
    assert "Anyone who may publish this environment can evaluate it again." in page
    assert "Evaluate again" not in page
    make_run(make_version(alice, status="held", framework="verifiers"), status="errored")
    client.force_login(alice)
    for status, sentence in {"errored": "could not evaluate", "cancelled": "was cancelled"}.items():
        Run.objects.update(status=status)
        page = text(client, VERSION)
        assert sentence in page
        note = page.split('<div class="note warn">')[1].split("</div>")[0]
        assert note.count("Evaluate again") == page.count("Evaluate again") == 1
        assert "<code>hub retry alice/demo-env==0.1.0</code>" in note


def test_a_run_that_ended_awaits_no_rollouts(client: Client, alice: User) -> None:
    run = make_run(make_version(alice, status="rejected"), status="failed")
    client.force_login(alice)
    for path in (f"/runs/{run.pk}/", VERSION):
        page = text(client, path)
        assert "No rollout has finished." in page
        assert "yet" not in page


def test_a_run_between_attempts_shows_when_the_next_begins_and_what_ended_the_others(
    client: Client, alice: User
) -> None:
    run = make_run(make_version(alice, status="evaluating"), status="queued", attempt=2)
    LostAttempt.objects.create(
        run=run, attempt=1, runner_name="gpu-1", counted=False, handed_back=False,
        code="run.install_failed", message="uv cache: permission denied", at=timezone.now(),
    )  # fmt: skip
    Run.objects.update(not_before=timezone.now() + timedelta(minutes=5))
    client.force_login(alice)
    for path in (f"/runs/{run.pk}/", VERSION):
        page = text(client, path)
        assert "The next attempt starts no earlier than" in page
        assert "on gpu-1: uv cache: permission denied" in page
        assert "not counted" in page
    address = re.findall(r'hx-get="([^"]+)"', text(client, VERSION))[0]
    text(client, html.unescape(address), 204)
    Run.objects.update(not_before=timezone.now())
    assert "The next attempt starts no earlier than" not in text(client, html.unescape(address))


def test_a_run_shows_what_it_exchanged_with_hosts(client: Client, listed: Version) -> None:
    row = listed.runs.get()
    Card.objects.create(version=listed, run=row)
    reached = Connection("api.exa.ai", 443, "tunnel", sent=2048, received=100)
    refused = Connection("<b>evil", 8443, "refused", "the host is not approved", count=3)
    row.facts |= Facts(connections=[reached, reached, refused]).to_dict()
    row.save()
    page = client.get(f"/runs/{row.pk}/").content.decode()
    table = " ".join(page.partition('id="connections"')[2].partition("</table>")[0].split())
    plain = " ".join(strip_tags(table).split())
    assert "api.exa.ai reached 2 4.0 KiB 200 bytes" in plain
    assert "evil:8443 refused (the host is not approved) 3 0 bytes" in plain
    assert "&lt;b&gt;evil" in table
    assert "Uses the network" in client.get(VERSION).content.decode()
    row.facts = {"connections": [7, {"host": 5, "port": "x", "route": "y", "sent": 1e99}]}
    row.save()
    assert client.get(f"/runs/{row.pk}/").status_code == 200
    assert "Uses the network" not in client.get(VERSION).content.decode()


def test_a_rollout_shows_the_calls_to_its_judge_apart_from_its_turns(
    client: Client, listed: Version
) -> None:
    run = Run.objects.get()
    nodes = [
        Node(-1, {"role": "user", "content": "1+1?"}),
        Node(0, {"role": "assistant", "content": "two"}),
    ]
    asked = {"shape": "responses", "host": "api.openai.com", "asked_model": "gpt-5"}
    judged = JudgeExchange(
        **asked,
        messages=[{"role": "user", "content": "Is two right?"}],
        options={"response_format": {"type": "json_object"}},
        verdict={"role": "assistant", "content": "It is correct."},
    )
    transcript = Transcript(
        nodes, [Exchange(asked=0, reply=1)], judge=[judged, JudgeExchange(error="no_judge: none")]
    )
    counts = {"judge_calls": 2, "judge_prompt_tokens": 12, "judge_completion_tokens": 4}
    rollout = make_rollout(run, "parrot", 77, transcript=transcript, **counts)
    page = text(client, f"/runs/{run.pk}/rollouts/{rollout.pk}/")
    for shown in ("Is two right?", "It is correct.", "gpt-5", "api.openai.com", "no_judge: none"):
        assert shown in page
    assert "2, 12 tokens in," in " ".join(page.split())
    assert page.count('class="turn ') == 2
    detail = client.get(f"/api/v1/runs/{run.pk}/rollouts/{rollout.pk}/").json()
    assert detail["usage"]["judge_calls"] == 2
    assert [call["asked_model"] for call in detail["transcript"]["judge"]] == ["gpt-5", ""]
