"""One check of the doctor: a name, a verdict, and what to install or change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from envyard_runner.config import Config
from envyard_runner.sandbox import SandboxError


@dataclass(frozen=True, slots=True)
class Check:
    """One precondition, whether it holds, and what was seen or what to do."""

    name: str
    ok: bool
    detail: str


class CheckFailed(Exception):
    """A check failed; the message names what to install or change."""


async def run_check(name: str, of: Callable[[Config], Awaitable[str]], config: Config) -> Check:
    try:
        return Check(name, True, await of(config))
    except (CheckFailed, SandboxError) as error:
        return Check(name, False, str(error))
    except OSError as error:
        return Check(name, False, f"{type(error).__name__}: {error}")
