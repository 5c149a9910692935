"""Runs and rollouts read and exported from the command line, against a real hub."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pytest_django.live_server_helper import LiveServer

from envyard.__main__ import main
from envyard.contract.judge import JudgeExchange
from envyard.contract.replay import Replay
from envyard.contract.transcript import Exchange, Node, Transcript
from registry.accounts import tokens
from registry.card import services as cards
from registry.models import Run, User
from tests.factories import make_rollout, make_run, make_version
from tests.registry.run_factories import make_transcript

pytestmark = pytest.mark.django_db(transaction=True)
REF = "alice/demo-env==0.1.0"


@pytest.fixture
def run(live_server: LiveServer, alice: User, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The run that decided on alice/demo-env==0.1.0, and a later one without rollouts."""
    version = make_version(alice, visibility="private")
    decided = make_run(version, total=4, done=4)
    error = {"type": "KeyError", "message": "x\x1b[2J", "traceback": "", "fault": "environment"}
    parts = {"exact": {"score": 1.0, "weight": 1.0}}
    make_rollout(decided, "oracle", 0, transcript=make_transcript("漢"), rewards=parts)
    make_rollout(decided, "oracle", 1, transcript=make_transcript("two"), metrics={"len": 3.0})
    again = {"replay": Replay(reward=0.5).to_dict(), "rescored": 0.5}
    make_rollout(
        decided,
        "silent",
        0,
        reward=0.25,
        transcript=make_transcript("three"),
        **again,
    )
    make_rollout(decided, "silent", 1, reward=None, error=error)
    cards.compute(run=decided)
    make_run(version, status="queued")
    monkeypatch.setenv("HUB_URL", live_server.url)
    monkeypatch.setenv("HUB_TOKEN", tokens.mint(user=alice, name="cli", scope="read")[1])
    return decided


def json_of(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main([*words, "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return json.loads(captured.out)


def stderr_of(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    assert main(list(words)) == code
    return capsys.readouterr()


def test_runs_are_listed_and_shown(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    rows = json_of(capsys, "runs", "list", "alice/demo-env")
    assert [row["status"] for row in rows] == ["queued", "succeeded"]
    out, err = stderr_of(capsys, "runs", "show", str(run.pk))
    assert "alice/demo-env==0.1.0" in out
    assert "4/4 of 2 tasks" in out
    assert "oracle 1 [0.158, 1] n=2" in out
    assert f"hub rollouts list {run.pk}" in err
    assert json_of(capsys, "runs", "show", str(run.pk))["id"] == str(run.pk)
    assert "is not a run's id" in stderr_of(capsys, "runs", "show", "7", code=2)[1]


def test_rollouts_of_a_version_are_those_of_the_run_that_decided(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = stderr_of(capsys, "rollouts", "list", REF)
    assert [line.split("\t")[0] for line in out.splitlines()] == [
        "oracle/0/0", "oracle/1/0", "silent/0/0", "silent/1/0",
    ]  # fmt: skip
    assert [line.split("\t")[2] for line in out.splitlines()] == ["", "", "0.5", ""]
    assert "KeyError" in out
    assert f"/runs/{run.pk}/rollouts/" in err
    assert len(json_of(capsys, "rollouts", "list", str(run.pk), "--policy", "oracle")) == 2
    (failed,) = json_of(capsys, "rollouts", "list", REF, "--failed")
    assert (failed["policy"], failed["task"]) == ("silent", 1)
    assert len(json_of(capsys, "rollouts", "list", REF, "--task", "1")) == 2
    assert "no such rollouts" in stderr_of(capsys, "rollouts", "list", REF, "--policy", "babble")[1]
    empty = str(Run.objects.get(status="queued").pk)
    assert "has no rollouts yet" in stderr_of(capsys, "rollouts", "list", empty)[1]
    assert "names no version" in stderr_of(capsys, "rollouts", "list", "alice/demo-env", code=2)[1]


def test_an_export_is_rows_of_verifiers_columns(
    run: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "rows.jsonl"
    _, err = stderr_of(capsys, "rollouts", "export", REF, "-o", str(file))
    assert f"Wrote 4 rollouts of run {run.pk} to {file}" in err
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert rows[0]["prompt"] == [{"role": "user", "content": "漢"}]
    assert rows[0]["completion"] == [{"role": "assistant", "content": "re: 漢"}]
    assert [row["reward"] for row in rows] == [1.0, 1.0, 0.25, None]
    assert [row["info"]["rescored"] for row in rows] == [None, None, 0.5, None]
    assert rows[3]["error"]["type"] == "KeyError"
    assert list(tmp_path.glob("*.part")) == []


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_an_export_holds_reasoning_its_tokens_and_the_judges_verdicts(
    run: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path, kind: str
) -> None:
    nodes = [
        Node(-1, {"role": "user", "content": "6 * 7?"}),
        Node(0, {"role": "assistant", "content": "42", "reasoning_content": "six sevens"}),
    ]
    call = Exchange(asked=0, reply=1, reasoning_tokens=3, reply_fields=["content", "reasoning"])
    judged = JudgeExchange(
        asked_model="gpt-5", messages=[nodes[0].message], verdict=nodes[1].message
    )
    transcript = Transcript(nodes, [call], judge=[judged])
    make_rollout(run, "parrot", 0, transcript=transcript, reasoning_tokens=3)
    file = tmp_path / "rows"
    stderr_of(
        capsys, "rollouts", "export", REF, "-o", str(file), "--policy", "parrot", "--format", kind
    )
    (row,) = (
        pq.read_table(file).to_pylist()
        if kind == "parquet"
        else [json.loads(line) for line in file.read_text().splitlines()]
    )
    assert row["completion"][0]["reasoning_content"] == "six sevens"
    assert row["token_usage"]["reasoning_tokens"] == 3
    assert row["trajectory"][0]["reasoning_tokens"] == 3
    assert (row["judge"][0]["asked_model"], row["judge"][0]["verdict"]) == ("gpt-5", "42")
    (summary,) = json_of(capsys, "rollouts", "list", REF, "--policy", "parrot")
    assert summary["usage"]["reasoning_tokens"] == 3


def test_parquet_holds_the_same_rows(
    run: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines, table = tmp_path / "rows.jsonl", tmp_path / "rows.parquet"
    stderr_of(capsys, "rollouts", "export", REF, "-o", str(lines))
    words = ("rollouts", "export", REF, "--format", "parquet", "-o", str(table))
    assert json_of(capsys, *words) == {"run": str(run.pk), "file": str(table), "rollouts": 4}
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    read = pq.read_table(table).to_pylist()
    assert [row["example_id"] for row in read] == [0, 1, 0, 1]
    assert read[2]["info"]["rescored"] == 0.5
    for row, other in zip(read, rows, strict=True):
        assert bare(row) == bare(other)


def bare(value: Any) -> Any:
    """Without the keys that hold nothing: Parquet has every column in every row."""
    if isinstance(value, dict):
        parts = {key: bare(part) for key, part in value.items()}
        return {key: part for key, part in parts.items() if part not in (None, {}, [])}
    return [bare(part) for part in value] if isinstance(value, list) else value


def test_a_failed_export_leaves_no_file(
    run: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HUB_TOKEN")
    file = tmp_path / "rows.jsonl"
    _, err = stderr_of(capsys, "rollouts", "export", str(run.pk), "-o", str(file), code=1)
    assert "not" in err
    assert list(tmp_path.glob("*rows*")) == []
