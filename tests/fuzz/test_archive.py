"""The archive fuzzer, for a short time: any input is refused or read, without an exception."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECONDS = 15


@pytest.mark.fuzz
@pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="atheris has no wheel for this machine"
)
def test_the_archive_fuzzer_finds_no_fault(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.archive", f"-max_total_time={SECONDS}",
         f"-artifact_prefix={tmp_path}/", "-print_final_stats=1"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    tried = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    assert tried is not None
    assert int(tried[1]) > 500
