"""Runs hostile programs: one Sandbox a run, made of bubblewrap, seccomp, limits and a watchdog."""

from envyard_runner.sandbox.exit import Exit, SandboxError
from envyard_runner.sandbox.run import Sandbox
from envyard_runner.sandbox.rundir import reap_orphans

__all__ = ["Exit", "Sandbox", "SandboxError", "reap_orphans"]
