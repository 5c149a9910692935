"""The tests that the examples bring along, run as their authors run them."""

import os
import subprocess
import sys

import pytest

from tests.flows.hub import ROOT, clean_environ
from tests.worker.guest.adapters.conftest import site

pytestmark = [pytest.mark.flow, pytest.mark.adapter, pytest.mark.timeout(300)]

EXAMPLES = sorted(path.parent.name for path in (ROOT / "examples").glob("*/pyproject.toml"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_passes_its_own_tests(name: str) -> None:
    folder = ROOT / "examples" / name
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider", "tests"],
        env=clean_environ() | {"PYTHONPATH": f"{site('v1')}{os.pathsep}{folder}"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
