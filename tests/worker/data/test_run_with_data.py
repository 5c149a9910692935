"""A run that reads data sets, from its job to its ending, through the sandbox's data endpoint."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from envyard.contract.data_lock import DataLock, LockedRepository
from envyard_runner.data import upstream as data_upstream
from tests.data_hub import Answer, serving
from tests.data_locks import COMMIT
from tests.worker.scripted_sandbox import (
    BEGAN,
    SPEC,
    WHEEL,
    Outcome,
    ScriptedSandbox,
    perform_run,
    play_all,
)
from tests.worker.stub_hub import StubHub

pytestmark = pytest.mark.slow

ROWS = b"question,answer\n"
FILE = "/datasets/openai/gsm8k/resolve/main/rows.csv"


async def read(sandbox: ScriptedSandbox, target: str = FILE) -> int:
    """What an environment gets as it loads."""
    async with (
        aiohttp.ClientSession() as session,
        session.get(sandbox.data_url + target) as response,
    ):
        await response.read()
        return response.status


async def loads(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
    """An environment that needs its rows."""
    if await read(sandbox) != 200:
        yield BEGAN
        error = {"type": "DatasetNotFoundError", "message": "no gsm8k"}
        yield {"event": "fatal", "stage": "load", "error": error}
        return
    async for event in play_all(sandbox):
        yield event


async def swallows(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
    """An environment that goes on without them."""
    await read(sandbox)
    async for event in play_all(sandbox):
        yield event


def played(program: Any, url: str, hub: StubHub | None = None, **job: Any) -> Outcome:
    settings = {"RUNNER_DATA_URL": url} if url else {}
    return perform_run(program, spec=replace(SPEC, **job), hub=hub, settings=settings)


@contextmanager
def ending() -> Iterator[threading.Event]:
    """An event that is set at the end, so that no thread of the upstream waits on."""
    event = threading.Event()
    try:
        yield event
    finally:
        event.set()


def codes(outcome: Outcome) -> tuple[str, list[str]]:
    return outcome.result


def test_the_data_lock_of_a_run_names_what_it_read(tmp_path: Path) -> None:
    with serving(tmp_path) as upstream:
        upstream.add("openai/gsm8k", {"rows.csv": ROWS})
        outcome = played(loads, upstream.url)
        assert codes(outcome) == ("succeeded", [])
        (entry,) = outcome.hub.data_lock.repositories
        assert (entry.name, entry.commit) == ("openai/gsm8k", upstream.commit("openai/gsm8k"))
        assert [file.path for file in entry.files] == ["rows.csv"]


def test_a_frozen_run_reads_the_locked_rows_after_the_branch_moved(tmp_path: Path) -> None:
    with serving(tmp_path) as upstream:
        folder = upstream.add("openai/gsm8k", {"rows.csv": ROWS})
        first = played(loads, upstream.url)
        lock = first.hub.data_lock
        folder.rename(f"{folder}@{lock.repositories[0].commit}")
        upstream.add("openai/gsm8k", {"rows.csv": "other"})
        second = played(loads, upstream.url, data_lock=lock, data_frozen=True)
        assert codes(second) == ("succeeded", [])
        other = played(loads, upstream.url, hub=StubHub(wheel=WHEEL, data_lock=lock))
        assert codes(other) == ("succeeded", [])
        assert other.hub.data_lock == lock


async def loads_revision(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
    """An environment that names a tag."""
    status = await read(sandbox, "/datasets/openai/gsm8k/resolve/v2/rows.csv")
    yield BEGAN
    error = {"type": "DatasetNotFoundError", "message": f"no v2: {status}"}
    yield {"event": "fatal", "stage": "load", "error": error}


async def tries_conversion(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
    """An environment whose client looks for converted rows, and which fails for another reason."""
    await read(sandbox, "/datasets/openai/gsm8k/resolve/refs%2Fconvert%2Fparquet/rows.csv")
    yield BEGAN
    yield {"event": "fatal", "stage": "load", "error": {"type": "ValueError", "message": "odd"}}


def test_a_revision_that_does_not_exist_holds_the_version_and_is_named(tmp_path: Path) -> None:
    """It may have been deleted, or an internal mirror may lag behind: no fault that is certain."""
    with serving(tmp_path) as upstream:
        upstream.add("openai/gsm8k", {"rows.csv": ROWS})
        outcome = played(loads_revision, upstream.url)
        assert codes(outcome) == ("errored", ["needs.data"])
        (finding,) = outcome.hub.endings[0]["findings"]
        assert finding["details"] == {
            "names": ["openai/gsm8k at v2"],
            "reasons": ["no_revision"],
        }
        assert "openai/gsm8k at v2: it has no such branch, tag or commit" in finding["message"]
        assert codes(played(tries_conversion, upstream.url)) == ("failed", ["run.load_failed"])


def test_a_frozen_run_that_reads_more_fails_and_names_it(tmp_path: Path) -> None:
    with serving(tmp_path) as upstream:
        upstream.add("openai/gsm8k", {"rows.csv": ROWS})
        outcome = played(loads, upstream.url, data_frozen=True)
        assert codes(outcome) == ("failed", ["data.not_locked"])
        assert "openai/gsm8k at main" in outcome.hub.endings[0]["findings"][0]["message"]


def test_a_run_that_reads_more_than_it_may_fails_and_names_the_limit(tmp_path: Path) -> None:
    with serving(tmp_path) as upstream:
        upstream.add("openai/gsm8k", {"rows.csv": bytes((1 << 20) + 1)})
        for program in (loads, swallows):
            settings = {"RUNNER_DATA_URL": upstream.url, "RUNNER_DATA_RUN_MB": "1"}
            outcome = perform_run(program, spec=SPEC, settings=settings)
            assert codes(outcome) == ("failed", ["data.over_limit"])
            message = outcome.hub.endings[0]["findings"][0]["message"]
            assert "RUNNER_DATA_RUN_MB" in message


def test_a_list_that_is_too_long_for_the_mirror_is_named(tmp_path: Path) -> None:
    with serving(tmp_path) as upstream:
        upstream.add("openai/gsm8k", {"rows.csv": ROWS})
        long = Answer(200, b"[" + b" " * data_upstream.MAX_JSON + b"]")
        upstream.intercept = lambda request: long if "/tree/" in request.target else None
        outcome = played(loads, upstream.url)
        assert codes(outcome) == ("failed", ["data.over_limit"])
        assert "too long" in outcome.hub.endings[0]["findings"][0]["message"]


def test_a_lock_that_other_shards_have_filled_ends_the_run_by_its_limit(tmp_path: Path) -> None:
    with serving(tmp_path) as upstream:
        upstream.add("openai/gsm8k", {"rows.csv": ROWS})
        full = DataLock(
            tuple(LockedRepository("dataset", f"a/b{n:02}", COMMIT, ("main",)) for n in range(50))
        )
        outcome = played(loads, upstream.url, hub=StubHub(wheel=WHEEL, data_lock=full))
        assert codes(outcome) == ("failed", ["data.over_limit"])
        assert outcome.hub.data_lock == full


def test_without_a_mirror_the_run_needs_data_whatever_the_environment_did() -> None:
    for program in (loads, swallows):
        outcome = played(program, "")
        assert codes(outcome) == ("errored", ["needs.data"])
        message = outcome.hub.endings[0]["findings"][0]["message"]
        assert "openai/gsm8k" in message
        assert "RUNNER_DATA_URL" in message


def test_a_gated_data_set_is_a_need(tmp_path: Path) -> None:
    with serving(tmp_path) as upstream:
        upstream.add("openai/gsm8k", {"rows.csv": ROWS, ".gated": ""})
        outcome = played(loads, upstream.url)
        assert codes(outcome) == ("errored", ["needs.data"])
        assert "RUNNER_DATA_TOKEN" in outcome.hub.endings[0]["findings"][0]["message"]


def test_a_broken_upstream_is_the_platforms_fault(tmp_path: Path) -> None:
    with serving(tmp_path) as upstream:
        upstream.intercept = lambda _: Answer(500)
        outcome = played(loads, upstream.url)
        assert codes(outcome) == ("errored", ["run.data_unreachable"])


def test_a_silent_upstream_is_the_platforms_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_upstream, "READ_SECONDS", 0.2)
    monkeypatch.setattr(data_upstream, "RETRY_AFTER", (0.01, 0.01))
    with serving(tmp_path) as upstream, ending() as ended:
        upstream.intercept = lambda _: ended.wait(60) and None
        for program in (loads, swallows):
            outcome = played(program, upstream.url)
            assert codes(outcome) == ("errored", ["run.data_unreachable"])


def test_a_run_that_reads_no_data_sets_sends_nothing_upstream(tmp_path: Path) -> None:
    with serving(tmp_path) as upstream:
        outcome = played(play_all, upstream.url)
        assert codes(outcome) == ("succeeded", [])
        assert upstream.requests == []
        assert outcome.hub.data_lock.repositories == ()
