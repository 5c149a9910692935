"""`hub check --run`: the probes in this machine's sandbox."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from envyard.__main__ import main
from tests import layers, wheels


def program(folder: Path, name: str, text: str) -> None:
    file = folder / name
    file.write_text(f"#!{sys.executable}\n{text}")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


@pytest.mark.parametrize("missing", ["hub-runner", "bubblewrap"])
def test_run_names_what_to_install(
    tmp_path: Path,
    missing: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A copy of this Python without hub-runner beside it acts as a machine that lacks it."""
    wheel, bin_ = wheels.write_wheel(tmp_path), tmp_path / "bin"
    bin_.mkdir()
    if missing == "bubblewrap":
        program(bin_, "hub-runner", "")
    monkeypatch.setattr(sys, "executable", str(bin_ / "python"))
    monkeypatch.setenv("PATH", str(bin_))
    assert main(["check", str(wheel), "--offline", "--run", "--json"]) == 1
    error = json.loads(capsys.readouterr().err)["error"]
    assert error["code"] == "cli.no_sandbox"
    assert missing in error["message"]
    assert "/runner/" in error["hint"] or "apt install bubblewrap" in error["hint"]


@pytest.fixture(scope="module")
def runner_home() -> Iterator[Path]:
    """A folder that the sandbox's users can reach, with the framework installed."""
    with TemporaryDirectory(prefix="envyard-check-", dir="/var/tmp") as name:
        Path(name).chmod(0o755)
        layers.link_into(Path(name))
        yield Path(name)


@pytest.mark.flow
@pytest.mark.once
@pytest.mark.parametrize(
    ("paid", "exit_code"), [("float(self.data.answer in trace.last_reply)", 0), ("1 / 0", 3)]
)
def test_run_plays_the_probes_in_the_sandbox_and_shows_their_rewards(
    tmp_path: Path,
    runner_home: Path,
    paid: str,
    exit_code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RUNNER_HOME", str(runner_home))
    text = wheels.TASKSET.replace(
        'float(trace.last_reply.strip() == f"The word is {self.data.answer}.")', paid
    )
    wheel = wheels.write_wheel(tmp_path, files={"demo_env/__init__.py": text})
    code = main(["check", str(wheel), "--offline", "--run", "--json"])
    trial = json.loads(capsys.readouterr().out)["run"]
    rows = {row["policy"]: row for row in trial["probes"]}
    if exit_code == 0:
        assert (rows["oracle"]["mean"], rows["silent"]["mean"]) == (1.0, 0.0)
        assert len(trial["facts"]["tasks"]) == 5
    else:
        assert rows["oracle"]["failed"] == 5
        assert "ZeroDivisionError" in rows["oracle"]["errors"][0]["message"]
        assert "demo_env/__init__.py" in rows["oracle"]["errors"][0]["traceback"]
    assert code == 0  # rewards are judged by the hub's card, which --offline leaves out
