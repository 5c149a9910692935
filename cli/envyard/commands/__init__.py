"""The commands, one module for each or for a few that belong together: `register` adds a command to
the parser, `run` executes it. May import all of envyard but `messaging`."""

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
        "open",
        "runs",
        "evaluate",
        "suites",
        "leaderboard",
        "rollouts",
        "card",
        "logs",
        "cancel",
        "install",
        "lock",
        "data",
        "uninstall",
        "star",
        "watch",
        "report",
        "yank",
        "manage",
        "delete",
        "provisions",
        "webhooks",
        "tokens",
        "quota",
    )
)
