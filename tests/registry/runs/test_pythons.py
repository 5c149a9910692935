"""Runs that need a Python: which runner leases them, their page, and what resumes them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from envyard.contract.codes import CODES
from registry import pipeline, recovery
from registry.accounts import runners
from registry.accounts.models import Runner, User
from registry.catalog import overlays
from registry.catalog.models import Version
from registry.runs import pythons, services
from registry.runs.models import Run
from registry.runs.waiting import lacking
from tests.registry.run_factories import make_version


def runner_with(*offered: str, name: str = "one") -> Runner:
    """A live runner that offers these Pythons."""
    runner, key = runners.create(name=name)
    runners.describe(runner=runner, capabilities={"pythons": list(offered)})
    assert runners.verify(key) == runner
    return runner


def queued(owner: User, requires_python: str, name: str = "demo-env") -> Run:
    """A queued run of a version with that Requires-Python."""
    version = make_version(owner.owner, name=name)
    Version.objects.filter(pk=version.pk).update(requires_python=requires_python)
    Version.objects.filter(pk=version.pk).update(framework="verifiers", api="v1")
    version.refresh_from_db()
    return services.request(version=version, policies=("silent",))


@pytest.mark.parametrize(
    ("requires_python", "tag"),
    [
        ("", ",3.11,3.12,3.13,3.14,"),  # what the framework's newest release needs
        (">=3.12", ",3.12,3.13,3.14,"),
        (">=3.10,<3.13", ",3.11,3.12,"),
        (">=3.11.4,<3.12", ",3.11,"),
        ("==3.12.*", ",3.12,"),
        ("<3.9", pythons.NONE),
    ],
)
def test_a_run_lists_the_pythons_that_its_version_and_framework_admit(
    alice: User, requires_python: str, tag: str
) -> None:
    assert queued(alice, requires_python).pythons == tag


def test_a_runner_gets_only_runs_that_one_of_its_pythons_fits(alice: User, bob: User) -> None:
    newer = queued(alice, ">=3.12")
    both = queued(bob, ">=3.11", "other-env")
    assert services.lease(runner=runner_with("3.11.2")) == both
    assert services.lease(runner=runner_with("3.11.2", "3.11.9", name="two")) is None
    assert services.lease(runner=runner_with("3.13.5", "3.11.2", name="three")) == newer


def test_a_runner_that_reports_no_python_gets_every_run(alice: User) -> None:
    run = queued(alice, ">=3.13")
    assert services.lease(runner=runner_with()) == run


def test_run_whose_python_no_runner_has_stays_queued_with_the_reason(alice: User) -> None:
    run = queued(alice, "==3.12.*")
    assert "==3.12.*; no runner is live)" in lacking(run)
    runner_with("3.11.2")
    sentence = lacking(run)
    assert sentence.startswith("No runner has Python 3.12 (Requires-Python: ==3.12.*; live")
    assert "runners offer 3.11.2)" in sentence
    assert "RUNNER_PYTHONS" in sentence
    runner_with("3.12.4", name="two")
    assert lacking(run) == ""


def test_a_version_that_nobody_could_run_is_held_and_resumes_when_a_runner_has_its_python(
    alice: User,
) -> None:
    run = queued(alice, "==3.12.*")
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(hours=25))
    recovery.sweep(now=timezone.now())
    pipeline.judge(str(run.pk))
    run.refresh_from_db()
    run.version.refresh_from_db()
    assert (run.status, run.version.status) == ("errored", "held")
    assert [finding.code for finding in run.findings.all()] == ["run.no_python"]
    assert CODES["run.no_python"].fault == "platform"
    runner_with("3.11.2")
    recovery.sweep(now=timezone.now())
    run.version.refresh_from_db()
    assert run.version.status == "held"
    able = runner_with("3.12.4", name="two")
    recovery.sweep(now=timezone.now())
    run.version.refresh_from_db()
    assert run.version.status == "evaluating"
    again = services.lease(runner=able)
    assert again is not None
    assert again.version == run.version


def test_a_version_in_quarantine_is_not_resumed_when_a_runner_has_its_python(
    alice: User, root: User
) -> None:
    run = queued(alice, "==3.12.*")
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(hours=25))
    recovery.sweep(now=timezone.now())
    pipeline.judge(str(run.pk))
    overlays.quarantine(version=run.version, by=root, reason="malware")
    runner_with("3.12.4")
    recovery.sweep(now=timezone.now())
    run.version.refresh_from_db()
    assert run.version.status == "held"
    overlays.release(version=run.version, by=root)
    recovery.sweep(now=timezone.now())
    run.version.refresh_from_db()
    assert run.version.status == "evaluating"
