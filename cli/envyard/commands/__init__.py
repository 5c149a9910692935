"""One module a command, or a few that belong together: `register` adds it, `run` does it."""

from __future__ import annotations

from importlib import import_module

ALL = tuple(
    import_module(f"envyard.commands.{name}")
    for name in (
        "login",
        "init",
        "check",
        "push",
        "retry",
        "search",
        "info",
        "versions",
        "runs",
        "rollouts",
        "logs",
        "cancel",
        "install",
        "lock",
        "uninstall",
        "star",
        "report",
        "yank",
        "manage",
        "delete",
        "tokens",
        "quota",
    )
)
