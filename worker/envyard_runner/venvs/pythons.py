"""Choose the interpreter of a venv among those of this machine."""

from __future__ import annotations

from collections.abc import Sequence

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from envyard.contract.findings import finding
from envyard_runner.config import Config
from envyard_runner.sandbox import interpreter
from envyard_runner.sandbox.command import Base
from envyard_runner.venvs.uv import VenvError


def newest_admitted(config: Config, specifiers: Sequence[str]) -> Base:
    """The newest interpreter here that every Requires-Python of `wanted` admits.

    Raises VenvError, which is never the author's fault: another runner may have the Python.
    """
    bases = interpreter.available(config)
    for base in bases:
        if all(_admits(specifier, base.release) for specifier in specifiers):
            return base
    named = " and ".join(specifier[:200] for specifier in specifiers if specifier)
    versions = ", ".join(base.release for base in bases)
    message = f"Requires-Python is {named}; this runner has Python {versions}"
    raise VenvError(finding("run.no_python", f"{message}.", where="Requires-Python"))


def _admits(specifier: str, release: str) -> bool:
    try:
        return SpecifierSet(specifier).contains(release, prereleases=True)
    except InvalidSpecifier:
        return False
