"""What the runner reads in the Python files of an environment, outside any sandbox and as text."""

from __future__ import annotations

from envyard.contract.code_checks.scoring_constants import ScoringConstants, scoring_constants
from envyard.contract.syntax import MAX_FILE_BYTES
from envyard_runner.venvs import Venv


def names_oracle(venv: Venv) -> bool:
    """Whether a Python file of the environment contains that word."""
    return any(b"oracle" in path.read_bytes() for path in venv.environment.rglob("*.py"))


def constants_of(venv: Venv) -> ScoringConstants:
    """The texts and numbers of its scoring code, which the probes reply with."""
    members = {
        path.relative_to(venv.environment).as_posix(): path.read_bytes()
        for path in sorted(venv.environment.rglob("*.py"))
        if path.stat().st_size <= MAX_FILE_BYTES
    }
    return scoring_constants(members)
