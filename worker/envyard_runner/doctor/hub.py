"""Checks of the hub, its broker, the models, the judge and hosts."""

from __future__ import annotations

import asyncio

import aiohttp

from envyard_runner.config import Config
from envyard_runner.doctor.check import Check, CheckFailed, run_check
from envyard_runner.doctor.hosts import check_hosts
from envyard_runner.doctor.judge import judge
from envyard_runner.hub_api.client import HubClient, HubRefused, HubUnreachable

SECONDS = 10.0


async def examine_hub(config: Config) -> list[Check]:
    """Whether the hub answers and accepts the token, which models runs may use and whether the
    judge and public hosts answer."""
    return [
        await run_check("hub", _hub, config),
        await run_check("token", _token, config),
        await run_check("broker", _broker, config),
        await run_check("models", _models, config),
        await run_check("judge", judge, config),
        await run_check("hosts", check_hosts, config),
    ]


async def _hub(config: Config) -> str:
    timeout = aiohttp.ClientTimeout(total=SECONDS)
    url = f"{config.hub_url}/healthz"
    try:
        async with aiohttp.ClientSession(timeout=timeout) as session, session.get(url) as answer:
            if answer.status != 200:
                raise CheckFailed(f"{url} answered {answer.status}: is HUB_URL the hub's address?")
    except (aiohttp.ClientError, TimeoutError) as error:
        raise CheckFailed(
            f"{url} does not answer ({error}): start the hub or set HUB_URL"
        ) from error
    return config.hub_url


async def _token(config: Config) -> str:
    if config.token is None:
        raise CheckFailed("none given: HUB_RUNNER_TOKEN_FILE names the file that holds it")
    async with aiohttp.ClientSession() as session:
        hub = HubClient(session, url=config.hub_url, token=config.token, patience=SECONDS)
        try:
            return f"the hub knows this runner as {(await hub.whoami()).name}"
        except HubRefused as error:
            raise CheckFailed(
                f"the hub refused the token: {error}; make another runner token"
            ) from error
        except HubUnreachable as error:
            raise CheckFailed(f"not tried, the hub is away: {error}") from error


async def _broker(config: Config) -> str:
    from envyard_runner.messaging import broker

    if config.broker_url is None:
        return "HUB_BROKER_URL is not set: start the runner with --poll"
    try:
        return await asyncio.to_thread(broker.connect, config.broker_url)
    except broker.BrokerUnusable as error:
        raise CheckFailed(str(error)) from error


async def _models(config: Config) -> str:
    ready = sorted(await config.models().ready())
    if ready:
        return f"ready: {', '.join(ready)}"
    if config.model_url:
        raise CheckFailed(
            f"{config.model_url}/models lists no {config.model or 'model'}: is it up?"
        )
    return "none ready: this runner takes runs of probes only (`hub-runner model` serves one)"
