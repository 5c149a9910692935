"""Resolve a wheel's dependencies as a runner would: wheels alone, its Python, the hub's index."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from envyard.builder import find_uv, uv_environment
from envyard.contract.detect import Detection
from envyard.contract.findings import Finding
from envyard.contract.frameworks.adapter import override_lines
from envyard.contract.frameworks.adapters import ADAPTERS
from envyard.contract.metadata import is_plain
from envyard.contract.names import normalise
from envyard.contract.resolution import diagnose
from envyard.contract.wheel import Wheel
from envyard.hub_checks import About

SECONDS = 180
REQUIREMENTS, OVERRIDES = "requirements.in", "overrides.txt"
PLATFORM = "x86_64-unknown-linux-gnu"  # of runners


class NotResolved(Exception):
    """The dependencies could not be resolved for a reason that is not theirs; the text names it."""


def findings(wheel: Wheel, detected: Detection, about: About) -> list[Finding]:
    """Why the dependencies cannot be installed on any Python of the hub; empty where they can.

    Raises NotResolved where uv is missing, or failed for a reason that is not the wheel's.
    """
    uv = find_uv()
    if uv is None:
        raise NotResolved("uv is not installed; install it: pip install uv")
    pythons = _pythons(wheel, about)
    if not pythons:
        raise NotResolved(
            f"no Python of the hub meets Requires-Python {wheel.metadata.requires_python[:120]}"
        )
    files = {
        REQUIREMENTS: "".join(f"{line}\n" for line in _requirements(wheel, detected, about)),
        OVERRIDES: override_lines(_left_out(wheel, detected)),
    }
    refusals: list[Finding] = []
    for python in pythons:
        refusal = _refusal(uv, files, python, about.index)
        if refusal is None:
            return []
        refusals.append(refusal)
    return refusals[:1]


def _requirements(wheel: Wheel, detected: Detection, about: About) -> list[str]:
    """The wheel's requirements without itself and those that the static checks refuse, with the
    runner's bound on the framework."""
    lines = []
    for text in wheel.metadata.requires_dist:
        try:
            requirement = Requirement(text)
        except (ValueError, RecursionError):
            continue
        is_own = normalise(requirement.name) == wheel.name
        if is_plain(requirement) and not requirement.url and not is_own:
            lines.append(str(requirement))
    bound = about.driven.get(detected.framework, {}).get(detected.api)
    return [*lines, f"{detected.framework}{bound}"] if bound else lines


def _left_out(wheel: Wheel, detected: Detection) -> list[str]:
    """What a runner may leave out, unless the wheel itself requires it."""
    adapter = ADAPTERS.get((detected.framework, detected.api))
    own = {_name(text) for text in wheel.metadata.requires_dist}
    return [name for name, _ in adapter.left_out if name not in own] if adapter else []


def _name(text: str) -> str:
    try:
        return normalise(Requirement(text).name)
    except (ValueError, RecursionError):
        return ""


def _pythons(wheel: Wheel, about: About) -> list[str]:
    """The hub's Pythons that the wheel allows, the newest first; without any, one it allows."""
    try:
        allowed = SpecifierSet(wheel.metadata.requires_python)
    except ValueError:
        allowed = SpecifierSet()
    pythons = about.pythons or ("3.11", "3.12", "3.13", "3.14")
    fitting = [python for python in pythons if allowed.contains(python, prereleases=True)]
    return fitting[::-1] if about.pythons else fitting[:1]


def _refusal(uv: str, files: Mapping[str, str], python: str, index: str) -> Finding | None:
    """The finding why they cannot be installed on that Python, None where they can; raises
    NotResolved.

    uv keeps the index's pages for minutes: only fresh pages show that a release is missing.
    """
    if _compile(uv, files, python, index) is None:
        return None
    return _compile(uv, files, python, index, "--refresh")


def _compile(
    uv: str, files: Mapping[str, str], python: str, index: str, *options: str
) -> Finding | None:
    """What one call of uv reports; raises NotResolved."""
    command = [uv, "pip", "compile", REQUIREMENTS, "--overrides", OVERRIDES, "--quiet"]
    command += ["--output-file", "lock.txt", "--color", "never", "--only-binary", ":all:"]
    command += ["--no-header", "--no-annotate"]
    command += ["--python-version", python, "--python-platform", PLATFORM, *options]
    if index:
        command += ["--no-config", f"--default-index={index}"]
    with TemporaryDirectory(prefix="envyard-") as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        try:
            completed = subprocess.run(
                command,
                cwd=folder,
                env=uv_environment(),
                capture_output=True,
                text=True,
                errors="replace",
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise NotResolved(f"uv did not finish within {SECONDS} seconds") from None
    if not completed.returncode:
        return None
    refusal = diagnose(completed.returncode, completed.stderr)
    if refusal.code == "run.install_failed":
        raise NotResolved(refusal.message)
    return refusal
