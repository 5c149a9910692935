"""All that can be said of a wheel without running it: for `hub check` and for the hub alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from envyard.contract import checks, wheel
from envyard.contract.codes import Finding
from envyard.contract.detect import Detection, detect
from envyard.contract.frameworks.choose import choose, requires_dist


def examine(
    source: Path | BinaryIO, *, filename: str = "", limits: wheel.Limits = wheel.LIMITS
) -> tuple[list[Finding], Detection]:
    """The static checks' findings, and what kind of environment the wheel holds.

    The kind is looked for only in a wheel without errors, and is empty otherwise.
    """
    findings = checks.run_all(source, filename=filename, limits=limits)
    if any(item.severity == "error" for item in findings):
        return findings, Detection()
    members = wheel.sources(source, limits=limits)
    detection = detect(members)
    if not detection.framework:
        return [*findings, *detection.findings], detection
    choice = choose(
        members,
        framework=detection.framework,
        api=detection.api,
        module=detection.module,
        requires_dist=requires_dist(members),
    )
    detection = replace(detection, release=choice.release)
    return [*findings, *detection.findings, *choice.findings], detection
