"""The data endpoint: what it serves, pins, verifies and locks."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import pytest

from envyard.contract.data_lock import DataLock, parse, render
from envyard_runner.data import listings
from tests.data_hub import LARGE, Answer, DataHub, Request, blob_id, serving
from tests.worker.data.served_mirror import play, served

README = "---\nlicense: mit\n---\n"
ROWS = b'{"question": "2 + 2?", "answer": "4"}\n' * 200  # large: its id is a sha256
SMALL = b'{"a": 1}\n'
SETS = "/datasets/openai/gsm8k/resolve/main"
API = "/api/datasets/openai/gsm8k"


def fill(hub: DataHub) -> None:
    assert len(ROWS) > LARGE > len(SMALL)
    hub.add("openai/gsm8k", {"README.md": README, "main/train.jsonl": ROWS, "small.json": SMALL})


def test_a_file_is_served_with_the_headers_that_clients_need(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        fill(hub)
        async with served(tmp_path, hub) as run:
            reply = await run.get(f"{SETS}/main/train.jsonl")
            assert (reply.status, reply.body) == (200, ROWS)
            sha256 = hashlib.sha256(ROWS).hexdigest()
            assert reply.headers["X-Repo-Commit"] == hub.commit("openai/gsm8k")
            assert reply.headers["ETag"] == reply.headers["X-Linked-Etag"] == f'"{sha256}"'
            assert reply.headers["X-Linked-Size"] == str(len(ROWS))
            assert reply.headers["Content-Length"] == str(len(ROWS))
            head = await run.request("HEAD", f"{SETS}/small.json")
            assert (head.status, head.body) == (200, b"")
            assert head.headers["ETag"] == f'"{blob_id(SMALL)}"'
            assert head.headers["Content-Length"] == str(len(SMALL))

    play(tmp_path, scenario)


def test_ranges_are_served_from_the_verified_file(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        fill(hub)
        async with served(tmp_path, hub) as run:
            target = f"{SETS}/main/train.jsonl"
            for header, status, content in (
                ("bytes=0-9", 206, ROWS[:10]),
                (f"bytes={len(ROWS) - 5}-", 206, ROWS[-5:]),
                ("bytes=-7", 206, ROWS[-7:]),
                (f"bytes=10-{10 * len(ROWS)}", 206, ROWS[10:]),
                ("bytes=0-1,4-5", 200, ROWS),
                ("bytes=-", 200, ROWS),
                (f"bytes={len(ROWS)}-", 416, b""),
                ("bytes=9-3", 416, b""),
            ):
                reply = await run.get(target, Range=header)
                assert (reply.status, reply.body) == (status, content), header
            assert [t for t in hub.targets() if "resolve" in t and "train" in t] == [
                f"/datasets/openai/gsm8k/resolve/{hub.commit('openai/gsm8k')}/main/train.jsonl"
            ]

    play(tmp_path, scenario)


def test_lists_are_those_of_the_commit_without_links_to_other_services(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        fill(hub)
        hub.page = 2
        async with served(tmp_path, hub) as run:
            commit = hub.commit("openai/gsm8k")
            info = (await run.get(API)).json
            assert (info["sha"], info["gated"]) == (commit, False)
            tree = (await run.get(f"{API}/tree/{commit}?recursive=True&expand=false")).json
            assert [e["path"] for e in tree] == [
                "README.md", "main", "main/train.jsonl", "small.json"
            ]  # fmt: skip
            assert "xetHash" not in json.dumps(tree)
            assert tree[2]["lfs"]["oid"] == hashlib.sha256(ROWS).hexdigest()
            top = (await run.get(f"{API}/tree/main")).json
            assert [e["path"] for e in top] == ["README.md", "main", "small.json"]
            refs = (await run.get(f"{API}/refs")).json
            assert refs["branches"][0]["targetCommit"] == commit

    play(tmp_path, scenario)


def test_paths_are_looked_up_from_json_and_from_a_form(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        fill(hub)
        async with served(tmp_path, hub) as run:
            target = f"{API}/paths-info/main"
            fields = {"paths": ["small.json", "missing.json"], "expand": "False"}
            for body in (json.dumps(fields), urlencode(fields, doseq=True)):
                reply = await run.request("POST", target, body=body.encode())
                assert [e["path"] for e in reply.json] == ["small.json"], body

    play(tmp_path, scenario)


def test_a_branch_is_resolved_once_and_by_what_the_hub_agreed(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        fill(hub)
        first = hub.commit("openai/gsm8k")
        hub.add(f"openai/gsm8k@{first}", {"small.json": SMALL})
        async with served(tmp_path, hub) as run:
            await run.get(f"{SETS}/README.md")
            hub.add("openai/gsm8k", {"small.json": b'{"a": 2}\n'})
            assert (await run.get(f"{API}")).json["sha"] == first
            assert run.agreed == [("openai/gsm8k", "main", first)]
        async with served(tmp_path, hub, commits={"openai/gsm8k@main": first}) as other:
            reply = await other.get(f"{SETS}/small.json")
            assert (reply.headers["X-Repo-Commit"], reply.body) == (first, SMALL)
            assert other.mirror.lock.repositories[0].commit == first

    play(tmp_path, scenario)


def test_the_lock_names_what_was_read_and_freezes_later_runs(tmp_path: Path) -> None:
    async def record(hub: DataHub) -> None:
        fill(hub)
        async with served(tmp_path, hub) as run:
            await run.get(f"{SETS}/main/train.jsonl")
            await run.request("HEAD", f"{SETS}/README.md")
            locks.append(run.mirror.lock)

    locks: list[DataLock] = []
    play(tmp_path, record)
    lock = parse(render(locks[0]))
    assert lock == locks[0]
    (entry,) = lock.repositories
    assert (entry.name, entry.revisions, entry.licence) == ("openai/gsm8k", ("main",), "mit")
    (file,) = entry.files
    assert (file.path, file.size) == ("main/train.jsonl", len(ROWS))
    assert file.sha256 == hashlib.sha256(ROWS).hexdigest()

    async def frozen(hub: DataHub) -> None:
        hub.add("openai/gsm8k", {"main/train.jsonl": "moved"})
        async with served(tmp_path, hub, lock=lock) as run:
            reply = await run.get(f"{SETS}/main/train.jsonl")
            assert (reply.status, reply.body) == (200, ROWS)
            assert hub.targets() == []
            other = await run.get("/api/datasets/openai/other")
            assert (other.status, other.headers["X-Error-Code"]) == (404, "RevisionNotFound")
            assert run.usage.not_locked == ["openai/other at main"]

    play(tmp_path, frozen)


def test_a_frozen_run_names_a_file_that_its_lock_lacks(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        fill(hub)
        async with served(tmp_path, hub) as run:
            await run.get(f"{SETS}/main/train.jsonl")
            lock = run.mirror.lock
        async with served(tmp_path, hub, lock=lock) as run:
            reply = await run.get(f"{SETS}/small.json")
            assert (reply.status, reply.headers["X-Error-Code"]) == (404, "EntryNotFound")
            missing = await run.request("HEAD", f"{SETS}/gsm8k.py")
            assert (missing.status, missing.headers["X-Error-Code"]) == (404, "EntryNotFound")
            assert run.usage.not_locked == ["openai/gsm8k: small.json"]

    play(tmp_path, scenario)


def test_a_repository_of_very_many_files_is_listed_by_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listings, "ALL_PAGES", 2)

    async def scenario(hub: DataHub) -> None:
        fill(hub)
        hub.add("openai/gsm8k", {f"shards/{n}.bin": str(n) for n in range(40)})
        hub.page = 10
        async with served(tmp_path, hub) as run:
            assert (await run.get(f"{SETS}/main/train.jsonl")).body == ROWS
            folder = (await run.get(f"{API}/tree/main/main")).json
            assert [entry["path"] for entry in folder] == ["main/train.jsonl"]
            assert (await run.get(f"{API}/tree/main/none")).status == 404
            lock = run.mirror.lock
        async with served(tmp_path, hub, lock=lock) as run:
            before = len(hub.requests)
            assert (await run.get(f"{SETS}/main/train.jsonl")).body == ROWS
            entries = (await run.get(f"{API}/tree/main?recursive=true")).json
            assert [entry["path"] for entry in entries] == ["main", "main/train.jsonl"]
            assert (await run.get(f"{SETS}/shards/3.bin")).status == 404
            assert len(hub.requests) == before

    play(tmp_path, scenario)


def test_a_frozen_run_needs_no_upstream_once_its_files_are_stored(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        fill(hub)
        async with served(tmp_path, hub) as run:
            for path in ("README.md", "main/train.jsonl"):
                await run.get(f"{SETS}/{path}")
            await run.get(API)
            lock = run.mirror.lock
        with serving(tmp_path / "nothing") as gone:
            pass
        gone.url = hub.url  # the store's listings belong to an upstream
        hub.intercept = lambda _: pytest_fail()
        async with served(tmp_path, gone, lock=lock) as run:
            await run.mirror.prefetch()
            assert (await run.get(f"{SETS}/main/train.jsonl")).body == ROWS
            assert (await run.get(API)).json["sha"] == lock.repositories[0].commit
            assert run.usage.requests == 0

    def pytest_fail() -> None:
        raise AssertionError("the upstream was asked")

    play(tmp_path, scenario)


def test_an_internal_mirror_below_a_path_serves_as_upstream(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        fill(hub)
        base, hub.url = hub.url, f"{hub.url}/artifacts/hf"

        def below(request: Request) -> Answer:
            if not request.target.startswith("/artifacts/hf/"):
                return Answer(404)
            target = request.target.removeprefix("/artifacts/hf")
            if "/resolve/" in target and "moved" not in target:
                return Answer(302, headers={"Location": f"{base}{request.target}?moved=1"})
            return hub.answer(replace(request, target=target))

        hub.intercept = below
        async with served(tmp_path, hub) as run:
            assert (await run.get(f"{SETS}/main/train.jsonl")).body == ROWS
            assert (await run.get(f"{API}/tree/main")).status == 200
            assert not run.usage.failed.is_set()

    play(tmp_path, scenario)


def test_a_repository_without_a_mirror_is_a_need(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        fill(hub)
        async with served(tmp_path, hub) as run:
            run.endpoint.mirror = None
            reply = await run.get(API)
            assert (reply.status, reply.headers["X-Error-Code"]) == (404, "RepoNotFound")
            assert run.usage.needs == {"openai/gsm8k": "no_mirror"}
            assert hub.requests == []

    play(tmp_path, scenario)


def test_gated_missing_private_and_not_allowed_repositories_differ(tmp_path: Path) -> None:
    async def scenario(hub: DataHub) -> None:
        fill(hub)
        hub.add("idavidrein/gpqa", {"gpqa.csv": "a,b", ".gated": ""})
        hub.add("alice/secret", {"rows.csv": "a,b", ".private": ""})
        hub.token = "right"
        async with served(tmp_path, hub, allowed=("openai/*", "idavidrein/*", "alice/*")) as run:
            gated = await run.get("/datasets/idavidrein/gpqa/resolve/main/gpqa.csv")
            assert (gated.status, gated.headers["X-Error-Code"]) == (403, "GatedRepo")
            for name in ("openai/none", "alice/secret", "carol/rows"):
                reply = await run.get(f"/api/datasets/{name}")
                assert (reply.status, reply.headers["X-Error-Code"]) == (404, "RepoNotFound")
            assert run.usage.needs == {
                "idavidrein/gpqa": "gated",
                "openai/none": "not_found",
                "alice/secret": "not_found",
                "carol/rows": "not_allowed",
            }
            assert not any("carol" in target for target in hub.targets())
        async with served(tmp_path, hub, token="right") as run:
            gated = await run.get("/datasets/idavidrein/gpqa/resolve/main/gpqa.csv")
            assert (gated.status, gated.body) == (200, b"a,b")
            assert run.mirror.lock.repositories[0].gated
            assert (await run.get("/api/datasets/alice/secret")).status == 404
            assert run.usage.needs == {"alice/secret": "private"}

    play(tmp_path, scenario)
