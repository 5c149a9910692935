"""The lifecycle of a version with real rows, wheels and queues of the broker."""

from typing import Any

import pytest
from django.core.exceptions import ObjectDoesNotExist

from envyard.contract.findings import finding
from registry import pipeline
from registry.accounts.models import User
from registry.catalog.lifecycle import move
from registry.catalog.models import Version
from registry.errors import Stale
from registry.runs import services
from registry.runs.models import Run
from tests import wheels
from tests.registry.conftest import Queues
from tests.registry.run_factories import (
    POLICIES,
    honest_rollouts,
    make_failed_rollout,
    make_rollout,
    make_runner,
    make_version,
    record_attempt,
    skip_pause,
)

Status = Version.Status


@pytest.fixture(autouse=True)
def fixed_policies(settings: Any) -> None:
    """The policies that `honest_rollouts` plays, so that a new probe changes no test."""
    settings.HUB_POLICIES = settings.HUB_REQUIRED_POLICIES = POLICIES


def uploaded(owner: User, **fields: object) -> Version:
    return make_version(owner.owner, status=Status.UPLOADED, **fields)  # type: ignore[arg-type]


def checked(owner: User, queues: Queues, **fields: object) -> Version:
    version = uploaded(owner, **fields)
    with queues.committed():
        pipeline.check(version.pk)
    version.refresh_from_db()
    return version


def taken(version: Version) -> Run:
    run = version.runs.get(status=Run.Status.QUEUED)
    leased = services.lease(runner=make_runner())
    assert leased == run
    return leased


def test_a_good_version_goes_from_uploaded_to_listed(alice: User, queues: Queues) -> None:
    version = checked(alice, queues)
    assert (version.status, version.framework, version.api) == ("evaluating", "verifiers", "v1")
    assert (version.module, version.entry) == ("demo_env", "WordTaskset")
    assert queues.read("runs") == [("envyard.run", {})]

    with queues.committed():
        record_attempt(taken(version), honest_rollouts())
    assert queues.work() == ["registry.judge"]

    version.refresh_from_db()
    assert version.status == "listed"
    assert version.environment.latest == version
    assert {m["status"] for m in version.card.measures} == {"pass", "unknown"}
    assert not version.findings.filter(severity="error").exists()


def test_a_version_whose_checks_fail_is_rejected_and_never_runs(
    alice: User, queues: Queues
) -> None:
    bad = wheels.make_wheel(files={"demo_env/__init__.py": "x = 1\n"})
    version = checked(alice, queues, wheel=bad)
    assert version.status == "rejected"
    assert version.findings.get(severity="error").code == "env.framework_unknown"
    assert not version.runs.exists()
    assert queues.read("runs") == []


def test_a_version_for_a_newer_python_than_the_hubs_is_held(alice: User, queues: Queues) -> None:
    newer = wheels.make_wheel(
        files={"demo_env/__init__.py": "def f(:\n"}, metadata={"Requires-Python": ">=3.39"}
    )
    version = checked(alice, queues, wheel=newer)
    assert version.status == "held"
    assert version.findings.get(severity="error").code == "env.unreadable_python"


def test_a_wheel_that_is_no_zip_is_rejected_with_the_reason(alice: User, queues: Queues) -> None:
    version = checked(alice, queues, wheel=b"this is not a zip")
    assert version.status == "rejected"
    assert version.findings.get().code == "wheel.not_a_zip"
    assert "zip" in version.events.get(verb="version.rejected").data["reason"]


def test_environment_that_rewards_silence_is_rejected_with_evidence(
    alice: User, queues: Queues
) -> None:
    version = checked(alice, queues)
    paid = [
        make_rollout(r.policy, r.task, r.attempt, reward=1.0) if r.policy == "silent" else r
        for r in honest_rollouts()
    ]
    with queues.committed():
        record_attempt(taken(version), paid)
    queues.work()
    version.refresh_from_db()
    assert version.status == "rejected"
    finding = version.findings.get(severity="error")
    assert finding.code == "card.floor"
    assert finding.where == "silent/0/0"
    assert finding.details["policy"] == "silent"
    assert finding.details["reward"] == 1.0
    assert "silent is paid 1 on average" in finding.message
    assert "empty reply" in finding.hint
    assert version.environment.latest is None


def test_an_environment_that_crashed_at_load_is_rejected_with_the_runs_findings(
    alice: User, queues: Queues
) -> None:
    version = checked(alice, queues)
    load_failure = finding("run.load_failed", "ZeroDivisionError: division by zero")
    with queues.committed():
        record_attempt(taken(version), [], outcome="failed", findings=[load_failure])
    queues.work()
    version.refresh_from_db()
    assert version.status == "rejected"
    assert version.findings.get().message == load_failure.message
    assert version.events.get(verb="version.rejected").data["reason"] == load_failure.message
    with pytest.raises(ObjectDoesNotExist):
        _ = version.card


def test_platform_failures_hold_the_version_without_blaming_its_author(
    alice: User, queues: Queues
) -> None:
    version = checked(alice, queues)
    down = finding("run.install_failed", "the index did not answer")
    for _ in range(3):
        skip_pause()
        with queues.committed():
            queued = version.runs.get()
            run = services.lease(runner=make_runner(f"gpu-{queued.attempt + 10}"))
            assert run == queued
            record_attempt(run, [], outcome="errored", findings=[down])
        queues.work()
    version.refresh_from_db()
    assert version.status == "held"
    assert {f.code for f in version.findings.all()} == {
        "run.install_failed",
        "run.attempts_exhausted",
    }


def test_too_many_rollouts_failed_by_the_platform_hold_the_version(
    alice: User, queues: Queues
) -> None:
    version = checked(alice, queues)
    rollouts = [
        make_failed_rollout(r.policy, r.task, r.attempt, fault="platform") if r.task < 2 else r
        for r in honest_rollouts()
    ]
    with queues.committed():
        record_attempt(taken(version), rollouts)
    queues.work()
    version.refresh_from_db()
    assert version.status == "held"
    assert version.findings.get(severity="error").code == "card.undecided"


def test_cancelled_run_holds_the_version_with_actor_and_next_step(
    alice: User, root: User, queues: Queues
) -> None:
    version = checked(alice, queues)
    with queues.committed():
        services.cancel(run=version.runs.get(), by=alice)
    queues.work()
    version.refresh_from_db()
    assert version.status == "held"
    assert version.events.get(verb="version.held").data["reason"] == "Cancelled by alice."
    assert "retry" in version.findings.get(code="run.cancelled").hint

    with queues.committed():
        pipeline.retry(version=version, by=root)
    assert version.status == "evaluating"
    assert not version.findings.exists()
    queues.read("runs")
    with queues.committed():
        record_attempt(taken(version), honest_rollouts())
    queues.work()
    version.refresh_from_db()
    assert version.status == "listed"


def test_only_a_held_version_can_be_retried(alice: User, root: User, queues: Queues) -> None:
    version = uploaded(alice)
    with pytest.raises(Stale):
        pipeline.retry(version=version, by=root)


def test_a_version_held_while_checking_is_checked_again_on_retry(
    alice: User, root: User, queues: Queues
) -> None:
    version = uploaded(alice)
    move(version, Status.CHECKING)
    move(version, Status.HELD)
    with queues.committed():
        pipeline.retry(version=version, by=root)
    assert queues.work() == ["registry.check_version"]
    version.refresh_from_db()
    assert version.status == "evaluating"


def test_checking_twice_changes_nothing_more(alice: User, queues: Queues) -> None:
    version = checked(alice, queues)
    before = list(version.events.values_list("verb", flat=True))
    pipeline.check(version.pk)
    pipeline.check(version.pk)
    assert list(version.events.values_list("verb", flat=True)) == before
    assert version.runs.count() == 1


def test_judging_twice_changes_nothing_more(alice: User, queues: Queues) -> None:
    version = checked(alice, queues)
    run = taken(version)
    record_attempt(run, honest_rollouts())
    pipeline.judge(str(run.pk))
    version.refresh_from_db()
    card, listed_at = version.card.computed_at, version.listed_at
    pipeline.judge(str(run.pk))
    version.refresh_from_db()
    assert (version.card.computed_at, version.listed_at) == (card, listed_at)
    assert version.events.filter(verb="version.listed").count() == 1


def test_an_active_run_is_not_judged(alice: User, queues: Queues) -> None:
    version = checked(alice, queues)
    run = taken(version)
    pipeline.judge(str(run.pk))
    version.refresh_from_db()
    assert version.status == "evaluating"


def test_an_old_run_never_decides_over_a_newer_one(alice: User, root: User, queues: Queues) -> None:
    version = checked(alice, queues)
    old = version.runs.get()
    services.cancel(run=old, by=alice)
    pipeline.judge(str(old.pk))
    version.refresh_from_db()
    pipeline.retry(version=version, by=root)
    pipeline.judge(str(old.pk))
    version.refresh_from_db()
    assert version.status == "evaluating"


def test_a_missing_or_deleted_version_is_left_alone(alice: User, queues: Queues) -> None:
    pipeline.check(10**6)
    pipeline.judge("00000000-0000-0000-0000-000000000000")
    version = uploaded(alice)
    Version.objects.filter(pk=version.pk).update(deleted_at=version.uploaded_at)
    pipeline.check(version.pk)
    version.refresh_from_db()
    assert version.status == "uploaded"


def test_a_cancelled_run_is_taken_back_by_its_owner_once(alice: User, queues: Queues) -> None:
    version = checked(alice, queues)
    run = version.runs.get()
    with pytest.raises(Stale):
        pipeline.retry_run(run=run, by=alice)
    with queues.committed():
        services.cancel(run=run, by=alice)
    queues.work()
    run.refresh_from_db()
    version.refresh_from_db()
    assert (run.status, version.status) == ("cancelled", "held")
    again = pipeline.retry_run(run=Run.objects.get(pk=run.pk), by=alice)
    version.refresh_from_db()
    assert (again.status, version.status) == ("queued", "evaluating")
    with pytest.raises(Stale):
        pipeline.retry_run(run=Run.objects.get(pk=run.pk), by=alice)
    with queues.committed():
        record_attempt(taken(version), honest_rollouts())
    queues.work()
    version.refresh_from_db()
    assert version.status == "listed"


UNDRIVEN = """
import verifiers as vf

def load_environment():
    return vf.SingleTurnEnv(rubric=vf.ToolRubric())
"""
TYPO = "import verifiers as vf\n\ndef load_environment():\n    return vf.SingelTurnEnv()\n"


@pytest.mark.parametrize(
    ("source", "status", "code"),
    [
        (UNDRIVEN, Status.HELD, "env.framework_undriven"),
        (TYPO, Status.REJECTED, "env.framework_names_missing"),
    ],
)
def test_names_that_only_a_release_which_no_runner_runs_has_hold_and_those_of_none_reject(
    alice: User, queues: Queues, source: str, status: Status, code: str
) -> None:
    metadata = {"Requires-Dist": ["verifiers>=0.1.3"]}
    wheel = wheels.make_wheel(files={"demo_env.py": source}, metadata=metadata)
    version = checked(alice, queues, wheel=wheel)
    assert version.status == status
    assert [finding.code for finding in version.findings.filter(severity="error")] == [code]
    assert not version.runs.exists()
