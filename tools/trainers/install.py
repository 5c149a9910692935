#!/usr/bin/env python3
"""Install TRL beside each API of verifiers, for CPUs, and create a tiny model to train.

Prints their folder. These commands write the locked requirements, with UV_FIND_LINKS as in
tools/cached_venv.py:

    for api in v0 v1; do uv pip compile tools/trainers/requirements-$api.in \\
        --override tools/vllm/left-out.txt --python-version 3.11 --only-binary :all: \\
        --generate-hashes --no-annotate --no-emit-package torch \\
        -o tools/trainers/requirements-$api.txt; done
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tools import cached_venv

HERE = Path(__file__).parent
APIS = ("v0", "v1")
REQUIREMENTS = {api: HERE / f"requirements-{api}.txt" for api in APIS}
MODEL = HERE.parent / "vllm" / "tiny_model.py"


def install(target: Path) -> None:
    """Fill the folder: `venv-v0`, `venv-v1` and the model `tiny`."""
    for api, requirements in REQUIREMENTS.items():
        python = cached_venv.create(target / f"venv-{api}", requirements)
    cached_venv.run(python, MODEL, target / "tiny")


TRAINERS = cached_venv.Cached(
    name="trainers",
    title="TRL",
    size="2 GB",
    target="test-trainers",
    inputs=(*REQUIREMENTS.values(), MODEL),
    fill=install,
)

if __name__ == "__main__":
    sys.exit(TRAINERS.main())
