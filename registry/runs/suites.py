"""The suites of an environment: `smoke`, by which versions are listed, `full`, and its owners' own.

Reasons: docs/decisions/0070.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.crypto import salted_hmac

from envyard.contract.rules import RULES
from envyard.contract.suite import (
    BUILT_IN,
    BY_ENVIRONMENT,
    BY_VERSION,
    BY_WHEEL,
    FULL,
    NAME,
    SEEDS,
    SMOKE,
    TEMPERATURE,
    BadSuite,
    SuiteDefinition,
    SuiteLimits,
)
from registry import events
from registry.accounts.models import User
from registry.catalog.models import Environment, Version
from registry.errors import HubError, Stale
from registry.runs import limits
from registry.runs.models import Run
from registry.runs.suite_models import Suite

SEED_SALT = "registry.runs.suites.seed"
MAX_SUITES = 50  # of one environment
MAX_OF_NAME = 1000  # suites of several environments that are looked at for one name


def built_in(name: str) -> Suite:
    """The hub's own suite of that name by the present settings; other settings make another row."""
    definition = _definition(name)
    return Suite.objects.get_or_create(
        environment=None,
        name=name,
        digest=definition.digest,
        defaults={"definition": definition.to_dict()},
    )[0]


def is_present(suite: Suite) -> bool:
    """Whether a run could have this definition today: an owner's suite of the present rules, or the
    hub's own by the present settings and rules."""
    if suite.environment_id is not None:
        return suite.frozen.rules == RULES
    return suite.digest == _definition(suite.name).digest


def of_environment(environment: Environment) -> list[Suite]:
    """The suites that a run of the environment may have: the hub's own, then its owners'; one
    query once the hub's own exist."""
    digests = {name: _definition(name).digest for name in BUILT_IN}
    of_hub = Q(environment=None, name__in=digests, digest__in=digests.values())
    rows = list(Suite.objects.filter(of_hub | Q(environment=environment)).order_by("name"))
    existing = {(row.name, row.digest): row for row in rows if row.environment_id is None}
    own = [existing.get(key) or built_in(key[0]) for key in digests.items()]
    return [*own, *(row for row in rows if row.environment_id is not None)]


def others_of_name(environment: Environment, suite: Suite) -> QuerySet[Suite]:
    """Suites of the same name that apply or applied to the environment, newest first."""
    return _of_name(environment, suite.name).exclude(pk=suite.pk)


def named(environment: Environment, name: str, *, digest: str = "") -> Suite:
    """The environment's suite of that name; with `digest` the newest whose digest begins so, which
    may be an earlier definition. Raises request.invalid, which lists those there are."""
    if digest:
        return _with_digest(environment, name, digest)
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


def _of_name(environment: Environment, name: str) -> QuerySet[Suite]:
    """The hub's suites of that name and the environment's, the newest first."""
    of_either = Q(environment=None) | Q(environment=environment)
    return Suite.objects.filter(of_either, name=name).order_by("-created_at", "-pk")


def _with_digest(environment: Environment, name: str, digest: str) -> Suite:
    row = _of_name(environment, name).filter(digest__startswith=digest).first()
    if row is None:
        raise HubError(
            "request.invalid",
            f"{environment} has no suite {name[:40]!r} with digest {digest[:64]!r}",
            f"`hub suites {environment}` shows the present ones.",
            details={"field": "digest"},
        )
    return row


def of_name(
    name: str, *, environments: QuerySet[Environment], digest: str = ""
) -> tuple[list[Suite], QuerySet[Suite]]:
    """The suites of one digest that the hub or one of the environments names so: the hub's present
    one, else the newest, or the one whose digest begins so; and the newest of each other digest
    with that name. Raises request.invalid where there is none.
    """
    visible = Q(environment__isnull=True) | Q(environment__in=environments)
    rows = Suite.objects.filter(visible)
    newest = list(rows.filter(name=name).order_by("-created_at", "-pk")[:MAX_OF_NAME])
    present = None
    if name in BUILT_IN:
        of_hub = (row for row in newest if row.environment_id is None and is_present(row))
        present = next(of_hub, None) or built_in(name)
    named_so: dict[str, Suite] = {}
    for row in [*newest, *([present] if present else [])]:
        named_so.setdefault(row.digest, row)
    chosen = next((row for row in named_so.values() if row.digest.startswith(digest)), None)
    if not digest and present is not None:
        chosen = present
    if chosen is None:
        raise HubError(
            "request.invalid",
            f"there is no suite {name[:40]!r}{' with digest ' + digest[:64] if digest else ''}",
            f"The hub's own are {', '.join(BUILT_IN)}; `hub suites list` shows an environment's.",
            details={"field": "suite"},
        )
    same = list(rows.filter(digest=chosen.digest).order_by("pk")[:MAX_OF_NAME])
    same.sort(key=lambda row: row.pk != chosen.pk)
    others = [row.pk for row in named_so.values() if row.digest != chosen.digest]
    return same, Suite.objects.filter(pk__in=others).order_by("-created_at", "-pk")


def create(
    *,
    environment: Environment,
    name: str,
    tasks: int | None = None,
    attempts: int,
    indexes: Sequence[int] | None = None,
    seed: int | None = None,
    temperature: float = TEMPERATURE,
    by: User,
) -> Suite:
    """Define a suite of the environment with the hub's present judge and limits: of the first
    `tasks` tasks, or of those with these `indexes`.

    The same definition under the same name again returns the suite. Raises request.invalid for a
    value out of bounds, Stale where the name has another definition, quota.suites (409) beyond
    MAX_SUITES.
    """
    if not NAME.fullmatch(name) or name in BUILT_IN:
        raise _invalid(
            "name", f"name {name[:60]!r} must be 1 to 40 of a-z, 0-9 and -, not built in"
        )
    try:
        values = {"tasks": tasks, "attempts": attempts, "seed": seed, "temperature": temperature}
        more = {"indexes": indexes, "seed_by": BY_VERSION}
        built = SuiteDefinition.from_dict({**values, **more})
    except BadSuite as error:
        raise _invalid(str(error).partition(" ")[0], str(error)) from None
    definition = replace(built, judge=settings.HUB_JUDGE_MODEL, limits=present_limits())
    with transaction.atomic():
        rows = Environment.objects.select_for_update(of=("self",)).get(pk=environment.pk).suites
        same = rows.filter(name=name).first()
        if same is not None and same.digest != definition.digest:
            raise Stale(
                f"{environment} has another suite {name}",
                "A suite never changes: use another name.",
            )
        if same is not None:
            return same
        if rows.count() >= MAX_SUITES:
            raise HubError(
                "quota.suites",
                f"{environment} has {MAX_SUITES} suites, which is the limit",
                "Use one of them: `hub suites list`.",
                409,
            )
        row = rows.create(
            name=name, digest=definition.digest, definition=definition.to_dict(), created_by=by
        )
        events.record("suite.created", by=by, environment=environment, name=name)
    return row


def of_size(*, environment: Environment, tasks: int, attempts: int, by: User) -> Suite:
    """The suite of the first `tasks` tasks with so many attempts, as `create` defines it: an
    existing one of that definition, whatever its seed is derived from, else a new one whose name
    says both numbers."""
    try:
        definition = replace(
            SuiteDefinition.from_dict(
                {"tasks": tasks, "attempts": attempts, "seed_by": BY_VERSION}
            ),
            judge=settings.HUB_JUDGE_MODEL,
            limits=present_limits(),
        )
    except BadSuite as error:
        raise _invalid(str(error).partition(" ")[0], str(error)) from None
    for row in of_environment(environment):
        if replace(row.frozen, seed_by=BY_VERSION).digest == definition.digest:
            return row
    name = f"{tasks}x{attempts}"
    if environment.suites.filter(name=name).exists():  # defined when the hub had other limits
        name = f"{name}-{definition.digest[:8]}"
    return create(environment=environment, name=name, tasks=tasks, attempts=attempts, by=by)


def _invalid(field: str, message: str) -> HubError:
    return HubError("request.invalid", message, details={"field": field})


def assign(run: Run, suite: Suite) -> None:
    """Give the unsaved run what the suite freezes of it."""
    frozen = suite.frozen
    run.suite, run.tasks, run.attempts = suite, frozen.tasks, frozen.attempts
    run.seed = seed_for(frozen, run.version)


def seed_for(suite: SuiteDefinition, version: Version) -> int:
    """The seed of the version's runs by the suite: its own, that of the wheel, or one below SEEDS
    which nobody without the hub's secret key can compute before a run shows it.

    A hash of the wheel alone would let an author rebuild the wheel until it has a chosen seed: of
    so few, ten thousand builds find one.
    """
    if suite.seed is not None or suite.seed_by == BY_WHEEL:
        return suite.seed_of(version.sha256)
    of = version.environment_id if suite.seed_by == BY_ENVIRONMENT else version.sha256
    value = f"{suite.digest}:{suite.seed_by}:{of}"
    digest = salted_hmac(SEED_SALT, value, algorithm="sha256").digest()
    return int.from_bytes(digest[:8], "big") % SEEDS


def seeds_shown(rows: Sequence[Suite], version: Version) -> dict[int, int]:
    """Suite -> the seed of the version's runs, for `hub eval --local`; none before the version is
    listed: until then no code has been given the seed that all its versions share."""
    if version.status != Version.Status.LISTED:
        return {}
    return {row.pk: seed_for(row.frozen, version) for row in rows}


def _definition(name: str) -> SuiteDefinition:
    sizes = {
        SMOKE: (settings.HUB_SMOKE_TASKS, settings.HUB_SMOKE_ATTEMPTS),
        FULL: (settings.HUB_FULL_TASKS, settings.HUB_FULL_ATTEMPTS),
    }
    tasks, attempts = sizes[name]
    return SuiteDefinition(
        tasks=tasks,
        attempts=attempts,
        judge=settings.HUB_JUDGE_MODEL,
        limits=present_limits(),
        seed_by=BY_ENVIRONMENT if name == FULL else BY_VERSION,
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
