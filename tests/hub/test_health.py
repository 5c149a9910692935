"""The probes: `/healthz` of a process, `/readyz` of the whole hub."""

import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from hub.readiness import parts, report
from hub.readiness.parts import PARTS, Part
from hub.readiness.report import Readiness
from registry import storage
from registry.accounts import tokens
from registry.models import Run, Token, User
from registry.storage import probe
from tests.factories import make_run, make_version


@pytest.fixture(autouse=True)
def unmeasured(settings: Any, tmp_path: Path) -> Iterator[None]:
    """No report of an earlier test, a storage of its own, and a broker that is a folder."""
    settings.HUB_STORAGE_PATH = tmp_path / "files"
    settings.HUB_READY_FREE_MB = 1
    settings.CELERY_BROKER_URL = f"filesystem://{tmp_path / 'broker'}"
    (tmp_path / "broker" / "messages").mkdir(parents=True)
    report.readiness.__init__()  # type: ignore[misc]
    yield
    report.readiness.__init__()  # type: ignore[misc]


def again(client: Client, **headers: str) -> tuple[int, Any]:
    """A new report, as this machine gets it."""
    report.readiness.__init__()  # type: ignore[misc]
    response = client.get("/readyz", headers=headers)
    return response.status_code, response.json()


def test_healthz_needs_no_database(client: Client) -> None:
    response = client.get("/healthz")  # this test has no database: any query would raise
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_suite_runs_on_the_selected_database(pytestconfig: pytest.Config) -> None:
    vendor = "postgresql" if pytestconfig.getoption("postgresql") else "sqlite"
    assert connection.vendor == vendor


@pytest.mark.django_db(transaction=True)
def test_readyz_tries_every_part_and_leaves_no_object(client: Client) -> None:
    status, report = again(client)
    assert (status, report["status"]) == (200, "ready")
    assert list(report["checks"]) == ["database", "storage", "broker", "queue", "space"]
    assert {check["status"] for check in report["checks"].values()} == {"ok"}
    assert list(storage.get().list()) == []


@pytest.mark.django_db(transaction=True)
def test_readyz_names_the_part_that_fails_and_what_to_do(
    client: Client, settings: Any, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    settings.HUB_STORAGE_PATH = tmp_path / "file"
    status, report = again(client)
    assert (status, report["status"]) == (503, "not ready")
    failing = report["checks"]["storage"]
    assert failing["status"] == "failing"
    assert "HUB_STORAGE_PATH" in failing["hint"]
    assert report["checks"]["database"]["status"] == "ok"
    settings.HUB_STORAGE_PATH = tmp_path / "files"

    settings.HUB_READY_FREE_MB = 10**7
    status, report = again(client)
    assert status == 503
    assert "less than HUB_READY_FREE_MB=10000000" in report["checks"]["space"]["message"]
    settings.HUB_READY_FREE_MB = 1

    settings.CELERY_BROKER_URL = f"filesystem://{tmp_path / 'nowhere'}"
    status, report = again(client)
    assert (status, report["checks"]["broker"]["status"]) == (503, "failing")


@pytest.mark.django_db(transaction=True)
def test_a_long_queue_is_reported_and_counts_only_where_it_is_required(
    client: Client, settings: Any, alice: User
) -> None:
    run = make_run(make_version(alice), status="queued")
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(hours=2))
    status, report = again(client)
    assert (status, report["status"]) == (200, "degraded")
    assert report["checks"]["queue"]["status"] == "warning"
    assert f"run {run.pk} has been queued for 72" in report["checks"]["queue"]["message"]
    settings.HUB_READY_REQUIRED = ("queue",)
    assert again(client)[0] == 503


@pytest.mark.django_db(transaction=True)
def test_messages_are_for_this_machine_and_for_staff(
    client: Client, alice: User, root: User
) -> None:
    def details(**headers: str) -> bool:
        response = client.get("/readyz", headers=headers)
        return "message" in response.json()["checks"]["storage"]

    assert details()
    proxied = {"X-Forwarded-For": "192.0.2.1"}
    assert not details(**proxied)
    for user, scope, visible in (
        (root, Token.Scope.ADMIN, True),
        (root, Token.Scope.READ, False),
        (alice, Token.Scope.ADMIN, False),
    ):
        text = tokens.mint(user=user, name="probe", scope=scope, days=1)[1]
        assert details(**proxied, Authorization=f"Bearer {text}") is visible
    assert not details(**proxied, Authorization="Bearer hub_unknown")
    assert Client(REMOTE_ADDR="192.0.2.7").get("/readyz").json()["checks"]["storage"] == {
        "status": "ok"
    }


def test_a_check_that_hangs_is_given_up_and_not_started_again(settings: Any) -> None:
    settings.HUB_READY_TIMEOUT_SECONDS, settings.HUB_READY_SECONDS = 1, 1
    released, started = threading.Event(), []

    def hang() -> str:
        started.append(1)
        released.wait(30)
        return "came back"

    storage = Part("storage", hang, "See that it is mounted.")
    readiness = Readiness((storage, Part("space", lambda: "free", "")))
    began = time.monotonic()
    first = readiness.report()
    assert time.monotonic() - began < 3
    assert [result.status for result in first.results] == ["failing", "ok"]
    assert first.results[0].message.startswith("no result within 1 s")
    time.sleep(1.1)
    assert readiness.report() is not first
    assert started == [1]
    released.set()
    time.sleep(1.1)
    readiness.report()
    assert readiness.report().results[0].status == "ok"


def test_a_report_is_kept_so_that_many_requests_cost_one_try(settings: Any) -> None:
    settings.HUB_READY_SECONDS = 60
    tried: list[int] = []

    def count() -> str:
        tried.append(1)
        return ""

    readiness = Readiness((Part("space", count, ""),))
    threads = [threading.Thread(target=readiness.report) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tried == [1]


def test_a_report_in_the_making_delays_nobody_who_can_have_the_last(settings: Any) -> None:
    settings.HUB_READY_TIMEOUT_SECONDS, settings.HUB_READY_SECONDS = 30, 1
    released, hanging = threading.Event(), threading.Event()
    released.set()

    def check() -> str:
        hanging.set()
        released.wait(30)
        return "came back"

    readiness = Readiness((Part("storage", check, ""),))
    first = readiness.report()
    released.clear()
    hanging.clear()
    time.sleep(1.1)
    maker = threading.Thread(target=readiness.report)
    maker.start()
    assert hanging.wait(10)
    began = time.monotonic()
    assert readiness.report() is first
    assert time.monotonic() - began < 5
    released.set()
    maker.join()
    assert readiness.report() is not first


@pytest.mark.django_db(transaction=True)
def test_a_database_without_its_tables_is_not_ready(client: Client) -> None:
    from django.db.migrations.recorder import MigrationRecorder

    parts._migrated.clear()
    newest = MigrationRecorder.Migration.objects.filter(app="account").latest("id")
    row = (newest.app, newest.name)
    newest.delete()
    try:
        status, report = again(client)
        assert status == 503
        assert f"{row[0]}.{row[1]}" in report["checks"]["database"]["message"]
        assert report["checks"]["database"]["hint"] == "Run `manage.py migrate`."
    finally:
        MigrationRecorder.Migration.objects.create(app=row[0], name=row[1])


def test_what_a_killed_probe_left_is_deleted_after_an_hour(settings: Any) -> None:
    store = storage.get()
    store.write("probe/gone-1", b"x", content_type="text/plain", stamp=int(time.time()) - 7200)
    store.write("probe/here-2", b"x", content_type="text/plain", stamp=int(time.time()))
    assert probe.discard_old(now=timezone.now()) == 1
    assert [entry.key for entry in store.list()] == ["probe/here-2"]


def test_every_part_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs/operations.md").read_text()
    assert all(f"| `{part.name}` |" in text for part in PARTS)
