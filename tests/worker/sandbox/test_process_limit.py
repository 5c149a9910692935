"""Refusals of processes by cgroup limits around the runner are counted in every layout."""

from __future__ import annotations

from pathlib import Path

import pytest

from envyard_runner.sandbox import process_limit


def cgroup(folder: Path, limit: str, **counts: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pids.max").write_text(f"{limit}\n")
    for name, count in counts.items():
        (folder / name.replace("_", ".")).write_text(f"max {count}\n")


def refused(tmp_path: Path, lines: str) -> int:
    (tmp_path / "cgroup").write_text(lines)
    return process_limit.refused_processes(tmp_path, tmp_path / "cgroup")


def test_limits_of_the_own_cgroup_and_those_above_are_counted(tmp_path: Path) -> None:
    cgroup(tmp_path / "system" / "runner", "max", pids_events=1)
    cgroup(tmp_path / "system", "100", pids_events=9, pids_events_local=2)
    cgroup(tmp_path, "max", pids_events=50)  # of others on this machine
    assert refused(tmp_path, "0::/system/runner\n") == 3


def test_limits_of_a_first_version_hierarchy_are_counted(tmp_path: Path) -> None:
    cgroup(tmp_path / "pids" / "box", "40", pids_events=4)
    assert refused(tmp_path, "9:name=systemd:/\n8:pids:/box\n0::/\n") == 4


@pytest.mark.parametrize("lines", ["", "0::/gone\n", "8:pids:/gone\n"])
def test_a_machine_that_counts_nothing_has_no_refusals(tmp_path: Path, lines: str) -> None:
    assert refused(tmp_path, lines) == 0


def test_a_file_that_cannot_be_read_has_no_refusals(tmp_path: Path) -> None:
    cgroup(tmp_path / "box", "40")
    (tmp_path / "box" / "pids.events").write_bytes(b"max many\n\xff")
    assert refused(tmp_path, "0::/box\n") == 0
