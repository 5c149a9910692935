"""The commands that train two models for the examples and score one, in vLLM's own virtual
environment."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.flows.hub import ROOT
from tests.installed import folder
from tools.vllm.install import VLLM

pytestmark = [pytest.mark.vllm, pytest.mark.timeout(900)]


def run(name: str, *options: str | Path) -> str:
    command = [folder(VLLM) / "venv" / "bin" / "python", ROOT / "tools" / "vllm" / name, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=800, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_weak_and_a_strong_model_are_saved_and_scored(tmp_path: Path) -> None:
    printed = run("trained_models.py", tmp_path, "--steps", "3", "--weak-steps", "1")
    weights = {}
    for name, steps in (("weak", 1), ("strong", 3)):
        config = json.loads((tmp_path / name / "config.json").read_text())
        assert config["architectures"] == ["LlamaForCausalLM"]
        assert "<|assistant|>" in (tmp_path / name / "chat_template.jinja").read_text()
        assert f"{tmp_path / name} after {steps} steps" in printed
        weights[name] = (tmp_path / name / "model.safetensors").read_bytes()
    assert weights["weak"] != weights["strong"]

    options = ("--tasks", "2", "--attempts", "2", "--only", "reverse-text")
    assert run("trained_scores.py", tmp_path / "strong", *options).startswith("reverse-text  0.")
