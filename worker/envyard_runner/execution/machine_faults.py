"""Faults of this machine that make an honest environment fail, checked before the environment is
blamed.

The evidence is gathered outside the sandbox; what the failed environment reports plays no part.
"""

from __future__ import annotations

from envyard_runner.config import Config
from envyard_runner.sandbox import SandboxError, interpreter
from envyard_runner.venvs import Venv
from envyard_runner.venvs.damage import discard_damaged


def machine_fault(config: Config, venv: Venv) -> str:
    """A sentence that names a damaged venv or interpreter; empty where both are whole. Slow."""
    if damage := discard_damaged(config, venv):
        return (
            f"the kept venv of this version was damaged, as by a power failure or a bad disk: "
            f"{damage}; it is removed and the next run installs it again"
        )
    python = venv.python or config.python
    try:
        interpreter.require_modules(python)
    except SandboxError as error:
        return str(error)
    return ""
