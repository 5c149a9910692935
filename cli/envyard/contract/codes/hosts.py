"""Codes of hosts outside the sandbox."""

from __future__ import annotations

from envyard.contract.codes.code import platform_fault

HOSTS = (
    platform_fault(
        "run.host_unreachable",
        "An approved host did not answer the runner's proxy.",
        "Can the runner look the host's name up and reach port 443? `hub-runner doctor` tests it.",
    ),
)
