"""What an environment in the sandbox gets of a real vLLM, by Celery and through the gateway."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.flows.hub import Hub
from tests.vllm.conftest import ATTEMPTS, NAME
from tests.wheels import filename, make_wheel

pytestmark = [pytest.mark.vllm, pytest.mark.sandbox, pytest.mark.timeout(1800)]

WAYS = ("stream", "tool", "shape", "long")  # as in the module, whose import needs verifiers
Rollouts = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def played(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Rollouts]:
    """The run of tests/vllm/request_kinds.py and the model's rollouts, by kind of request."""
    path = tmp_path_factory.mktemp("asks") / filename("asks")
    source = Path(__file__).with_name("request_kinds.py").read_text()
    path.write_bytes(make_wheel("asks", files={"asks/__init__.py": source}))
    hub.run("push", path, "--no-wait")
    detail = hub.decided("alice/asks==0.1.0", seconds=900)
    run = hub.get(f"runs/{detail['run']['id']}/")
    rollouts: Rollouts = {}
    for row in hub.get(f"runs/{run['id']}/rollouts/?policy=model&limit=100")["results"]:
        rollouts.setdefault(WAYS[row["task"]], []).append(row)
    return run | {"log": hub.get(f"runs/{run['id']}/log/")["text"]}, rollouts


@pytest.mark.parametrize("way", ["stream", "tool", "shape"])
def test_each_request_form_gets_its_answer(played: tuple[Any, Rollouts], way: str) -> None:
    run, rollouts = played
    assert (run["status"], run["model"]) == ("succeeded", NAME)
    assert [item["reward"] for item in rollouts[way]] == [1.0] * ATTEMPTS, run["log"]


def test_a_prompt_that_is_too_long_is_the_environments_own_affair(
    played: tuple[Any, Rollouts],
) -> None:
    run, rollouts = played
    counted = [attempt for attempt in run["lost_attempts"] if attempt["counted"]]
    assert counted == []  # an installation that failed before is no matter of the model's
    assert len(rollouts["long"]) == ATTEMPTS
    assert all(item["error"]["fault"] == "environment" for item in rollouts["long"])
    assert all("maximum context length" in item["error"]["message"] for item in rollouts["long"])
