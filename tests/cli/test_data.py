"""`hub data` prints a data lock, fetches its files, and serves them to a program."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envyard import data_cache
from envyard.__main__ import main
from envyard.contract.data_lock import DataLock
from tests.cli.conftest import Answers
from tests.data_hub import Answer, DataHub, Request, serving
from tests.data_locks import GSM8K, OTHER, ROWS, gated, locked, locked_folder

REF = "alice/demo-env==0.1.0"
BASE = "GET /api/v1/environments/alice/demo-env/versions/0.1.0/"
SMALL = b"a,b\n1,2\n"
CACHE = "hub/datasets--openai--gsm8k"


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_cache, "PAUSES", (0.01, 0.01))


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DataHub]:
    """The user's own data set hub, with one data set."""
    monkeypatch.delenv("HF_TOKEN", raising=False)
    with serving(tmp_path / "source") as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        hub.add(GSM8K, {"main/train.jsonl": ROWS, "small.csv": SMALL})
        yield hub


def lock_of(source: DataHub) -> DataLock:
    return locked_folder(source.root / "datasets" / GSM8K)


def known(server: Answers, lock: DataLock | None) -> list[str]:
    """Serve alice/demo-env==0.1.0 with the lock; the arguments for `hub data`."""
    version: dict[str, Any] = {"ref": REF, "environment": "alice/demo-env", "version": "0.1.0"}
    server.reply("GET /api/v1/environments/alice/demo-env/", 200, {"latest_version": version})
    server.reply(BASE, 200, version)
    if lock is None:
        error = {"code": "request.not_found", "message": "none", "hint": "", "details": {}}
        server.reply(f"{BASE}data-lock/", 404, {"error": error})
    else:
        detail = {"ref": REF, "sha256": "0" * 64, "frozen_at": None, **lock.to_dict()}
        server.reply(f"{BASE}data-lock/", 200, detail)
    return ["data", "--url", server.url, "alice/demo-env"]


def paths(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_data_prints_each_file_with_its_size_and_hash(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = gated(locked("main/train.parquet"))
    command = known(server, lock)
    assert main(command) == 0
    out, err = capsys.readouterr()
    (file,) = lock.repositories[0].files
    assert out == f"{GSM8K}/main/train.parquet\t{file.size}\t{file.sha256}\n"
    assert f"{GSM8K} at {lock.repositories[0].commit} (mit, gated)" in err
    assert f"hub data {REF} --to data" in err
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["repositories"] == lock.to_dict()["repositories"]


def test_data_says_that_a_version_read_no_data_sets(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    command = known(server, None)
    assert main(command) == 0
    assert capsys.readouterr() == ("", f"no run of {REF} has read a data set\n")
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"ref": REF, "repositories": []}


def test_data_rejects_an_invalid_lock(server: Answers, capsys: pytest.CaptureFixture[str]) -> None:
    command = known(server, locked("main/train.parquet"))
    _, detail = server.replies[f"{BASE}data-lock/"]
    detail["repositories"][0]["files"][0]["path"] = "../../.bashrc"
    assert main([*command, "--to", "x"]) == 1
    assert "must be relative" in capsys.readouterr().err
    assert not Path("x").exists()


def test_data_to_lays_out_a_cache_that_offline_clients_read(
    server: Answers, source: DataHub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = lock_of(source)
    command = [*known(server, lock), "--to", "x"]
    assert main(command) == 0
    (entry,) = lock.repositories
    cache = tmp_path / "x" / CACHE
    assert (cache / "refs/main").read_text() == entry.commit
    snapshot = cache / "snapshots" / entry.commit
    assert paths(snapshot) == ["main/train.jsonl", "small.csv"]
    assert (snapshot / "main/train.jsonl").read_bytes() == ROWS
    assert (snapshot / "small.csv").is_symlink()
    assert paths(cache / "blobs") == sorted(file.object_id for file in entry.files)
    assert "2 files" in capsys.readouterr().err
    before = len(source.requests)
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["fetched"] == 0
    assert len(source.requests) == before


def test_data_to_fetches_by_commit_after_the_branch_moved(
    server: Answers, source: DataHub, tmp_path: Path
) -> None:
    lock = lock_of(source)
    folder = source.root / "datasets" / GSM8K
    folder.rename(f"{folder}@{lock.repositories[0].commit}")
    source.add(GSM8K, {"small.csv": "moved"})
    assert main([*known(server, lock), "--to", "x"]) == 0
    snapshot = tmp_path / "x" / CACHE / "snapshots" / lock.repositories[0].commit
    assert (snapshot / "small.csv").read_bytes() == SMALL


def test_a_file_that_is_not_the_locked_one_is_refused(
    server: Answers, source: DataHub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*known(server, lock_of(source)), "--to", "x", "--json"]
    for wrong in (ROWS[:-1] + b"#", ROWS + b"more", ROWS[:-3]):
        source.intercept = lambda r, body=wrong: Answer(200, body) if "train" in r.target else None
        assert main(command) == 1
        error = json.loads(capsys.readouterr().err)["error"]
        assert (error["code"], "train.jsonl" in error["message"]) == ("data.changed", True)
        assert len(paths(tmp_path / "x" / CACHE / "blobs")) == 0
        assert not (tmp_path / "x" / "data-lock.json").exists()


def test_a_blob_that_was_changed_is_fetched_again(
    server: Answers, source: DataHub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*known(server, lock_of(source)), "--to", "x"]
    assert main(command) == 0
    blob = (tmp_path / "x" / CACHE).rglob("small.csv").__next__().resolve()
    blob.write_bytes(SMALL.replace(b"2", b"3"))
    assert main(["data", "--from", "x", "--run", sys.executable, "-c", ""]) == 1
    assert "small.csv of openai/gsm8k" in capsys.readouterr().err
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["fetched"] == 1
    assert blob.read_bytes() == SMALL


def test_an_interrupted_download_goes_on_where_it_ended(
    server: Answers, source: DataHub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = bytes(range(256)) * 2000
    source.add(GSM8K, {"main/train.jsonl": rows})

    def start_of(request: Request) -> int:
        return int(request.headers.get("range", "bytes=0-")[6:-1])

    def broken(request: Request) -> Answer | None:
        if "train" not in request.target:
            return None
        start = start_of(request)
        length = {"Content-Length": str(len(rows) - start)}
        body = rows[start : start + data_cache.BLOCK]
        return Answer(206 if start else 200, body, length, cut=True)

    source.intercept = broken
    command = [*known(server, lock_of(source)), "--to", "x"]
    assert main(command) == 1
    assert "goes on where this one ended" in capsys.readouterr().err
    starts = [start_of(r) for r in source.requests if "train" in r.target]
    assert starts == [0, data_cache.BLOCK, 2 * data_cache.BLOCK]
    source.intercept = lambda r: Answer(206, rows[start_of(r) :]) if start_of(r) else None
    assert main(command) == 0
    assert 3 * data_cache.BLOCK in map(start_of, source.requests)
    assert next((tmp_path / "x" / CACHE).rglob("train.jsonl")).read_bytes() == rows


def test_a_source_without_ranges_sends_the_file_again(
    server: Answers, source: DataHub, tmp_path: Path
) -> None:
    first = [Answer(200, ROWS[:100], {"Content-Length": str(len(ROWS))}, cut=True)]
    source.intercept = lambda r: first.pop() if first and "train" in r.target else None
    assert main([*known(server, lock_of(source)), "--to", "x"]) == 0
    assert next((tmp_path / "x" / CACHE).rglob("train.jsonl")).read_bytes() == ROWS


@pytest.mark.parametrize(
    ("status", "code", "hint"),
    [(403, "data.refused", "HF_TOKEN"), (404, "data.refused", "deleted"), (500, "cli.error", "")],
)
def test_a_source_that_refuses_names_the_next_step(
    server: Answers, source: DataHub, status: int, code: str, hint: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    source.intercept = lambda _: Answer(status)
    assert main([*known(server, lock_of(source)), "--to", "x", "--json"]) == 1
    error = json.loads(capsys.readouterr().err)["error"]
    assert (error["code"], hint in error["hint"]) == (code, True)
    assert str(status) in error["message"]


def test_the_users_token_fetches_a_gated_data_set(
    server: Answers, source: DataHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = lock_of(source)
    source.add(GSM8K, {".gated": ""})
    source.token = "mine"
    command = [*known(server, lock), "--to", "x"]
    assert main(command) == 1
    monkeypatch.setenv("HF_TOKEN", "mine")
    assert main(command) == 0
    assert not any("mine" in str(authorization) for _, authorization in server.requests)


def test_a_folder_holds_one_commit_of_a_branch(
    server: Answers, source: DataHub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*known(server, lock_of(source)), "--to", "x"]) == 0
    assert main([*known(server, locked("small.csv", commit=OTHER)), "--to", "x"]) == 1
    err = capsys.readouterr().err
    assert (OTHER in err, "another folder" in err) == (True, True)
    source.add("allenai/ai2_arc", {"rows.csv": SMALL})
    more = locked_folder(source.root / "datasets/allenai/ai2_arc", "allenai/ai2_arc")
    assert main([*known(server, more), "--to", "x"]) == 0
    kept = data_cache.kept_lock(Path("x"))
    assert [each.name for each in kept.repositories] == ["allenai/ai2_arc", GSM8K]


def test_paths_of_a_lock_that_exclude_each_other_are_an_error(
    server: Answers, source: DataHub, capsys: pytest.CaptureFixture[str]
) -> None:
    source.intercept = lambda _: Answer(200, ROWS)
    assert main([*known(server, locked("a", "a/b")), "--to", "x"]) == 1
    assert "a" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        [], ["alice/demo-env", "--from", "x"], ["alice/demo-env", "--run", "true"],
        ["--from", "x", "--run"],
    ],
)  # fmt: skip
def test_data_requires_a_version_or_a_folder(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", *words]) == 2
    assert capsys.readouterr().err


def test_a_program_runs_on_the_folder_without_hub_and_source(
    server: Answers, source: DataHub, tmp_path: Path, capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    assert main([*known(server, lock_of(source)), "--to", "x"]) == 0
    shutil.move("x", "y")  # to a machine without either
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    program = (
        "import os, sys, urllib.request as u\n"
        "print(os.environ['HF_DATASETS_CACHE'], os.environ.get('HF_HUB_OFFLINE'))\n"
        "base = os.environ['HF_ENDPOINT']\n"
        "print(len(u.urlopen(base + '/datasets/openai/gsm8k/resolve/main/small.csv').read()))\n"
        "sys.exit(7)\n"
    )
    before = len(source.requests)
    assert main(["data", "--from", "y", "--run", sys.executable, "-c", program]) == 7
    out = capfd.readouterr().out.splitlines()
    assert out == [f"{tmp_path}/y/datasets None", str(len(SMALL))]
    assert len(source.requests) == before


def test_a_program_that_does_not_exist_is_named(
    server: Answers, source: DataHub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*known(server, lock_of(source)), "--to", "x", "--run", "no-such-program"]) == 1
    assert "no-such-program" in capsys.readouterr().err


def test_a_folder_that_is_none_runs_no_program(
    source: DataHub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong name would train on what `main` is today."""
    mark = tmp_path / "ran"
    program = [sys.executable, "-c", f"open({str(mark)!r}, 'w')"]
    for words in ([], ["--run", *program]):
        assert main(["data", "--json", "--from", str(tmp_path / "forzen"), *words]) == 1
        error = json.loads(capsys.readouterr().err)["error"]
        assert (error["code"], "forzen" in error["message"]) == ("data.no_folder", True)
    assert not mark.exists()
    assert not source.targets()


def test_a_folder_alone_is_verified(
    server: Answers, source: DataHub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "frozen"
    assert main([*known(server, lock_of(source)), "--to", str(folder)]) == 0
    capsys.readouterr()
    assert main(["data", "--from", str(folder)]) == 0
    assert "2 files" in capsys.readouterr().err
    assert main(["data", "--from", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"] == 2
    assert main([*known(server, lock_of(source)), "--from", str(folder)]) == 2
    assert "name no version" in capsys.readouterr().err


def test_an_unreachable_data_set_hub_is_named(
    server: Answers,
    source: DataHub,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert main([*known(server, lock_of(source)), "--to", str(tmp_path / "frozen")]) == 1
    error = capsys.readouterr().err
    assert "http://127.0.0.1:9" in error
    assert "ConnectionError" not in error
