"""`hub eval` and `hub suites`, against a real hub."""

from __future__ import annotations

import json
import threading

import pytest
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from envyard.__main__ import main
from registry.accounts import tokens
from registry.models import Run, User, Version
from registry.runs import evaluations, services, suites
from tests.factories import make_version

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def hub(live_server: LiveServer, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub with one listed version, where alice is signed in."""
    make_version(alice)
    monkeypatch.setenv("HUB_URL", live_server.url)
    monkeypatch.setenv("HUB_TOKEN", tokens.mint(user=alice, name="cli", scope="publish")[1])


def test_an_evaluation_is_queued_with_its_suite(
    hub: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "alice/demo-env", "-m", "tiny", "--no-wait", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    run = Run.objects.get()
    assert (shown["id"], shown["purpose"], shown["model"]) == (str(run.pk), "evaluation", "tiny")
    assert shown["suite"]["name"] == "full"
    assert main(["runs", "show", str(run.pk)]) == 0
    assert f"suite      full ({shown['suite']['digest'][:12]})" in capsys.readouterr().out


def test_a_cancelled_evaluation_is_requested_again(hub: None) -> None:
    assert main(["eval", "alice/demo-env", "-m", "tiny", "--no-wait"]) == 0
    run = Run.objects.get()
    assert main(["cancel", str(run.pk)]) == 0
    assert main(["runs", "retry", str(run.pk)]) == 0
    again = Run.objects.exclude(pk=run.pk).get()
    assert (again.status, again.model, again.suite) == ("queued", "tiny", run.suite)


def test_the_command_follows_the_run_and_ends_with_its_outcome(
    hub: None, alice: User, capsys: pytest.CaptureFixture[str]
) -> None:
    codes: list[int] = []
    follower = threading.Thread(
        target=lambda: codes.append(main(["eval", "alice/demo-env", "-m", "tiny"]))
    )
    follower.start()
    while not (run := Run.objects.first()):
        follower.join(0.1)
        assert follower.is_alive()
    services.cancel(run=run, by=alice)
    follower.join(30)
    assert codes == [1]
    err = capsys.readouterr().err
    assert f"is queued: suite full ({run.suite.digest[:12]})" in err  # type: ignore[union-attr]
    assert f"Request it again: hub runs retry {run.pk}" in err


def test_watching_a_run_shows_its_place_in_the_queue_and_ends_with_its_outcome(
    hub: None, alice: User, capsys: pytest.CaptureFixture[str]
) -> None:
    version = Version.objects.get()
    suite = suites.named(version.environment, "full")
    for model in ("other", "tiny"):
        run = evaluations.request(version=version, model=model, suite=suite, by=alice)
    codes: list[int] = []
    watcher = threading.Thread(target=lambda: codes.append(main(["runs", "watch", str(run.pk)])))
    watcher.start()
    watcher.join(2)
    assert watcher.is_alive()
    services.cancel(run=run, by=alice)
    watcher.join(30)
    assert codes == [1]
    err = capsys.readouterr().err
    assert "number 1 of 1 in the queue, 0 live runners" in err
    assert f"Request it again: hub runs retry {run.pk}" in err
    assert main(["runs", "watch", "nothing"]) == 2
    assert "is not a run's id" in capsys.readouterr().err


def test_an_unknown_suite_names_those_there_are(
    hub: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "alice/demo-env", "-m", "tiny", "--suite", "huge"]) == 1
    assert "suite 'huge' must be one of smoke, full" in capsys.readouterr().err


def test_a_suite_is_created_for_good(hub: None, capsys: pytest.CaptureFixture[str]) -> None:
    create = ["suites", "create", "alice/demo-env", "hard", "--tasks", "50"]
    assert main(create) == 0
    assert main(create) == 0
    capsys.readouterr()
    assert main([*create, "--temperature", "0.5"]) == 1
    assert "another suite hard" in capsys.readouterr().err
    assert main(["suites", "list", "alice/demo-env"]) == 0
    listed = capsys.readouterr().out
    assert [line.split()[0] for line in listed.splitlines()] == ["smoke", "full", "hard"]
    assert [line.split("\t")[4] for line in listed.splitlines()] == [
        "by version", "by environment", "by version",
    ]  # fmt: skip


def test_a_suite_may_name_its_tasks(hub: None, capsys: pytest.CaptureFixture[str]) -> None:
    create = ["suites", "create", "alice/demo-env", "these"]
    assert main([*create, "--indexes", "40-42, 3"]) == 0
    assert main(["suites", "list", "alice/demo-env"]) == 0
    assert "4 tasks (3, 40-42)" in capsys.readouterr().out
    assert main(["eval", "alice/demo-env", "-m", "tiny", "--suite", "these", "--no-wait"]) == 0
    run = Run.objects.get()
    assert (run.tasks, list(run.task_indexes)) == (4, [3, 40, 41, 42])
    assert main(["runs", "show", str(run.pk)]) == 0
    assert "tasks      3, 40-42" in capsys.readouterr().out
    assert main([*create, "--indexes", "3-"]) == 2
    assert "'3-' must be an index such as 17, or 40-60" in capsys.readouterr().err
    assert main([*create, "--indexes", "3,3"]) == 1
    assert "indexes has 3 more than once" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main([*create, "--indexes", "3", "--tasks", "4"])


def test_a_large_evaluation_shows_its_shards(
    hub: None, capsys: pytest.CaptureFixture[str], settings: Settings
) -> None:
    settings.HUB_SHARD_ROLLOUTS = 160
    assert main(["eval", "alice/demo-env", "-m", "tiny", "--no-wait"]) == 0
    run = Run.objects.get()
    assert main(["runs", "show", str(run.pk)]) == 0
    out = capsys.readouterr().out
    assert "shards     0 of 3 shards ended" in out
    assert "tasks 80 to 99: queued, 0 rollouts, hub logs " in out
