"""The tests that the examples bring along, run as their authors run them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.hub import ROOT, clean_environ
from tests.worker.guest.adapters.conftest import site

pytestmark = [pytest.mark.flow, pytest.mark.adapter, pytest.mark.timeout(600)]

FOLDERS = sorted(path.parent for path in (ROOT / "examples").glob("*/pyproject.toml"))
PROGRAM = Path(__file__).with_name("example_tests.py")


@pytest.fixture(scope="module")
def results() -> dict[str, tuple[int, str]]:
    """Exit code and output of pytest by the example's folder."""
    done = subprocess.run(
        [sys.executable, PROGRAM, *FOLDERS],
        env=clean_environ() | {"PYTHONPATH": str(site("v1"))},
        stdout=subprocess.PIPE,
        text=True,
        timeout=580,
        check=True,
    )
    results: dict[str, tuple[int, str]] = json.loads(done.stdout)
    return results


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_example_passes_its_own_tests(folder: Path, results: dict[str, tuple[int, str]]) -> None:
    code, output = results[str(folder)]
    assert code == 0, output
    assert " passed" in output
