"""Wheels that real build backends write pass every check."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from envyard.contract import checks, wheel
from envyard.contract.detect import detect

EXAMPLES = Path(__file__).parents[2] / "examples"
BUILD = "import hatchling.build, sys; print(hatchling.build.build_wheel(sys.argv[1]))"


@pytest.mark.parametrize("example", sorted(path.name for path in EXAMPLES.iterdir()))
def test_an_example_built_by_hatchling_has_no_finding(example: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(
        EXAMPLES / example, source, ignore=shutil.ignore_patterns("dist", "__pycache__")
    )
    made = subprocess.run(
        [sys.executable, "-c", BUILD, str(tmp_path)],
        cwd=source,
        check=True,
        capture_output=True,
        text=True,
    )
    path = tmp_path / made.stdout.split()[-1]
    assert checks.run_all(path) == []
    assert wheel.read(path).name == example
    assert detect(wheel.sources(path)).module == example.replace("-", "_")
