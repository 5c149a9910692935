"""The status page and its JSON twin."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from registry.accounts import runners
from registry.models import Run, Runner, User
from registry.read_models import status
from tests.factories import make_run, make_version
from tests.frontend.people import text

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def measured_now(db: None) -> None:
    """No status of another test."""
    cache.delete_many(["hub.status", "hub.status.storage"])


def live_runner(name: str, **capabilities: Any) -> Runner:
    """A runner that was seen just now."""
    row, _ = runners.create(name=name)
    Runner.objects.filter(pk=row.pk).update(last_seen_at=timezone.now(), capabilities=capabilities)
    return row


def test_a_hub_without_faults_says_that_everything_works(client: Client) -> None:
    live_runner("one")
    page = text(client, "/status/")
    assert "Everything works." in page
    assert "scripted probes alone" in page
    answer = client.get("/api/v1/status/").json()
    assert answer["incidents"] == []
    assert answer["storage"] == "ok"
    assert answer["queue"]["oldest_at"] is None


def test_a_hub_whose_runners_are_away_does_not_say_that_everything_works(client: Client) -> None:
    row = live_runner("one")
    Runner.objects.filter(pk=row.pk).update(last_seen_at=timezone.now() - timedelta(hours=1))
    page = text(client, "/status/")
    assert "Everything works." not in page
    assert "No runner is connected: versions that are pushed wait until one is." in page


def test_runs_that_wait_without_a_runner_are_an_incident(client: Client, alice: User) -> None:
    run = make_run(make_version(alice, status="evaluating"), status="queued")
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(minutes=5))
    page = text(client, "/status/")
    assert "no runner is connected" in page
    assert "the oldest was queued <time" in page


def test_a_run_that_waits_for_more_than_an_hour_is_an_incident(alice: User) -> None:
    live_runner("one")
    run = make_run(make_version(alice, status="evaluating"), status="queued")
    assert status.measure().incidents == []
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(hours=2))
    assert status.measure().incidents == ["The oldest run has waited for more than an hour."]


def test_runners_are_counted_and_not_named(client: Client) -> None:
    live_runner("secret-machine", models=["qwen/tiny"])
    live_runner("second-machine", out_of_service={"reason": "no sandbox", "check": "", "since": ""})
    disabled, _ = runners.create(name="third-machine")
    Runner.objects.filter(pk=disabled.pk).update(enabled=False)
    page, answer = text(client, "/status/"), client.get("/api/v1/status/").json()
    assert "-machine" not in page + str(answer)
    assert "qwen/tiny" in page
    assert answer["models"] == [{"name": "qwen/tiny", "runners": 1}]
    assert (answer["runners"]["live"], answer["runners"]["total"]) == (1, 2)
    assert answer["incidents"] == ["1 runner is out of service: their self-check failed."]


def test_errored_runs_of_a_day_are_an_incident_from_a_tenth_on(alice: User) -> None:
    live_runner("one")
    version = make_version(alice)
    for outcome in (*["errored"] * 3, *["succeeded"] * 7):
        make_run(version, status=outcome)
    [sentence] = status.measure().incidents
    assert sentence.startswith("3 of 10 runs of the last day")
    Run.objects.filter(status="errored").update(created_at=timezone.now() - timedelta(days=2))
    assert status.measure().incidents == []


def test_a_storage_that_fails_is_an_incident(settings: Any, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    settings.HUB_STORAGE_PATH = blocked / "storage"
    measured = status.measure()
    assert measured.storage == "failing"
    assert "The storage does not work" in measured.incidents[0]


def test_held_versions_are_counted(client: Client, alice: User) -> None:
    make_version(alice, status="held")
    make_version(alice, "private-env", status="held", visibility="private")
    answer = client.get("/api/v1/status/").json()
    assert answer["held_versions"] == 2
    assert "private-env" not in text(client, "/status/")


def test_a_status_costs_four_queries_and_a_kept_one_a_look_into_the_cache(
    client: Client, alice: User, django_assert_num_queries: Any
) -> None:
    for number in range(3):
        make_run(make_version(alice, f"env-{number}", status="evaluating"), status="queued")
        live_runner(f"runner-{number}")
    cache.set("hub.status.storage", "ok")
    with django_assert_num_queries(5):  # with the one for the storage's kept result
        status.measure()
    client.get("/status/")
    with django_assert_num_queries(1):
        client.get("/status/")
