"""Check of the judge: its server accepts the key and answers one token."""

from __future__ import annotations

import aiohttp

from envyard_runner.config import Config
from envyard_runner.doctor.check import CheckFailed
from envyard_runner.doctor.unreachable import reason
from envyard_runner.gateway.model import Model
from envyard_runner.gateway.reply import Refusal
from envyard_runner.model.endpoint import Endpoint, EndpointError

SECONDS = 30.0
NONE = "RUNNER_JUDGE_URL is not set: environments that call a judge are held (needs.judge)"
QUESTION = {"messages": [{"role": "user", "content": "Answer yes."}], "max_tokens": 1}


async def judge(config: Config) -> str:
    """The judge's model and server; raises CheckFailed with the step that failed."""
    url = config.judge_url
    if not url:
        return NONE
    name = config.judge_model or await _first_listed(url, config.judge_key)
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        model = Model(session, url=url, name=name, key=config.judge_key, timeout=SECONDS)
        try:
            await model.ask("chat/completions", QUESTION)
        except Refusal as error:
            raise CheckFailed(
                f"RUNNER_JUDGE_URL={url} did not answer as {name}: {_cause(error)}"
            ) from error
    return f"{name} answers at {url}"


def _cause(error: Refusal) -> str:
    """The error with its next step: address and network, or key and name."""
    origin = error.__cause__ or error.__context__
    if isinstance(origin, aiohttp.ClientConnectorError | TimeoutError):
        return reason(origin, setting="RUNNER_JUDGE_URL", seconds=SECONDS)
    if error.code == "model_error" and "JSON" in error.message:
        return f"{error.message}: RUNNER_JUDGE_URL is the address before /chat/completions"
    return f"{error.message}; see RUNNER_JUDGE_KEY and the hub's HUB_JUDGE_MODEL"


async def _first_listed(url: str, key: str | None) -> str:
    """A model of the server, where this runner's HUB_JUDGE_MODEL names none."""
    try:
        names = await Endpoint(url, key).names()
    except EndpointError as error:
        origin = error.__cause__
        if isinstance(origin, aiohttp.ClientConnectorError | TimeoutError):
            cause = reason(origin, setting="RUNNER_JUDGE_URL", seconds=SECONDS)
            raise CheckFailed(f"RUNNER_JUDGE_URL={url} does not answer: {cause}") from error
        raise CheckFailed(f"RUNNER_JUDGE_URL: {error}") from error
    if not names:
        raise CheckFailed(f"{url}/models lists no model: set HUB_JUDGE_MODEL to the judge's name")
    return names[0]
