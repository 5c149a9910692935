"""The parts of the tests run beside each other, and the closing lines name their results."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = """
import pytest
def test_one(): pass
def test_two(): pytest.skip("no moon tonight")
"""


@pytest.fixture
def make(tmp_path: Path) -> Path:
    """A Makefile of parts: `good` is a pytest, `fine` passes, `bad` fails, `slow` sleeps,
    `nap` ends after half a second, and `check` passes only after `nap`."""
    (tmp_path / "test_it.py").write_text(TESTS)
    pytest_ = f"{sys.executable} -m pytest -c /dev/null -q -p tests.plugin {tmp_path}"
    (tmp_path / "Makefile").write_text(
        f"good:\n\t@cd {ROOT} && {pytest_}\n"
        "fine:\n\t@true\n"
        "bad:\n\t@echo broken here; exit 3\n"
        "nap:\n\t@sleep 0.5; touch rested\n"
        "check:\n\t@test -e rested\n"
        "slow:\n\t@echo $$$$ > pid; exec sleep 60\n"
    )
    return tmp_path


def suite(folder: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, ROOT / "tools" / "suite.py", *words]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)


def test_a_failed_part_fails_the_whole_but_stops_no_other(make: Path) -> None:
    ended = suite(make, "2", "bad", "good")
    output, _ = ended.communicate()
    assert ended.returncode == 1
    assert "broken here" in output
    assert "skipped 1: no moon tonight" in output
    assert "failed parts: bad\n" in output
    assert "======== 1 passed, 1 skipped in " in output.splitlines()[-1]


def test_parts_that_pass_make_it_pass(make: Path) -> None:
    ended = suite(make, "1", "fine")
    assert "failed" not in ended.communicate()[0]
    assert ended.returncode == 0


def test_group_after_then_starts_when_all_parts_before_it_ended(make: Path) -> None:
    ended = suite(make, "2", "nap", "fine", "then", "1", "check")
    output, _ = ended.communicate()
    assert ended.returncode == 0, output
    assert output.index("######## nap") < output.index("######## check")
    assert "processors were busy for " in output


def test_a_suite_that_is_ended_ends_its_parts(make: Path) -> None:
    running = suite(make, "1", "slow")
    while not (pid := make / "pid").exists() or not pid.read_text():
        assert running.poll() is None
        time.sleep(0.05)
    running.send_signal(signal.SIGTERM)
    running.communicate(timeout=30)
    assert running.returncode not in (0, None)
    left = Path("/proc", pid.read_text().strip())
    until = time.monotonic() + 10
    while left.exists():  # its new parent must still reap it
        assert time.monotonic() < until
        time.sleep(0.05)
