"""The programs that the tab Train shows, run as they are shown, on wheels of environments.

`make test-trainers` installs TRL first. Where that failed these tests are skipped, or fail under
CI.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from uv import find_uv_bin

from envyard.contract.frameworks.adapter import MODEL, Training
from envyard.contract.frameworks.adapters import ADAPTERS
from frontend.pages.environment_train import install_line
from tests.flows.hub import ROOT, clean_environ
from tests.installed import folder
from tests.wheels import write_wheel
from tools.trainers.install import REQUIREMENTS, TRAINERS
from tools.vllm.example_chats import module_of

pytestmark = [pytest.mark.trainers, pytest.mark.timeout(900)]

HERE = Path(__file__).parent
STEPS, REPLIES = 2, 4  # of the programs


@dataclass(frozen=True, slots=True)
class Trained:
    """What the trainer logged of each step, what given replies to the first prompt were paid, and
    what the environment noted of each reply that it scored."""

    steps: list[dict[str, Any]]
    paid: list[float]
    prompt: list[dict[str, str]]
    noted: list[float]


def training_of(api: str, module: str) -> Training:
    """What the page shows for that module."""
    training = ADAPTERS["verifiers", api].usage(module).training
    assert training is not None
    return training


def environ(api: str) -> dict[str, str]:
    """The variables of a shell where the trainer's virtual environment is active, offline."""
    venv = folder(TRAINERS) / f"venv-{api}"
    path = os.pathsep.join([str(venv / "bin"), str(Path(find_uv_bin()).parent), os.environ["PATH"]])
    return clean_environ() | {
        "PATH": path,
        "VIRTUAL_ENV": str(venv),
        "HF_HUB_OFFLINE": "1",
        "UV_OFFLINE": "1",
        "UV_NO_CONFIG": "1",
    }


def run(words: list[str], home: Path, variables: dict[str, str]) -> str:
    """Its output in that folder."""
    done = subprocess.run(
        words, cwd=home, env=variables, capture_output=True, text=True, timeout=800
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def train(api: str, wheel: Path, home: Path, *replies: str) -> Trained:
    """Install the wheel beside the trainer, run the shown program on the tiny model, and have the
    program score replies."""
    variables = environ(api)
    site = home / "site"
    install = [find_uv_bin(), "pip", "install", "--no-deps", "--target", str(site), str(wheel)]
    run(install, home, variables | {"UV_OFFLINE": "0"})
    module = wheel.name.partition("-")[0].replace("-", "_")
    shown = training_of(api, module).program
    assert shown.count(f'model="{MODEL}"') >= 1
    (home / "shown.py").write_text(shown.replace(MODEL, str(folder(TRAINERS) / "tiny")))
    command = ["python", str(HERE / "train.py"), "shown.py", *replies]
    output = run(command, home, variables | {"PYTHONPATH": str(site)})
    assert (home / "trained" / f"checkpoint-{STEPS}" / "model.safetensors").exists()
    noted = home / "paid"
    lines = noted.read_text().split() if noted.exists() else []
    return Trained(**json.loads(output.splitlines()[-1]), noted=[*map(float, lines)])


def letters(api: str, home: Path) -> Path:
    """The wheel of an environment that pays more or less for any reply."""
    name = f"letters_{api}"
    source = HERE / "environments" / f"{name}.py"
    return write_wheel(home, name, files={f"{name}.py": source.read_text()})


@pytest.mark.parametrize("api", ["v0", "v1"])
def test_the_shown_program_trains_on_the_rewards_of_the_environment(
    api: str, tmp_path: Path
) -> None:
    trained = train(api, letters(api, tmp_path), tmp_path, "aaaa", "ab", "none")
    assert trained.paid == [1.5, 0.75, 0.0]
    assert [message["role"] for message in trained.prompt] == ["system", "user"]
    noted, scored = trained.noted[: STEPS * REPLIES], trained.noted[STEPS * REPLIES :]
    assert sorted(scored) == sorted(trained.paid)
    assert [step["step"] for step in trained.steps] == [1, 2]
    for number, step in enumerate(trained.steps):
        rewards = noted[number * REPLIES : (number + 1) * REPLIES]
        assert step["reward"] == pytest.approx(mean(rewards), rel=1e-3)
        assert len(set(rewards)) > 1
        assert step["grad_norm"] > 0


def test_the_shown_program_trains_on_the_example_of_one_turn(tmp_path: Path) -> None:
    text = next(module_of("reverse-text", "texts").texts(seed=0, split="train"))
    reference = f"<reversed_text>{text[::-1]}</reversed_text>"
    build = [find_uv_bin(), "build", "--wheel", "-o", str(tmp_path)]
    source = ROOT / "examples" / "reverse-text"
    subprocess.run([*build, str(source)], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    trained = train("v1", wheel, tmp_path, reference, text[::-1], "")
    assert trained.prompt[-1]["content"].endswith(text)
    assert trained.paid == [1.0, 0.0, 0.0]
    assert [step["step"] for step in trained.steps] == [1, 2]
    assert all(step["completions/mean_length"] > 0 for step in trained.steps)


@pytest.mark.parametrize("api", ["v0", "v1"])
def test_the_shown_command_installs_the_trainer_beside_a_lock(api: str, tmp_path: Path) -> None:
    wheel = "demo-env @ http://127.0.0.1:9/demo_env-0.1.0-py3-none-any.whl"
    lock = REQUIREMENTS[api].read_text()
    (tmp_path / "env.txt").write_text(f"{wheel} \\\n    --hash=sha256:{'0' * 64}\n{lock}")
    command = install_line(training_of(api, "demo_env"))
    assert command.startswith("uv pip install ")
    run(["sh", "-c", command], tmp_path, environ(api))
