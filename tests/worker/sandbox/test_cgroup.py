"""Cgroup v2 is used only where memory and pids can be handed down, else the watchdog holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from envyard_runner.limits import Limits
from envyard_runner.sandbox import cgroup

LIMITS = Limits(memory_bytes=1 << 28, pids=40)


@pytest.fixture
def delegated(tmp_path: Path) -> Path:
    """What a delegated folder looks like to one who reads and writes its files."""
    (tmp_path / "cgroup.subtree_control").write_text("cpu memory pids\n", encoding="ascii")
    return tmp_path


def test_a_folder_with_both_controllers_is_used(delegated: Path) -> None:
    assert cgroup.find(delegated) == delegated


def test_a_missing_controller_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "cgroup.subtree_control").write_text("cpu\n", encoding="ascii")
    assert cgroup.find(tmp_path) == tmp_path
    assert (tmp_path / "cgroup.subtree_control").read_text() == "+memory +pids"


@pytest.mark.parametrize("folder", ["/nowhere", "/proc", "/"])
def test_a_folder_that_is_no_cgroup_is_not_used(folder: str) -> None:
    assert cgroup.find(Path(folder)) is None


def test_a_group_gets_its_limits_before_its_processes(delegated: Path) -> None:
    group = cgroup.Group.create(delegated, "run1", LIMITS)
    group.add([11, 12])
    files = {file.name: file.read_text() for file in group.path.iterdir()}
    assert files == {
        "memory.max": str(1 << 28),
        "memory.oom.group": "1",
        "pids.max": "42",
        "cgroup.procs": "12",
    }


@pytest.mark.parametrize(
    ("events", "whose"),
    [
        ("low 0\nmax 9\noom 0\noom_kill 0\n", None),
        ("low 0\nmax 9\noom 2\noom_kill 3\n", "memory"),
        ("low 0\nmax 0\noom 0\noom_kill 1\n", "machine_memory"),
    ],
)
def test_a_kill_for_the_runs_own_limit_is_told_from_one_by_a_machine_that_is_short(
    delegated: Path, events: str, whose: str | None
) -> None:
    group = cgroup.Group.create(delegated, "run1", LIMITS)
    (group.path / "memory.events").write_text(events)
    (group.path / "memory.peak").write_text("12345\n")
    assert group.out_of_memory() == whose
    assert group.peak_bytes() == 12345
