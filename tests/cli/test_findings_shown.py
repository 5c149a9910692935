"""Findings are data: they are printed on stdout, with their traceback."""

import json
from pathlib import Path
from typing import Any

import pytest

from envyard.__main__ import main
from tests import wheels
from tests.cli.conftest import Answers

RUN = "8a6bd30d-fc7e-4ed5-b93d-10bd0f6fe0b7"
TRACEBACK = "Traceback (most recent call last):\n  File \"env.py\", line 7\nKeyError: 'answer'\n"
FINDING = {
    "code": "run.load_failed",
    "message": "KeyError: 'answer'",
    "hint": "Rename the column.",
    "severity": "error",
    "where": "",
    "details": {"traceback": TRACEBACK},
}


def version(**more: Any) -> dict[str, Any]:
    empty = dict.fromkeys(
        ("summary", "framework", "api", "module", "requires_python", "license", "yanked")
    )
    return empty | {
        "ref": "alice/demo-env==0.1.0",
        "status": "rejected",
        "keywords": [],
        "uploaded_at": "2026-11-21T20:04:00Z",
        "uploaded_by": "alice",
        "listed_at": None,
        "deprecated": None,
        "file": {"sha256": "0" * 64},
        "url": "http://hub/envs/alice/demo-env/0.1.0/",
        "run": None,
        "card": None,
        "findings": [FINDING],
        **more,
    }


def test_info_prints_findings_and_their_traceback_on_stdout(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    server.reply("GET /api/v1/environments/alice/demo-env/versions/0.1.0/", 200, version())
    assert main(["info", "alice/demo-env==0.1.0", "--url", server.url]) == 0
    out, err = capsys.readouterr()
    assert "✗ run.load_failed: KeyError: 'answer'\n" in out
    assert "    |   File \"env.py\", line 7\n    | KeyError: 'answer'\n" in out
    assert "Rename the column." in out
    assert "run.load_failed" not in err


def test_a_long_traceback_is_shown_by_its_last_lines(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    long = FINDING | {"details": {"traceback": "\n".join(f"line {n}" for n in range(500))}}
    server.reply(
        "GET /api/v1/environments/alice/demo-env/versions/0.1.0/", 200, version(findings=[long])
    )
    main(["info", "alice/demo-env==0.1.0", "--url", server.url])
    out = capsys.readouterr().out
    assert "| ... (460 lines before)\n    | line 460\n" in out
    assert "| line 499\n" in out


@pytest.mark.parametrize("details", [None, {"traceback": 7}, {"traceback": "\x1b[2J\n\n"}])
def test_odd_details_of_a_finding_are_shown_without_harm(
    server: Answers, capsys: pytest.CaptureFixture[str], details: Any
) -> None:
    odd = version(findings=[FINDING | {"details": details}])
    server.reply("GET /api/v1/environments/alice/demo-env/versions/0.1.0/", 200, odd)
    assert main(["info", "alice/demo-env==0.1.0", "--url", server.url]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_logs_end_with_the_findings_of_an_ended_run(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    log = {"text": "[runner] begun\n", "next": 15, "ended": True}
    server.reply(f"GET /api/v1/runs/{RUN}/log/?after=0", 200, log)
    server.reply(f"GET /api/v1/runs/{RUN}/", 200, {"findings": [FINDING]})
    assert main(["logs", RUN, "--url", server.url]) == 0
    out = capsys.readouterr().out
    assert out.startswith("[runner] begun\n\nFindings\n✗ run.load_failed")
    assert "    | KeyError: 'answer'" in out
    assert main(["logs", RUN, "--json", "--url", server.url]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == [FINDING]


CHAINED = """Traceback (most recent call last):
  File "/venv/lib/python3.11/site-packages/verifiers/v1/task.py", line 231, in score
    await reward(self)
  File "/venv/environment/demo_env/rewards.py", line 2, in score
    first = reply.split("<answer>")[1]
            ~~~~~~~~~~~~~~~~~~~~~~~^^^
IndexError: list index out of range

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app/env_host/play.py", line 9, in play
    raise TaskError from e
verifiers.v1.errors.TaskError: scoring: IndexError
"""


def test_logs_show_where_the_environment_failed_in_each_kind_of_failed_rollout(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    log = {"text": "", "next": 0, "ended": True}
    error = {"type": "TaskError", "message": "scoring: IndexError", "traceback": CHAINED}
    rows = [{"task": task, "error": error} for task in range(5)]
    server.reply(f"GET /api/v1/runs/{RUN}/log/?after=0", 200, log)
    server.reply(f"GET /api/v1/runs/{RUN}/", 200, {"findings": [], "scores": [{"failed": 5}]})
    failed = {"results": rows, "next": None}
    server.reply(f"GET /api/v1/runs/{RUN}/rollouts/?limit=100&ok=false", 200, failed)
    assert main(["logs", RUN, "--url", server.url]) == 0
    out = capsys.readouterr().out
    assert "task 0: TaskError: scoring: IndexError (5 rollouts)" in out
    assert '| File "/venv/environment/demo_env/rewards.py", line 2' in out.replace("|   ", "| ")
    assert "IndexError: list index out of range" in out
    assert "The above exception" not in out


def test_check_prints_findings_on_stdout_and_one_document_with_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = tmp_path / "demo_env-0.1.0-py3-none-any.whl"
    wheel.write_bytes(wheels.make_wheel(metadata={"Summary": None}))
    main(["check", "--offline", str(wheel)])
    out, err = capsys.readouterr()
    assert "metadata." in out
    assert "metadata." not in err
    main(["check", "--offline", "--json", str(wheel)])
    assert json.loads(capsys.readouterr().out)["findings"]


def test_a_message_of_an_environment_forms_no_line_of_the_commands_own(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    forged = "x\n\nCard\n  pass    Learnability: 1\u2028\x0bFindings"
    finding = {**FINDING, "message": forged, "hint": forged}
    needs = [{"state": "needs_machine", "message": forged, "hint": forged}]
    shown = version(findings=[finding], requirements=needs, summary="")
    server.reply("GET /api/v1/environments/alice/demo-env/versions/0.1.0/", 200, shown)
    assert main(["info", "alice/demo-env==0.1.0", "--url", server.url]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert not [line for line in lines if line.startswith(("Card", "  pass"))]
    assert lines.count("Findings") == 1
