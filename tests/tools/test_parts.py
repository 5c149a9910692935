"""The parts of `make test`: every file of tests belongs to one, and to another on SQLite."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(ROOT.glob("tests/**/test_*.py"))


@dataclass
class Part:
    """The paths of one pytest command, those that it ignores, and its other words."""

    paths: list[Path] = field(default_factory=list)
    ignored: list[Path] = field(default_factory=list)
    options: list[str] = field(default_factory=list)

    def has(self, file: Path) -> bool:
        """Whether pytest collects this file."""

        def below(folders: list[Path]) -> bool:
            return any(file.is_relative_to(folder) for folder in folders)

        ignored = [path for path in self.ignored if path not in self.paths]  # as pytest does
        return below(self.paths or [ROOT / "tests"]) and not below(ignored)


def part_of(command: str) -> Part:
    """The part of a line such as `python -m pytest --ignore=tests/flows tests`."""
    part = Part()
    for word in shlex.split(command.partition("-m pytest")[2]):
        path = ROOT / word.removeprefix("--ignore=")
        if word.startswith("--ignore="):
            part.ignored.append(path)
        elif word.startswith("tests/"):
            part.paths.append(path)
        else:
            part.options.append(word)
    return part


@pytest.fixture(scope="module")
def parts() -> list[Part]:
    """All parts that `CI=true make test` starts, and the one that `make test-extended` adds."""
    make = ["make", "--no-print-directory", "--dry-run"]
    (suite,) = (
        line for line in _output([*make, "CI=true", "T=", "test"]) if "tools/suite.py" in line
    )
    names = [word for word in suite.partition("suite.py")[2].split() if word.startswith("test-")]
    slow = {"test-few-faults": ["few-faults-redis", "few-faults-rabbitmq", "few-faults-apart"]}
    targets = [target for name in names for target in slow.get(name, [name])] + ["test-sqlite-api"]
    return [part_of(line) for line in _output([*make, *targets]) if "-m pytest" in line]


def _output(command: list[str]) -> list[str]:
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def names_outside_one_part(parts: list[Part], chosen: Callable[[Path], bool]) -> list[str]:
    return [
        str(file.relative_to(ROOT))
        for file in FILES
        if chosen(file) and sum(part.has(file) for part in parts) != 1
    ]


def test_every_path_of_a_part_exists(parts: list[Part]) -> None:
    paths = {path for part in parts for path in part.paths}
    assert [str(path.relative_to(ROOT)) for path in sorted(paths) if not path.exists()] == []


def test_every_test_file_is_in_one_part(parts: list[Part]) -> None:
    matrix = ROOT / "tests/faults/test_matrix.py"  # one part for each broker
    first = [part for part in parts if "only" not in part.options]
    assert names_outside_one_part(first, lambda file: file != matrix) == []


def test_every_test_file_of_the_database_is_in_one_part_on_sqlite(parts: list[Part]) -> None:
    folders = [ROOT / "tests" / name for name in ("registry", "frontend", "hub")]
    sqlite = [part for part in parts if "only" in part.options]
    names = names_outside_one_part(sqlite, lambda file: any(f in file.parents for f in folders))
    assert names == []
