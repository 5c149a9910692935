"""`make figures` with a stub in vLLM's place: the table that docs/gpu.md describes."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_table_has_a_row_for_each_figure(tmp_path: Path) -> None:
    program = tmp_path / "vllm"
    stub = f"{sys.executable} -m tests.worker.model.stub_vllm"
    program.write_text(f'#!/bin/sh\ncd {ROOT}\nexec {stub} "$@"\n')
    program.chmod(0o755)
    environ = {"RUNNER_VLLM": str(program), "STUB_ENGINE": str(tmp_path / "engine")}
    done = subprocess.run(
        [sys.executable, "-m", "tools.figures", "--model", "org/stub", "--tasks", "2"],
        cwd=ROOT,
        env=os.environ | environ,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    rows = dict(line.strip("| ").split(" | ") for line in done.stdout.splitlines()[2:])
    assert rows["rollouts"].startswith("8 in ")
    assert rows["rollouts"].endswith(", 0 failed")
    assert float(rows["tokens written/s"]) > 0
    assert int(rows["calls at once"]) > 0
    assert set(rows) > {"start until ready", "rollouts/s", "tokens read/s"}
