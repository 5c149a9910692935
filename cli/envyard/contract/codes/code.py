"""The type of one entry of the catalogue of codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Fault = Literal["environment", "request", "platform", "requirement"]
Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Code:
    """A stable dotted code with the default message, hint and severity of its findings.

    `fault` is the cause: the environment's author, the caller of the API, the hub and its runners,
    or a requirement that nobody has provided yet. A code never changes its meaning.
    """

    code: str
    message: str
    hint: str
    fault: Fault
    severity: Severity = "error"


def environment_fault(code: str, message: str, hint: str, *, severity: Severity = "error") -> Code:
    """A code for which the environment's author has to change something."""
    return Code(code, message, hint, "environment", severity)


def platform_fault(
    code: str, message: str, hint: str = "Nothing to change in the environment."
) -> Code:
    """A code for which the hub, a runner or the model is the cause."""
    return Code(code, message, hint, "platform")


def request_fault(code: str, message: str, hint: str = "", *, severity: Severity = "error") -> Code:
    """A code for which the caller of the API is the cause."""
    return Code(code, message, hint, "request", severity)


def requirement(code: str, message: str, hint: str) -> Code:
    """A code for what an environment needs from outside and its run did not have: the version is
    held, and evaluated again once somebody provides it."""
    return Code(code, message, hint, "requirement")
