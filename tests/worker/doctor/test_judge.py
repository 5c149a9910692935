"""The doctor's check of the judge names the step that fails."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from envyard_runner.config import Config
from envyard_runner.doctor.check import CheckFailed
from envyard_runner.doctor.judge import judge
from tests.worker.stub_judge import KEY, NAME, StubJudge, serving_judge

pytestmark = pytest.mark.slow


def check(stub: StubJudge, **settings: str) -> str:
    async def checked() -> str:
        async with serving_judge(stub):
            environment = {"RUNNER_JUDGE_URL": stub.url, "RUNNER_JUDGE_KEY": KEY, **settings}
            return await judge(Config.from_environment(environment))

    return asyncio.run(checked())


def test_a_judge_answers_one_token_under_its_key() -> None:
    stub = StubJudge()
    assert check(stub).startswith(f"{NAME} answers at ")
    assert stub.requests[0]["max_tokens"] == 1
    assert stub.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert check(stub, HUB_JUDGE_MODEL="other").startswith("other answers")


def test_without_a_server_nothing_is_wrong() -> None:
    detail = asyncio.run(judge(Config.from_environment({})))
    assert "RUNNER_JUDGE_URL is not set" in detail


@pytest.mark.parametrize("status", [401, 404, 429, 500])
def test_a_server_that_refuses_is_named_with_its_answer(status: int) -> None:
    with pytest.raises(CheckFailed, match=f"RUNNER_JUDGE_URL=.*{status}.*RUNNER_JUDGE_KEY") as info:
        check(StubJudge(status=status))
    assert KEY not in str(info.value)


def test_a_server_that_is_away_is_named() -> None:
    config = Config.from_environment({"RUNNER_JUDGE_URL": "http://127.0.0.1:9"})
    with pytest.raises(CheckFailed, match="does not answer"):
        asyncio.run(judge(config))
    with pytest.raises(CheckFailed, match="no connection"):
        asyncio.run(judge(replace(config, judge_model=NAME)))
