"""Check the lists of benchmarks that tasks are compared with."""

from __future__ import annotations

from envyard_runner.config import Config
from envyard_runner.doctor.check import Check
from envyard_runner.survey.benchmarks import ENDINGS, SHORTEST, read_lists


def examine_benchmarks(config: Config) -> list[Check]:
    """Whether each list can be read and has items; no check where RUNNER_BENCHMARKS is not set."""
    if config.benchmarks is None:
        return []
    try:
        lists = read_lists(config.benchmarks)
    except OSError as error:
        return [Check("benchmarks", False, f"a list cannot be read: {error}")]
    empty = [each.name for each in lists if not each.items]
    if not lists or empty:
        named = f"; none in {', '.join(empty)}" if empty else ""
        detail = (
            f"{config.benchmarks} needs files {' or '.join(f'NAME{end}' for end in ENDINGS)} with "
            f"one item of at least {SHORTEST} words in a line{named}"
        )
        return [Check("benchmarks", False, detail)]
    counted = ", ".join(f"{each.name} ({each.items} items)" for each in lists)
    return [Check("benchmarks", True, counted)]
