"""The loop: init, check, push, listed, install, rollouts of what was installed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.hub import BIN, ROOT, Hub, clean_environ, free_port

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


def test_a_new_environment_goes_from_init_to_rollouts(hub: Hub, folder: Path, venv: Path) -> None:
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

    hub.run("install", "alice/my-env==0.1.0", by="", VIRTUAL_ENV=str(venv))
    assert python(venv, "-c", "import my_env; print(my_env.__all__)", cwd=folder)
    rollouts(venv, folder)

    hub.run("uninstall", "alice/my-env", by="", VIRTUAL_ENV=str(venv))
    done = subprocess.run([venv / "bin" / "python", "-c", "import my_env"], cwd=folder, check=False)
    assert done.returncode == 1


def rollouts(venv: Path, folder: Path) -> None:
    """Let stock verifiers load the installed environment and ask an OpenAI-compatible server."""
    port = free_port()
    stub = subprocess.Popen([sys.executable, "-m", "tests.worker.stub_model", str(port)], cwd=ROOT)
    # The stock harness starts its program with uv, and fetches one where PATH has none.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    roll = Path(__file__).with_name("roll.py")
    try:
        said = python(venv, roll, "my-env", str(port), cwd=folder, PATH=path)
    finally:
        stub.terminate()
        stub.wait()
    episodes = json.loads(said.splitlines()[-1])
    assert len(episodes) == 2
    for episode in episodes:
        assert episode["ok"], episode
        assert episode["roles"][-1] == "assistant"
        assert episode["reward"] is not None


@pytest.mark.parametrize("template", ["multi-turn", "tool-use"])
def test_the_other_templates_are_listed_unchanged(hub: Hub, folder: Path, template: str) -> None:
    hub.run("init", f"my-{template}", "--template", template, cwd=folder)
    hub.run("push", f"my-{template}", cwd=folder)


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
