"""The loop of each template: init, check, push, listed; the tutorial goes on to its rollouts."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.hub import BIN, Hub, clean_environ

pytestmark = [pytest.mark.flow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the author works."""
    return tmp_path_factory.mktemp("author")


@pytest.fixture(scope="module")
def venv(folder: Path) -> Path:
    """The trainer's virtual environment."""
    subprocess.run(
        [BIN / "uv", "venv", "-q", "--python", sys.executable, folder / "venv"], check=True
    )
    return folder / "venv"


def python(venv: Path, *arguments: str | Path, cwd: Path, **environ: str) -> str:
    """The output of the trainer's Python."""
    done = subprocess.run(
        [venv / "bin" / "python", *map(str, arguments)],
        env=clean_environ() | environ,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_new_environment_is_listed_with_a_card_and_can_be_locked(hub: Hub, folder: Path) -> None:
    hub.run("init", "my-env", "--author", "Alice", cwd=folder)
    checked = hub.run("check", "my-env", "--json", cwd=folder)
    assert json.loads(checked.stdout)["ok"] is True

    pushed = hub.run("push", "my-env", cwd=folder)
    for word in ("Uploading", "evaluating", "is listed", "Listed: http://"):
        assert word in pushed.stderr

    info = json.loads(hub.run("info", "alice/my-env", "--json").stdout)
    measures = {m["code"]: m["status"] for m in info["card"]["measures"]}
    assert measures["floor"] == measures["ceiling"] == measures["reproducible_tasks"] == "pass"
    scores = {s["policy"]: s["mean"] for s in info["run"]["scores"]}
    assert scores["oracle"] > 0.9 > 0.3 > scores["silent"]

    again = hub.run("push", "my-env", cwd=folder)
    assert "Listed" in again.stderr

    locked = hub.run("lock", "alice/my-env", by="").stdout
    assert "\nmy-env @ http://" in locked
    assert "\nverifiers==0.4." in locked


@pytest.mark.parametrize(
    "template", ["multi-turn", pytest.param("tool-use", marks=pytest.mark.extended)]
)
def test_the_other_templates_are_listed_unchanged(hub: Hub, folder: Path, template: str) -> None:
    hub.run("init", f"my-{template}", "--template", template, cwd=folder)
    hub.run("push", f"my-{template}", cwd=folder)


@pytest.mark.extended
def test_what_every_template_writes_passes_its_own_tests(
    hub: Hub, folder: Path, venv: Path
) -> None:
    for template in ("single-turn", "multi-turn", "tool-use"):
        hub.run("init", f"own-{template}", "--template", template, cwd=folder)
    install = [BIN / "uv", "pip", "install", "-q", "--python", venv / "bin" / "python", "pytest"]
    subprocess.run(
        [*install, *(f"./own-{t}" for t in ("single-turn", "multi-turn", "tool-use"))],
        cwd=folder,
        check=True,
    )
    for template in ("single-turn", "multi-turn", "tool-use"):
        python(venv, "-m", "pytest", "-q", cwd=folder / f"own-{template}")


def test_a_private_environment_is_its_peoples_alone(hub: Hub, folder: Path, venv: Path) -> None:
    hub.run("init", "secret-env", cwd=folder)
    hub.run("push", "secret-env", "--private", "--owner", "lab", cwd=folder)
    assert hub.run("info", "lab/secret-env", by="bob").stdout.startswith("lab/secret-env==0.1.0")
    hub.run("info", "lab/secret-env", by="carol", expect=1)
    hub.run("install", "lab/secret-env", by="carol", expect=1, VIRTUAL_ENV=str(venv))
    hub.run("install", "lab/secret-env", by="bob", VIRTUAL_ENV=str(venv))
    python(venv, "-c", "import secret_env", cwd=folder)
