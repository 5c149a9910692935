"""How long, how much, how often: the bounds of runs, from the settings and from here."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings

from envyard.contract.job import RunLimits

LOG_CHARACTERS = 1 << 20  # of one run, over all its attempts
TRANSCRIPT_BYTES = 4 << 20  # of one rollout, not packed

QUEUED_AT_MOST = timedelta(hours=24)
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=10), timedelta(hours=1)  # between attempts' starts
SAME_RUNNER_PAUSE = timedelta(minutes=5)  # longer, for a runner that lost an attempt of the run
UNCOUNTED_AT_MOST = timedelta(hours=24)  # of tries that use up no attempt, since the first was lost
SLACK = timedelta(minutes=2)  # for download, start and report, beyond install and wall clock


def run_limits() -> RunLimits:
    """The bounds that a JobSpec hands to the runner.

    The log's is for each attempt, with room left for what runner and hub have to say at the end.
    """
    return RunLimits(
        log_bytes=LOG_CHARACTERS // (max_attempts() + 1),
        wall_seconds=float(settings.HUB_RUN_SECONDS),
        rollout_seconds=float(settings.HUB_ROLLOUT_SECONDS),
        cpu_seconds=settings.HUB_RUN_SECONDS,
    )


def lease() -> timedelta:
    """How long a runner may stay silent."""
    return timedelta(seconds=settings.HUB_LEASE_SECONDS)


def notify_again() -> timedelta:
    """How long a queued run waits before its runners are rung for once more."""
    return timedelta(seconds=1.5 * settings.HUB_SWEEP_SECONDS)


def attempt_at_most() -> timedelta:
    """How long one attempt may last, however lively its runner reports."""
    limits = run_limits()
    return timedelta(seconds=limits.install_seconds + limits.wall_seconds) + SLACK


def max_attempts() -> int:
    """How many attempts may reach environment code and end early before a run is given up."""
    return int(settings.HUB_LEASE_ATTEMPTS)
