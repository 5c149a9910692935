"""SIGKILL between any two lines of an upload: no version without bytes, no bytes without an end."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from registry.storage.s3 import S3Storage
from tests import postgresql
from tests.ceph import Ceph

ROOT = Path(__file__).parents[3]


@pytest.fixture
def environ(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A hub of its own, on the database that this pytest runs on."""
    with ExitStack() as stack:
        server = os.environ.get("DATABASE_URL", "")
        environ = {"HUB_HOME": str(tmp_path / "hub")}
        if server:
            environ["DATABASE_URL"] = stack.enter_context(postgresql.database(server))
        yield os.environ | environ


def killed(environ: dict[str, str]) -> Any:
    """What `tests.registry.uploads.killed` saw."""
    program = [sys.executable, "-m", "tests.registry.uploads.killed"]
    done = subprocess.run(program, env=environ, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check(state: Any) -> None:
    """Some were killed before their row, some while staged, some after; all are whole or gone."""
    (rows,) = state["states"].values()
    assert list(state["states"]) == ["evaluating"]
    assert 5 < state["staged"] < rows < state["uploads"] - 5
    assert state["discarded"] > 5
    assert state["problems"] == []
    assert state["still_staged"] == 0
    assert state["prefixes"] == ["metadata", "wheels"]
    assert state["objects"] == 2 * rows


@pytest.mark.flow
@pytest.mark.timeout(600)
def test_an_upload_killed_at_any_line_is_whole_or_gone(environ: dict[str, str]) -> None:
    check(killed(environ))


@pytest.mark.s3
@pytest.mark.extended
@pytest.mark.timeout(600)
def test_the_same_holds_for_a_bucket(
    environ: dict[str, str], bucket: S3Storage, s3_server: Ceph
) -> None:
    fields = {
        "HUB_STORAGE": "s3",
        "HUB_S3_BUCKET": bucket.bucket,
        "HUB_S3_ENDPOINT_URL": s3_server.endpoint,
        "HUB_S3_REGION": "us-east-1",
        "HUB_S3_ACCESS_KEY_ID": s3_server.access_key_id,
        "HUB_S3_SECRET_ACCESS_KEY": s3_server.secret_access_key,
    }
    check(killed(environ | fields))
