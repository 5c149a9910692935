"""Classic verifiers environments, played with their own rollout and rubrics."""

from __future__ import annotations

import json

import pytest

from envyard.contract.frameworks.adapters import ADAPTERS
from tests.worker.guest.adapters.conftest import DriverEvents, drive_many, job
from tests.worker.guest.adapters.stub_gateway import Message, StubGateway

pytestmark = [pytest.mark.adapter, pytest.mark.flow, pytest.mark.timeout(600)]
# Every release that the guest program has a case for; the newest one stands for all later ones.
EARLIEST, *EARLIER = ("0.1.9.post3", "0.1.10", "0.1.11", "0.1.12", "0.1.14")
RELEASES = [
    "",
    *(pytest.param(each, marks=pytest.mark.extended) for each in (EARLIEST, *EARLIER)),
]
V0 = ADAPTERS["verifiers", "v0"]


def model(messages: list[Message], rollout: str) -> Message | str:
    """Calls a given tool, else replies by the attempt's number."""
    prompt, attempt = str(messages[0]["content"]), rollout.rpartition("/")[2]
    if prompt == "2+3?":
        if messages[-1]["role"] == "tool":
            return str(messages[-1]["content"])
        function = {"name": "add", "arguments": json.dumps({"a": 2, "b": 3})}
        call = {"id": "1", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    if prompt == "Count down.":
        return "stumble" if attempt == "1" else "down"
    if prompt == "Say amber":
        return "amber" if attempt == "0" else "not a number"
    return "compared" if attempt == "0" else "a longer reply"


@pytest.fixture(scope="module", params=RELEASES)
def played(
    gateway: StubGateway, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, DriverEvents]:
    gateway.model = model
    modules = ["words_v0", "turns_v0", "tools_v0", "groups_v0", "compared_v0", "rude_v0"]
    modules.append("hints_v0")
    jobs = [job("v0", module, gateway, attempts=2) for module in modules]
    pins = [f"verifiers=={request.param}"] if request.param else []
    events = drive_many("v0", jobs, tmp_path_factory.mktemp("v0"), *pins)
    version = events["words_v0"].only("loaded")["framework_version"]
    assert version == (request.param or V0.known_releases()[-1].version.public)
    return events


def test_the_training_rows_are_the_tasks_and_a_seed_option_is_given_the_seed(
    played: dict[str, DriverEvents],
) -> None:
    words = played["words_v0"]
    assert words.only("loaded")["framework_version"]
    assert [task["answer"] for task in words.tasks] == ["amber3", "birch3", "cedar3"]
    assert {task["split"] for task in words.tasks} == {"train"}
    assert words.tasks[0]["prompt"] == "Repeat one word.\n\nSay amber3"


def test_a_single_turn_is_paid_by_its_rubric(played: dict[str, DriverEvents]) -> None:
    words = played["words_v0"]
    assert words.rollouts["oracle/1/0"]["rewards"] == {"exact": {"score": 1.0, "weight": 2.0}}
    assert words.rollouts["oracle/1/0"]["reward"] == 2.0
    assert words.rollouts["oracle/1/0"]["metrics"]["length"] == 6.0
    assert words.rollouts["swapped/1/0"]["reward"] == 0.0


def test_an_empty_reply_is_judged_and_not_an_error(played: dict[str, DriverEvents]) -> None:
    silent = played["words_v0"].rollouts["silent/0/0"]
    assert (silent["ok"], silent["reward"]) == (True, 0.0)
    assert silent["messages"][-1] == {"role": "assistant", "content": ""}


def test_several_turns_keep_their_state_and_an_exception_between_them_is_the_environments(
    played: dict[str, DriverEvents],
) -> None:
    turns = played["turns_v0"]
    assert turns.tasks[0]["split"] == "eval"
    assert (turns.rollouts["model/0/0"]["turns"], turns.rollouts["model/0/0"]["reward"]) == (3, 1.0)
    assert turns.rollouts["model/0/0"]["stop"] == "landed"
    assert turns.errors() == {"model/0/1": ("LookupError", "environment")}


def test_an_oracle_beside_load_environment_plays_several_turns_from_its_row_in_another_process(
    played: dict[str, DriverEvents],
) -> None:
    hints = played["hints_v0"]
    assert [(task["hook"], task["reference"]) for task in hints.tasks] == [(True, True)] * 3
    rollouts = [hints.rollouts[f"oracle/{task}/0"] for task in range(3)]
    assert [(each["reward"], each["turns"]) for each in rollouts] == [(1.0, 1), (1.0, 4), (1.0, 4)]


def test_tool_calls_are_recorded_as_chat_messages(
    played: dict[str, DriverEvents],
) -> None:
    rollout = played["tools_v0"].rollouts["model/0/0"]
    assert rollout["reward"] == 1.0
    assert rollout["metrics"]["add_calls"] == 1.0
    call, result = rollout["messages"][1:3]
    assert call["tool_calls"][0]["function"] == {"name": "add", "arguments": '{"a": 2, "b": 3}'}
    assert (result["role"], result["tool_call_id"], result["content"]) == ("tool", "1", "5")


@pytest.mark.parametrize(("module", "task"), [("compared_v0", 0), ("groups_v0", 1)])
def test_attempts_that_a_reward_compares_are_scored_together(
    played: dict[str, DriverEvents], module: str, task: int
) -> None:
    rollouts = played[module].rollouts
    short, long = rollouts[f"model/{task}/0"], rollouts[f"model/{task}/1"]
    assert short["rewards"]["longest"] == {"score": 0.0, "weight": 0.5}
    assert long["rewards"]["longest"] == {"score": 1.0, "weight": 0.5}
    assert long["reward"] == 0.5


def test_a_group_of_environments_plays_each_row_with_its_own(
    played: dict[str, DriverEvents],
) -> None:
    rollouts = played["groups_v0"].rollouts
    assert rollouts["oracle/0/0"]["rewards"] == {"exact": {"score": 1.0, "weight": 1.0}}
    assert set(rollouts["oracle/1/0"]["rewards"]) == {"exact", "longest"}


def test_a_reward_that_raises_or_is_no_number_is_an_error_and_never_zero(
    played: dict[str, DriverEvents],
) -> None:
    rude = played["rude_v0"]
    assert rude.errors() == {
        "oracle/0/0": ("ZeroDivisionError", "environment"),
        "model/0/0": ("ZeroDivisionError", "environment"),
        "model/0/1": ("RewardNotFinite", "environment"),
    }
    assert rude.rollouts["model/0/0"]["reward"] is None
