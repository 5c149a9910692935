"""Whose fault an ending is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envyard.contract.codes import CODES
from envyard_runner.execution.verdict import decide_ending
from envyard_runner.sandbox import Exit
from tests.worker.execution.event_feed import CALL, EXITED, EventFeed


def test_a_run_with_every_rollout_succeeds() -> None:
    feed = EventFeed()
    feed.add_complete_run()
    assert decide_ending(feed.collector, EXITED).outcome == "succeeded"


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (replace(EXITED, reason="wall_clock", code=None, signal=9), "run.wall_clock"),
        (replace(EXITED, reason="memory", code=None, signal=9), "run.memory"),
        (replace(EXITED, reason="cpu", code=None, signal=9), "run.cpu"),
        (replace(EXITED, reason="events_flood", code=None, signal=9), "run.flooded"),
        (replace(EXITED, reason="files", code=None, signal=9), "run.files"),
        (replace(EXITED, reason="descriptors", code=None, signal=9), "run.descriptors"),
    ],
)
def test_a_bad_exit_fails_the_environment_however_good_its_rollouts(end: Exit, code: str) -> None:
    feed = EventFeed()
    feed.add_complete_run()
    ending = decide_ending(feed.collector, end)
    assert (ending.outcome, [f.code for f in ending.findings]) == ("failed", [code])


@pytest.mark.parametrize(
    "end",
    [
        replace(EXITED, code=3),
        replace(EXITED, code=None, signal=11),
        replace(EXITED, code=None, signal=9, reason="lingered"),
    ],
)
def test_how_a_worker_ends_once_all_is_done_does_not_matter(end: Exit) -> None:
    feed = EventFeed()
    feed.add_complete_run()
    assert decide_ending(feed.collector, end).outcome == "succeeded"


@pytest.mark.parametrize(
    ("end", "how"),
    [
        (replace(EXITED, code=1), "exit code 1"),
        (replace(EXITED, code=0), "exit code 0"),
        (replace(EXITED, code=None, signal=9), "signal 9"),
        (replace(EXITED, code=None, signal=11), "signal 11"),
        (
            replace(EXITED, reason="wall_clock", seconds=30.2),
            "the time limit was reached after 30 s",
        ),
        (replace(EXITED, reason="memory", signal=9), "the memory limit was reached"),
        (replace(EXITED, reason="cpu"), "the limit of processor time was reached"),
        (replace(EXITED, reason="files"), "the limit of files was reached"),
        (replace(EXITED, reason="descriptors"), "the limit of open files and sockets was reached"),
        (replace(EXITED, reason="events_flood"), "the limit of events was reached"),
    ],
)
def test_an_end_before_the_environment_began_is_the_platforms_whatever_it_is(
    end: Exit, how: str
) -> None:
    feed = EventFeed()
    feed.collector.add_output(b"first\n" * 1000 + b"OSError: no room\n")
    ending = decide_ending(feed.collector, end)
    (finding,) = ending.findings
    assert (ending.outcome, finding.code) == ("errored", "run.runner_error")
    assert how in finding.message
    assert finding.message.endswith("first\nOSError: no room")


@pytest.mark.parametrize(
    ("stage", "where"),
    [("start", "while the interpreter started"),
     ("framework", "while the framework was imported"),
     ("run", "in the launcher or the interpreter")],
)  # fmt: skip
def test_a_fatal_event_before_the_environment_began_names_the_step_and_blames_the_platform(
    stage: str, where: str
) -> None:
    feed = EventFeed()
    error = {"type": "ImportError", "message": "no verifiers", "traceback": "line 9"}
    feed("fatal", stage=stage, error=error)
    (finding,) = decide_ending(feed.collector, replace(EXITED, code=1)).findings
    assert (finding.code, CODES[finding.code].fault) == ("run.runner_error", "platform")
    assert where in finding.message
    assert "ImportError: no verifiers, exit code 1. Last output: line 9" in finding.message


@pytest.mark.parametrize(
    ("stage", "code"),
    [("import", "run.import_failed"), ("load", "run.load_failed"), ("run", "run.crashed"),
     ([], "run.crashed")],
)  # fmt: skip
def test_a_fatal_event_becomes_a_finding_for_the_author(stage: Any, code: str) -> None:
    feed = EventFeed()
    feed.add_began()
    error = {"type": "KeyError", "message": "'x'", "traceback": "line 3", "fault": "environment"}
    feed("fatal", stage=stage, error=error)
    ending = decide_ending(feed.collector, replace(EXITED, code=1))
    finding = ending.findings[0]
    assert (ending.outcome, finding.code, finding.message) == ("failed", code, "KeyError: 'x'")
    assert finding.details == {"traceback": "line 3"}
    assert CODES[code].fault == "environment"


def test_an_environment_cannot_call_its_failure_the_platforms() -> None:
    feed = EventFeed()
    feed.add_began()
    feed("fatal", stage="load", error={"type": "Bug", "message": "ours", "fault": "platform"})
    ending = decide_ending(feed.collector, replace(EXITED, code=1))
    assert (ending.outcome, ending.findings[0].code) == ("failed", "run.load_failed")


def test_unplanned_events_are_reported_whatever_the_ending() -> None:
    feed = EventFeed()
    feed("rollout", rollout="oracle/0/0", ok=True, reward=1.0)
    feed("rollout_started", rollout="silent/0/7")
    feed("imported")
    feed.collector.add_line(b"[]")
    feed.add_complete_run()
    feed("rollout", rollout="silent/0/0", ok=True, reward=1.0)
    for end in (EXITED, replace(EXITED, code=3)):
        finding = decide_ending(feed.collector, end).findings[-1]
        assert (finding.code, finding.severity) == ("run.inconsistent", "error")
        assert finding.message.startswith("5 events")
        assert (
            "oracle/0/0, silent/0/7, imported, a line that is no event, silent/0/0"
            in finding.message
        )


def test_a_flood_of_refused_lines_is_counted_and_not_kept() -> None:
    feed = EventFeed()
    for number in range(1000):
        feed(f"event {number}")
    assert (len(feed.collector.rejected), feed.collector.rejections) == (10, 1000)


def test_results_of_tasks_that_were_never_loaded_are_refused() -> None:
    feed = EventFeed()
    feed.add_loaded(True)
    assert feed("rollout", rollout="silent/1/0", ok=True, reward=1.0) is None
    feed("rollout_started", rollout="silent/1/0")
    assert (feed.collector.rejected, feed.collector.rejections) == (["silent/1/0"], 2)
    assert "silent/1/0" not in feed.plan.expected


def test_network_attempts_are_reported_and_do_not_fail_a_run() -> None:
    feed = EventFeed()
    feed.add_complete_run()
    ending = decide_ending(feed.collector, replace(EXITED, network_attempts=3))
    assert ending.outcome == "succeeded"
    assert [(f.code, f.severity) for f in ending.findings] == [("run.network", "warning")]
    assert ending.findings[0].message.startswith("3 connections or datagrams")


def test_refused_calls_are_named_and_what_libraries_do_anyway_is_only_mentioned() -> None:
    feed = EventFeed()
    feed.add_complete_run()
    refused = {"ptrace": 3, "socket AF_VSOCK": 1, "io_uring_setup": 2}
    end = replace(EXITED, network_attempts=2, targets=("10.0.0.1:22",), refused_calls=refused)
    ending = decide_ending(feed.collector, replace(end, reached=("its processes",)))
    assert ending.outcome == "succeeded"
    findings = {f.code: f for f in ending.findings}
    assert {code: f.severity for code, f in findings.items()} == {
        "run.network": "warning",
        "isolation.refused_calls": "warning",
        "isolation.unusual_calls": "info",
        "isolation.limits_reached": "warning",
    }
    assert findings["run.network"].message.endswith(
        "outside the sandbox were refused: 10.0.0.1:22."
    )
    assert findings["isolation.refused_calls"].message.endswith(
        ": ptrace (3), socket AF_VSOCK (1)."
    )
    assert findings["isolation.unusual_calls"].details == {"calls": {"io_uring_setup": 2}}
    assert "its processes" in findings["isolation.limits_reached"].message


def test_a_kill_by_a_machine_short_of_memory_is_not_the_environments() -> None:
    killed, unharmed = EventFeed(), EventFeed()
    killed.add_began()
    killed("fatal", stage="run", error={"type": "ProcessEnded", "message": "killed by signal 9"})
    unharmed.add_complete_run()
    for feed, end in (
        (killed, replace(EXITED, code=1, oom_kills=1)),
        (unharmed, replace(EXITED, reason="machine_memory", code=None, signal=9)),
    ):
        ending = decide_ending(feed.collector, end)
        assert (ending.outcome, ending.findings[0].code) == ("errored", "run.runner_error")
        assert "ran out of memory" in ending.findings[0].message
    assert decide_ending(unharmed.collector, replace(EXITED, oom_kills=1)).outcome == "succeeded"
    own = decide_ending(killed.collector, replace(EXITED, reason="memory", signal=9, oom_kills=1))
    assert (own.outcome, own.findings[0].code) == ("failed", "run.memory")


@pytest.mark.parametrize("number", [9, 15])
@pytest.mark.parametrize("low", [True, False])
def test_a_signal_is_the_machines_while_its_memory_is_low(number: int, low: bool) -> None:
    killed = EventFeed()
    killed.add_began()
    message = f"the environment's process was killed by signal {number} while silent/0/0 ran"
    killed("fatal", stage="run", error={"type": "ProcessEnded", "message": message})
    supervisor = EventFeed()
    supervisor.add_began()
    for feed, end in (
        (killed, replace(EXITED, code=1, low_memory=low)),
        (supervisor, replace(EXITED, code=None, signal=number, low_memory=low)),
    ):
        assert decide_ending(feed.collector, end).outcome == ("errored" if low else "failed")


def test_other_failures_are_the_environments_although_memory_is_low() -> None:
    feed = EventFeed()
    feed.add_began()
    feed("fatal", stage="load", error={"type": "KeyError", "message": "killed by nobody"})
    assert (
        decide_ending(feed.collector, replace(EXITED, code=1, low_memory=True)).outcome == "failed"
    )
    assert (
        decide_ending(feed.collector, replace(EXITED, signal=11, low_memory=True)).outcome
        == "failed"
    )


def test_rollouts_that_failed_while_the_kernel_killed_for_memory_are_not_counted() -> None:
    feed = EventFeed()
    feed.add_loaded(True)
    feed.rollout("silent/0/0", ok=False, error={"type": "CalledProcessError", "message": "-9"})
    feed.add_reply("model/0/0")
    feed.rollout("model/0/0", ok=True, reward=0.0)
    feed("done")
    assert decide_ending(feed.collector, replace(EXITED, oom_kills=1)).outcome == "errored"
    assert decide_ending(feed.collector, EXITED).outcome == "succeeded"


@pytest.mark.parametrize(("stalled", "outcome"), [(20.0, "errored"), (1.0, "failed")])
def test_a_time_limit_that_the_runner_slept_through_is_not_the_environments(
    stalled: float, outcome: str
) -> None:
    feed = EventFeed()
    feed.add_began()
    end = replace(EXITED, reason="wall_clock", code=None, seconds=30.0, stalled_seconds=stalled)
    assert decide_ending(feed.collector, end).outcome == outcome


@pytest.mark.parametrize(("share", "outcome"), [(0.5, "errored"), (0.1, "succeeded")])
def test_rollouts_that_timed_out_while_the_runner_stood_still_are_not_counted(
    share: float, outcome: str
) -> None:
    feed = EventFeed()
    feed.add_loaded(True)
    feed.rollout("silent/0/0", ok=False, error={"type": "RolloutTimeout", "message": "late"})
    feed.add_reply("model/0/0")
    feed.rollout("model/0/0", ok=True, reward=0.0)
    feed("done")
    seconds = share * feed.spec.limits.rollout_seconds
    assert (
        decide_ending(feed.collector, replace(EXITED, stalled_seconds=seconds)).outcome == outcome
    )


def test_a_run_whose_every_result_came_without_a_call_was_no_evaluation() -> None:
    feed = EventFeed()
    feed.add_loaded(True, True)
    for name in ("silent/0/0", "silent/1/0", "model/0/0", "model/1/0"):
        feed.rollout(name, ok=True, reward=1.0)
    feed("done")
    finding = decide_ending(feed.collector, EXITED).findings[0]
    assert (finding.code, finding.severity) == ("run.no_model_call", "error")


def test_no_tasks_silence_and_missing_rollouts_fail() -> None:
    empty, silent, missing = EventFeed(), EventFeed(), EventFeed()
    silent.add_began()
    empty.add_loaded()
    empty("done")
    missing.add_loaded(True, True)
    missing.rollout("silent/0/0", ok=True, reward=0.0)
    missing("done")
    finding = [
        decide_ending(feed.collector, EXITED).findings[0] for feed in (empty, silent, missing)
    ]
    assert [f.code for f in finding] == ["run.no_tasks", "run.crashed", "run.rollouts_missing"]
    assert (
        "3 planned rollouts have no result: model/0/0, model/1/0, silent/1/0" in finding[2].message
    )


def test_a_model_that_failed_excuses_the_environment() -> None:
    feed = EventFeed()
    feed.add_loaded(True)
    feed.records.open("model/0/0").fail(CALL, "the model server answered 500", 1.0)
    report = feed.rollout("model/0/0", ok=False, error={"type": "ProviderError", "message": "500"})
    assert report.error is not None
    assert (report.error["fault"], report.reward) == ("model", None)
    assert report.error["message"] == "the model server answered 500"
    ending = decide_ending(feed.collector, replace(EXITED, reason="wall_clock"))
    assert (ending.outcome, ending.findings[0].code) == ("errored", "run.model_unreachable")


def test_a_model_that_recovered_excuses_nothing() -> None:
    feed = EventFeed()
    feed.add_loaded(True)
    feed.records.open("model/0/0").fail(CALL, "busy", 1.0)
    feed.add_reply("model/0/0")
    report = feed.rollout("model/0/0", ok=False, error={"type": "KeyError", "message": "x"})
    assert report.error is not None
    assert report.error["fault"] == "environment"
    assert not feed.collector.model_faults


@pytest.mark.parametrize(("policy", "seconds", "fault"), [
    ("model", 3.0, "model"), ("model", 1.0, "environment"), ("silent", 3.0, "environment"),
])  # fmt: skip
def test_the_model_is_at_fault_only_by_the_gateways_record(
    policy: str, seconds: float, fault: str
) -> None:
    feed = EventFeed()
    feed.add_loaded(True)
    feed("rollout_started", rollout=f"{policy}/0/0")
    feed.add_reply(f"{policy}/0/0", seconds=seconds)
    feed.clock.now += 4.0
    error = {"type": "RolloutTimeout", "message": "", "fault": "model"}
    report = feed.rollout(f"{policy}/0/0", ok=False, error=error)
    assert report.error is not None
    assert report.error["fault"] == fault


def test_a_sandbox_that_others_killed_is_not_the_authors() -> None:
    assert (
        decide_ending(EventFeed().collector, replace(EXITED, reason="killed", signal=9)).outcome
        == "errored"
    )
    assert (
        decide_ending(EventFeed().collector, EXITED, model_down=True).findings[0].code
        == "run.model_unreachable"
    )


def test_a_runner_that_could_hold_the_limits_no_longer_names_its_reason() -> None:
    feed = EventFeed()
    feed.add_began()
    end = replace(EXITED, reason="killed", signal=9, lacking="the runner can open no file")
    (problem,) = decide_ending(feed.collector, end).findings
    assert (problem.code, problem.message) == ("run.runner_error", "the runner can open no file")


def test_threads_that_a_limit_around_the_runner_refused_are_not_the_environments() -> None:
    feed = EventFeed()
    feed.add_began()
    feed("fatal", stage="load", error={"type": "RuntimeError", "message": "no new thread"})
    around = replace(EXITED, code=1, refused_processes=2)
    assert decide_ending(feed.collector, around).outcome == "errored"
    assert "TasksMax" in decide_ending(feed.collector, around).findings[0].message
    own = replace(around, reached=("its processes",))
    assert decide_ending(feed.collector, own).outcome == "failed"
