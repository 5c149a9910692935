"""The wheel at a path: a wheel as it is, a folder through its own build backend (PEP 517)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from envyard.errors import HubCliError, UsageError

DIRECT_HINT = (
    "The hub accepts no dependency by URL or git: depend on a release on the package index, "
    "or copy that code into your package."
)


@contextmanager
def wheel_of(path: Path) -> Iterator[Path]:
    """The wheel at `path`, or one built from the folder `path` that lives inside the `with`."""
    if path.is_file():
        if path.suffix != ".whl":
            raise UsageError(f"{path} is not a wheel", "Give a folder or a .whl file.")
        yield path
        return
    if not path.exists():
        raise UsageError(f"{path} does not exist", "Give an environment's folder or a .whl file.")
    if not (path / "pyproject.toml").is_file():
        raise UsageError(
            f"{path} has no pyproject.toml", "Give an environment's folder; hub init makes one."
        )
    with TemporaryDirectory(prefix="envyard-") as temporary:
        yield build(path, Path(temporary))


def build(source: Path, into: Path) -> Path:
    """Build one wheel in an isolated environment; raises HubCliError with the backend's output."""
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(into), str(source)]
    uv = find_uv()
    env = uv_environment()
    if uv:
        command[4:4] = ["--installer", "uv"]
        env["PATH"] = f"{Path(uv).parent}{os.pathsep}{env.get('PATH', '')}"
    completed = subprocess.run(
        command, capture_output=True, text=True, errors="replace", env=env, check=False
    )
    wheels = sorted(into.glob("*.whl"))
    if completed.returncode or len(wheels) != 1:
        output = (completed.stdout + completed.stderr).strip()
        raise HubCliError(
            f"building {source} failed: {_cause(output)}\n\n{output[-4000:]}",
            DIRECT_HINT
            if "direct reference" in output
            else "Fix the build backend's error; `python -m build --wheel` shows the same.",
            "cli.build_failed",
        )
    return wheels[0]


def _cause(output: str) -> str:
    """The exception that ended the build backend, else the build's own last error."""
    raised = re.findall(r"(?m)^[A-Za-z_.]*(?:Error|Exception|Failure)\b.*$", output)
    errors = re.findall(r"(?m)^ERROR (?!Backend subprocess exited)(.+)$", output)
    return next(iter([*raised[-1:], *errors[-1:]]), "its output follows")[:500]


def find_uv() -> str | None:
    """The uv on PATH, else the one installed beside this Python."""
    sibling = Path(sys.executable).parent / "uv"
    return shutil.which("uv") or (str(sibling) if sibling.is_file() else None)


def uv_environment() -> dict[str, str]:
    """This process's variables; uv then uses the system's certificates, a company's too."""
    return {"UV_SYSTEM_CERTS": "1", **os.environ}
