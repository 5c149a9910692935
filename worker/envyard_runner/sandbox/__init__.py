"""Runs hostile programs: one Sandbox per run, made of bubblewrap, seccomp, limits and a watchdog.
May import config and limits."""

from envyard_runner.sandbox.exit import Exit, SandboxError
from envyard_runner.sandbox.run import Sandbox
from envyard_runner.sandbox.rundir import reap_orphans

__all__ = ["Exit", "Sandbox", "SandboxError", "reap_orphans"]
