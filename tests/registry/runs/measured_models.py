"""Models that a hub measured, probes and claims beside them, for the tests of leaderboards."""

import hashlib
from dataclasses import replace

from registry.accounts.models import User
from registry.catalog.models import Version
from registry.runs.models import Rollout, Run
from registry.runs.suite_models import Suite
from registry.self_reported import samples, services
from registry.self_reported.claims import Claims
from registry.self_reported.models import Evaluation
from tests.factories import make_rollout, make_run

TASKS = 40


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def evaluated(
    version: Version, model: str, suite: Suite, *, rate: float, first: int = 0, status: str = ""
) -> Run:
    """A run of the model that solves the first share of the tasks, which begin at `first`."""
    run = make_run(
        version,
        status=status or "succeeded",
        purpose="evaluation",
        suite=suite,
        model=model,
        policies=["model"],
        tasks=TASKS,
        attempts=2,
        facts={
            "tasks": [
                {"index": index, "hash": digest(f"task {first + index}")} for index in range(TASKS)
            ]
        },
    )
    Rollout.objects.bulk_create(
        Rollout(
            run=run,
            policy="model",
            task=index,
            attempt=attempt,
            ok=True,
            reward=float(first + index < rate * TASKS),
        )
        for index in range(TASKS)
        for attempt in range(2)
    )
    return run


def probed(version: Version) -> Run:
    """A run that listed the version: 20 of its 60 tasks have the same answer."""
    survey = {"tasks": 60, "answers": 60, "same_answers": 20}
    listing = make_run(version, policies=["oracle", "constant"], facts={"survey": survey})
    for policy, reward in (("oracle", 1.0), ("constant", 0.0)):
        make_rollout(listing, policy, reward=reward, turns=1)
    return listing


def pushed(
    version: Version, by: User, suite: Suite, model: str, rewards: list[float], stated: float
) -> Evaluation:
    """A public, completed evaluation with one sample a reward."""
    claims = Claims(
        name=model, model_name=model, metrics={"avg_reward": stated},
        metadata={"suite_digest": suite.digest},
    )  # fmt: skip
    row = services.create(
        environment=version.environment,
        version=version,
        owner=by.owner,
        by=by,
        claims=claims,
        is_public=True,
    )
    batch = [{"example_id": index, "reward": reward} for index, reward in enumerate(rewards)]
    for part in (batch[:2], batch[2:], batch[2:]):  # a repeated batch counts once
        if part:
            samples.add(evaluation=row, samples=part)
    services.end(evaluation=row, status=services.COMPLETED)
    return row


def earlier(suite: Suite) -> Suite:
    """The same suite as a hub with the rules version before had it."""
    before = replace(suite.frozen, rules=suite.frozen.rules - 1)
    return Suite.objects.create(name=suite.name, digest=before.digest, definition=before.to_dict())
