"""The command that trains two models for the examples, in vLLM's own virtual environment."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.flows.hub import ROOT
from tests.installed import folder
from tools.vllm.install import VLLM

pytestmark = [pytest.mark.vllm, pytest.mark.timeout(900)]


def test_a_weak_and_a_strong_model_are_saved(tmp_path: Path) -> None:
    installed = folder(VLLM)
    script = ROOT / "tools" / "vllm" / "trained_models.py"
    command = [installed / "venv" / "bin" / "python", script, tmp_path, "--minutes", "0.1"]
    done = subprocess.run(
        [*command, "--threads", "1"], capture_output=True, text=True, timeout=800, check=False
    )
    assert done.returncode == 0, done.stderr
    for name in ("weak", "strong"):
        config = json.loads((tmp_path / name / "config.json").read_text())
        assert config["architectures"] == ["LlamaForCausalLM"]
        assert "im_start" in (tmp_path / name / "chat_template.jinja").read_text()
        assert f"{tmp_path / name} after" in done.stdout
