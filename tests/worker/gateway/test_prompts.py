"""Which first calls contain the prompt of the task, and the findings on those that do not."""

from __future__ import annotations

import html
import json
import time
from typing import Any

import pytest

from envyard_runner.execution.collector import NO_PROMPT
from envyard_runner.execution.verdict import decide_ending
from envyard_runner.gateway.prompts import Prompts
from tests.worker.execution.event_feed import EXITED, EventFeed
from tests.worker.scripted_sandbox import (
    BEGAN,
    SPEC,
    ScriptedSandbox,
    loaded,
    perform_run,
    play_all,
)
from tests.worker.stub_hub import job

PROMPT = (
    "A farmer has 17 sheep and sells all but 9.\n\nHow many sheep are left? Answer in <answer>."
)
OTHER = "A train leaves at 9 and arrives at 17.\n\nHow many hours does it take? Answer in <answer>."
PROMPTS = Prompts({0: PROMPT, 1: OTHER, 2: "CRANE", 3: "", 4: "  \n"})


def user(text: Any, *before: dict[str, Any]) -> list[dict[str, Any]]:
    return [*before, {"role": "user", "content": text}]


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


@pytest.mark.parametrize(
    "messages",
    [
        user(PROMPT),
        user(PROMPT, {"role": "system", "content": "You are a careful solver."}),
        user(f"Question:\n{PROMPT}\n\nThink first."),
        user(PROMPT.replace("\n\n", "\r\n").upper()),
        user([{"type": "text", "text": PROMPT}, IMAGE]),
        user([{"type": "text", "text": part} for part in PROMPT.split("\n\n")]),
        [{"role": "system", "content": PROMPT}, {"role": "user", "content": "Begin."}],
        [{"role": "user", "content": part} for part in PROMPT.split("\n\n")],
        user("Example: 1 sheep.", *user(PROMPT)),
        user(PROMPT.replace("17", "seventeen")),
        user(PROMPT.split(" Answer")[0]),
        user(f"{OTHER}\n\nThat was an example. {PROMPT}"),
    ],
)
def test_a_prompt_is_shown_however_it_is_laid_out(messages: list[dict[str, Any]]) -> None:
    assert PROMPTS.shown(0, messages) is True


@pytest.mark.parametrize(
    "messages",
    [
        user("hi"),
        user(""),
        user(None),
        user("How many sheep are left?"),
        user(OTHER),
        user("x" * 500_000),
        user([IMAGE]),
    ],
)
def test_another_text_does_not_show_the_prompt(messages: list[dict[str, Any]]) -> None:
    assert PROMPTS.shown(0, messages) is False


def test_a_short_prompt_must_be_in_the_call_unchanged() -> None:
    assert PROMPTS.shown(2, user("Your word is CRANE!")) is True
    assert PROMPTS.shown(2, user("Your word is STORK!")) is False


def test_a_cut_prompt_is_compared_without_its_missing_end() -> None:
    cut = Prompts({0: f"{PROMPT}…[200 more]", 1: f"{OTHER}…[cut]"})
    assert cut.shown(0, user(PROMPT + "the rest")) is True
    assert cut.shown(1, user(OTHER + "the rest")) is True


def test_an_empty_prompt_and_an_unknown_task_are_not_compared() -> None:
    assert [PROMPTS.shown(task, user("anything")) for task in (3, 4, 99)] == [None] * 3


SUMS = (
    "What is 12 + 34? Reply with the number alone.",
    "What is 12 + 43? Reply with the number alone.",
    "What is 12 - 43? Reply with the number alone.",
)
NUMBERS = [f"Make 24 with these numbers: {ns}" for ns in ("3 5 7 9", "7 3 4 9", "9 7 5 2")]
CHINESE = ["小明有十七只羊，卖掉了八只，还剩几只？", "三角形有几条边？请回答。"]
QUOTED = [f'Say "{w}" & print(<{w}>);\nthen \\{w}' for w in ("amber", "birch", "cedar")]
FEW = "\n".join(f"{sum_}\nAnswer: 46" for sum_ in SUMS[1:])
GRIDS = ["53..7.6..195..98.6.8.6.34", "1.4.82.96..7.2.1..3.5.89.1", "9.8.7.61.5.4..3.22.1.3.45"]
FRAMED = "\n+-+-+-+-+-+\n".join("|".join(GRIDS[0][at : at + 5]) for at in range(0, 25, 5))


@pytest.mark.parametrize(
    ("prompts", "first_call"),
    [
        (SUMS, "Think, then reply with the sum of 12 and 34, as in 12 + 34 = ?"),
        (SUMS, f"{FEW}\n{SUMS[0].replace('What is', 'Compute')}"),
        (SUMS, f"[episode 9c1f] {SUMS[0].replace('?', '? (4e6f)')}"),
        (NUMBERS, "Make 24 with these numbers: 7 3 9 5"),
        (CHINESE, json.dumps({"observation": CHINESE[0]})),
        (QUOTED, json.dumps({"observation": QUOTED[0], "turn": 0})),
        (QUOTED, html.escape(QUOTED[0])),
        (["Ⅻ ﬁve e\u0301te\u0301 sheep", "Ⅻ ﬁve birds"], "XII five \xe9t\xe9 SHEEP"),
        (GRIDS, f"Fill the grid.\n{FRAMED}"),
    ],
)
def test_a_prompt_in_another_rendering_is_shown(prompts: list[str], first_call: str) -> None:
    assert Prompts(dict(enumerate(prompts))).shown(0, user(first_call)) is True


@pytest.mark.parametrize("first_call", [SUMS[1], f"Please: {SUMS[2]} Thanks.", "What is 12?", FEW])
def test_the_prompt_of_another_task_is_not_taken_for_a_rendering(first_call: str) -> None:
    assert Prompts(dict(enumerate(SUMS))).shown(0, user(first_call)) is False


def test_a_prompt_of_several_tasks_is_compared_only_where_it_is_sent() -> None:
    same = Prompts(dict.fromkeys(range(3), "Start the game."))
    assert same.shown(0, user("Start the game.")) is True
    assert same.shown(0, user("You see a board. Your move?")) is None


def tasks(*prompts: str) -> list[dict[str, Any]]:
    return [
        {"index": i, "hash": f"{i}", "prompt": prompt, "reference": True, "prompted": True}
        for i, prompt in enumerate(prompts)
    ]


def missing_prompts(
    missing: int, *, count: int = 15, policies: tuple[str, ...] = ("silent",)
) -> EventFeed:
    """Rollouts of which the first `missing` have another prompt in their calls."""
    feed = EventFeed(job(policies=policies, tasks=count))
    feed.add_began()
    feed("loaded", seconds=1.0, tasks=tasks(*(f"task {at} of them" for at in range(count))))
    for name in sorted(feed.plan.expected, key=lambda name: int(name.split("/")[1])):
        record = feed.add_reply(name)
        record.prompt_shown = missing <= 0
        record.first_call = "" if missing <= 0 else "hi"
        missing -= 1
        feed.rollout(name, ok=True, reward=0.5)
    feed("done")
    return feed


@pytest.mark.parametrize(("missing", "severity"), [(1, "warning"), (2, "error"), (15, "error")])
def test_rollouts_without_their_prompt_warn_up_to_a_tenth_and_are_an_error_beyond(
    missing: int, severity: str
) -> None:
    feed = missing_prompts(missing)
    (finding,) = decide_ending(feed.collector, EXITED).findings
    assert (finding.code, finding.severity) == ("run.prompt_not_sent", severity)
    assert finding.message.startswith(f"{missing} of 15 rollouts do not count: none of their first")
    assert "begins 'task 0 of them' and the first call's last message 'hi'" in finding.message
    assert len(feed.collector.not_counted) == missing


@pytest.mark.parametrize(("silent", "severity"), [(1, "warning"), (14, "error")])
def test_rollouts_without_a_call_warn_up_to_a_tenth_and_are_an_error_beyond(
    silent: int, severity: str
) -> None:
    feed = EventFeed(job(policies=("silent",), tasks=15))
    feed.add_loaded(*[True] * 15)
    for number, name in enumerate(sorted(feed.plan.expected)):
        if number >= silent:
            feed.add_reply(name)
        feed.rollout(name, ok=True, reward=1.0)
    feed("done")
    findings = {
        finding.code: finding for finding in decide_ending(feed.collector, EXITED).findings
    }["run.no_model_call"]
    assert (findings.severity, findings.details["n"]) == (severity, silent)


def test_a_policy_that_has_no_rollout_left_is_an_error_however_few_they_are() -> None:
    feed = EventFeed(job(policies=("silent", "model"), tasks=1, attempts=20))
    feed.add_loaded(True)
    for name in sorted(feed.plan.expected):
        if name != "silent/0/0":
            feed.add_reply(name)
        feed.rollout(name, ok=True, reward=1.0)
    feed("done")
    findings = {
        finding.code: finding for finding in decide_ending(feed.collector, EXITED).findings
    }["run.no_model_call"]
    assert findings.severity == "error"


def test_tasks_without_a_prompt_are_reported_as_not_compared_and_count() -> None:
    feed = EventFeed()
    feed.add_loaded(True, True)
    for name in sorted(feed.plan.expected):
        feed.add_reply(name).prompt_shown = None
        feed.rollout(name, ok=True, reward=0.0)
    feed("done")
    assert not feed.collector.not_counted
    findings = decide_ending(feed.collector, EXITED).findings
    assert [(finding.code, finding.severity) for finding in findings] == [
        ("run.prompt_not_compared", "info")
    ]


async def prompted(sandbox: ScriptedSandbox) -> Any:
    """Sends task 0 its prompt and task 1 that of task 0; a second load may have another prompt."""
    async for event in play_all(sandbox):
        if event["event"] == "loaded":
            second = "question 0" if sandbox.starts == 1 else FRESH
            event = loaded() | {"tasks": tasks(second, "question 1")}
        yield event


FRESH = "question 0"


def test_the_gateway_compares_the_first_calls_and_reports_rollouts_that_do_not_count() -> None:
    outcome = perform_run(prompted)
    assert outcome.result == ("succeeded", [])
    assert "not_counted" not in outcome.hub.facts

    async def asks_another(sandbox: ScriptedSandbox) -> Any:
        yield BEGAN
        yield loaded() | {"tasks": tasks("the capital of France", "the capital of Spain")}
        async for (item,) in sandbox.groups():
            word = item["rollout"]
            await sandbox.complete(word, "the capital of France")
            yield {"event": "rollout", "rollout": word, "ok": True, "reward": 1.0}

    other = perform_run(asks_another)
    assert other.result == ("succeeded", ["run.prompt_not_sent"])
    (finding,) = other.hub.endings[0]["findings"]
    assert (finding["severity"], finding["details"]) == ("error", {"n": 2})
    names = {f"{policy}/1/0": "run.prompt_not_sent" for policy in SPEC.policies}
    assert other.hub.facts["not_counted"] == names
    stops = {item["task"]: item["stop"] for item in other.hub.rollouts}
    assert stops[1] == NO_PROMPT
    assert stops[0] != NO_PROMPT


def test_a_call_to_a_planner_may_come_before_the_prompt() -> None:
    async def plans_first(sandbox: ScriptedSandbox) -> Any:
        yield BEGAN
        yield loaded()
        async for (item,) in sandbox.groups():
            word, task = item["rollout"], item["task"]
            await sandbox.complete(word, "Write down a general plan.")
            await sandbox.complete(word, f"question {task}")
            yield {"event": "rollout", "rollout": word, "ok": True, "reward": 1.0}

    assert perform_run(plans_first).result == ("succeeded", [])


def test_a_prompt_that_a_fresh_load_changes_under_the_same_hash_does_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(globals(), "FRESH", "question 0, today")
    outcome = perform_run(prompted)
    assert outcome.result == ("succeeded", ["run.prompt_changed"])
    names = {f"{policy}/0/0": "run.prompt_changed" for policy in SPEC.policies}
    assert outcome.hub.facts["not_counted"] == names


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["a" * (4 << 20), "a!" * 100_000, "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 400_000],
)
def test_a_text_made_to_be_slow_is_compared_in_bounded_time(text: str) -> None:
    tasks = ["zq" * 2000, *("a" * (10 + number) for number in range(50)), "a!" * 40]
    prompts = Prompts(dict(enumerate(tasks)))
    began = time.process_time()
    assert prompts.shown(0, [{"role": "user", "content": text}]) is False
    assert time.process_time() - began < 4.0
