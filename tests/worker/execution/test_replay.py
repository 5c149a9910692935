"""The choice of rollouts to replay, their recorded replies, and the compared results."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from envyard.contract.replay import Replay
from envyard_runner.execution.replay import MIN_SECONDS, ReplayRun
from envyard_runner.execution.verdict import replay_failure
from envyard_runner.gateway import replays
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.recorded_replies import RecordedReplies
from envyard_runner.gateway.replays import MAX_ROLLOUTS
from envyard_runner.gateway.reply import Refusal, Reply
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.sandbox import Exit
from tests.worker.execution.event_feed import EXITED, Clock, EventFeed
from tests.worker.stub_hub import job

BEGAN, WALL = Clock.now, 100.0
TOOL = {"type": "function", "function": {"name": "add"}}


def call(*texts: str, tools: Any = ()) -> Call:
    """A conversation in turns, the user's first."""
    roles = ("user", "assistant")
    messages = [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]
    return Call(messages, list(tools), False, False, {})


def reply(text: str, **more: Any) -> Reply:
    return Reply(content=[text], finish_reason="stop", completion_tokens=3, **more)


def recorded(*calls: tuple[Call, Reply]) -> Record:
    record = Record("model/0/0", "model")
    for request, text in calls:
        record.add(request, text, 0.1)
    return record


def recorded_replies(*calls: tuple[Call, Reply]) -> RecordedReplies:
    return RecordedReplies(recorded(*calls).transcript)


def reply_text(recorded_replies: RecordedReplies, request: Call) -> str:
    return "".join(recorded_replies.answer(request).content)


def test_the_recorded_replies_come_again_with_their_tools_reason_and_tokens() -> None:
    tool_call = {"id": "7", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    first = replace(reply("", tool_calls={0: tool_call}), finish_reason="tool_calls")
    again = recorded_replies((call("a", tools=[TOOL]), first), (call("a", "", "b"), reply("two")))
    answer = again.answer(call("a", tools=[TOOL]))
    assert answer.message == first.message
    assert (answer.finish_reason, answer.completion_tokens) == ("tool_calls", 3)
    assert reply_text(again, call("a", "", "b")) == "two"
    again.end()
    assert again.diverged == 0


def test_calls_side_by_side_are_answered_by_what_they_ask_in_any_order() -> None:
    again = recorded_replies((call("judge 1"), reply("one")), (call("judge 2"), reply("two")))
    assert reply_text(again, call("judge 2")) == "two"
    assert reply_text(again, call("judge 1")) == "one"
    assert again.diverged == 0


def test_two_equal_calls_get_both_replies_in_order() -> None:
    again = recorded_replies((call("q"), reply("one")), (call("q"), reply("two")))
    assert [reply_text(again, call("q")), reply_text(again, call("q"))] == ["one", "two"]


def test_another_question_gets_the_likest_reply_and_is_noted() -> None:
    again = recorded_replies((call("judge"), reply("fair")), (call("a", "b", "c"), reply("two")))
    assert reply_text(again, call("a", "b", "x")) == "two"
    assert (again.diverged, again.difference) == (1, "user: x")
    assert reply_text(again, call("judge")) == "fair"


def test_other_tools_more_calls_and_fewer_are_noted() -> None:
    other = recorded_replies((call("a", tools=[TOOL]), reply("b")))
    other.answer(call("a"))
    assert (other.diverged, other.difference) == (1, "the same with other tools on offer")
    more = recorded_replies((call("a"), reply("b")))
    more.answer(call("a"))
    with pytest.raises(Refusal):
        more.answer(call("a", "b", "c"))
    assert (more.diverged, more.difference) == (2, "one call more than the 1 recorded: user: c")
    fewer = recorded_replies((call("a"), reply("b")), (call("a", "b", "c"), reply("d")))
    fewer.answer(call("a"))
    fewer.end()
    assert (fewer.diverged, fewer.difference) == (2, "nothing: it ended after 1 of 2 calls")


def loaded_feed(spec: Any, count: int) -> EventFeed:
    feed = EventFeed(spec)
    feed.add_loaded(*[True] * count)
    return feed


class Second:
    """The second sandbox of a run: its tasks are loaded, and it gets the replays to play."""

    def __init__(self, first: EventFeed, *, hashes: Sequence[str] = ()) -> None:
        tasks = first.collector.tasks or []
        known = hashes or [task.hash for task in tasks]
        self.again = ReplayRun(
            first.spec, first.collector, began=BEGAN, wall_seconds=WALL, clock=first.clock
        )
        events = [{"index": task.index, "hash": h} for task, h in zip(tasks, known, strict=True)]
        assert self("environment_began") is None
        assert self("loaded", tasks=events) == known
        self.groups = asyncio.run(first.plan.replays.groups())

    @property
    def words(self) -> list[str]:
        return [item["rollout"] for group in self.groups for item in group]

    def __call__(self, event: str, **fields: Any) -> list[str] | None:
        return self.again.add_line(json.dumps({"event": event, **fields}).encode())


def results(feed: EventFeed) -> dict[str, Replay]:
    replays = feed.plan.replays.results
    return {f"{item.policy}/{item.task}/{item.attempt}": item.replay for item in replays}


def finish(feed: EventFeed, **rewards: Any) -> None:
    """Add one call and the reward 0.5 to every rollout, apart from `changes`."""
    for name in sorted(feed.plan.expected):
        feed.add_reply(name)
        feed.rollout(name, **({"ok": True, "reward": 0.5} | rewards.get(name.split("/")[0], {})))


def test_the_sample_is_bounded_repeatable_and_takes_every_policy_and_task() -> None:
    spec = job(policies=("silent", "babble", "model"), tasks=20, attempts=4)
    samples = []
    for _ in range(2):
        feed = loaded_feed(spec, 20)
        finish(feed)
        Second(feed)
        samples.append(set(results(feed)))
    assert samples[0] == samples[1]
    assert len(samples[0]) == MAX_ROLLOUTS
    names = [name.split("/") for name in samples[0]]
    count = {policy: sum(name[0] == policy for name in names) for policy in spec.policies}
    assert set(count.values()) == {10, 11}
    assert len({task for policy, task, _ in names if policy == "model"}) == count["model"]
    other = loaded_feed(replace(spec, seed=8), 20)
    finish(other)
    Second(other)
    assert set(results(other)) != samples[0]


def test_a_replay_has_a_new_word_and_is_neither_expected_nor_a_rollout() -> None:
    feed = loaded_feed(job(policies=("silent",), tasks=2), 2)
    finish(feed)
    second = Second(feed)
    expected = feed.plan.expected
    assert all(feed.plan.name(word) is None for word in second.words)
    for word, reward in zip(second.words, (0.5, 0.75), strict=True):
        second("rollout_started", rollout=word)
        second("rollout", rollout=word, ok=True, reward=reward)
        second("rollout", rollout=word, ok=True, reward=9.0)  # the first result is kept
    second("done")
    assert sorted(row.reward or 0.0 for row in results(feed).values()) == [0.5, 0.75]
    assert (feed.collector.missing, len(feed.collector.scored), feed.plan.expected) == (
        [],
        2,
        expected,
    )
    assert feed.collector.rejections == 2
    assert feed.plan.reveal(f"in {second.words[0]}").startswith("in silent/")


def test_a_replay_that_got_no_reply_under_load_is_left_out() -> None:
    """A busy machine was taken for a reward that differs."""
    feed = loaded_feed(job(policies=("silent",), tasks=2), 2)
    finish(feed)
    second = Second(feed)
    error = {"type": "ProviderError", "message": "connection refused", "fault": "model"}
    excused, diverged = second.words
    replies = feed.plan.replays.record(diverged)
    assert replies is not None
    assert replies.replies_to_repeat is not None
    replies.replies_to_repeat.answer(call("another question"))
    for word in (excused, diverged):
        second("rollout", rollout=word, ok=False, error=error)
    rows = {row.left_out: row for row in results(feed).values()}
    assert rows.keys() == {replays.NO_REPLY, ""}
    assert rows[""].error == "ProviderError: connection refused"
    assert rows[""].diverged == 1


def test_neither_sandbox_answers_for_the_rollouts_of_the_other() -> None:
    feed = loaded_feed(job(policies=("silent",), tasks=1), 1)
    word = feed.plan.alias("silent/0/0")
    finish(feed)
    second = Second(feed)
    second("rollout_started", rollout=word)
    second("rollout", rollout=word, ok=True, reward=1.0)
    assert feed("rollout", rollout=second.words[0], ok=True, reward=1.0) is None
    assert results(feed) == {"silent/0/0": Replay(left_out=replays.NOT_ENDED)}
    assert feed.collector.rejections == 3


def test_a_process_that_ends_while_it_plays_again_fails_what_it_played() -> None:
    feed = loaded_feed(job(policies=("silent",), tasks=2), 2)
    finish(feed)
    second = Second(feed)
    second("rollout_started", rollout=second.words[0])
    second("rollout_started", rollout="another")
    message = f"ended while {second.words[0]} ran"
    second("fatal", stage="run", error={"type": "ProcessEnded", "message": message})
    second.again.finish(replace(EXITED, code=1))
    (ended,) = (name for name, item in results(feed).items() if item.error)
    assert results(feed)[ended].error == f"ProcessEnded: ended while {ended} ran"
    assert feed.collector.rejections == 1


@pytest.mark.parametrize("how", [{"oom_kills": 1}, {"low_memory": True}])
def test_a_process_that_the_machine_ended_fails_no_replay(how: dict[str, Any]) -> None:
    feed = loaded_feed(job(policies=("silent",), tasks=1), 1)
    finish(feed)
    second = Second(feed)
    second("rollout_started", rollout=second.words[0])
    message = "the environment's process was killed by signal 15"
    second("fatal", stage="run", error={"type": "ProcessEnded", "message": message})
    second.again.finish(replace(EXITED, code=1, **how))
    assert results(feed) == {"silent/0/0": Replay(left_out=replays.NOT_ENDED)}


def test_what_cannot_be_repeated_is_left_out_with_its_reason() -> None:
    feed = loaded_feed(job(policies=("silent", "parrot", "babble", "oracle"), tasks=2), 2)
    for policy in ("silent", "parrot", "babble", "oracle"):
        record = feed.add_reply(f"{policy}/0/0")
        if policy == "silent":
            record.fail(call("x"), "the model server answered 500", 0.1)
        if policy == "parrot":
            record.recorder.transcript = replace(record.recorder.transcript, truncated=True)
        if policy == "babble":
            record.add(call("x"), reply("y", more=True), 0.1)
        ok = policy != "oracle"
        feed.rollout(f"{policy}/0/0", ok=ok, reward=0.5 if ok else None)
        feed.rollout(f"{policy}/1/0", ok=True, reward=0.5)
    assert Second(feed, hashes=["0", "another"]).groups == []
    assert {name: item.left_out for name, item in results(feed).items()} == {
        "silent/0/0": "a call of it got no whole reply",
        "parrot/0/0": "its record is shortened",
        "babble/0/0": "a reply held more than is recorded",
        "oracle/0/0": replays.NO_REWARD,
        **{f"{p}/1/0": replays.OTHER_TASK for p in ("silent", "parrot", "babble", "oracle")},
    }


def test_a_group_is_played_again_whole_or_not_at_all() -> None:
    feed = EventFeed(job(policies=("silent", "model"), tasks=1, attempts=2))
    feed.add_loaded(True, compares=True)
    for name in ("silent/0/0", "silent/0/1", "model/0/0", "model/0/1"):
        feed.add_reply(name)
        lost = name == "model/0/1"
        feed("rollout", rollout=name, ok=not lost, reward=None if lost else 0.5)
    (group,) = Second(feed).groups
    assert len(group) == 2
    replays_by_name = results(feed)
    assert set(replays_by_name) == {"silent/0/0", "model/0/0", "model/0/1"}
    assert replays_by_name["model/0/0"].left_out == replays.GROUP_UNREPEATABLE
    assert replays_by_name["model/0/1"].left_out == replays.NO_REWARD
    assert replays_by_name["silent/0/0"].left_out == replays.NOT_ENDED


def test_a_run_whose_time_is_nearly_over_replays_nothing_and_reports_it() -> None:
    feed = loaded_feed(job(policies=("silent",), tasks=2), 2)
    finish(feed)
    feed.clock.now += 0.91 * WALL
    second = Second(feed)
    assert (second.groups, second.again.seconds) == ([], MIN_SECONDS)
    assert {row.left_out for row in results(feed).values()} == {replays.LATE}


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"ok": True, "reward": 1.0}, Replay(reward=1.0)),
        ({"ok": True, "reward": None}, Replay(error="it gave no reward")),
        ({"ok": False, "error": {"type": "KeyError", "message": "x"}}, Replay(error="KeyError: x")),
        ({"ok": False, "error": {"type": "RolloutTimeout"}}, Replay(left_out=replays.TOO_LONG)),
        ({"ok": "yes", "reward": 1.0, "error": 7}, Replay(error="it did not say why")),
    ],
)
def test_what_a_replay_gave_is_read_with_care(event: dict[str, Any], expected: Replay) -> None:
    feed = loaded_feed(job(policies=("silent",), tasks=1), 1)
    feed.rollout("silent/0/0", ok=True, reward=0.5)  # without a call, which is allowed
    second = Second(feed)
    second("rollout", rollout=second.words[0], **event)
    assert results(feed) == {"silent/0/0": expected}


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        (replace(EXITED, reason="memory", code=None), None),
        (replace(EXITED, code=1), None),
        (replace(EXITED, reason="wall_clock", code=None), None),
        (replace(EXITED, code=1, oom_kills=1), "errored"),
        (replace(EXITED, reason="machine_memory", code=None), "errored"),
        (replace(EXITED, reason="killed", code=None), "errored"),
        (replace(EXITED, signal=9, code=None), "errored"),
        (replace(EXITED, signal=9, reason="memory", code=None), None),
    ],
)
def test_a_second_load_that_was_ended_by_others_is_tried_again(end: Exit, outcome: Any) -> None:
    feed = loaded_feed(job(policies=("silent",), tasks=1), 1)
    finish(feed)
    again = ReplayRun(feed.spec, feed.collector, began=BEGAN, wall_seconds=WALL, clock=feed.clock)
    before = replay_failure(again, end)
    assert before is not None
    assert before.outcome == "errored"
    again.add_line(b'{"event": "environment_began"}')
    ending = replay_failure(again, end)
    assert (ending.outcome if ending else None) == outcome
    again.loaded = True
    assert replay_failure(again, end) is None  # what ends it while it plays again fails no run


def test_attempts_of_both_sandboxes_are_reported_together() -> None:
    first = replace(EXITED, network_attempts=1, targets=("a", "b"), refused_calls={"bpf": 2})
    second = replace(
        EXITED, code=1, network_attempts=2, targets=("b", "c"), refused_calls={"bpf": 1, "kcmp": 1},
        peak_memory_bytes=9, reached=("its processes",),
    )  # fmt: skip
    both = first.beside(second)
    assert (both.code, both.network_attempts, both.targets) == (0, 3, ("a", "b", "c"))
    assert (both.refused_calls, both.reached) == ({"bpf": 3, "kcmp": 1}, ("its processes",))
    assert both.peak_memory_bytes == 9
    assert first.beside(replace(second, refused_calls=None)).refused_calls is None
