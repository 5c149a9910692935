"""Kept venvs that a crash of the machine or a bad disk has damaged: found, removed, built again."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from envyard_runner.venvs import Venv, cache
from envyard_runner.venvs.damage import discard_damaged
from tests.worker.venvs.conftest import VenvSetup

pytestmark = pytest.mark.sandbox


def build(venv_setup: VenvSetup) -> Venv:
    return venv_setup.build(requires=["dep"], files={"demo_env/__init__.py": "WORD = 'built'\n"})


def truncate(path: Path) -> None:
    """What ext4 leaves of a file whose blocks were not written before power was lost."""
    with path.open("r+b") as file:
        file.truncate(0)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"packages": "two"}'])
def test_a_kept_venv_with_unreadable_facts_is_built_again(
    venv_setup: VenvSetup, content: str
) -> None:
    venv_setup.add_to_index("dep")
    venv = build(venv_setup)
    for folder in (venv.dependencies, venv.environment):
        (folder.parent / cache.FACTS).write_text(content, encoding="ascii")
        (folder / "left.txt").touch()
    again = build(venv_setup)
    assert again.seconds > 0
    assert not (again.dependencies / "left.txt").exists()
    assert not (again.environment / "left.txt").exists()
    assert venv_setup.run_code(again, "import dep; print(dep.VERSION)").strip() == "1.0"


@pytest.mark.parametrize(
    ("folder", "member"),
    [
        ("dependencies", "dep/__init__.py"),
        ("environment", "demo_env/__init__.py"),
        ("dependencies", "dep/__pycache__"),
    ],
)
def test_a_damaged_file_is_named_and_its_venv_built_again(
    venv_setup: VenvSetup, folder: str, member: str
) -> None:
    venv_setup.add_to_index("dep")
    venv = build(venv_setup)
    assert discard_damaged(venv_setup.config, venv) == ""
    path: Path = getattr(venv, folder) / member
    truncate(next(path.iterdir()) if path.is_dir() else path)
    assert member in discard_damaged(venv_setup.config, venv)
    again = build(venv_setup)
    assert again.seconds > 0
    assert discard_damaged(venv_setup.config, again) == ""
    assert venv_setup.run_code(again, "import dep; print(dep.VERSION)").strip() == "1.0"


def test_a_missing_and_an_added_file_are_damage(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("dep")
    venv = build(venv_setup)
    (venv.environment / "demo_env" / "__init__.py").unlink()
    assert "demo_env/__init__.py is missing" in discard_damaged(venv_setup.config, venv)
    venv = build(venv_setup)
    (venv.environment / "extra.py").touch()
    assert "extra.py was not installed" in discard_damaged(venv_setup.config, venv)


def test_a_venv_without_a_readable_list_of_files_counts_as_damaged(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("dep")
    venv = build(venv_setup)
    truncate(venv.environment.parent / cache.HASHES)
    assert "list of its files" in discard_damaged(venv_setup.config, venv)
    assert discard_damaged(venv_setup.config, build(venv_setup)) == ""


def test_a_machine_without_descriptors_damages_no_venv(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("dep")
    venv = build(venv_setup)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (4, before[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            discard_damaged(venv_setup.config, venv)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert discard_damaged(venv_setup.config, venv) == ""


def test_a_venv_that_another_run_found_damaged_is_damaged_for_the_runs_that_use_it(
    venv_setup: VenvSetup,
) -> None:
    venv_setup.add_to_index("dep")
    venv = build(venv_setup)
    held = os.open(venv.dependencies, os.O_RDONLY | os.O_DIRECTORY)  # as its sandbox does
    try:
        truncate(venv.dependencies / "dep" / "__init__.py")
        assert discard_damaged(venv_setup.config, venv)
        assert "was removed" in discard_damaged(venv_setup.config, venv)
        assert "dep" in os.listdir(held)  # noqa: PTH208  (a descriptor; nothing is taken from a run)
    finally:
        os.close(held)
