"""Batches and endings: fenced, numbered, bounded, and validated."""

import json
from typing import Any

import pytest
from django.utils import timezone

from envyard.contract.facts import Facts
from envyard.contract.findings import Finding, finding
from envyard.contract.replay import Replay, Replayed
from envyard.contract.runner_events import Events, Finish
from registry.accounts.models import Runner, User
from registry.errors import HubError
from registry.runs import limits, runner_events, services, transcripts
from registry.runs.models import Run
from tests.registry.run_factories import (
    make_events,
    make_facts,
    make_leased_run,
    make_rollout,
    make_version,
)


@pytest.fixture
def run(alice: User) -> Run:
    """In the hands of a runner."""
    return make_leased_run(make_version(alice.owner), policies=("silent", "oracle", "model"))


def end(run: Run, outcome: Any, *findings: Finding, attempt: int = 1) -> None:
    runner_events.finish(run_id=run.pk, finish=Finish(attempt, outcome, list(findings)))


def test_a_batch_is_stored_and_renews_the_lease(run: Run) -> None:
    Run.objects.update(lease_expires_at=timezone.now())
    batch = make_events(log="hello\n", total=11, rollouts=[make_rollout("silent")])
    reply = runner_events.record(run_id=run.pk, events=batch)
    run.refresh_from_db()
    assert (run.status, run.last_seq, run.done, run.total) == ("running", 1, 1, 11)
    assert run.lease_expires_at is not None
    assert run.lease_expires_at > timezone.now()
    assert run.log.get().text == "hello\n"
    assert (reply.lease_seconds, reply.cancel) == (60.0, False)


def test_a_batch_sent_twice_counts_once(run: Run) -> None:
    batch = make_events(log="hello\n", rollouts=[make_rollout("silent")])
    runner_events.record(run_id=run.pk, events=batch)
    runner_events.record(run_id=run.pk, events=batch)
    assert run.log.count() == 1
    assert run.rollouts.count() == 1


def test_a_batch_after_a_gap_is_refused_with_the_number_that_is_missing(run: Run) -> None:
    with pytest.raises(HubError) as refused:
        runner_events.record(run_id=run.pk, events=make_events(3, log="late"))
    assert (refused.value.code, refused.value.status) == ("request.conflict", 409)
    assert "seq=1" in refused.value.hint
    assert not run.log.exists()


def test_a_superseded_attempt_may_not_report(run: Run) -> None:
    Run.objects.update(attempt=2)
    with pytest.raises(HubError) as refused:
        runner_events.record(run_id=run.pk, events=make_events(log="ghost"))
    assert (refused.value.code, refused.value.status) == ("runner.superseded", 409)
    with pytest.raises(HubError, match="attempt 1 may not report"):
        end(run, "succeeded")
    assert not run.log.exists()


def test_an_ended_run_takes_no_more_batches(run: Run) -> None:
    end(run, "succeeded")
    with pytest.raises(HubError, match="succeeded"):
        runner_events.record(run_id=run.pk, events=make_events())


def test_a_disabled_runner_may_not_report(run: Run) -> None:
    Runner.objects.update(enabled=False)
    with pytest.raises(HubError) as refused:
        runner_events.record(run_id=run.pk, events=make_events())
    assert refused.value.code == "runner.superseded"


def test_the_phase_moves_forward_and_never_back(run: Run) -> None:
    phases = []
    for seq, phase in enumerate(("preparing", "scoring", "running"), start=1):
        runner_events.record(run_id=run.pk, events=make_events(seq, phase=phase))
        run.refresh_from_db()
        phases.append(run.status)
    assert phases == ["preparing", "scoring", "scoring"]


def test_talk_alone_does_not_hold_a_run_beyond_its_deadline(run: Run) -> None:
    started = timezone.now() - limits.max_attempt_time()
    Run.objects.update(started_at=started)
    runner_events.record(run_id=run.pk, events=make_events())
    run.refresh_from_db()
    assert run.lease_expires_at is not None
    assert run.lease_expires_at <= timezone.now()


def test_unplanned_rollouts_are_refused_with_one_finding(run: Run) -> None:
    strange = [
        make_rollout("babble"),
        make_rollout("silent", run.tasks),
        make_rollout("silent", 0, 1),
        make_rollout("model", 0, run.attempts),
    ]
    planned = [
        make_rollout("silent"),
        make_rollout("model", 0, run.attempts - 1),
    ]
    runner_events.record(run_id=run.pk, events=make_events(rollouts=[*strange, *planned]))
    runner_events.record(run_id=run.pk, events=make_events(2, rollouts=strange))
    assert {str(r) for r in run.rollouts.all()} == {"silent/0/0", f"model/0/{run.attempts - 1}"}
    finding = run.findings.get()
    assert (finding.code, finding.severity, finding.where) == (
        "run.unplanned_rollouts",
        "warning",
        "babble/0/0",
    )


def test_first_result_of_a_rollout_is_kept(run: Run) -> None:
    runner_events.record(
        run_id=run.pk,
        events=make_events(rollouts=[make_rollout("silent", reward=0)]),
    )
    again = make_events(2, rollouts=[make_rollout("silent", reward=1)])
    runner_events.record(run_id=run.pk, events=again)
    run.refresh_from_db()
    assert run.rollouts.get().reward == 0
    assert run.done == 1


def test_a_failed_rollout_has_no_reward_whatever_it_claims(run: Run) -> None:
    claim = make_rollout("silent", ok=False, reward=1.0)
    runner_events.record(run_id=run.pk, events=make_events(rollouts=[claim]))
    assert run.rollouts.get().reward is None


def test_a_reward_too_large_to_reckon_with_is_kept_as_text(run: Run) -> None:
    claim = make_rollout("silent", reward=1e308)
    runner_events.record(run_id=run.pk, events=make_events(rollouts=[claim]))
    stored = run.rollouts.get()
    assert (stored.reward, stored.reward_text) == (None, "1e+308")


def test_facts_of_several_batches_are_joined(run: Run) -> None:
    first = make_events(phase="preparing", facts=Facts(install_seconds=2.5))
    runner_events.record(run_id=run.pk, events=first)
    runner_events.record(run_id=run.pk, events=make_events(2, facts=make_facts(50)))
    run.refresh_from_db()
    assert run.facts["install_seconds"] == 2.5
    assert len(run.facts["tasks"]) == run.tasks
    assert len(run.facts["hashes_again"]) == run.tasks


def test_a_second_reward_is_kept_beside_the_first_once(run: Run) -> None:
    first = make_rollout("silent", reward=0.5)
    again = Replayed("silent", 0, 0, Replay(reward=0.25, diverged=2, asked="user: ?"))
    strange = Replayed("oracle", 4, 0, Replay(reward=1.0))
    events = make_events(rollouts=[first], replays=[again, again, strange])
    runner_events.record(run_id=run.pk, events=events)
    changed = Replayed("silent", 0, 0, Replay(left_out="no"))
    runner_events.record(run_id=run.pk, events=make_events(2, replays=[changed]))
    stored = run.rollouts.get()
    assert (stored.reward, stored.rescored) == (0.5, 0.25)
    assert Replay.from_dict(stored.replay) == again.replay
    run.refresh_from_db()
    assert run.done == 1


HOSTILE: list[dict[str, Any]] = [
    {"log": "\0\ud800" + "x" * (3 << 20)},
    {"done": 10**400, "total": -5, "facts": {"packages": 10**400, "load_seconds": float("nan")}},
    {"facts": {"tasks": [{"index": "a", "hash": 5, "prompt": ["x"]}, None, 7, {"index": 10**30}]}},
    {"facts": "none", "rollouts": {"a": 1}, "log": {"not": "text"}, "replays": [7, {}, "x"]},
    {
        "rollouts": [
            None,
            {},
            {
                "policy": "silent",
                "ok": True,
                "reward": float("inf"),
                "turns": 10**30,
                "seconds": -1e308,
                "scoring_seconds": float("nan"),
                "metrics": {"\0": 1e308, "b": "x", "\udfff": 2},
                "rewards": {"r": {"score": float("nan"), "weight": "x"}, "s": 5},
                "transcript": {
                    "nodes": [{"parent": 9, "message": {"role": "\0", "content": ["x"]}}, "x"],
                    "calls": [{"asked": 7, "reply": "x", "at": float("nan"), "tools": -5}, {}, 3],
                    "tools": [[{"\0": float("inf")}, "x"], {}],
                    "truncated": "yes",
                },
                "usage": {"calls": 10**400, "prompt_tokens": "many"},
                "error": {"type": 5, "message": "\0" * 100_000},
                "stop": "s" * 10_000,
            },
            {"policy": "oracle", "task": 1, "ok": True, "reward": "NaN", "reward_text": "z" * 999},
            {"policy": ["silent"], "task": {}, "attempt": "x"},
        ]
    },
]


@pytest.mark.parametrize("fields", HOSTILE)
def test_hostile_batches_are_stored_clean(run: Run, fields: dict[str, Any]) -> None:
    events = Events.from_dict({"attempt": 1, "seq": 1, "phase": "running", **fields})
    runner_events.record(run_id=run.pk, events=events)
    run.refresh_from_db()
    assert run.last_seq == 1
    for stored in run.rollouts.all():
        transcript = transcripts.read(stored)
        json.dumps(
            [stored.rewards, stored.metrics, transcript and transcript.to_dict()], allow_nan=False
        )
        assert (transcript is not None) == (stored.policy == "silent")
        assert stored.reward is None


def test_finishing_twice_changes_nothing_more(run: Run) -> None:
    end(run, "succeeded")
    run.refresh_from_db()
    ended = run.ended_at
    end(run, "succeeded")
    end(run, "failed")
    run.refresh_from_db()
    assert (run.status, run.ended_at) == ("succeeded", ended)


def test_a_run_that_failed_without_a_finding_gets_one(run: Run) -> None:
    end(run, "failed")
    run.refresh_from_db()
    assert run.status == "failed"
    assert run.findings.get().code == "run.crashed"


def test_an_errored_attempt_is_followed_by_the_next(run: Run) -> None:
    runner_events.record(
        run_id=run.pk,
        events=make_events(
            log="one\n",
            rollouts=[make_rollout("silent")],
            facts=make_facts(),
        ),
    )
    end(run, "errored", finding("run.install_failed", "the index did not answer"))
    run.refresh_from_db()
    assert (run.status, run.attempt, run.last_seq, run.done) == ("queued", 2, 0, 0)
    assert (run.facts, run.runner) == ({}, None)
    assert not run.rollouts.exists()
    log = "".join(chunk.text for chunk in run.log.all())
    assert log.startswith("one\n[hub] attempt 1 on gpu-1 ended: the index did not answer")


def test_message_of_an_errored_attempt_is_sanitized_and_shortened(run: Run) -> None:
    end(run, "errored", *[finding("run.install_failed", "a\0b\ud800" * 500)] * 100)
    run.refresh_from_db()
    assert (run.status, run.attempt) == ("queued", 2)
    log = "".join(chunk.text for chunk in run.log.all())
    assert "\0" not in log
    assert len(log) < 2500


def test_a_runner_that_stops_unasked_has_erred(run: Run) -> None:
    end(run, "cancelled")
    run.refresh_from_db()
    assert (run.status, run.attempt) == ("queued", 2)


def test_cancellation_reaches_the_runner_and_ends_the_run_when_it_stops(
    run: Run, alice: User
) -> None:
    services.cancel(run=run, by=alice)
    assert runner_events.record(run_id=run.pk, events=make_events()).cancel
    end(run, "cancelled")
    run.refresh_from_db()
    assert run.status == "cancelled"


def test_a_cancelled_run_that_errs_instead_is_not_tried_again(run: Run, alice: User) -> None:
    services.cancel(run=run, by=alice)
    end(run, "errored")
    run.refresh_from_db()
    assert (run.status, run.attempt) == ("cancelled", 1)


def test_a_traceback_is_kept_to_its_end(run: Run) -> None:
    trace = "Traceback\n" + "x" * 7_900 + "\nKeyError: 'the cause'"
    sent = {"code": "run.load_failed", "message": "m", "details": {"traceback": trace}}
    ending = Finish.from_dict({"attempt": 1, "outcome": "failed", "findings": [sent]})
    runner_events.finish(run_id=run.pk, finish=ending)
    assert run.findings.get().details["traceback"] == trace


def test_hostile_findings_are_stored_clean(run: Run) -> None:
    deep: Any = "x"
    for _ in range(50):
        deep = [deep, {"a\0": float("nan")}]
    findings = [
        {"code": "\0" * 500, "message": "\ud800" * 9000, "hint": 5, "where": "w" * 999,
         "details": {"deep": deep, "big": 10**30, "\udc00": float("inf")}},
        {"severity": "worst", "details": [1]},
        {"details": {str(i): "x" * 5000 for i in range(100)}},
    ]  # fmt: skip
    ending = Finish.from_dict({"attempt": 1, "outcome": "failed", "findings": [*findings, 5, None]})
    runner_events.finish(run_id=run.pk, finish=ending)
    assert run.findings.count() == 3
    json.dumps([f.details for f in run.findings.all()], allow_nan=False)
