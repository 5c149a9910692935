"""Reports, tokens and cancelling from the command line, against a real hub."""

import pytest
from pytest_django.live_server_helper import LiveServer

from envyard.__main__ import main
from envyard.commands.report import REASONS
from registry.accounts import tokens
from registry.models import User, Version
from registry.moderation.models import Report
from tests.cli.with_hub.test_manage import json_of, stderr_of
from tests.factories import make_run, make_version

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def hub(live_server: LiveServer, alice: User, carol: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """alice/demo-env==0.1.0 on a hub where carol, who has no part in it, is signed in."""
    make_version(alice)
    monkeypatch.setenv("HUB_URL", live_server.url)
    monkeypatch.setenv("HUB_TOKEN", tokens.mint(user=carol, name="cli", scope="admin")[1])


def test_a_report_reaches_staff(hub: None, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--reason", "malware", "--text", "It reads ~/.ssh.")
    text = stderr_of(capsys, "report", "alice/Demo_Env==0.1.0", *words)
    assert "Reported alice/demo-env==0.1.0 as malware; its owner does not see your name" in text
    report = Report.objects.get()
    assert (str(report.version), report.reason) == ("alice/demo-env==0.1.0", "malware")
    assert report.text == "It reads ~/.ssh."
    again = stderr_of(capsys, "report", "alice/demo-env", *words, exit_code=1)
    assert "you have reported alice/demo-env already" in again


def test_a_report_of_all_versions_answers_json(
    hub: None, capsys: pytest.CaptureFixture[str]
) -> None:
    report = json_of(capsys, "report", "alice/demo-env", "--reason", "spam", "--text", "Shoes.")
    assert (report["environment"], report["version"]) == ("alice/demo-env", None)


def test_report_rejects_an_invalid_report_with_the_reason(
    hub: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["report", "alice/demo-env", "--reason", "ugly", "--text", "x"])
    assert "malware, secrets" in capsys.readouterr().err
    words = ("--reason", "spam", "--text")
    assert "text" in stderr_of(capsys, "report", "alice/demo-env", *words, "", exit_code=1)
    assert "alice/nothing" in stderr_of(capsys, "report", "alice/nothing", *words, "x", exit_code=1)
    assert tuple(Report.Reason.values) == REASONS


def test_tokens_are_created_listed_and_revoked(
    hub: None, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--scope", "read", "--environment", "alice/demo-env", "--days", "7")
    assert main(["token", "create", "ci", *words]) == 0
    token = tokens.verify(capsys.readouterr().out.strip())
    assert token is not None
    assert (token.name, token.scope, str(token.environment)) == ("ci", "read", "alice/demo-env")
    assert [row["name"] for row in json_of(capsys, "token", "list")] == ["ci", "cli"]
    assert main(["token", "list"]) == 0
    assert f"{token.public_id}\tci\tread\talice/demo-env\t" in capsys.readouterr().out
    assert f"Revoked {token.public_id}" in stderr_of(capsys, "token", "revoke", token.public_id)
    assert "could be revoked" in stderr_of(capsys, "token", "revoke", token.public_id, exit_code=1)


def test_owners_cancel_their_runs(
    hub: None, alice: User, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(make_version(alice, version="0.2.0", status="evaluating"), status="queued")
    assert "There is nothing here" in stderr_of(capsys, "cancel", str(run.pk), exit_code=1)
    monkeypatch.setenv("HUB_TOKEN", tokens.mint(user=alice, name="t", scope="publish")[1])
    assert "is cancelled" in stderr_of(capsys, "cancel", str(run.pk))
    assert "is not a run's id" in stderr_of(capsys, "cancel", "7", exit_code=2)


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("running", "is running and ends when its runner next contacts the hub"),
        ("succeeded", "had ended before: succeeded"),
    ],
)
def test_cancel_prints_the_state_of_the_run(
    status: str,
    outcome: str,
    hub: None,
    alice: User,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = make_run(make_version(alice, version="0.2.0", status="evaluating"), status=status)
    monkeypatch.setenv("HUB_TOKEN", tokens.mint(user=alice, name="t", scope="publish")[1])
    assert outcome in stderr_of(capsys, "cancel", str(run.pk))


def test_owners_see_the_queue_position_and_retry_a_cancelled_run(
    hub: None, alice: User, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    version = make_version(alice, version="0.2.0", status="evaluating", framework="verifiers")
    run = make_run(version, status="queued")
    monkeypatch.setenv("HUB_TOKEN", tokens.mint(user=alice, name="t", scope="publish")[1])
    assert main(["runs", "show", str(run.pk)]) == 0
    assert "number 1 of 1 in the queue, 0 live runners" in capsys.readouterr().out
    assert f"run {run.pk} is queued" in stderr_of(capsys, "runs", "retry", str(run.pk), exit_code=1)
    stderr_of(capsys, "cancel", str(run.pk))
    Version.objects.filter(pk=version.pk).update(status="held")
    assert "is queued: number 1 of 1 in the queue" in stderr_of(
        capsys, "runs", "retry", str(run.pk)
    )
