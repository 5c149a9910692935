"""An export that goes wrong leaves nothing behind, and takes nothing away."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow.parquet as pq
import pytest

from envyard.__main__ import main
from envyard.parquet import write
from tests.cli.conftest import Answers

RUN = uuid4()
SAMPLES = f"GET /api/v1/runs/{RUN}/samples/"
ROW: dict[str, Any] = {"example_id": 0, "metrics": {}}


@pytest.fixture
def hub(server: Answers, monkeypatch: pytest.MonkeyPatch) -> Answers:
    """A hub with one run, whose second page is missing."""
    monkeypatch.setenv("HUB_URL", server.url)
    server.reply(f"GET /api/v1/runs/{RUN}/", 200, {"attempt": 1})
    following = f"{server.url}/api/v1/runs/{RUN}/samples/?cursor=2"
    server.reply(f"{SAMPLES}?limit=100", 200, {"results": [ROW], "next": following})
    return server


def export(target: Path, *words: str) -> int:
    return main(["rollouts", "export", str(RUN), "-o", str(target), *words])


@pytest.mark.parametrize("status", [404, 403, 500])
def test_an_export_that_breaks_off_keeps_the_old_file_and_no_part(
    hub: Answers, tmp_path: Path, status: int
) -> None:
    target = tmp_path / "out" / "rows.jsonl"
    target.parent.mkdir()
    target.write_text("before")
    hub.reply(f"{SAMPLES}?cursor=2", status, {})
    assert export(target) != 0
    assert [path.name for path in target.parent.iterdir()] == ["rows.jsonl"]
    assert target.read_text() == "before"


def test_export_writes_no_file_where_the_run_starts_again(
    hub: Answers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Changing(dict[str, tuple[int, Any]]):
        """The run is in its second attempt once its last page was read."""

        def get(self, key: str, default: Any = None) -> Any:
            if "cursor=2" in key:
                hub.reply(f"GET /api/v1/runs/{RUN}/", 200, {"attempt": 2})
            return super().get(key, default)

    hub.replies = Changing(hub.replies)
    hub.reply(f"{SAMPLES}?cursor=2", 200, {"results": [ROW], "next": None})
    target = tmp_path / "rows.jsonl"
    assert export(target) != 0
    assert "was started again" in capsys.readouterr().err
    assert not list(tmp_path.glob("*rows*"))


def test_parquet_limits_the_columns_of_metrics(
    hub: Answers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = ROW | {"metrics": {f"m{number}": 1.0 for number in range(1001)}}
    hub.reply(f"{SAMPLES}?cursor=2", 200, {"results": [row], "next": None})
    assert export(tmp_path / "rows.parquet", "--format", "parquet") != 0
    assert "more than 1000 metrics" in capsys.readouterr().err
    assert not list(tmp_path.glob("*rows*"))
    assert export(tmp_path / "rows.jsonl") == 0


def test_parquet_writes_large_rows_in_small_groups(tmp_path: Path) -> None:
    text = {"role": "user", "content": "x" * (3 << 20)}
    rows = [ROW | {"prompt": [text], "error": None} for _ in range(7)]
    assert write(rows, tmp_path / "rows.parquet") == 7
    read = pq.ParquetFile(tmp_path / "rows.parquet")
    assert [read.metadata.row_group(at).num_rows for at in range(read.num_row_groups)] == [3, 3, 1]


def test_export_does_not_follow_a_link_at_its_draft(hub: Answers, tmp_path: Path) -> None:
    victim, target = tmp_path / "victim", tmp_path / "rows.jsonl"
    victim.write_text("dear")
    (tmp_path / ".rows.jsonl.part").symlink_to(victim)
    hub.reply(f"{SAMPLES}?cursor=2", 200, {"results": [], "next": None})
    assert export(target) == 0
    assert victim.read_text() == "dear"
    assert target.read_text().count("\n") == 1


def test_export_names_a_missing_folder(
    hub: Answers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(tmp_path / "none" / "rows.jsonl") != 0
    error = capsys.readouterr().err
    assert "none/rows.jsonl cannot be written" in error
    assert "-o" in error
