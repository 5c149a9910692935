"""The errors of the command line, with the exit code of each.

HubCliError            1   something failed; message and hint name the next step
  UsageError           2   the command line itself was wrong
  NoConnection         1   the hub did not answer
  ApiError             1   the hub refused; has its code
  Rejected             3   the version was rejected
  Held                 4   the hub could not decide
"""

from __future__ import annotations

from typing import Any


class HubCliError(Exception):
    """A failure with a message and the next step."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "", code: str = "cli.error") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code


class UsageError(HubCliError):
    """The command line is wrong."""

    exit_code = 2


class NoConnection(HubCliError):
    """The hub did not answer at all."""


class ApiError(HubCliError):
    """The hub answered with its error shape."""

    def __init__(
        self, status: int, code: str, message: str, hint: str = "", details: Any = None
    ) -> None:
        super().__init__(message, hint, code)
        self.status = status
        self.details = details


class Rejected(HubCliError):
    """The version was rejected; its author has to change it."""

    exit_code = 3


class Held(HubCliError):
    """The hub could not decide about the version."""

    exit_code = 4
