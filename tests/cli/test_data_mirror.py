"""The data set hub on loopback that `hub data --run` gives to a program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import pytest
import requests

from envyard.contract.data_lock import DataLock
from envyard.data_cache import Source, lay_out
from envyard.data_mirror import FrozenHub, program_variables, serving
from tests import data_hub
from tests.data_hub import Answer, DataHub
from tests.data_locks import GSM8K, ROWS, locked_folder

SMALL = b"a,b\n1,2\n"
API = f"/api/datasets/{GSM8K}"
FILES = f"/datasets/{GSM8K}/resolve/main"


@dataclass
class Served:
    """A folder's data sets on loopback, before the user's own data set hub."""

    source: DataHub
    frozen: FrozenHub
    url: str

    def get(self, target: str, method: str = "GET", **options: object) -> requests.Response:
        return requests.request(
            method, f"{self.url}{target}", timeout=30, allow_redirects=False, **options
        )  # type: ignore[arg-type]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with data_hub.serving(tmp_path / "source") as source:
        folder = source.add(GSM8K, {"main/train.jsonl": ROWS, "small.csv": SMALL})
        lock = locked_folder(folder)
        lay_out(lock, tmp_path / "x", Source(source.url, None), lambda *_: None)
        folder.rename(f"{folder}@{lock.repositories[0].commit}")
        source.add(GSM8K, {"small.csv": "moved", "new.csv": "more"})
        source.add("qwen/tiny", {"config.json": "{}"}, kind="models")
        frozen = FrozenHub(lock, tmp_path / "x")
        with serving(frozen, source.url) as url:
            yield Served(source, frozen, url)


def commit_of(lock: DataLock) -> str:
    return lock.repositories[0].commit


def test_locked_files_are_served_by_branch_and_by_commit(served: Served) -> None:
    commit, before = commit_of(served.frozen.lock), len(served.source.requests)
    for revision in ("main", commit):
        reply = served.get(f"/datasets/{GSM8K}/resolve/{revision}/small.csv")
        assert (reply.status_code, reply.content) == (200, SMALL)
        assert reply.headers["X-Repo-Commit"] == commit
    part = served.get(f"{FILES}/main/train.jsonl", headers={"Range": "bytes=5-9"})
    assert (part.status_code, part.content) == (206, ROWS[5:10])
    assert part.headers["Content-Range"] == f"bytes 5-9/{len(ROWS)}"
    head = served.get(f"{FILES}/main/train.jsonl", "HEAD")
    assert (head.content, head.headers["X-Linked-Size"]) == (b"", str(len(ROWS)))
    beyond = served.get(f"{FILES}/small.csv", headers={"Range": "bytes=99-"})
    assert (beyond.status_code, beyond.content) == (416, b"")
    assert len(served.source.requests) == before


def test_lists_have_what_the_lock_names(served: Served) -> None:
    info = served.get(API).json()
    assert (info["sha"], info["tags"]) == (commit_of(served.frozen.lock), ["license:mit"])
    top = served.get(f"{API}/tree/main").json()
    assert [entry["path"] for entry in top] == ["main", "small.csv"]
    everything = served.get(f"{API}/tree/main?recursive=True&expand=False").json()
    assert [e["path"] for e in everything] == ["main", "main/train.jsonl", "small.csv"]
    below = served.get(f"{API}/tree/main/main").json()
    assert [(e["path"], e["lfs"]["size"]) for e in below] == [("main/train.jsonl", len(ROWS))]
    assert served.get(f"{API}/tree/main/none").headers["X-Error-Code"] == "EntryNotFound"
    body = {"paths": ["small.csv", "new.csv"]}
    chosen = served.get(f"{API}/paths-info/main", "POST", json=body).json()
    assert [entry["path"] for entry in chosen] == ["small.csv"]
    assert served.get(f"{API}/refs").json()["branches"][0]["name"] == "main"


def test_what_the_lock_does_not_name_is_refused_and_noted(served: Served) -> None:
    before = len(served.source.requests)
    new = served.get(f"{FILES}/new.csv")
    assert (new.status_code, new.headers["X-Error-Code"]) == (404, "EntryNotFound")
    other = served.get(f"{API}/revision/other")
    assert (other.status_code, other.headers["X-Error-Code"]) == (404, "RevisionNotFound")
    assert served.get(f"{FILES}/gsm8k.py", "HEAD").status_code == 404  # every client looks for it
    assert served.get(f"{API}/parquet").status_code == 404
    assert served.get(f"{FILES}/../../x").status_code in (400, 404)
    assert served.frozen.refused == [f"{GSM8K}: new.csv", f"{GSM8K} at other"]
    assert len(served.source.requests) == before


def test_other_repositories_come_from_the_users_own_hub(served: Served) -> None:
    reply = served.get(
        "/qwen/tiny/resolve/main/config.json", headers={"Authorization": "Bearer mine"}
    )
    assert (reply.status_code, reply.content) == (200, b"{}")
    assert served.source.requests[-1].headers["authorization"] == "Bearer mine"
    assert served.get("/api/models/qwen/tiny/revision/main").json()["id"] == "qwen/tiny"
    served.source.intercept = lambda _: Answer(302, headers={"Location": "https://cdn.example/x"})
    moved = served.get("/qwen/tiny/resolve/main/config.json")
    assert (moved.status_code, moved.headers["Location"]) == (302, "https://cdn.example/x")
    served.source.intercept = lambda r: Answer(200, r.body)
    echoed = served.get("/api/repos/create", "POST", data=b"name=x")
    assert echoed.content == b"name=x"


def test_an_unreachable_hub_of_the_user_ends_no_program(tmp_path: Path) -> None:
    with (
        serving(FrozenHub(DataLock(), tmp_path), "http://127.0.0.1:9") as url,
        closing(HTTPConnection(url.removeprefix("http://"), timeout=30)) as connection,
    ):
        for _ in range(3):  # on one connection, as the clients keep it
            connection.request("GET", "/qwen/tiny/resolve/main/config.json")
            reply = connection.getresponse()
            assert reply.status == 501
            assert b"not reachable" in reply.read()


def test_an_answer_that_breaks_off_is_not_taken_as_complete(served: Served) -> None:
    length = {"Content-Length": "100"}
    served.source.intercept = lambda _: Answer(200, b"half", length, cut=True)
    with pytest.raises(requests.RequestException):
        served.get("/qwen/tiny/resolve/main/config.json")
    served.source.intercept = lambda _: None
    assert served.get("/qwen/tiny/resolve/main/config.json").content == b"{}"


def test_a_program_asks_no_proxy_for_its_data_sets(tmp_path: Path) -> None:
    environ = {"NO_PROXY": "lab", "HF_HUB_OFFLINE": "1", "HF_HOME": "/home", "PATH": "/bin"}
    variables = program_variables(environ, tmp_path, "http://127.0.0.1:5")
    assert variables == {
        "NO_PROXY": "lab,127.0.0.1", "no_proxy": "lab,127.0.0.1", "HF_HOME": "/home",
        "PATH": "/bin",
        "HF_ENDPOINT": "http://127.0.0.1:5", "HF_DATASETS_CACHE": f"{tmp_path}/datasets",
    }  # fmt: skip
