"""The doctor names what is wrong with the data set hub, the token there, or the store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from envyard_runner.config import Config
from envyard_runner.doctor.check import Check
from envyard_runner.doctor.data import examine_data
from tests.data_hub import Answer, DataHub, Request, serving


@pytest.fixture
def upstream(tmp_path: Path) -> Iterator[DataHub]:
    """A data set hub with accounts: `reads` and `writes` are tokens."""
    with serving(tmp_path / "hub") as hub:
        hub.intercept = account
        yield hub


def account(request: Request) -> Answer | None:
    if request.target != "/api/whoami-v2":
        return None
    role = {"Bearer reads": "read", "Bearer writes": "write"}.get(
        request.headers.get("authorization", "")
    )
    if role is None:
        return Answer(401, b"{}")
    content = {"name": "lab-runner", "auth": {"accessToken": {"role": role}}}
    return Answer(200, json.dumps(content).encode())


def examine(home: Path, url: str, **settings: str) -> dict[str, Check]:
    environ = {"RUNNER_HOME": str(home / "runner"), "RUNNER_DATA_URL": url, **settings}
    checks = asyncio.run(examine_data(Config.from_environment(environ)))
    return {check.name: check for check in checks}


def test_a_runner_without_data_sets_is_no_failure(tmp_path: Path) -> None:
    checks = examine(tmp_path, "")
    assert checks["data sets"].ok
    assert "RUNNER_DATA_URL is not set" in checks["data sets"].detail


def test_a_data_set_hub_that_answers_passes_with_and_without_a_token(
    tmp_path: Path, upstream: DataHub
) -> None:
    without = examine(tmp_path, upstream.url)
    assert [check.ok for check in without.values()] == [True, True]
    assert "gated" in without["data sets"].detail
    with_token = examine(tmp_path, upstream.url, RUNNER_DATA_TOKEN="reads")
    assert with_token["data sets"].ok
    assert "lab-runner" in with_token["data sets"].detail
    assert "0 of 51200 MB used" in with_token["data store"].detail
    upstream.intercept = lambda request: Answer(404) if "whoami" in request.target else None
    mirror = examine(tmp_path, upstream.url, RUNNER_DATA_TOKEN="reads")["data sets"]
    assert (mirror.ok, "not checked" in mirror.detail) == (True, True)


@pytest.mark.parametrize(("token", "words"), [("wrong", "refused"), ("writes", "may write")])
def test_a_token_that_is_refused_or_may_write_is_named(
    tmp_path: Path, upstream: DataHub, token: str, words: str
) -> None:
    check = examine(tmp_path, upstream.url, RUNNER_DATA_TOKEN=token)["data sets"]
    assert (check.ok, words in check.detail) == (False, True)
    assert "RUNNER_DATA_TOKEN" in check.detail
    assert f"Bearer {token}" not in check.detail


def test_a_data_set_hub_that_fails_is_named(tmp_path: Path, upstream: DataHub) -> None:
    upstream.intercept = lambda _: Answer(503)
    check = examine(tmp_path, upstream.url)["data sets"]
    assert (check.ok, "answered 503" in check.detail) == (False, True)
    gone = examine(tmp_path, "http://127.0.0.1:9")["data sets"]
    assert (gone.ok, "http://127.0.0.1:9 does not answer" in gone.detail) == (False, True)
    upstream.intercept = lambda _: Answer(200, b"not JSON")
    odd = examine(tmp_path, upstream.url, RUNNER_DATA_TOKEN="reads")["data sets"]
    assert not odd.ok


def test_a_store_that_is_too_full_too_small_or_no_folder_is_named(
    tmp_path: Path, upstream: DataHub
) -> None:
    objects = tmp_path / "runner/data/objects/00"
    objects.mkdir(parents=True)
    (objects / "x").write_bytes(bytes(3 << 20))
    full = examine(tmp_path, upstream.url, RUNNER_DATA_MB="2")["data store"]
    assert (full.ok, "3 of 2 MB" in full.detail) == (False, True)
    small = examine(tmp_path, upstream.url, RUNNER_DATA_MB="5")["data store"]
    assert (small.ok, "RUNNER_DATA_RUN_MB" in small.detail) == (False, True)
    (tmp_path / "other/runner").mkdir(parents=True)
    (tmp_path / "other/runner/data").write_text("a file")
    blocked = examine(tmp_path / "other", upstream.url)["data store"]
    assert (blocked.ok, "cannot be written" in blocked.detail) == (False, True)


def test_a_web_server_that_is_no_data_set_hub_is_named(tmp_path: Path, upstream: DataHub) -> None:
    page = {"Content-Type": "text/html"}
    for status in (200, 301, 404):
        upstream.intercept = lambda _, status=status: Answer(status, b"<html>", page)  # type: ignore[misc]
        check = examine(tmp_path, upstream.url)["data sets"]
        assert (check.ok, "not as a data set hub" in check.detail) == (False, True)
        assert f"({status})" in check.detail


def test_allowed_repositories_are_shown(tmp_path: Path, upstream: DataHub) -> None:
    check = examine(tmp_path, upstream.url, RUNNER_DATA_ALLOW="openai/*,lab/rows")["data sets"]
    assert (check.ok, "allowed are openai/*, lab/rows" in check.detail) == (True, True)
