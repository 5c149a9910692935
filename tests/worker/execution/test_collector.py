"""The event collector validates the lines of a sandbox."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from envyard.contract.facts import Facts
from envyard_runner.execution.collector import IMAGE_CHARACTERS, NAMED_IMAGES, NO_CALL
from envyard_runner.execution.verdict import decide_ending
from envyard_runner.gateway.reply import Refusal
from tests.worker.execution.event_feed import EXITED, EventFeed
from tests.worker.stub_hub import job


def test_the_transcript_is_the_gateways_and_the_reward_the_environments() -> None:
    feed = EventFeed()
    feed.add_loaded(True, True)
    feed("rollout_started", rollout="model/0/0")
    feed.add_reply("model/0/0", seconds=0.5)
    feed.clock.now += 4.0
    report = feed.rollout(
        "model/0/0", ok=True, reward=0.5, metrics={"a": 1.0}, seconds=0.001, turns=99,
        rewards={"exact": {"score": 0.5, "weight": 1.0}},
        messages=[{"role": "assistant", "content": "invented"}], usage={"calls": 77},
    )  # fmt: skip
    assert [m["content"] for m in report.transcript.messages] == ["hi", "hello"]
    assert (report.reward, report.metrics) == (0.5, {"a": 1.0})
    assert report.rewards == {"exact": {"score": 0.5, "weight": 1.0}}
    assert (report.seconds, report.turns, report.usage.calls) == (4.0, 1, 1)
    assert report.usage.model_seconds == 0.5
    assert report.truncated  # the gateway saw `length`


def test_a_rollout_scored_without_a_call_is_marked_and_a_finding() -> None:
    feed = EventFeed()
    feed.add_loaded(False)
    assert feed.rollout("silent/0/0", ok=True, reward=1.0).stop == NO_CALL
    feed.add_reply("model/0/0")
    feed.rollout("model/0/0", ok=True, reward=1.0)
    feed("done")
    ending = decide_ending(feed.collector, EXITED)
    assert ending.outcome == "succeeded"
    assert [(f.code, f.severity) for f in ending.findings] == [("run.no_model_call", "error")]
    assert "silent/0/0" in ending.findings[0].message


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"[]", b"5", b"\xff", b'{"event": 3}', b'{"event": "rollout"}',
     b'{"event": "rollout", "rollout": "silent/9/0"}', b'{"event": "rollout", "rollout": 4}',
     b'{"event": "rollout", "rollout": "silent/0"}', b"[" * 100_000,
     b'{"event": "rollout_started", "rollout": {"a": 1}}'],
)  # fmt: skip
def test_lines_that_mean_nothing_are_dropped(line: bytes) -> None:
    assert EventFeed().collector.add_line(line) is None


def test_images_count_once_the_environment_began_and_are_bounded() -> None:
    feed = EventFeed()
    feed("needs_machine", image="too early")
    assert not feed.collector.machine_needed.is_set()
    feed.add_began()
    for image in ("debian:12", "debian:12", {"not": "a name"}, "x" * 10_000):
        feed("needs_machine", image=image)
    for number in range(1000):
        feed("needs_machine", image=f"image:{number}")
    assert feed.collector.images[0] == "debian:12"
    assert len(feed.collector.images) == NAMED_IMAGES
    assert max(map(len, feed.collector.images)) < IMAGE_CHARACTERS + 10  # with a mark


def test_an_error_behind_a_spent_budget_names_the_budget() -> None:
    feed = EventFeed(job(policies=("silent",), tasks=1, limits={"calls_per_rollout": 1}))
    feed.add_loaded(False)
    record = feed.add_reply("silent/0/0")
    feed.records.spend(record)
    with pytest.raises(Refusal, match="has used its 1 calls"):
        feed.records.spend(record)
    error = {"type": "ModelError", "message": "", "fault": "environment"}
    report = feed.rollout("silent/0/0", ok=False, error=error)
    assert report.error is not None
    named = [report.error[part] for part in ("type", "message", "fault")]
    assert named == ["BudgetSpent", "this rollout has used its 1 calls", "environment"]


def test_the_list_of_tasks_ends_before_an_image_ends_the_run() -> None:
    """Of two images that tasks named, a busy runner reported one."""
    feed = EventFeed()
    feed.add_began()
    feed("needs_machine", image="debian:12")
    assert not feed.collector.machine_needed.is_set()
    feed("needs_machine", image="container")
    feed.add_loaded(True)
    assert feed.collector.machine_needed.is_set()
    playing = EventFeed()
    playing.add_loaded(True)
    assert not playing.collector.machine_needed.is_set()
    playing("needs_machine", image="debian:12")
    assert playing.collector.machine_needed.is_set()


def test_a_rollout_counts_once() -> None:
    feed = EventFeed()
    feed.add_loaded(True)
    assert feed.rollout("silent/0/0", ok=True, reward=0.0).reward == 0.0
    assert feed("rollout", rollout="silent/0/0", ok=True, reward=1.0) is None


def test_odd_fields_of_a_rollout_become_empty() -> None:
    feed = EventFeed()
    feed.add_loaded(True)
    report = feed.rollout(
        "silent/0/0", ok="yes", reward="NaN", rewards=[1], metrics={"a": "b"}, error=7, seconds=None
    )
    assert (report.ok, report.reward, report.rewards, report.metrics) == (False, None, {}, {})
    assert report.error is not None
    assert report.error["fault"] == "environment"


def test_tasks_are_kept_once_within_the_plan_and_their_prompts_bounded() -> None:
    feed = EventFeed(job(tasks=2))
    tasks = [{"index": i, "hash": "h", "prompt": "x" * 9000} for i in (0, 0, 1, 2, -1)]
    facts = feed("loaded", seconds=2.0, tasks=tasks)
    assert isinstance(facts, Facts)
    assert facts.tasks is not None
    assert [t.index for t in facts.tasks] == [0, 1]
    assert len(facts.tasks[0].prompt) < 4100
    assert feed("loaded", tasks=[]) is None


def test_a_shard_plans_its_own_tasks_and_reports_how_many_were_loaded() -> None:
    feed = EventFeed(job(policies=("model",), first_task=2, tasks=2, attempts=2))
    tasks = [{"index": i, "hash": f"{i}", "prompt": "p"} for i in range(5)]
    facts = feed("loaded", seconds=2.0, tasks=tasks, loaded_tasks=4, earlier_tasks="a" * 64)
    assert isinstance(facts, Facts)
    assert [task.index for task in facts.tasks or ()] == [2, 3]
    assert (facts.loaded_tasks, facts.earlier_tasks) == (4, "a" * 64)
    assert feed.plan.expected == {"model/2/0", "model/2/1", "model/3/0", "model/3/1"}


def loaded_by(feed: EventFeed, *indexes: int, loaded: int) -> None:
    feed.add_began()
    rows = [{"index": index, "hash": str(index), "prompt": "p"} for index in indexes]
    feed("loaded", tasks=rows, loaded_tasks=loaded, seconds=1.0)


def test_of_named_tasks_exactly_these_are_planned() -> None:
    spec = job(policies=("model",), indexes=(1, 4, 9), first_task=4, tasks=2, attempts=1)
    feed = EventFeed(spec)
    loaded_by(feed, 1, 4, 5, 9, loaded=10)
    assert sorted(feed.collector.plan.expected) == ["model/4/0", "model/9/0"]


def test_a_named_task_that_was_not_loaded_fails_before_any_rollout() -> None:
    feed = EventFeed(job(policies=("model",), indexes=(1, 4, 9), tasks=3, attempts=1))
    loaded_by(feed, 1, 4, loaded=5)
    assert not feed.collector.plan.expected
    feed("done")
    ending = decide_ending(feed.collector, EXITED)
    assert (ending.outcome, ending.findings[0].code) == ("failed", "run.tasks_missing")
    assert ending.findings[0].message == (
        "The suite names 1 tasks that the version does not have: 9; it has 5, from index 0 on."
    )


@pytest.mark.parametrize(("first_task", "outcome"), [(0, "failed"), (2, "succeeded")])
def test_only_a_shard_after_the_first_may_have_no_tasks(first_task: int, outcome: str) -> None:
    feed = EventFeed(job(policies=("model",), first_task=first_task, tasks=2, attempts=2))
    feed.add_began()
    feed("loaded", seconds=2.0, tasks=[], loaded_tasks=1)
    feed("done")
    assert decide_ending(feed.collector, EXITED).outcome == outcome


def test_oracle_is_expected_where_there_is_a_reference_and_swapped_where_anothers_is_wrong() -> (
    None
):
    feed = EventFeed(job(policies=("oracle", "swapped", "model"), tasks=3, attempts=2))
    feed.add_loaded("yes", False, "no")
    assert feed.plan.expected == {
        "oracle/0/0", "oracle/2/0", "swapped/0/0", "swapped/2/0", "model/0/0", "model/0/1",
        "model/1/0", "model/1/1", "model/2/0", "model/2/1",
    }  # fmt: skip
    feed = EventFeed(job(policies=("oracle", "swapped"), tasks=3))
    feed.add_loaded("yes", "yes", False)
    assert feed.plan.expected == {"oracle/0/0", "oracle/1/0"}


def test_a_probe_of_parsers_plays_the_first_tasks_that_it_can() -> None:
    feed = EventFeed(job(policies=("format", "malformed"), tasks=6, attempts=1))
    feed.add_loaded(False, True, False, True, True, True)
    played = {name.rpartition("/")[0] for name in feed.plan.expected}
    assert played == {
        "format/1", "format/3", "format/4", "malformed/0", "malformed/1", "malformed/2",
    }  # fmt: skip


def words(feed: EventFeed) -> list[list[str]]:
    """The aliases of the rollouts that the sandbox gets, by group."""
    groups = asyncio.run(feed.plan.groups())
    return [[item["rollout"] for item in group] for group in groups]


def test_rollouts_have_random_words_in_mixed_order_that_name_no_policy() -> None:
    spec = job(policies=("silent", "oracle", "swapped", "model"), tasks=2, attempts=3)
    first, second = EventFeed(spec), EventFeed(spec)
    first.add_loaded(True, True)
    second.add_loaded(True, True)
    names = [first.plan.name(word) for group in words(first) for word in group]
    assert set(names) == first.plan.expected
    assert names != [second.plan.name(word) for group in words(second) for word in group]
    assert not {w for g in words(first) for w in g} & {w for g in words(second) for w in g}
    assert all(len(group) == 1 for group in words(first))


def test_where_attempts_are_compared_a_groups_size_does_not_reveal_a_probe() -> None:
    feed = EventFeed(job(policies=("silent", "model"), tasks=1, attempts=3))
    feed.add_loaded(True, compares=True)
    assert [len(group) for group in words(feed)] == [3, 3]
    assert feed.plan.expected == {"silent/0/0", "model/0/0", "model/0/1", "model/0/2"}
    assert feed("rollout", rollout="silent/0/1", ok=True, reward=1.0) is None
    assert feed.collector.rejections == 0


def test_a_fatal_event_names_the_rollouts_that_ran_by_their_names() -> None:
    feed = EventFeed()
    feed.add_loaded(True, True)
    message = f"killed while {feed.plan.alias('model/1/0')} ran"
    feed("fatal", stage="run", error={"type": "ProcessEnded", "message": message})
    finding = decide_ending(feed.collector, replace(EXITED, code=1)).findings[0]
    assert finding.message == "ProcessEnded: killed while model/1/0 ran"


def test_a_failed_oracle_is_reported_by_the_rollout_that_needed_it() -> None:
    feed = EventFeed(job(policies=("oracle",), tasks=1))
    feed.add_loaded(True)
    feed.records.open("oracle/0/0").reference_error = "oracle() raised KeyError: 'x'"
    report = feed.rollout("oracle/0/0", ok=False, error={"type": "ProviderError", "message": "409"})
    assert report.error == {
        "type": "OracleFailed", "message": "oracle() raised KeyError: 'x'",
        "fault": "environment", "traceback": "",
    }  # fmt: skip


def test_a_refused_call_is_its_callers_affair_however_long_the_model_took() -> None:
    for refused, fault in (("", "model"), ("8000 tokens are too many", "environment")):
        feed = EventFeed(job(policies=("model",), tasks=1, attempts=1))
        feed.add_loaded(True)
        record = feed.records.open("model/0/0")
        record.model_seconds, record.refused = 10.0, refused
        error = {"type": "ProviderError", "message": "400", "fault": "model"}
        assert feed.rollout("model/0/0", ok=False, error=error, seconds=1.0).error["fault"] == fault
        assert bool(feed.collector.model_faults) is not bool(refused)
