"""The judge model of a run: its server, and the findings of what its calls came to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp

from envyard.contract.findings import Finding, finding
from envyard.contract.job import JobSpec
from envyard.contract.judge import JudgeFacts
from envyard.contract.runner_events import RolloutResult
from envyard_runner.config import Config
from envyard_runner.execution.collector import TIMEOUT
from envyard_runner.gateway import Model
from envyard_runner.gateway.judge.live import SEED, TEMPERATURE
from envyard_runner.gateway.judge.usage import JudgeUsage

WAITED_SHARE = 0.5  # of a rollout's time, beyond which the judge made it late
CALL_SHARE = 0.5  # of a rollout's time: a late verdict must show before the rollout's time ends


@asynccontextmanager
async def open_judge(job: JobSpec, config: Config) -> AsyncIterator[Model | None]:
    """The judge's server, None where the hub names no judge or this runner has no server for it."""
    if not job.judge_model or not config.judge_url:
        yield None
        return
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield Model(
            session,
            url=config.judge_url,
            name=job.judge_model,
            key=config.judge_key,
            timeout=CALL_SHARE * job.limits.rollout_seconds,
        )


def judge_facts(model: Model | None, usage: JudgeUsage) -> JudgeFacts | None:
    """What the hub stores of the judge, None where it was not called."""
    if not usage.calls:
        return None
    return JudgeFacts(
        model=model.name if model else "",
        temperature=TEMPERATURE,
        seed=SEED,
        max_tokens=usage.limits.judge_max_tokens,
        calls=usage.calls.total(),
        unnamed=usage.calls[""],
        tokens=usage.tokens.total(),
        seconds=sum(usage.seconds.values()),
        over_budget=usage.over_budget.total(),
        asked_models=dict(usage.asked_models),
    )


def note_slow_judge(result: RolloutResult, usage: JudgeUsage) -> None:
    """Note the judge's fault where a rollout that took too long waited for it most of the time."""
    if (result.error or {}).get("type") != TIMEOUT:
        return
    name = f"{result.policy}/{result.task}/{result.attempt}"
    waited = usage.seconds_of(name)
    if waited > WAITED_SHARE * result.seconds:
        usage.fail(f"the judge took {waited:.0f} of the {result.seconds:.0f} seconds of {name}")


def judge_fault(usage: JudgeUsage) -> list[Finding]:
    """The platform's fault, if the judge's server failed while the run called it."""
    return [finding("run.judge_unreachable", usage.fault)] if usage.fault else []


def judge_needs(usage: JudgeUsage) -> list[Finding]:
    """The judge that the run called and did not have, as one finding."""
    if usage.refused:
        calls = f"{usage.refused} time{'s' if usage.refused > 1 else ''}"
        message = f"It called a judge {calls}, and there is none."
        return [finding("needs.judge", message, names=["judge"], calls=usage.refused)]
    if usage.unsupported:
        paths = ", ".join(usage.unsupported)
        message = (
            f"It requested {paths}, which no judge answers: a judge has chat/completions, "
            "responses and messages; its author can use one of these."
        )
        return [finding("needs.judge", message, names=list(usage.unsupported))]
    return []
