"""What is believed of a sandbox's lines, and whose fault an ending is."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import replace
from typing import Any

import pytest

from envyard.contract.codes import CATALOGUE
from envyard.contract.report import Facts, RolloutReport
from envyard_runner.collect import NO_CALL, Story
from envyard_runner.gateway.ledger import Ledger, Record
from envyard_runner.gateway.openai import Call, Reply
from envyard_runner.gateway.plan import Plan
from envyard_runner.sandbox import Exit
from envyard_runner.verdict import judge
from tests.worker.stub_hub import job

FINE = Exit(
    code=0, signal=None, reason="exited", seconds=3.0, peak_memory_bytes=1, held_by="cgroup2"
)
ASKED = Call([{"role": "user", "content": "hi"}], [], False, False, {})
SPEC = job(policies=("silent", "model"), tasks=2, attempts=1)


class Clock:
    """Seconds that pass when told."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Told:
    """A story with its ledger, fed by events."""

    def __init__(self, spec: Any = SPEC) -> None:
        self.ledger, self.plan, self.clock = Ledger(spec), Plan(spec), Clock()
        self.story = Story(spec, self.ledger, self.plan, self.clock)

    def __call__(self, event: str, **fields: Any) -> Facts | RolloutReport | None:
        """Tell an event; a planned rollout goes by the word that the inside knows it by."""
        with contextlib.suppress(KeyError):
            fields["rollout"] = self.plan.word(fields["rollout"])
        return self.story.take(json.dumps({"event": event, **fields}).encode())

    def loaded(self, *references: bool, compares: bool = False) -> None:
        tasks = [
            {"index": i, "hash": f"{i}", "prompt": "p", "reference": known, "swapped": i == 1}
            for i, known in enumerate(references)
        ]
        told = {"seconds": 1.0, "framework_version": "0.4.0", "compares": compares}
        self("loaded", tasks=tasks, **told)

    def spoke(self, rollout: str, *, seconds: float = 0.0) -> Record:
        record = self.ledger.open(rollout)
        record.add(ASKED, Reply(content=["hello"], finish_reason="length"), seconds)
        return record

    def rollout(self, rollout: str, **fields: Any) -> RolloutReport:
        report = self("rollout", rollout=rollout, **fields)
        assert isinstance(report, RolloutReport)
        return report

    def finished(self) -> None:
        """Two tasks by two policies, all fine."""
        self.loaded(True, True)
        for name in ("silent/0/0", "silent/1/0", "model/0/0", "model/1/0"):
            self.spoke(name)
            self.rollout(name, ok=True, reward=0.0)
        self("done")


def test_the_gateway_says_what_was_said_and_the_environment_what_it_is_worth() -> None:
    told = Told()
    told.loaded(True, True)
    told("rollout_started", rollout="model/0/0")
    told.spoke("model/0/0", seconds=0.5)
    told.clock.now += 4.0
    report = told.rollout(
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


def test_a_rollout_scored_without_a_call_is_marked_and_warned_about() -> None:
    told = Told()
    told.loaded(False)
    assert told.rollout("silent/0/0", ok=True, reward=1.0).stop == NO_CALL
    told.spoke("model/0/0")
    told.rollout("model/0/0", ok=True, reward=1.0)
    told("done")
    ending = judge(told.story, FINE)
    assert ending.outcome == "succeeded"
    assert [(f.code, f.severity) for f in ending.findings] == [("run.no_model_call", "warning")]
    assert "silent/0/0" in ending.findings[0].message


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"[]", b"5", b"\xff", b'{"event": 3}', b'{"event": "rollout"}',
     b'{"event": "rollout", "rollout": "silent/9/0"}', b'{"event": "rollout", "rollout": 4}',
     b'{"event": "rollout", "rollout": "silent/0"}', b"[" * 100_000,
     b'{"event": "rollout_started", "rollout": {"a": 1}}'],
)  # fmt: skip
def test_lines_that_mean_nothing_are_dropped(line: bytes) -> None:
    assert Told().story.take(line) is None


def test_a_rollout_counts_once() -> None:
    told = Told()
    told.loaded(True)
    assert told.rollout("silent/0/0", ok=True, reward=0.0).reward == 0.0
    assert told("rollout", rollout="silent/0/0", ok=True, reward=1.0) is None


def test_odd_fields_of_a_rollout_become_empty() -> None:
    told = Told()
    told.loaded(True)
    report = told.rollout(
        "silent/0/0", ok="yes", reward="NaN", rewards=[1], metrics={"a": "b"}, error=7, seconds=None
    )
    assert (report.ok, report.reward, report.rewards, report.metrics) == (False, None, {}, {})
    assert report.error is not None
    assert report.error["fault"] == "environment"


def test_tasks_are_kept_once_within_the_plan_and_their_prompts_bounded() -> None:
    told = Told(job(tasks=2))
    tasks = [{"index": i, "hash": "h", "prompt": "x" * 9000} for i in (0, 0, 1, 2, -1)]
    facts = told("loaded", seconds=2.0, tasks=tasks)
    assert isinstance(facts, Facts)
    assert facts.tasks is not None
    assert [t.index for t in facts.tasks] == [0, 1]
    assert len(facts.tasks[0].prompt) < 4100
    assert told("loaded", tasks=[]) is None
    assert told("tasks_again", hashes=["h", "h"]) == Facts(hashes_again=["h", "h"])


def test_oracle_is_expected_where_there_is_a_reference_and_swapped_where_anothers_is_wrong() -> (
    None
):
    told = Told(job(policies=("oracle", "swapped", "model"), tasks=3, attempts=2))
    told.loaded(True, False, False)
    assert told.plan.expected == {
        "oracle/0/0", "swapped/1/0", "model/0/0", "model/0/1", "model/1/0", "model/1/1",
        "model/2/0", "model/2/1",
    }  # fmt: skip


def words(told: Told) -> list[list[str]]:
    """What the inside is told of its rollouts, by group."""
    groups = asyncio.run(told.plan.told())
    return [[one["rollout"] for one in group] for group in groups]


def test_rollouts_have_random_words_in_mixed_order_that_name_no_policy() -> None:
    spec = job(policies=("silent", "oracle", "swapped", "model"), tasks=2, attempts=3)
    one, other = Told(spec), Told(spec)
    one.loaded(True, True)
    other.loaded(True, True)
    names = [one.plan.name(word) for group in words(one) for word in group]
    assert set(names) == one.plan.expected
    assert names != [other.plan.name(word) for group in words(other) for word in group]
    assert not {w for g in words(one) for w in g} & {w for g in words(other) for w in g}
    assert all(len(group) == 1 for group in words(one))


def test_where_attempts_are_compared_a_groups_size_does_not_tell_a_probe_either() -> None:
    told = Told(job(policies=("silent", "model"), tasks=1, attempts=3))
    told.loaded(True, compares=True)
    assert [len(group) for group in words(told)] == [3, 3]
    assert told.plan.expected == {"silent/0/0", "model/0/0", "model/0/1", "model/0/2"}
    assert told("rollout", rollout="silent/0/1", ok=True, reward=1.0) is None
    assert told.story.refusals == 0


def test_a_fatal_event_names_the_rollouts_that_ran_by_their_names() -> None:
    told = Told()
    told.loaded(True, True)
    message = f"killed while {told.plan.word('model/1/0')} ran"
    told("fatal", stage="run", error={"type": "ProcessEnded", "message": message})
    found = judge(told.story, replace(FINE, code=1)).findings[0]
    assert found.message == "ProcessEnded: killed while model/1/0 ran"


def test_a_failed_oracle_is_told_by_the_rollout_that_needed_it() -> None:
    told = Told(job(policies=("oracle",), tasks=1))
    told.loaded(True)
    told.ledger.open("oracle/0/0").reference_error = "oracle() raised KeyError: 'x'"
    report = told.rollout("oracle/0/0", ok=False, error={"type": "ProviderError", "message": "409"})
    assert report.error == {
        "type": "OracleFailed", "message": "oracle() raised KeyError: 'x'",
        "fault": "environment", "traceback": "",
    }  # fmt: skip


def test_a_run_with_every_rollout_succeeds() -> None:
    told = Told()
    told.finished()
    assert judge(told.story, FINE).outcome == "succeeded"


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (replace(FINE, reason="wall_clock", code=None, signal=9), "run.wall_clock"),
        (replace(FINE, reason="memory", code=None, signal=9), "run.memory"),
        (replace(FINE, reason="cpu", code=None, signal=9), "run.cpu"),
        (replace(FINE, reason="events_flood", code=None, signal=9), "run.flooded"),
        (replace(FINE, reason="files", code=None, signal=9), "run.files"),
        (replace(FINE, reason="descriptors", code=None, signal=9), "run.descriptors"),
        (replace(FINE, code=3), "run.crashed"),
        (replace(FINE, code=None, signal=11), "run.crashed"),
        (replace(FINE, code=None, signal=9), "run.killed"),
    ],
)
def test_a_bad_exit_fails_the_environment_however_good_its_rollouts(end: Exit, code: str) -> None:
    told = Told()
    told.finished()
    ending = judge(told.story, end)
    assert (ending.outcome, [f.code for f in ending.findings]) == ("failed", [code])


@pytest.mark.parametrize(
    ("stage", "code"),
    [("import", "run.import_failed"), ("load", "run.load_failed"), ("run", "run.crashed"),
     ([], "run.crashed")],
)  # fmt: skip
def test_a_fatal_event_says_what_the_author_needs(stage: Any, code: str) -> None:
    told = Told()
    error = {"type": "KeyError", "message": "'x'", "traceback": "line 3", "fault": "environment"}
    told("fatal", stage=stage, error=error)
    ending = judge(told.story, replace(FINE, code=1))
    found = ending.findings[0]
    assert (ending.outcome, found.code, found.message) == ("failed", code, "KeyError: 'x'")
    assert found.details == {"traceback": "line 3"}
    assert CATALOGUE[code].fault == "environment"


def test_an_environment_cannot_call_its_failure_the_platforms() -> None:
    told = Told()
    told("fatal", stage="load", error={"type": "Bug", "message": "ours", "fault": "platform"})
    ending = judge(told.story, replace(FINE, code=1))
    assert (ending.outcome, ending.findings[0].code) == ("failed", "run.load_failed")


def test_what_it_reported_unasked_is_told_however_the_run_ended() -> None:
    told = Told()
    told("rollout", rollout="oracle/0/0", ok=True, reward=1.0)
    told("rollout_started", rollout="silent/0/7")
    told("imported")
    told.story.take(b"[]")
    told.finished()
    told("rollout", rollout="silent/0/0", ok=True, reward=1.0)
    for end in (FINE, replace(FINE, code=3)):
        found = judge(told.story, end).findings[-1]
        assert (found.code, found.severity) == ("run.unplanned_rollouts", "warning")
        assert found.message.startswith("5 reports")
        assert (
            "oracle/0/0, silent/0/7, imported, a line that is no event, silent/0/0" in found.message
        )


def test_a_flood_of_refused_lines_is_counted_and_not_kept() -> None:
    told = Told()
    for number in range(1000):
        told(f"event {number}")
    assert (len(told.story.refused), told.story.refusals) == (10, 1000)


def test_results_of_tasks_that_were_never_loaded_are_refused() -> None:
    told = Told()
    told.loaded(True)
    assert told("rollout", rollout="silent/1/0", ok=True, reward=1.0) is None
    told("rollout_started", rollout="silent/1/0")
    assert (told.story.refused, told.story.refusals) == (["silent/1/0"], 2)
    assert "silent/1/0" not in told.plan.expected


def test_attempts_on_the_network_are_told_and_do_not_fail_a_run() -> None:
    told = Told()
    told.finished()
    ending = judge(told.story, replace(FINE, network_attempts=3))
    assert ending.outcome == "succeeded"
    assert [(f.code, f.severity) for f in ending.findings] == [("run.network", "warning")]
    assert ending.findings[0].message.startswith("3 connections or datagrams")


def test_refused_calls_are_named_and_what_libraries_do_anyway_is_only_mentioned() -> None:
    told = Told()
    told.finished()
    refused = {"ptrace": 3, "socket AF_VSOCK": 1, "io_uring_setup": 2}
    end = replace(FINE, network_attempts=2, targets=("10.0.0.1:22",), refused_calls=refused)
    ending = judge(told.story, replace(end, reached=("its processes",)))
    assert ending.outcome == "succeeded"
    found = {f.code: f for f in ending.findings}
    assert {code: f.severity for code, f in found.items()} == {
        "run.network": "warning",
        "isolation.refused_calls": "warning",
        "isolation.unusual_calls": "info",
        "isolation.limits_reached": "warning",
    }
    assert found["run.network"].message.endswith("outside the sandbox were refused: 10.0.0.1:22.")
    assert found["isolation.refused_calls"].message.endswith(": ptrace (3), socket AF_VSOCK (1).")
    assert found["isolation.unusual_calls"].details == {"calls": {"io_uring_setup": 2}}
    assert "its processes" in found["isolation.limits_reached"].message


def test_a_kill_by_a_machine_short_of_memory_is_not_the_environments() -> None:
    killed, unharmed = Told(), Told()
    killed("fatal", stage="run", error={"type": "ProcessEnded", "message": "killed by signal 9"})
    unharmed.finished()
    for told, end in (
        (killed, replace(FINE, code=1, oom_kills=1)),
        (unharmed, replace(FINE, reason="machine_memory", code=None, signal=9)),
    ):
        ending = judge(told.story, end)
        assert (ending.outcome, ending.findings[0].code) == ("errored", "run.runner_error")
        assert "ran out of memory" in ending.findings[0].message
    assert judge(unharmed.story, replace(FINE, oom_kills=1)).outcome == "succeeded"
    own = judge(killed.story, replace(FINE, reason="memory", signal=9, oom_kills=1))
    assert (own.outcome, own.findings[0].code) == ("failed", "run.memory")


def test_a_run_whose_every_result_came_without_a_call_was_no_evaluation() -> None:
    told = Told()
    told.loaded(True, True)
    for name in ("silent/0/0", "silent/1/0", "model/0/0", "model/1/0"):
        told.rollout(name, ok=True, reward=1.0)
    told("done")
    found = judge(told.story, FINE).findings[0]
    assert (found.code, found.severity) == ("run.no_model_call", "error")


def test_no_tasks_silence_and_missing_rollouts_fail() -> None:
    empty, silent, missing = Told(), Told(), Told()
    empty.loaded()
    empty("done")
    missing.loaded(True, True)
    missing.rollout("silent/0/0", ok=True, reward=0.0)
    missing("done")
    found = [judge(told.story, FINE).findings[0] for told in (empty, silent, missing)]
    assert [f.code for f in found] == ["run.no_tasks", "run.crashed", "run.rollouts_missing"]
    assert "3 planned rollouts have no result: model/0/0, model/1/0, silent/1/0" in found[2].message


def test_a_model_that_failed_excuses_the_environment() -> None:
    told = Told()
    told.loaded(True)
    told.ledger.open("model/0/0").fail(ASKED, "the model server answered 500", 1.0)
    report = told.rollout("model/0/0", ok=False, error={"type": "ProviderError", "message": "500"})
    assert report.error is not None
    assert (report.error["fault"], report.reward) == ("model", None)
    assert report.error["message"] == "the model server answered 500"
    ending = judge(told.story, replace(FINE, reason="wall_clock"))
    assert (ending.outcome, ending.findings[0].code) == ("errored", "run.model_unreachable")


def test_a_model_that_recovered_excuses_nothing() -> None:
    told = Told()
    told.loaded(True)
    told.ledger.open("model/0/0").fail(ASKED, "busy", 1.0)
    told.spoke("model/0/0")
    report = told.rollout("model/0/0", ok=False, error={"type": "KeyError", "message": "x"})
    assert report.error is not None
    assert report.error["fault"] == "environment"
    assert not told.story.model_faults


@pytest.mark.parametrize(("policy", "seconds", "fault"), [
    ("model", 3.0, "model"), ("model", 1.0, "environment"), ("silent", 3.0, "environment"),
])  # fmt: skip
def test_blaming_the_model_is_believed_only_where_the_gateway_saw_it(
    policy: str, seconds: float, fault: str
) -> None:
    told = Told()
    told.loaded(True)
    told("rollout_started", rollout=f"{policy}/0/0")
    told.spoke(f"{policy}/0/0", seconds=seconds)
    told.clock.now += 4.0
    error = {"type": "RolloutTimeout", "message": "", "fault": "model"}
    report = told.rollout(f"{policy}/0/0", ok=False, error=error)
    assert report.error is not None
    assert report.error["fault"] == fault


def test_a_sandbox_that_others_killed_is_not_the_authors() -> None:
    assert judge(Told().story, replace(FINE, reason="killed", signal=9)).outcome == "errored"
    assert judge(Told().story, FINE, model_down=True).findings[0].code == "run.model_unreachable"
