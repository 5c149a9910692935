"""Checks of the data endpoint: the data set hub, the operator's token there, and the store."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from typing import Any

import aiohttp

from envyard.contract.values import record
from envyard_runner.config import Config
from envyard_runner.data.source import DataSource
from envyard_runner.data.store import Store
from envyard_runner.data.upstream import USER_AGENT
from envyard_runner.doctor.check import Check, CheckFailed, run_check
from envyard_runner.doctor.unreachable import reason
from envyard_runner.sandbox.rundir import make_shared

SECONDS = 15.0
ACCOUNT = "/api/whoami-v2"  # of the Hugging Face Hub; a mirror may answer 404
REPOSITORY = "/api/datasets/openai/gsm8k/revision/main"  # a hub without it answers in JSON too
NO_HUB = (
    "{url} answers ({status}), but not as a data set hub: RUNNER_DATA_URL is the address before "
    "/api and /datasets"
)


async def examine_data(config: Config) -> list[Check]:
    """Whether runs can read data sets; one check where the operator offers none."""
    if config.data_source is None:
        detail = "RUNNER_DATA_URL is not set: versions that load data sets are held"
        return [Check("data sets", True, detail)]
    return [
        await run_check("data sets", _upstream, config),
        await run_check("data store", _store, config),
    ]


async def _upstream(config: Config) -> str:
    source = config.data_source
    assert source is not None  # noqa: S101  (examine_data has checked it)
    status, account = await _account(source)
    if status >= 500 or status == 429:
        raise CheckFailed(f"{source.url} answered {status}: is RUNNER_DATA_URL right?")
    allowed = "" if source.allowed == ("*",) else f"; allowed are {', '.join(source.allowed)}"
    if source.token is None:
        return (
            f"{source.url} answers; without RUNNER_DATA_TOKEN gated data sets are not readable"
            f"{allowed}"
        )
    if status in (401, 403):
        raise CheckFailed(
            f"{source.url} refused RUNNER_DATA_TOKEN ({status}): create another with read access"
        )
    if status == 404:
        return f"{source.url} answers and has no accounts, so the token was not checked{allowed}"
    if _role(account) == "write":
        raise CheckFailed(
            f"RUNNER_DATA_TOKEN may write to {source.url}: create one with read access alone"
        )
    name = account.get("name", "an account")
    return f"{source.url} answers and accepts the token of {name}{allowed}"


async def _account(source: DataSource) -> tuple[int, Mapping[str, Any]]:
    """The status of the account's address, and the account; raises CheckFailed for a server that
    is no data set hub."""
    headers = {"User-Agent": USER_AGENT}
    if source.token:
        headers["Authorization"] = f"Bearer {source.token}"
    timeout = aiohttp.ClientTimeout(total=SECONDS)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=True) as session,
            session.get(
                f"{source.url}{REPOSITORY}", headers=headers, allow_redirects=False
            ) as response,
            session.get(
                f"{source.url}{ACCOUNT}", headers=headers, allow_redirects=False
            ) as account,
        ):
            if response.status < 500 and not _is_api(response):
                raise CheckFailed(NO_HUB.format(url=source.url, status=response.status))
            if account.status != 200:
                return account.status, {}
            return 200, record(await account.json(content_type=None))
    except (aiohttp.ClientError, TimeoutError) as error:  # first: some are ValueErrors too
        cause = reason(error, setting="RUNNER_DATA_URL", seconds=SECONDS)
        raise CheckFailed(f"{source.url} does not answer: {cause}") from error
    except ValueError as error:
        raise CheckFailed(NO_HUB.format(url=source.url, status=200)) from error


def _is_api(response: aiohttp.ClientResponse) -> bool:
    """Whether this is an answer of the hub's API: JSON, or an error with the hub's code."""
    return "json" in response.content_type or "X-Error-Code" in response.headers


def _role(account: Mapping[str, Any]) -> object:
    return record(record(account.get("auth")).get("accessToken")).get("role")


async def _store(config: Config) -> str:
    try:
        make_shared(config.home)
        config.data.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=config.data):
            pass
    except OSError as error:
        raise CheckFailed(
            f"{config.data} cannot be written ({error.strerror}): set RUNNER_HOME"
        ) from error
    size = Store(config.data, config.data_bytes).size()
    used = f"{size >> 20} of {config.data_bytes >> 20} MB used in {config.data}"
    if size > config.data_bytes:
        raise CheckFailed(f"{used}: raise RUNNER_DATA_MB, or delete the folder between runs")
    if config.data_run_bytes > config.data_bytes:
        raise CheckFailed(
            f"{used}, less than a run may read: raise RUNNER_DATA_MB or lower RUNNER_DATA_RUN_MB"
        )
    return used
