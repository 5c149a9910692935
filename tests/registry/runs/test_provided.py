"""What runs need from outside: the choice of their runner, and what their attempts had."""

import pytest
from django.test import override_settings

from envyard.contract.findings import Finding, finding
from envyard.contract.runner_events import Finish
from registry.accounts import runners
from registry.accounts.models import Runner, User
from registry.catalog.models import Version
from registry.runs import runner_events, services
from registry.runs.models import Run
from registry.runs.spec import job_spec
from tests.registry.run_factories import make_run, make_runner, make_version

DATA = {"data": "settings-1"}


def runner_with(name: str, **provides: str) -> Runner:
    """A live runner with these provisions."""
    runner = make_runner(name)
    runners.describe(runner=runner, capabilities={"provides": provides})
    verified = runners.alive().filter(pk=runner.pk)
    Runner.objects.filter(pk=runner.pk).update(last_seen_at="2099-01-01T00:00:00Z")
    return verified.get()


def version_with(alice: User, kind: str, number: str = "0.1.0", **fields: object) -> Version:
    version = make_version(alice.owner, version=number)
    version.needs.create(kind=kind, **fields)
    return version


def finish(run: Run, *findings: Finding) -> Run:
    runner_events.finish(run_id=run.pk, finish=Finish(run.attempt, "errored", list(findings)))
    run.refresh_from_db()
    return run


def test_a_run_that_needs_data_goes_to_the_runner_that_provides_it(alice: User) -> None:
    bare, able = runner_with("bare"), runner_with("able", **DATA)
    run = make_run(version_with(alice, "data"))
    plain = make_run(make_version(alice.owner, version="0.2.0"))
    assert run.needs == ",data,"
    assert services.lease(runner=bare) == plain
    assert services.lease(runner=able) == run


def test_any_runner_takes_it_where_no_present_runner_provides_it(alice: User) -> None:
    bare = runner_with("bare")
    run = make_run(version_with(alice, "data"))
    gone = runner_with("gone", **DATA)
    Runner.objects.filter(pk=gone.pk).update(last_seen_at="2000-01-01T00:00:00Z")
    assert services.lease(runner=bare) == run


@pytest.mark.parametrize(("model", "takes"), [("judge-1", False), ("", True)])
def test_a_judge_is_provided_by_the_hub_and_a_runner_together(
    alice: User, model: str, takes: bool
) -> None:
    bare = runner_with("bare")
    runner_with("able", judge="server")
    make_run(version_with(alice, "judge"))
    with override_settings(HUB_JUDGE_MODEL=model):
        assert (services.lease(runner=bare) is not None) == takes


def test_odd_capabilities_provide_nothing(alice: User) -> None:
    for number, provides in enumerate(([], "data", {"data": True}, {"data": ["x"]}, None)):
        runner = make_runner(f"odd-{number}")
        runners.describe(runner=runner, capabilities={"provides": provides})
        make_run(version_with(alice, "data", f"0.{number}.0"))
        assert services.lease(runner=runner) is not None


def test_a_run_that_lacked_something_moves_to_a_runner_that_provides_it(alice: User) -> None:
    bare, able = runner_with("bare"), runner_with("able", **DATA)
    run = make_run(make_version(alice.owner))
    assert services.lease(runner=bare) == run
    run.refresh_from_db()
    lacked = finding("needs.data", "It needs a/b.", names=["a/b"])
    assert finish(run, lacked).status == "queued"
    assert run.needs == ",data,"
    assert services.lease(runner=bare) is None
    Run.objects.update(not_before=None)
    assert services.lease(runner=able) == run
    run.refresh_from_db()
    assert finish(run, lacked).status == "errored"
    assert [row.code for row in run.findings.all()] == ["needs.data"]


def test_findings_beside_a_requirement_are_information_alone(alice: User) -> None:
    run = make_run(make_version(alice.owner))
    assert services.lease(runner=runner_with("bare")) == run
    run.refresh_from_db()
    wrong = finding("run.crashed", "The rollouts failed.")
    finish(run, finding("needs.judge", "It called a judge.", names=["judge"]), wrong)
    severities = {row.code: row.severity for row in run.findings.all()}
    assert severities == {"needs.judge": "error", "run.crashed": "info"}


def test_the_run_keeps_what_its_attempt_had(alice: User) -> None:
    version = version_with(alice, "judge", declared=True)
    version.variables = {"MODE": "easy", "SIZE": "2"}
    version.save()
    version.environment.variables.create(name="MODE", value="hard", set_at="2026-01-01T00:00Z")
    run = make_run(version)
    with override_settings(HUB_JUDGE_MODEL="judge-1"):
        assert services.lease(runner=runner_with("able", judge="s", **DATA)) == run
        run.refresh_from_db()
        job = job_spec(run)
    assert run.provided["variables"] == {"MODE": "hard", "SIZE": "2"}
    assert (run.provided["data"], run.provided["judge"]) == ("settings-1", "judge-1 s")
    assert (job.variables, job.judge_model, job.declares_judge) == (
        {"MODE": "hard", "SIZE": "2"},
        "judge-1",
        True,
    )
