"""Wheels that real build back-ends write pass every check, as do odd ones with real installers."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from envyard.contract import checks, wheel
from envyard.contract.detect import detect
from tests.corpus import GOOD
from tests.corpus.case import Case
from tests.wheels import TASKSET

EXAMPLES = Path(__file__).parents[2] / "examples"
BUILD = (
    "import sys, importlib; b = importlib.import_module(sys.argv[1]); b.build_wheel(sys.argv[2])"
)
PROJECT = """
[build-system]
requires = []
build-backend = "{backend}"

[project]
name = "demo-env"
version = "0.1.0"
description = "Say the word that is asked for."
readme = "README.md"
requires-python = ">=3.11"
license = "Apache-2.0"
license-files = ["LICENSE"]
keywords = ["single-turn"]
authors = [{{ name = "Åsa Öberg", email = "asa@example.com" }}]
dependencies = ["verifiers>=0.4,<0.5"]

[project.optional-dependencies]
fast = ["numpy>=1.20"]

[project.scripts]
demo-env = "demo_env:main"

[project.urls]
Docs = "https://example.com/docs"
{more}
"""
BACKENDS = {
    "hatchling.build": "",
    "setuptools.build_meta": '[tool.setuptools]\npackages = ["demo_env"]\n'
    '[tool.setuptools.package-data]\ndemo_env = ["*.txt"]\n',
    "flit_core.buildapi": "",
    "poetry.core.masonry.api": "",
    "pdm.backend": "",
    "uv_build": '[tool.uv.build-backend]\nmodule-root = ""\n',
}


def built(source: Path, backend: str, folder: Path) -> Path:
    """The wheel that a back-end makes of a source folder, without a look at the network."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BUILD, backend, str(folder)],
        cwd=source,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )
    assert done.returncode == 0, done.stderr
    [path] = folder.glob("*.whl")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_wheel_of_each_build_backend_has_no_finding(backend: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "demo_env").mkdir(parents=True)
    (source / "demo_env/__init__.py").write_text(TASKSET)
    (source / "demo_env/größe.txt").write_text("data")
    (source / "README.md").write_text("# Say the word\n")
    (source / "LICENSE").write_text("Apache License\n")
    project = PROJECT.format(backend=backend, more=BACKENDS[backend])
    (source / "pyproject.toml").write_text(project)
    path = built(source, backend, tmp_path)
    assert checks.run_all(path) == []
    parsed = wheel.read(path)
    assert {"demo_env/__init__.py", "demo_env/größe.txt"} <= {
        member.name for member in parsed.files
    }
    assert any(line.startswith("verifiers") for line in parsed.metadata.requires_dist)
    assert detect(wheel.sources(path)).entry == "WordTaskset"


@pytest.mark.parametrize("example", sorted(path.name for path in EXAMPLES.iterdir()))
def test_an_example_built_by_hatchling_has_no_finding(example: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(
        EXAMPLES / example, source, ignore=shutil.ignore_patterns("dist", "__pycache__")
    )
    path = built(source, "hatchling.build", tmp_path)
    assert checks.run_all(path) == []
    assert wheel.read(path).name == example
    assert detect(wheel.sources(path)).module == example.replace("-", "_")


@pytest.mark.slow
@pytest.mark.parametrize("case", GOOD, ids=str)
def test_uv_installs_an_odd_wheel_as_we_read_it(case: Case, tmp_path: Path) -> None:
    path, target = tmp_path / case.filename, tmp_path / "target"
    path.write_bytes(case.build())
    done = subprocess.run(
        [shutil.which("uv", path=Path(sys.executable).parent) or "uv", "pip", "install", "--quiet",
         "--offline", "--no-config", "--no-deps", "--no-cache", "--python", sys.executable,
         "--target", str(target), str(path)],
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for member in wheel.read(path).files:
        if not member.name.endswith(".dist-info/RECORD"):  # which installers extend
            assert hashlib.sha256((target / member.name).read_bytes()).hexdigest() == member.sha256
