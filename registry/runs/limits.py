"""The limits of runs: durations, sizes and counts, from the settings and from here."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import timedelta

from django.conf import settings

from envyard.contract.job import RunLimits
from envyard.contract.suite import SuiteDefinition

LOG_CHARACTERS = 1 << 20  # of one run, over all its attempts
TRANSCRIPT_BYTES = 4 << 20  # of one rollout, not packed

MAX_QUEUED = timedelta(hours=24)
FIRST_PAUSE, MAX_PAUSE = timedelta(seconds=10), timedelta(hours=1)  # between attempts' starts
SAME_RUNNER_PAUSE = timedelta(minutes=5)  # longer, for a runner that lost an attempt of the run
MAX_UNCOUNTED = timedelta(hours=24)  # since the first lost attempt, while none of them counts
SLACK = timedelta(minutes=2)  # for download, start and report, beyond install and wall clock


def run_limits(suite: SuiteDefinition | None = None, *, is_evaluation: bool = False) -> RunLimits:
    """The limits in a JobSpec: those of a rollout from the suite, else from the settings.

    The log's is per attempt, with room left for the last lines of runner and hub.
    """
    seconds = settings.HUB_EVALUATION_SECONDS if is_evaluation else settings.HUB_RUN_SECONDS
    limits = RunLimits(
        log_bytes=LOG_CHARACTERS // (max_attempts() + 1),
        wall_seconds=float(seconds),
        rollout_seconds=float(settings.HUB_ROLLOUT_SECONDS),
        cpu_seconds=seconds,
        judge_calls=settings.HUB_JUDGE_CALLS,
        judge_tokens=settings.HUB_JUDGE_TOKENS,
        judge_calls_per_rollout=settings.HUB_JUDGE_ROLLOUT_CALLS,
        judge_tokens_per_rollout=settings.HUB_JUDGE_ROLLOUT_TOKENS,
        judge_max_tokens=settings.HUB_JUDGE_REPLY_TOKENS,
    )
    return limits if suite is None else replace(limits, **asdict(suite.limits))


def lease() -> timedelta:
    """How long a lease lasts after each batch."""
    return timedelta(seconds=settings.HUB_LEASE_SECONDS)


def notification_interval() -> timedelta:
    """How long a queued run waits before its runners are notified again."""
    return timedelta(seconds=1.5 * settings.HUB_SWEEP_SECONDS)


def max_attempt_time(*, is_evaluation: bool = False) -> timedelta:
    """How long one attempt may last, however often its runner reports."""
    limits = run_limits(is_evaluation=is_evaluation)
    return timedelta(seconds=limits.install_seconds + limits.wall_seconds) + SLACK


def max_attempts() -> int:
    """How many attempts may reach environment code and end early before the run ends as errored."""
    return int(settings.HUB_LEASE_ATTEMPTS)
