"""Install wheels into the active environment with uv where it is installed, else with pip."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from envyard.builder import find_uv, uv_environment
from envyard.errors import HubCliError, UsageError

PYTHON = "Scripts/python.exe" if os.name == "nt" else "bin/python"
ANOTHER = (
    "Make a virtual environment: `uv venv train && source train/bin/activate`; "
    "or name one with --python."
)


def target_python(path: str | None = None) -> Path:
    """The interpreter to install for: `path`, activated, ./.venv, or our own virtual environment.

    Never a system interpreter, nor the one that a hub runs on: installing foreign code there needs
    an explicit `--python`.
    """
    if path:
        if not Path(path).is_file():
            raise UsageError(f"--python {path!r} is not a file")
        return Path(path)
    root = _active_root()
    if root is None:
        raise UsageError("no virtual environment is active", ANOTHER)
    if any(root.glob("lib/python*/site-packages/envyard_hub-*.dist-info")):
        raise UsageError(f"a hub runs on {root}, which an environment may break", ANOTHER)
    return root / PYTHON


def _active_root() -> Path | None:
    for root in (os.environ.get("VIRTUAL_ENV"), os.environ.get("CONDA_PREFIX"), ".venv"):
        if root and (Path(root) / PYTHON).is_file():
            return Path(root).absolute()
    return Path(sys.prefix) if sys.prefix != sys.base_prefix else None


def install(
    python: Path, requirements: Sequence[str], *, replaced: Sequence[str] = (), quiet: bool
) -> None:
    """Install pinned requirements; the installer checks each sha256.

    `replaced` are taken in place of what requirements name for the same distributions, which only
    uv can do.
    """
    if not replaced:
        _run(python, ["install"], [*requirements], quiet=quiet)
        return
    if find_uv() is None:
        raise UsageError("dependencies from git need uv", "Install it: pip install uv")
    with TemporaryDirectory(prefix="envyard-") as folder:
        overrides = Path(folder, "overrides.txt")
        overrides.write_text("".join(f"{line}\n" for line in replaced), encoding="utf-8")
        arguments = [*requirements, "--overrides", str(overrides)]
        _run(python, ["install"], arguments, quiet=quiet)


def uninstall(python: Path, names: Sequence[str], *, quiet: bool) -> None:
    """Remove distributions by name."""
    _run(python, ["uninstall"], [*names], quiet=quiet)


def _run(python: Path, verb: list[str], arguments: list[str], *, quiet: bool) -> None:
    if uv := find_uv():
        command = [uv, "pip", *verb, "--python", str(python)]
    else:
        command = [str(python), "-m", "pip", *verb, "--disable-pip-version-check"]
        command += ["--yes"] if verb == ["uninstall"] else []
    completed = subprocess.run(
        [*command, *arguments],
        env=uv_environment(),
        stdout=subprocess.PIPE if quiet else sys.stderr.fileno(),
        stderr=subprocess.STDOUT if quiet else None,
        text=True,
        check=False,
    )
    if completed.returncode:
        raise HubCliError(
            f"{Path(command[0]).name} failed to {verb[0]} {', '.join(arguments)}"
            + (f":\n{completed.stdout.strip()[-4000:]}" if quiet and completed.stdout else ""),
            "Its output is above.",
            "cli.install_failed",
        )
