"""The base interpreters of runs, each identified once."""

from __future__ import annotations

import functools
import os
import subprocess
from pathlib import Path

from packaging.version import Version

from envyard_runner.config import Config, unreadable
from envyard_runner.sandbox.command import Base
from envyard_runner.sandbox.exit import SandboxError

IDENTIFY = """
import platform, sys, sysconfig
print(sys.base_prefix, "%d.%d" % sys.version_info[:2], sep="\\n")
print(sysconfig.get_config_var("SOABI"), platform.libc_ver()[1], sep="-")
print("%d.%d.%d" % sys.version_info[:3])
"""
# Each extension module of the standard library that is installed at all, and does not load.
MODULES = """
import importlib, importlib.machinery, importlib.util, sys
for name in sorted(sys.stdlib_module_names):
    if name.startswith(("_test", "_xx", "xx")) or name == "_tkinter":
        continue
    spec = importlib.util.find_spec(name)
    if spec is not None and isinstance(spec.loader, importlib.machinery.ExtensionFileLoader):
        try:
            importlib.import_module(name)
        except ImportError as error:
            print(name, error)
"""
OLDEST = (3, 11)
START_SECONDS = 30.0


@functools.cache
def base(python: Path) -> Base:
    """What runs start from; raises SandboxError where the run's uid could not start it.

    Symlinks are resolved, since only the target's folder is bound in the sandbox.
    """
    real = python.resolve()
    if not real.exists():
        raise SandboxError(f"there is no {python}; apt-get install python3, or set RUNNER_PYTHON")
    if os.geteuid() == 0 and (blocked := unreadable(real)) is not None:
        raise SandboxError(
            f"{python} cannot be used: other users may not read {blocked}; "
            "set RUNNER_PYTHON to a system Python (apt-get install python3)"
        )
    answer = _output(python, real, IDENTIFY)
    version = tuple(int(part) for part in answer[1].split("."))
    if version < OLDEST:
        raise SandboxError(f"{python} is Python {answer[1]}; set RUNNER_PYTHON to 3.11 or newer")
    return Base(
        python=real,
        prefix=Path(answer[0]),
        version=answer[1],
        platform=answer[2].strip("-"),
        release=answer[3],
    )


def require_modules(python: Path) -> None:
    """Raise SandboxError where a module of the interpreter's standard library does not load, as
    with a system library that is missing or damaged. Not cached."""
    if broken := _output(python, python.resolve(), MODULES):
        raise SandboxError(
            f"{len(broken)} modules of {python} do not load, such as {broken[0]}: install the "
            "system's Python and its libraries again, or set RUNNER_PYTHON"
        )


def _output(python: Path, real: Path, code: str) -> list[str]:
    """The lines that the interpreter prints; raises SandboxError where it does not work."""
    try:
        ended = subprocess.run(
            [real, "-I", "-S", "-c", code],
            env={},
            capture_output=True,
            text=True,
            timeout=START_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxError(f"{python} does not start ({error}); set RUNNER_PYTHON") from error
    return ended.stdout.splitlines()


def available(config: Config) -> tuple[Base, ...]:
    """Every interpreter that runs may have here, the newest first, one for each X.Y.

    One that cannot be used is left out; raises SandboxError where none can.
    """
    bases: dict[str, Base] = {}
    problems: list[SandboxError] = []
    for python in config.pythons or (config.python,):
        try:
            interpreter = base(python)
            bases.setdefault(interpreter.version, interpreter)
        except SandboxError as error:
            problems.append(error)
    if not bases:
        raise problems[0]
    return tuple(sorted(bases.values(), key=lambda offer: Version(offer.release), reverse=True))
