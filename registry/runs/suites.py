"""The suites of an environment: `smoke`, by which versions are listed, `full`, and its owners' own.

Reasons: docs/decisions/0070.
"""

from __future__ import annotations

from django.conf import settings

from envyard.contract.suite import BUILT_IN, FULL, SMOKE, SuiteDefinition, SuiteLimits
from registry.catalog.models import Environment
from registry.errors import HubError
from registry.runs import limits
from registry.runs.models import Run
from registry.runs.suite_models import Suite


def built_in(name: str) -> Suite:
    """The hub's own suite of that name by the present settings; other settings make another row."""
    definition = _definition(name)
    return Suite.objects.get_or_create(
        environment=None,
        name=name,
        digest=definition.digest,
        defaults={"definition": definition.to_dict()},
    )[0]


def of_environment(environment: Environment) -> list[Suite]:
    """The suites that a run of the environment may have: the hub's own, then its owners'."""
    return [*map(built_in, BUILT_IN), *environment.suites.order_by("name")]


def named(environment: Environment, name: str) -> Suite:
    """The environment's suite of that name; raises request.invalid, which lists those there are."""
    if name in BUILT_IN:
        return built_in(name)
    row = environment.suites.filter(name=name).first()
    if row is None:
        names = ", ".join(suite.name for suite in of_environment(environment))
        raise HubError(
            "request.invalid",
            f"suite {name[:40]!r} must be one of {names}",
            f"`hub suites {environment}` shows what each freezes.",
            details={"field": "suite"},
        )
    return row


def assign(run: Run, suite: Suite) -> None:
    """Give the unsaved run what the suite freezes of it."""
    frozen = suite.frozen
    run.suite, run.tasks, run.attempts = suite, frozen.tasks, frozen.attempts
    run.seed = frozen.seed_of(run.version.sha256)


def _definition(name: str) -> SuiteDefinition:
    sizes = {
        SMOKE: (settings.HUB_SMOKE_TASKS, settings.HUB_SMOKE_ATTEMPTS),
        FULL: (settings.HUB_FULL_TASKS, settings.HUB_FULL_ATTEMPTS),
    }
    tasks, attempts = sizes[name]
    return SuiteDefinition(
        tasks=tasks, attempts=attempts, judge=settings.HUB_JUDGE_MODEL, limits=present_limits()
    )


def present_limits() -> SuiteLimits:
    """The limits of a rollout by the present settings."""
    run = limits.run_limits()
    return SuiteLimits(
        rollout_seconds=run.rollout_seconds,
        max_turns=run.max_turns,
        max_tokens=run.max_tokens,
        calls_per_rollout=run.calls_per_rollout,
        judge_calls_per_rollout=run.judge_calls_per_rollout,
        judge_tokens_per_rollout=run.judge_tokens_per_rollout,
        judge_max_tokens=run.judge_max_tokens,
    )
