"""An upstream that lies, breaks or leads elsewhere: no unverified byte is served, and it is the
platform's fault."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from envyard.contract.data_requests import Refused
from envyard_runner.data import upstream
from envyard_runner.data.source import DataSource
from tests.data_hub import LARGE, Answer, DataHub, Request, serving
from tests.worker.data.served_mirror import MEBIBYTE, ServedMirror, play, served

ROWS = b"question,answer\n" * LARGE
FILE = "/datasets/openai/gsm8k/resolve/main/rows.csv"
API = "/api/datasets/openai/gsm8k"


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upstream, "RETRY_AFTER", (0.01, 0.01))


def of_file(answer: Callable[[Request], Answer]) -> Callable[[Request], Answer | None]:
    """Answers requests of a file alone."""
    return lambda request: answer(request) if "/resolve/" in request.target else None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (ROWS[:-1] + b"x", "not those that its commit names"),
        (ROWS[:-5], "shorter than its commit says"),
        (ROWS + b"more", "longer than its commit says"),
        (b"", "shorter than its commit says"),
    ],
)
@pytest.mark.parametrize("size", [len(ROWS), 100])
def test_other_bytes_than_the_commit_names_are_not_served(
    tmp_path: Path, content: bytes, message: str, size: int
) -> None:
    async def scenario(hub: DataHub) -> None:
        hub.add("openai/gsm8k", {"rows.csv": ROWS[:size]})
        wrong = content[-size - 4 :] if len(content) > size else content
        if len(content) == len(ROWS):
            wrong = ROWS[: size - 1] + b"#"
        elif len(content) > len(ROWS):
            wrong = ROWS[:size] + b"more"
        elif content:
            wrong = ROWS[: size - 5]
        hub.intercept = of_file(lambda _: Answer(200, wrong))
        async with served(tmp_path, hub) as run:
            reply = await run.get(FILE)
            assert reply.status == 502
            assert message in run.usage.fault
            assert run.usage.failed.is_set()
            assert not list((tmp_path / "store" / "objects").rglob("*"))
            assert not list((tmp_path / "store" / "drafts").iterdir())
            assert run.mirror.lock.files == 0

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    "address",
    [
        "http://169.254.169.254/latest", "https://169.254.169.254/", "http://localhost:1/",
        "https://evil.example/", "http://cdn.hf.example/x", "https://cdn.hf.example:8443/x",
        "https://user@cdn.hf.example/x", "ftp://cdn.hf.example/x", "file:///etc/passwd", "",
        "https://[bad", "//evil.example/x",
    ],
)  # fmt: skip
def test_a_redirect_to_another_host_is_not_followed(tmp_path: Path, address: str) -> None:
    async def scenario(hub: DataHub) -> None:
        hub.add("openai/gsm8k", {"rows.csv": ROWS})
        hub.intercept = of_file(lambda _: Answer(302, headers={"Location": address}))
        async with served(tmp_path, hub, token="right", hosts=("*.hf.example",)) as run:
            assert (await run.get(FILE)).status == 502
            assert "redirects" in run.usage.fault
            assert "right" not in run.usage.fault

    play(tmp_path, scenario)


def test_redirects_within_the_upstream_are_followed_and_counted(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        hub.add("openai/gsm8k", {"rows.csv": ROWS})

        def moved(request: Request) -> Answer | None:
            if "old/" in request.target:
                return Answer(307, headers={"Location": request.target.replace("old/", "openai/")})
            return None

        hub.intercept = moved
        async with served(tmp_path, hub) as run:
            reply = await run.get(FILE.replace("openai", "old"))
            assert (reply.status, reply.body) == (200, ROWS)
            assert run.mirror.lock.repositories[0].name == "old/gsm8k"
        hub.intercept = lambda r: Answer(302, headers={"Location": r.target})
        async with served(tmp_path, hub) as run:
            assert (await run.get("/api/datasets/openai/other")).status == 502
            assert "more than 3 times" in run.usage.fault

    play(tmp_path, scenario)


def test_a_token_goes_to_the_upstream_alone(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        hub.add("openai/gsm8k", {"rows.csv": ROWS})
        with serving(tmp_path / "other") as other:
            source = DataSource(hub.url, "right", hosts=("127.0.0.1",))
            client = upstream.Upstream(None, source)  # type: ignore[arg-type]  (sends nothing here)
            here, there = (upstream.urlsplit(f"{h.url}/x") for h in (hub, other))
            assert client._headers(here)["Authorization"] == "Bearer right"
            assert "Authorization" not in client._headers(there)

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(500), Answer(503), Answer(429), Answer(200, b"not JSON"), Answer(200, b"[]"),
        Answer(200, b"{}"), Answer(200, b'{"sha": "main"}'), Answer(200, b"[" * 100_000),
        Answer(418), Answer(204), Answer(200, b"{", {"Content-Length": "100"}),
    ],
)  # fmt: skip
def test_a_broken_upstream_is_the_platforms_fault(tmp_path: Path, answer: Answer) -> None:
    async def scenario(hub: DataHub) -> None:
        hub.intercept = lambda _: answer
        async with served(tmp_path, hub) as run:
            task = asyncio.create_task(run.get(API))
            if "Content-Length" in answer.headers:  # it waits for the rest
                await asyncio.sleep(0.2)
                task.cancel()
                return
            assert (await task).status == 502
            assert run.usage.fault
            assert run.usage.needs == {}
            assert run.endpoint.failure == ""

    play(tmp_path, scenario)


def test_a_request_to_a_busy_upstream_is_repeated(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        hub.add("openai/gsm8k", {"rows.csv": ROWS})
        answers = [Answer(503), Answer(429)]
        hub.intercept = lambda _: answers.pop() if answers else None
        async with served(tmp_path, hub) as run:
            assert (await run.get(FILE)).body == ROWS
            assert not run.usage.failed.is_set()

    play(tmp_path, scenario)


def test_an_unreachable_upstream_is_the_platforms_fault(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        hub.url = "http://127.0.0.1:9"
        async with served(tmp_path, hub) as run:
            assert (await run.get(API)).status == 502
            assert "not reachable: Connect" in run.usage.fault

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    "entry",
    [
        {"path": "rows.csv", "type": "file", "oid": "x", "size": 3},
        {"path": "rows.csv", "type": "file", "oid": "0" * 40, "size": -1},
        {"path": "rows.csv", "type": "file", "oid": "0" * 40, "size": True},
        {"path": "rows.csv", "type": "file", "oid": "0" * 40, "size": "3"},
        {"path": "rows.csv", "type": "file", "size": 1, "lfs": {"oid": "../../../x", "size": 1}},
    ],
)
def test_an_invalid_entry_is_the_platforms_fault(tmp_path: Path, entry: object) -> None:
    async def scenario(hub: DataHub) -> None:
        hub.add("openai/gsm8k", {"rows.csv": ROWS})

        def lied(request: Request) -> Answer | None:
            return Answer(200, json.dumps([entry]).encode()) if "/tree/" in request.target else None

        hub.intercept = lied
        async with served(tmp_path, hub) as run:
            assert (await run.get(FILE)).status == 502
            assert run.usage.failed.is_set()

    play(tmp_path, scenario)


async def fill_store(run: ServedMirror, names: list[str]) -> list[int]:
    return [(await run.get(FILE.replace("rows.csv", name))).status for name in names]


@pytest.mark.slow
def test_the_store_keeps_below_its_limit_and_what_a_run_holds(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        files = {f"{n}.bin": bytes([n]) * (3 * MEBIBYTE) for n in range(6)}
        hub.add("openai/gsm8k", {**files, "huge.bin": bytes(11 * MEBIBYTE)})
        async with served(tmp_path, hub, maximum=10 * MEBIBYTE, max_bytes=99 * MEBIBYTE) as run:
            assert await fill_store(run, ["0.bin", "1.bin", "2.bin"]) == [200] * 3
            assert await fill_store(run, ["3.bin", "huge.bin"]) == [502, 502]
            assert "RUNNER_DATA_MB" in run.usage.fault
            assert run.store.size() < 10 * MEBIBYTE
        async with served(tmp_path, hub, maximum=10 * MEBIBYTE) as run:
            assert await fill_store(run, ["0.bin"]) == [200]
        async with served(tmp_path, hub, maximum=10 * MEBIBYTE) as run:
            before = len(hub.requests)
            assert await fill_store(run, ["4.bin"]) == [200]
            assert run.store.size() < 10 * MEBIBYTE
            assert await fill_store(run, ["0.bin"]) == [200]  # used after 1.bin
            assert sum("0.bin" in t for t in hub.targets()[before:]) == 0

    play(tmp_path, scenario)


def test_one_fetch_serves_many_readers(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        hub.add("openai/gsm8k", {"rows.csv": ROWS})
        async with served(tmp_path, hub) as run, served(tmp_path, hub) as other:
            readers = [each.get(FILE) for each in (run, other) for _ in range(5)]
            replies = await asyncio.gather(*readers)
            assert {reply.body for reply in replies} == {ROWS}
            assert sum("/resolve/" in target for target in hub.targets()) == 1

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    ("answer", "need"),
    [
        (Answer(401, b"{}", {"X-Error-Code": "RepoNotFound"}), {"openai/gsm8k": "not_found"}),
        (Answer(403, b"{}", {"X-Error-Code": "GatedRepo"}), {"openai/gsm8k": "gated"}),
        (Answer(404, b"{}", {"X-Error-Code": "RevisionNotFound"}), "no_revision"),
        (Answer(404, b"{}", {"X-Error-Code": "EntryNotFound"}), {}),
    ],
)
def test_a_locked_file_that_the_upstream_withdrew_is_a_need_or_its_fault(
    tmp_path: Path, answer: Answer, need: dict[str, str] | str
) -> None:
    """Whoever wrote the environment cannot help it: a run without any reason would blame it."""

    async def scenario(hub: DataHub) -> None:
        hub.add("openai/gsm8k", {"rows.csv": ROWS})
        async with served(tmp_path / "first", hub) as run:
            assert (await run.get(FILE)).status == 200
            lock = run.mirror.lock
        hub.intercept = of_file(lambda _: answer)
        async with served(tmp_path / "first", hub, lock=lock) as run:
            assert (await run.get(FILE)).body == ROWS  # the store has it
        async with served(tmp_path / "other", hub, lock=lock) as run:
            with pytest.raises(Refused):
                await run.mirror.prefetch()
            commit = lock.repositories[0].commit
            at_commit = {f"openai/gsm8k at {commit}": need}
            assert run.usage.needs == (at_commit if isinstance(need, str) else need)
            assert bool(run.usage.fault) == (need == {})

    play(tmp_path, scenario)
