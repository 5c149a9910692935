"""A hostile environment at the data endpoint: what it sends reaches no upstream, and is bounded."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from envyard.contract.data_lock import DataLock
from tests.data_hub import Answer, DataHub, Request
from tests.worker.data.served_mirror import MEBIBYTE, play, served

API = "/api/datasets/openai/gsm8k"
FILE = "/datasets/openai/gsm8k/resolve/main/rows.csv"


def fill(hub: DataHub) -> None:
    hub.add("openai/gsm8k", {"rows.csv": "a,b\n1,2\n"})


def test_nothing_but_names_reaches_the_upstream(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        fill(hub)
        async with served(tmp_path, hub, token="operators") as run:
            headers = {
                "User-Agent": "secret", "Authorization": "Bearer secret", "Cookie": "a=secret",
                "X-Anything": "secret", "Referer": "secret", "If-None-Match": "secret",
            }  # fmt: skip
            for target in (f"{API}?secret=secret", f"{FILE}?download=secret#secret"):
                assert (await run.get(target, **headers)).status == 200
            tree = await run.get(f"{API}/tree/main?recursive=secret&expand=true&cursor=secret")
            assert tree.status == 200
            body = json.dumps({"paths": ["rows.csv"], "secret": "secret"}).encode()
            reply = await run.request("POST", f"{API}/paths-info/main", body=body, headers=headers)
            assert reply.status == 200
            sent = repr(hub.requests)
            assert "secret" not in sent
            assert {r.headers["user-agent"] for r in hub.requests} == {"envyard-runner"}
            assert "operators" not in repr(reply) + repr(tree)

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    ("method", "target", "status"),
    [
        ("PUT", FILE, 405),
        ("DELETE", FILE, 405),
        ("POST", FILE, 405),
        ("POST", f"{API}/commit/main", 404),
        ("POST", "/api/repos/create", 404),
        ("POST", "/api/validate-yaml", 404),
        ("POST", API, 405),
        ("GET", f"{API}/paths-info/main", 405),
        ("GET", "/api/whoami-v2", 404),
        ("GET", "/api/agent-harnesses", 404),
        ("GET", "/api/spaces/openai/gsm8k", 404),
        ("GET", "/datasets/openai/gsm8k/resolve/main/../../../x", 400),
        ("GET", "/datasets/openai/gsm8k/resolve/main/%2e%2e/x", 400),
        ("GET", "/datasets/openai/gsm8k/resolve/main/a%2F..%2Fx", 400),
        ("GET", "/datasets/openai/gsm8k/resolve/main/a//x", 400),
        ("GET", "/datasets/openai/gsm8k/resolve/main/%00x", 400),
        ("GET", "/datasets/openai/gsm8k/resolve/main/a%5Cx", 400),
        ("GET", "/datasets/openai/gsm8k/resolve/main/%ff", 400),
        ("GET", "/datasets/openai/gsm8k/resolve/main/a%0d%0aX: y", 400),
        ("GET", "/datasets/openai/gsm8k/resolve/%2e%2e/x", 400),
        ("GET", "/datasets/openai/gsm8k/resolve/a%2F%2Fb/x", 400),
        ("GET", "/datasets/../gsm8k/resolve/main/x", 404),
        ("GET", "/api/datasets/openai/..gsm8k", 404),
        ("GET", "/api/datasets/openai/g..k", 400),
        ("GET", "/api/datasets/openai%2Fgsm8k", 404),
        ("GET", f"/api/datasets/openai/{'x' * 5000}", 414),
        ("GET", "http://169.254.169.254/latest/meta-data", 404),
        ("GET", "http://127.0.0.1:1/api/datasets/openai/gsm8k", 404),
    ],
)
def test_an_odd_request_is_refused_before_any_upstream(
    tmp_path: Path, method: str, target: str, status: int
) -> None:
    async def scenario(hub: DataHub) -> None:
        fill(hub)
        async with served(tmp_path, hub) as run:
            reply = await run.request(method, target)
            assert reply.status in (status, 400)
            assert hub.requests == []
            assert (await run.get(FILE)).status == 200
            assert run.endpoint.failure == ""

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"{}", b"\xff", b'{"paths": 3}', b'{"paths": [3]}', b'{"paths": ["../x"]}',
        b'{"paths": ["a\\u0000"]}', b"[" * 100_000, b"paths=a&" * 1000,
        json.dumps({"paths": ["a"] * 101}).encode(),
    ],
)  # fmt: skip
def test_a_bad_body_is_refused(tmp_path: Path, body: bytes) -> None:
    async def scenario(hub: DataHub) -> None:
        fill(hub)
        async with served(tmp_path, hub) as run:
            reply = await run.request("POST", f"{API}/paths-info/main", body=body)
            assert reply.status == 400
            assert not any("paths-info" in target for target in hub.targets())
            assert run.endpoint.failure == ""

    play(tmp_path, scenario)


def test_a_run_has_limits_of_bytes_files_misses_and_requests(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        hub.add("openai/gsm8k", {f"{n}.bin": bytes(MEBIBYTE) + bytes([n]) for n in range(5)})
        async with served(tmp_path, hub, max_bytes=3 * MEBIBYTE + 100) as run:
            sets = "/datasets/openai/gsm8k/resolve/main"
            replies = [await run.get(f"{sets}/{n}.bin") for n in range(5)]
            assert [r.status for r in replies] == [200, 200, 200, 413, 413]
            assert "RUNNER_DATA_RUN_MB" in run.usage.over_limit
            assert (await run.get(f"{sets}/0.bin")).status == 200  # it has that already
        async with served(tmp_path, hub) as run:
            statuses = [(await run.get(f"/api/datasets/x/y{n}")).status for n in range(30)]
            assert statuses == [404] * 20 + [413] * 10
            assert len([t for t in hub.targets() if "/x/y" in t]) == 20
        async with served(tmp_path, hub) as run:
            run.usage.requests = 1999
            assert (await run.get("/api/datasets/openai/gsm8k")).status == 200
            assert (await run.get("/api/datasets/openai/other")).status == 413
            assert "2000 requests" in run.usage.over_limit

    play(tmp_path, scenario)


def test_names_that_are_requested_at_once_are_counted_one_by_one(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        async with served(tmp_path, hub) as run:
            replies = await asyncio.gather(*(run.get(f"/api/datasets/x/y{n}") for n in range(60)))
            assert sorted(r.status for r in replies) == [404] * 20 + [413] * 40
            assert len(hub.requests) == 20

    play(tmp_path, scenario)


@pytest.mark.slow
def test_a_run_reads_no_more_repositories_and_branches_than_a_lock_names(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        for number in range(52):
            hub.add(f"x/y{number}", {"rows.csv": "a"})
        async with served(tmp_path, hub) as run:
            targets = [f"/api/datasets/x/y{n}" for n in range(51)]
            replies = await asyncio.gather(*(run.get(target) for target in targets))
            assert sorted(r.status for r in replies) == [200] * 50 + [413]
            by_commit = f"/datasets/x/y51/resolve/{hub.commit('x/y51')}/rows.csv"
            assert (await run.get(by_commit)).status == 413
            assert run.usage.over_limit == "a version may read 50 repositories of data sets"
            assert DataLock.from_dict(run.mirror.lock.to_dict()) == run.mirror.lock
        for number in range(21):
            hub.add(f"x/y0@branch{number}", {"rows.csv": "a"})
        async with served(tmp_path, hub) as run:
            targets = [f"/api/datasets/x/y0/revision/branch{n}" for n in range(21)]
            replies = await asyncio.gather(*(run.get(target) for target in targets))
            assert sorted(r.status for r in replies) == [200] * 20 + [413]
            assert "20 branches" in run.usage.over_limit
            assert DataLock.from_dict(run.mirror.lock.to_dict()) == run.mirror.lock

    play(tmp_path, scenario)


def test_a_former_name_leads_to_no_repository_that_is_not_allowed(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        hub.add("internal/rows", {"rows.csv": "a"})
        hub.add("openai/gsm8k", {"rows.csv": "a"})

        def moved(request: Request) -> Answer | None:
            if "openai/old" in request.target:
                location = request.target.replace("openai/old", "internal/rows")
                return Answer(307, headers={"Location": location})
            return None

        hub.intercept = moved
        commit = hub.commit("internal/rows")
        async with served(tmp_path, hub) as run:  # its listings stay in the store
            assert (await run.get(f"/datasets/openai/old/resolve/{commit}/rows.csv")).status == 200
        async with served(tmp_path, hub, allowed=("openai/*",), token="right") as run:
            for revision in ("main", commit):
                reply = await run.get(f"/datasets/openai/old/resolve/{revision}/rows.csv")
                assert reply.status == 404
                assert "internal/rows" in reply.json["error"]
            assert run.usage.needs == {"internal/rows": "not_allowed"}
            assert not any("resolve" in request.target for request in hub.requests[-2:])
            assert (await run.get(FILE)).status == 200

    play(tmp_path, scenario)


def test_no_name_of_a_file_that_does_not_exist_reaches_the_upstream(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        fill(hub)
        async with served(tmp_path, hub) as run:
            for target in ("resolve/main/secret.csv", "resolve/main/secret/rows.csv"):
                assert (await run.get(f"/datasets/openai/gsm8k/{target}")).status == 404
            assert (await run.get(f"{API}/tree/main/secret")).status == 404
            body = json.dumps({"paths": ["secret", "rows.csv"]}).encode()
            reply = await run.request("POST", f"{API}/paths-info/main", body=body)
            assert [entry["path"] for entry in reply.json] == ["rows.csv"]
            assert len([t for t in hub.targets() if "/tree/" in t]) == 1
            assert "secret" not in repr(hub.requests)

    play(tmp_path, scenario)


def test_each_page_of_a_file_list_counts_as_a_request(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        hub.add("openai/gsm8k", {f"{n}.csv": str(n) for n in range(10)})
        hub.page = 2
        async with served(tmp_path, hub) as run:
            assert len((await run.get(f"{API}/tree/main")).json) == 10
            assert run.usage.requests == len(hub.requests) == 6
        async with served(tmp_path, hub) as run:
            assert len((await run.get(f"{API}/tree/main")).json) == 10
            assert run.usage.requests == 1  # the branch; the list of its commit is kept

    play(tmp_path, scenario)


def test_a_missing_repository_is_requested_once(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        async with served(tmp_path, hub) as run:
            for _ in range(50):
                assert (await run.get("/api/datasets/x/y")).status == 404
            assert len(hub.requests) == 1
            assert run.usage.over_limit == ""

    play(tmp_path, scenario)
