"""The bytes of deleted versions go after the grace, and nobody else's with them."""

import hashlib
import io
import json
import os
import subprocess
import sys
import threading
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import Settings

from registry import storage
from registry.catalog.deletion import delete_environment, delete_version
from registry.models import Source, User, Version
from registry.tasks import prune
from registry.upkeep.backup import backup
from registry.upkeep.deleted import empty_deleted
from registry.upkeep.verify import verify
from registry.uploads import staging
from registry.uploads.services import accept
from tests import postgresql
from tests.factories import make_version
from tests.registry.catalog.test_races import at_once
from tests.registry.uploads.forms import form_of
from tests.wheels import filename, make_wheel

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def files(settings: Settings, tmp_path: Path) -> Path:
    settings.HUB_STORAGE_PATH = tmp_path / "files"
    settings.HUB_DELETED_DAYS = 30
    return tmp_path / "files"


def kept() -> set[str]:
    """The kinds of objects that are there."""
    return {stored.key.partition("/")[0] for stored in storage.get().list()}


def deleted(by: User, *, days: float, data: bytes | None = None) -> Version:
    """A version with a source archive, deleted that long ago."""
    version = make_version(by, wheel=data or make_wheel())
    sha256 = hashlib.sha256(b"source").hexdigest()
    storage.get().put(storage.key("sources", sha256), io.BytesIO(b"source"), sha256)
    Source.objects.create(
        version=version, filename="demo.tar.gz", sha256=sha256, size=6, content_hash=sha256
    )
    delete_version(version=version, by=by)
    Version.objects.update(deleted_at=timezone.now() - timedelta(days=days))
    return version


def test_the_clock_takes_wheel_metadata_and_source_after_the_grace(alice: User) -> None:
    version = deleted(alice, days=29.9)
    prune()
    assert kept() == {"metadata", "sources", "wheels"}
    Version.objects.update(deleted_at=timezone.now() - timedelta(days=30.1))
    prune()
    assert kept() == set()
    version.refresh_from_db()
    assert version.emptied_at is not None
    assert empty_deleted(now=timezone.now()) == 0


def test_within_the_grace_missing_bytes_are_a_problem_and_later_they_are_not(
    alice: User, settings: Settings, tmp_path: Path
) -> None:
    version = deleted(alice, days=29)
    place = storage.key("wheels", version.sha256)
    storage.get().delete(place)
    assert [stored.key for stored in verify(now=timezone.now()).problems] == [place]
    later = timezone.now() + timedelta(days=2)
    assert empty_deleted(now=later) == 1
    assert verify(now=later).problems == []
    assert backup(tmp_path / "copy", now=later) == 0
    settings.HUB_DELETED_DAYS = 300  # a longer grace brings nothing back
    assert verify(now=later).problems == []


def test_bytes_that_another_version_has_stay_until_that_one_goes_too(
    alice: User, carol: User
) -> None:
    deleted(alice, days=31)
    other = make_version(carol, wheel=make_wheel())
    assert empty_deleted(now=timezone.now()) == 1
    assert kept() == {"metadata", "wheels"}
    assert verify(now=timezone.now()).problems == []
    delete_environment(environment=other.environment, by=carol)
    assert empty_deleted(now=timezone.now() + timedelta(days=31)) == 1
    assert kept() == set()


def test_what_a_deleted_version_never_had_promoted_goes_too(alice: User) -> None:
    version = make_version(alice, status="uploaded", staged="a" * 32)
    data = b"wheel"
    storage.get().put(
        staging.wheel_key("a" * 32), io.BytesIO(data), hashlib.sha256(data).hexdigest()
    )
    delete_version(version=version, by=alice)
    assert empty_deleted(now=timezone.now() + timedelta(days=31)) == 1
    assert kept() == set()


@pytest.mark.django_db(transaction=True)
def test_an_upload_of_the_same_bytes_that_is_about_to_commit_is_waited_for(
    alice: User, carol: User
) -> None:
    deleted(alice, days=31)

    def clean() -> None:
        empty_deleted(now=timezone.now())
        connection.close()

    thread = threading.Thread(target=clean)
    with transaction.atomic():
        make_version(carol, wheel=make_wheel())
        thread.start()
        thread.join(0.5)
        assert thread.is_alive()
    thread.join(30)
    assert kept() == {"metadata", "wheels"}
    assert Version.objects.filter(emptied_at=None).count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", range(3))
def test_an_upload_of_the_same_bytes_at_the_same_time_has_them(
    alice: User, carol: User, number: int
) -> None:
    data = make_wheel(version=f"0.{number}")
    make_version(alice, version=f"0.{number}", wheel=data)
    Version.objects.update(deleted_at=timezone.now() - timedelta(days=31))

    def upload() -> None:
        accept(
            wheel=io.BytesIO(data), filename=filename(version=f"0.{number}"), form=form_of(data),
            owner=carol.owner, by=carol, token=None,
        )  # fmt: skip

    assert at_once(lambda: empty_deleted(now=timezone.now()), upload) == ["done", "done"]
    assert kept() == {"metadata", "wheels"}
    assert verify(now=timezone.now()).problems == []


@pytest.mark.flow
@pytest.mark.timeout(300)
def test_a_cleaning_killed_at_any_line_is_finished_by_the_next(tmp_path: Path) -> None:
    with ExitStack() as stack:
        environ = {"HUB_HOME": str(tmp_path / "hub")}
        if server := os.environ.get("DATABASE_URL", ""):
            environ["DATABASE_URL"] = stack.enter_context(postgresql.database(server))
        program = [sys.executable, "-m", "tests.registry.upkeep.killed"]
        done = subprocess.run(
            program, env=os.environ | environ, cwd=ROOT, capture_output=True, text=True
        )
    assert done.returncode == 0, done.stderr
    state = json.loads(done.stdout)
    assert 5 < state["half"] < state["left"] - 5
    assert (state["due"], state["objects"], state["problems"]) == (0, 0, [])
