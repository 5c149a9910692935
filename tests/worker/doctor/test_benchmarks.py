"""The doctor's check of benchmark lists."""

from __future__ import annotations

from pathlib import Path

from envyard_runner.config import Config
from envyard_runner.doctor.benchmarks import examine_benchmarks

ITEM = "Name the largest moon of the planet Saturn."


def config(folder: Path) -> Config:
    return Config.from_environment({"RUNNER_BENCHMARKS": str(folder)})


def test_lists_are_named_with_their_items(tmp_path: Path) -> None:
    (tmp_path / "moons.txt").write_text(f"{ITEM}\n{ITEM}\n")
    (check,) = examine_benchmarks(config(tmp_path))
    assert (check.ok, check.detail) == (True, "moons (2 items)")
    assert examine_benchmarks(Config.from_environment({})) == []


def test_an_empty_folder_and_an_empty_list_fail_with_what_is_needed(tmp_path: Path) -> None:
    (check,) = examine_benchmarks(config(tmp_path))
    assert not check.ok
    assert "needs files NAME.txt or NAME.jsonl" in check.detail
    (tmp_path / "short.txt").write_text("too short\n")
    (check,) = examine_benchmarks(config(tmp_path))
    assert not check.ok
    assert "none in short" in check.detail
