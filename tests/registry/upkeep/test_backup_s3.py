"""A hub whose files lie in a bucket is copied, loses the bucket, and comes back into another."""

import os
from contextlib import ExitStack
from pathlib import Path
from urllib.request import urlopen

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from registry import storage
from registry.models import User
from registry.storage.s3 import S3Storage
from tests import postgresql
from tests.factories import make_rollout, make_run, make_version
from tests.registry.upkeep.test_backup import manage, rows
from tests.wheels import make_wheel

pytestmark = [pytest.mark.s3, pytest.mark.django_db(transaction=True)]


def options(bucket: S3Storage) -> dict[str, str]:
    """The settings of a hub that keeps its files there."""
    keys = bucket.client._request_signer._credentials  # what the fixture gave it
    return {
        "HUB_STORAGE": "s3",
        "HUB_S3_BUCKET": bucket.bucket,
        "HUB_S3_PREFIX": "hub",
        "HUB_S3_ENDPOINT_URL": bucket.client.meta.endpoint_url,
        "HUB_S3_REGION": "us-east-1",
        "HUB_S3_ACCESS_KEY_ID": keys.access_key,
        "HUB_S3_SECRET_ACCESS_KEY": keys.secret_key,
    }


def test_a_hub_comes_back_after_its_bucket_was_lost(
    alice: User,
    bucket: S3Storage,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in options(bucket).items():
        setattr(settings, name, value)
    wheel = make_wheel()
    version = make_version(alice, wheel=wheel)
    make_rollout(make_run(version), reward=0.5)
    call_command("rebuild_index")
    call_command("verify_storage")
    other = os.environ | options(bucket) | {"HUB_HOME": str(tmp_path / "other")}
    with ExitStack() as stack:
        if server := os.environ.get("DATABASE_URL", ""):
            programs = postgresql.programs(tmp_path)
            monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
            other["PATH"] = os.environ["PATH"]
            other["DATABASE_URL"] = stack.enter_context(postgresql.database(server))
        call_command("backup", str(tmp_path / "copy"))

        lose(bucket)
        with pytest.raises(CommandError):
            call_command("verify_storage")

        manage(other, "restore", str(tmp_path / "copy"))
        manage(other, "verify_storage")
        manage(other, "rebuild_index", "--check")
        assert {row["model"] for row in rows(other)} == {"registry.version", "registry.rollout"}
    url = bucket.url(storage.key("wheels", version.sha256), version.filename)
    assert url is not None
    with urlopen(url, timeout=10) as answer:
        assert answer.read() == wheel
    call_command("verify_storage")  # the rows that stayed find their files again


def lose(bucket: S3Storage) -> None:
    """Delete every object."""
    for stored in list(bucket.list()):
        bucket.delete(stored.key)
    assert next(bucket.list(), None) is None
