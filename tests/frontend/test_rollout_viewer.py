"""The transcript of a rollout: outline, folded parts, joined results, search and Markdown."""

import re
from typing import Any

import pytest
from django.test import Client

from envyard.contract.judge import JudgeExchange
from envyard.contract.transcript import Exchange, Node, Transcript
from frontend.render import markdown, marks
from registry.models import LogChunk, Rollout, Run, User
from tests.factories import make_rollout, make_run, make_version
from tests.frontend import xss
from tests.frontend.people import text

pytestmark = pytest.mark.once


def call(key: str, name: str, arguments: str) -> dict[str, Any]:
    """A tool call of the policy."""
    return {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}


def conversation(*messages: dict[str, Any]) -> Transcript:
    """One conversation of those messages."""
    return Transcript(
        [Node(at - 1, message) for at, message in enumerate(messages)],
        [Exchange(asked=len(messages) - 2, reply=len(messages) - 1)],
    )


def shown(client: Client, rollout: Rollout, query: str = "") -> str:
    """The page of the rollout."""
    return text(client, f"/runs/{rollout.run_id}/rollouts/{rollout.pk}/{query}")


@pytest.fixture
def run(alice: User) -> Run:
    """A run of a model."""
    return make_run(make_version(alice), policies=["model"], model="m")


@pytest.fixture
def rollout(run: Run) -> Rollout:
    """Two turns that call tools under the same id, and a reply in Markdown."""
    calls = [call("call_1", "look_up", '{"word": "fig"}'), call("call_2", "count", "{}")]
    return make_rollout(
        run, "model",
        transcript=conversation(
            {"role": "system", "content": "You sort words."},
            {"role": "user", "content": "Sort: **pear**, fig"},
            {"role": "assistant", "content": "", "tool_calls": calls,
             "reasoning_content": "I need the Dictionary."},
            {"role": "tool", "content": "two words", "tool_call_id": "call_2"},
            {"role": "tool", "content": "a fruit", "tool_call_id": "call_1"},
            {"role": "assistant", "content": "", "tool_calls": [call("call_1", "again", "{}")]},
            {"role": "tool", "content": "unknown " + "x" * 5000, "tool_call_id": "call_1"},
            {"role": "assistant", "content": "## Sorted\n\n1. *fig*\n2. pear"},
        ),
    )  # fmt: skip


def test_a_tool_call_is_joined_to_its_result(client: Client, rollout: Rollout) -> None:
    page = shown(client, rollout).partition("</nav></aside>")[2]
    places = [page.index(words) for words in ("look_up(", "a fruit</pre>", "count(", "two words</")]
    assert places == sorted(places)  # each result at its call, whatever order they came in
    assert page.index("again(") < page.index("unknown xxx")
    assert page.count('<section class="turn ') == 5
    for number in range(8):
        assert f'id="turn-{number}"' in page


def test_a_result_without_its_call_is_a_message_of_its_own(client: Client, run: Run) -> None:
    late = make_rollout(
        run, "model",
        transcript=conversation(
            {"role": "assistant", "content": "", "tool_calls": [call("a", "look_up", "{}")]},
            {"role": "user", "content": "go on"},
            {"role": "tool", "content": "too late", "tool_call_id": "a"},
            {"role": "tool", "content": "nobody asked"},
        ),
    )  # fmt: skip
    assert shown(client, late).count('<section class="turn tool"') == 2


def test_the_outline_leads_to_every_message(client: Client, rollout: Rollout) -> None:
    outline = shown(client, rollout).partition('aria-label="Outline">')[2].partition("</nav>")[0]
    assert re.findall(r'href="#turn-(\d)"', outline) == list("01243567")
    for label in ("look_up(), count()", "a fruit", "## Sorted 1. *fig*"):
        assert label in outline


def test_the_system_prompt_and_reasoning_are_folded(client: Client, rollout: Rollout) -> None:
    page = shown(client, rollout)
    system = page.partition('id="turn-0"')[2].partition("</section>")[0]
    assert "<details><summary" in system
    assert "<pre>You sort words.</pre></details>" in system
    assert '<details><summary class="small">Reasoning: 22 characters' in page


def test_a_search_marks_matches_and_unfolds_what_has_them(client: Client, rollout: Rollout) -> None:
    page = shown(client, rollout, "?find=DICTIONARY&outcome=scored")
    assert "I need the <mark>Dictionary</mark>.</pre>" in page
    assert '<details open><summary class="small">Reasoning' in page
    assert '1 message with “DICTIONARY”</span> <a href="#turn-2">2</a>' in page
    assert '<li class="found"><a href="#turn-2">' in page
    assert '<input type="hidden" name="outcome" value="scored">' in page  # a search keeps them
    assert page.count("<mark>") == 1
    page = shown(client, rollout, "?find=fig")
    assert "3 messages with" in page
    assert "{&quot;word&quot;: &quot;<mark>fig</mark>&quot;}" in page
    assert "0 messages with “&lt;b&gt;”" in shown(client, rollout, "?find=%3Cb%3E")


def test_a_search_marks_the_calls_to_the_judge_too(client: Client, run: Run) -> None:
    record = conversation(
        {"role": "user", "content": "1+1?"}, {"role": "assistant", "content": "2"}
    )
    for verdict in ("It is right.", "It is wrong."):
        asked = [{"role": "user", "content": "Is <2> right?"}]
        record.judge.append(JudgeExchange(messages=asked, verdict={"content": verdict}))
    judged = make_rollout(run, "model", transcript=record)
    page = shown(client, judged, "?find=WRONG")
    assert "It is <mark>wrong</mark>.</pre>" in page
    assert re.findall(r'id="judge-(\d)"( open)?', page) == [("1", ""), ("2", " open")]
    assert '0 messages with “WRONG”</span> <a href="#judge-2">judge 2</a>' in page
    assert "Is <mark>&lt;2&gt;</mark> right?" in shown(client, judged, "?find=%3C2%3E")


def test_markdown_is_rendered_on_request_alone(client: Client, rollout: Rollout) -> None:
    page = shown(client, rollout)
    assert "<pre>## Sorted 1. *fig* 2. pear</pre>" in page
    assert "readme.css" not in page
    page = shown(client, rollout, "?view=markdown")
    assert '<p class="heading">Sorted</p>' in page
    assert "<li><em>fig</em></li>" in page
    assert "Sort: <strong>pear</strong>, fig" in page
    assert "<pre>You sort words.</pre>" in page  # prompts of the system stay raw
    page = shown(client, rollout, "?view=markdown&find=sorted")
    assert "<pre>## <mark>Sorted</mark> 1. *fig* 2. pear</pre>" in page  # a match is shown raw


def test_markdown_shows_the_tags_of_a_reply_as_text() -> None:
    (shown_html,) = markdown.rendered(["<think>no</think>\n\n<answer>*42*</answer> [x](/logout/)"])
    assert shown_html is not None
    assert "&lt;answer&gt;<em>42</em>&lt;/answer&gt;" in shown_html
    assert "&lt;think&gt;no&lt;/think&gt;" in shown_html
    assert "logout" not in shown_html


def test_long_or_slow_markdown_stays_raw_and_the_rest_is_rendered() -> None:
    slow = "[" * 9000 + "a" + "](" * 9000
    first, too_long, last = markdown.rendered(["*one*", "x" * 20_001, "*two*"])
    assert first == "<p><em>one</em></p>\n"
    assert too_long is None
    assert last == "<p><em>two</em></p>\n"
    assert len(markdown.rendered(["*a*", slow, "*b*"])) == 3
    many = markdown.rendered(["a" * 20_000] * 11)
    assert [result is None for result in many] == [False] * 10 + [True]


def test_marks_are_bounded_and_escape_everything() -> None:
    assert marks.marked("a<b>A&", "a") == "<mark>a</mark>&lt;b&gt;<mark>A</mark>&amp;"
    assert marks.marked("x\x1b", "") == "x\N{REPLACEMENT CHARACTER}"
    assert marks.marked("<" * 3000, "<").count("<mark>") == 1000
    assert marks.marked("a+b", "+") == "a<mark>+</mark>b"


def test_the_transcript_is_downloaded_as_json(client: Client, rollout: Rollout) -> None:
    (address,) = re.findall(r'href="([^"]+)" download="rollout-\d+\.json"', shown(client, rollout))
    assert len(client.get(address).json()["transcript"]["nodes"]) == 8


def test_a_long_transcript_costs_a_fixed_number_of_queries(
    client: Client, run: Run, django_assert_max_num_queries: Any
) -> None:
    messages = [{"role": ("user", "assistant")[n % 2], "content": f"*{n}*"} for n in range(400)]
    row = make_rollout(run, "model", transcript=conversation(*messages))
    with django_assert_max_num_queries(10):
        page = shown(client, row, "?view=markdown&find=7")
    assert "The first 300 messages." in page


@pytest.mark.parametrize(
    "query", ["", "?view=markdown", "?find=owned", "?find=%3Cscript%3E&view=markdown"]
)
def test_hostile_text_in_a_transcript_is_inert(client: Client, run: Run, query: str) -> None:
    messages: list[dict[str, Any]] = []
    for evil in (*xss.CORPUS, xss.ALL):
        calls = [call(evil, evil, evil)]
        messages += [
            {"role": "system", "content": evil},
            {"role": "user", "content": evil},
            {"role": "assistant", "content": evil, "reasoning_content": evil, "tool_calls": calls},
            {"role": "tool", "content": evil, "tool_call_id": evil, "name": evil},
            {"role": evil[:20], "content": evil},
        ]
    record = conversation(*messages)
    message = {"role": "user", "content": xss.ALL}
    record.judge.append(JudgeExchange(messages=[message], verdict=message, host=xss.CORPUS[0]))
    error = {"type": xss.ALL, "message": xss.ALL, "traceback": xss.ALL, "fault": "environment"}
    row = make_rollout(
        run, "model", transcript=record, reward=None, error=error, stop=xss.CORPUS[0],
        rewards={xss.ALL: {"score": 1.0, "weight": 1.0}}, metrics={xss.ALL: 1.0},
    )  # fmt: skip
    page = client.get(f"/runs/{run.pk}/rollouts/{row.pk}/{query}").content.decode()
    assert "owned" in page
    assert not xss.problems(page)


@pytest.mark.parametrize("query", ["", "?text=%3Cscript&log=script", "?sort=-reward"])
def test_hostile_text_on_the_page_of_a_run_is_inert(client: Client, run: Run, query: str) -> None:
    Run.objects.update(facts={"tasks": [{"index": 0, "prompt": xss.ALL, "split": xss.CORPUS[0]}]})
    LogChunk.objects.create(run=run, attempt=1, seq=1, text=xss.ALL)
    error = {"type": xss.ALL, "message": xss.ALL, "traceback": "", "fault": ""}
    make_rollout(run, "model", reward=None, error=error, stop=xss.CORPUS[0])
    make_rollout(
        run, "model", 1, rewards={xss.ALL: {"score": 1.0, "weight": 1.0}}, stop=xss.ALL[:100]
    )
    page = client.get(f"/runs/{run.pk}/{query}").content.decode()
    assert "owned" in page
    assert not xss.problems(page)


def test_the_check_of_hostile_text_finds_what_is_not_escaped() -> None:
    inert = ("[", "![", "<https", "<mark>")  # as HTML; most of these act in Markdown alone
    for evil in xss.CORPUS:
        assert bool(xss.problems(evil)) is not evil.startswith(inert), evil
