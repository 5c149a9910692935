"""Which interpreter a venv is built with, and what a run in it then sees."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from envyard_runner.config import Config, ConfigError, default_pythons
from envyard_runner.sandbox import SandboxError, interpreter
from envyard_runner.venvs import VenvError, pythons
from tests.worker.venvs.conftest import VenvSetup

ANSWERS = """#!/bin/sh
printf '%s\\n' /usr {minor} cpython-{tag}-x86_64-linux-gnu-2.36 {release}
"""
NAMED = os.environ.get("ENVYARD_TEST_PYTHONS", "")


def python(folder: Path, release: str) -> Path:
    """A program that answers as that interpreter does, and can do nothing else."""
    path = folder / f"python-{release}"
    minor = release.rpartition(".")[0]
    path.write_text(ANSWERS.format(minor=minor, tag=minor.replace(".", ""), release=release))
    path.chmod(0o755)
    return path


@pytest.fixture
def offering(venv_setup: VenvSetup) -> Config:
    """A runner with three Pythons, in no order."""
    paths = [python(venv_setup.wheels, release) for release in ("3.12.4", "3.11.2", "3.14.0")]
    return replace(venv_setup.config, python=paths[0], pythons=tuple(paths))


@pytest.mark.parametrize(
    ("wanted", "release"),
    [
        (("", ""), "3.14.0"),
        ((">=3.11", "<3.14,>=3.11"), "3.12.4"),
        (("<3.12", ""), "3.11.2"),
        (("==3.12.*", ">=3.11"), "3.12.4"),
        (("!=3.14.*,>=3.12.1", ""), "3.12.4"),
    ],
)
def test_the_newest_python_that_wheel_and_framework_admit_is_chosen(
    offering: Config, wanted: tuple[str, str], release: str
) -> None:
    assert pythons.newest_admitted(offering, wanted).release == release


@pytest.mark.parametrize("wanted", ["==3.13.*", ">=3.12.9,<3.13", "<3.11", ">=3.11,<3.11"])
def test_a_wheel_that_no_python_here_fits_is_the_platforms_fault_and_names_them(
    offering: Config, wanted: str
) -> None:
    with pytest.raises(VenvError) as caught:
        pythons.newest_admitted(offering, (wanted, ""))
    assert (caught.value.finding.code, caught.value.fault) == ("run.no_python", "platform")
    assert f"Requires-Python is {wanted}" in caught.value.finding.message
    assert "3.14.0, 3.12.4, 3.11.2" in caught.value.finding.message


def test_an_interpreter_that_cannot_be_used_is_left_out(offering: Config, tmp_path: Path) -> None:
    broken = tmp_path / "python3.99"
    config = replace(offering, pythons=(broken, *offering.pythons))
    assert [base.version for base in interpreter.available(config)] == ["3.14", "3.12", "3.11"]
    with pytest.raises(SandboxError, match=r"python3\.99"):
        interpreter.available(replace(offering, pythons=(broken,)))


def test_the_setting_names_interpreters_and_takes_the_place_of_those_found(tmp_path: Path) -> None:
    first, second = python(tmp_path, "3.12.4"), python(tmp_path, "3.13.5")
    config = Config.from_environment({"RUNNER_PYTHONS": f"{first}, {second}"})
    assert (config.python, config.pythons) == (first, (first, second))
    assert Config.from_environment({"RUNNER_PYTHON": str(first)}).pythons == (first,)
    assert Config.from_environment({}).pythons == tuple(default_pythons())
    for environ in (
        {"RUNNER_PYTHONS": f"{first},/nowhere/python"},
        {"RUNNER_PYTHONS": " , "},
        {"RUNNER_PYTHONS": str(first), "RUNNER_PYTHON": str(second)},
    ):
        with pytest.raises(ConfigError, match="RUNNER_PYTHONS"):
            Config.from_environment(environ)


@pytest.mark.skipif(
    not NAMED and len(default_pythons()) < 2,
    reason="takes a second Python: ENVYARD_TEST_PYTHONS names two or more, with commas",
)
def test_a_venv_of_each_real_python_is_built_and_imported_in_its_sandbox(
    venv_setup: VenvSetup,
) -> None:
    paths = tuple(Path(path) for path in NAMED.split(",")) if NAMED else tuple(default_pythons())
    venv_setup.add_to_index("dep", files={"dep/__init__.py": "import sys\nVERSION = sys.version\n"})
    config = replace(venv_setup.config, python=paths[0], pythons=paths)
    offered = interpreter.available(config)
    assert len(offered) > 1
    for base in offered:
        setup = replace(venv_setup, config=config)
        venv = setup.build(requires=["dep"], **{"Requires-Python": f"=={base.version}.*"})
        assert venv.python == base.python
        version_text = asyncio.run(
            _version_inside(replace(config, python=base.python), venv.dependencies)
        )
        assert version_text.startswith(f"{base.release} ")


async def _version_inside(config: Config, site: Path) -> str:
    """The Python version that `dep` of that venv prints when it is imported in a sandbox."""
    from envyard_runner.sandbox import Sandbox
    from envyard_runner.sandbox.spawn import CHANNEL_FD

    line = "dep.VERSION.encode() + bytes([10])"
    code = f"import dep, os; os.write({CHANNEL_FD}, {line})"
    async with Sandbox.prepare(config=config, venv=site, files={}, limits=config.limits) as sandbox:
        (await sandbox.start(["python", "-c", code])).close()
        lines = [line async for line in sandbox.lines()]
        await sandbox.wait()
    return b"".join(lines).decode()
