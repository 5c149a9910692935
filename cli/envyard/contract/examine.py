"""All that can be said of a wheel without running it: for `hub check` and for the hub alike."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from envyard.contract import checks, wheel
from envyard.contract.codes import Finding
from envyard.contract.detect import Detection, detect


def examine(
    source: Path | BinaryIO, *, filename: str = "", limits: wheel.Limits = wheel.LIMITS
) -> tuple[list[Finding], Detection]:
    """The static checks' findings, and what kind of environment the wheel holds.

    The kind is looked for only in a wheel without errors, and is empty otherwise.
    """
    findings = checks.run_all(source, filename=filename, limits=limits)
    if any(one.severity == "error" for one in findings):
        return findings, Detection()
    found = detect(wheel.sources(source, limits=limits))
    return [*findings, *found.findings], found
