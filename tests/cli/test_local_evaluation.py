"""`hub eval --local` where something is missing or wrong, with neither a hub nor a sandbox."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from envyard.__main__ import main
from envyard.contract.suite import USUAL_SIZES, SuiteDefinition
from envyard.local_evaluation import LocalEvaluation, Subject

LOCAL = ["eval", "--local", "alice/demo", "-m", "tiny"]
SERVER = ["-b", "http://127.0.0.1:9/v1"]


@pytest.mark.parametrize("missing", ["hub-runner", "bubblewrap"])
def test_a_machine_without_a_sandbox_is_told_what_to_install(
    tmp_path: Path,
    missing: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A copy of this Python without hub-runner beside it acts as a machine that lacks it."""
    if missing == "bubblewrap":
        program = tmp_path / "hub-runner"
        program.write_text("")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([*LOCAL, *SERVER, "--json"]) == 1
    error = json.loads(capsys.readouterr().err)["error"]
    assert error["code"] == "cli.no_sandbox"
    assert error["message"].startswith("hub eval --local needs")
    assert missing in error["message"]
    assert "/runner/" in error["hint"] or "apt install bubblewrap" in error["hint"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (LOCAL, "--base-url '' must start with http:// or https://"),
        ([*LOCAL, *SERVER, "--key-env", "NO_SUCH"], "the environment variable NO_SUCH is not set"),
        ([*LOCAL, *SERVER, "--judge-url", "http://x"], "needs both --judge-url and --judge-model"),
        (["eval", "alice/demo", "-m", "tiny", *SERVER], "--base-url is about an evaluation on"),
        (["eval", "alice/demo", "-m", "tiny", "--host", "x.org"], "--host is about an evaluation"),
    ],
)
def test_an_option_that_cannot_be_used_is_named(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def rollout(task: int, attempt: int, reward: float | None) -> dict[str, object]:
    return {
        "policy": "model",
        "task": task,
        "attempt": attempt,
        "ok": reward is not None,
        "reward": reward,
    }


def test_rollouts_that_do_not_count_have_no_reward_in_mean_and_samples() -> None:
    rows = [rollout(0, 1, 1.0), rollout(0, 2, 0.0), rollout(1, 1, 1.0), rollout(1, 2, None)]
    document = {
        "outcome": "succeeded",
        "findings": [],
        "facts": {"not_counted": {"model/1/1": "run.no_model_call"}},
        "rollouts": rows[::-1],
    }
    suite = SuiteDefinition(*USUAL_SIZES["smoke"])
    result = LocalEvaluation(Subject("a/b", "1", "0" * 64), "tiny", "smoke", suite, document)
    assert result.score is not None
    assert (result.score.mean, result.score.n, result.score.failed) == (0.5, 2, 1)
    assert [sample["reward"] for sample in result.samples()] == [1.0, 0.0, None, None]
