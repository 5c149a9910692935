"""Every shape of verifiers v1 environment, played by the driver against scripted policies."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.worker.guest.adapters.conftest import DriverEvents, drive_many, job
from tests.worker.guest.adapters.stub_gateway import Message, StubGateway

pytestmark = [pytest.mark.adapter, pytest.mark.flow, pytest.mark.timeout(600)]


def call(name: str, **arguments: Any) -> Message:
    """An assistant message that calls one tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "tool_calls": [{"id": "1", "type": "function", "function": function}],
    }


def model(messages: list[Message], rollout: str) -> Message | str:
    """The model of all these environments; which it plays shows in the conversation."""
    first, turns = str(messages[-1]["content"]), [m for m in messages if m["role"] == "assistant"]
    prompt = next(str(m["content"]) for m in messages if m["role"] == "user")
    if prompt.startswith("Note"):
        name = prompt.split()[1]
        return call("pad_add", text=name) if len(turns) < 2 else "noted"
    if prompt.startswith("Capital"):
        return [call("atlas_capital", country="Chile"), call("nothing", x=1), "Oslo"][len(turns)]
    if prompt == "refuse":
        return {"status": 400}
    return first


@pytest.fixture(scope="module")
def played(
    gateway: StubGateway, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, DriverEvents]:
    gateway.model = model
    gateway.calls.clear()
    plain = ["words_v1", "lookup_v1", "quiz_v1", "looper_v1"]
    jobs = [job("v1", module, gateway) for module in plain]
    jobs.append(job("v1", "notes_v1", gateway, policies=("model",), attempts=2))
    jobs.append(job("v1", "pair_v1", gateway, policies=("model",)))
    jobs.append(job("v1", "rude_v1", gateway, policies=("model",), rollout_timeout=5.0))
    jobs.append(job("v1", "empty_v1", gateway))
    return drive_many("v1", jobs, tmp_path_factory.mktemp("v1"))


def test_the_first_tasks_of_an_endless_taskset_are_taken_with_its_seed(
    played: dict[str, DriverEvents],
) -> None:
    loaded = played["words_v1"].only("loaded")
    assert loaded["framework_version"].startswith("0.4.")
    assert [task["index"] for task in loaded["tasks"]] == list(range(12))
    assert len({task["hash"] for task in loaded["tasks"]}) == 12
    first = loaded["tasks"][0]
    assert (first["answer"], first["prompt"]) == ("birch606", "Say birch606")  # seed 3, not None
    assert (first["reference"], first["hook"], first["split"]) == (True, False, "eval")


def test_each_policy_plays_each_task_and_is_rewarded_for_its_reply(
    played: dict[str, DriverEvents], gateway: StubGateway
) -> None:
    words = played["words_v1"]
    policies = Counter(name.partition("/")[0] for name in words.rollouts)
    assert policies == {"silent": 12, "oracle": 12, "swapped": 12, "model": 12, "form": 16}
    rewards = words.rewards()
    assert {rewards[f"silent/{task}/0"] for task in range(12)} == {0.0}
    assert {rewards[f"oracle/{task}/0"] for task in range(12)} == {2.5}
    assert {rewards[f"swapped/{task}/0"] for task in range(12)} == {0.5}


def test_a_process_of_their_own_calls_the_oracles_of_tasks_that_have_one(
    played: dict[str, DriverEvents], gateway: StubGateway
) -> None:
    for module in ("lookup_v1", "quiz_v1"):
        assert gateway.jobs[module].plan.references.process.ready.is_set()
        assert {task["hook"] for task in played[module].tasks} == {True}
    assert not gateway.jobs["words_v1"].plan.references.needs_process


def test_a_rollout_event_holds_parts_metrics_messages_and_times(
    played: dict[str, DriverEvents],
) -> None:
    rollout = played["words_v1"].rollouts["oracle/0/0"]
    assert rollout["rewards"] == {
        "exact": {"score": 1.0, "weight": 2.0},
        "short": {"score": 1.0, "weight": 0.5},
    }
    assert rollout["metrics"] == {"length": 8.0}
    assert [message["role"] for message in rollout["messages"]] == ["system", "user", "assistant"]
    assert (rollout["ok"], rollout["turns"], rollout["truncated"]) == (True, 1, False)
    assert rollout["stop"] == "agent_completed"
    assert 0 <= rollout["scoring_seconds"] < rollout["seconds"] < 20


def test_an_oracle_is_computed_before_every_call_and_may_call_tools(
    played: dict[str, DriverEvents], gateway: StubGateway
) -> None:
    lookup = played["lookup_v1"]
    assert all(task["hook"] for task in lookup.tasks)
    assert lookup.rollouts["oracle/1/0"]["reward"] == 1.0
    assert [m["role"] for m in lookup.rollouts["oracle/1/0"]["messages"]] == [
        "user", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert lookup.rollouts["oracle/1/0"]["messages"][2]["content"] == "Lima"


def test_a_tool_server_has_its_task_and_answers_the_models_mistakes(
    played: dict[str, DriverEvents],
) -> None:
    messages = played["lookup_v1"].rollouts["model/0/0"]["messages"]
    replies = [message["content"] for message in messages if message["role"] == "tool"]
    assert replies == ["ask about the task's country", "error: unknown tool 'nothing'"]


def test_a_shared_tool_server_keeps_the_state_of_each_rollout_apart(
    played: dict[str, DriverEvents],
) -> None:
    rewards = played["notes_v1"].rewards()
    assert len(rewards) == 6
    assert set(rewards.values()) == {1.0}


def test_a_scripted_user_opens_and_goes_on(played: dict[str, DriverEvents]) -> None:
    quiz = played["quiz_v1"]
    assert quiz.rewards() == {
        "silent/0/0": 0.0, "silent/1/0": 0.0, "oracle/0/0": 1.0, "oracle/1/0": 1.0,
        "model/0/0": 0.0, "model/1/0": 0.0,
    }  # fmt: skip
    assert quiz.rollouts["oracle/0/0"]["turns"] == 3
    assert quiz.tasks[0]["prompt"] != quiz.tasks[1]["prompt"]


def test_swapped_is_not_played_where_another_task_would_say_the_same(
    played: dict[str, DriverEvents],
) -> None:
    assert not any(name.startswith("swapped") for name in played["quiz_v1"].rollouts)


def test_roles_share_the_reward_and_are_all_ours_to_run(
    played: dict[str, DriverEvents], gateway: StubGateway
) -> None:
    pair = played["pair_v1"].rollouts["model/0/0"]
    assert pair["error"] is None
    assert pair["reward"] == pytest.approx((1.0 + 1.0 - 0.5) / 3)
    assert {name: part["score"] for name, part in pair["rewards"].items()} == {
        "player1.payoff": 1.0, "player2.payoff": 1.0, "rival.payoff": -0.5,
    }  # fmt: skip
    assert {message["agent"] for message in pair["messages"]} == {
        "player1", "player2", "rival", "watcher",
    }  # fmt: skip


def test_an_environments_own_harness_is_kept_and_gets_the_reference_in_each_call(
    played: dict[str, DriverEvents], gateway: StubGateway
) -> None:
    looper = played["looper_v1"]
    assert looper.rollouts["oracle/0/0"]["reward"] == 1.0
    assert looper.rollouts["oracle/0/0"]["turns"] == 2


@pytest.mark.parametrize(
    ("way", "error"),
    [
        ("none", None),
        ("raises", ("TaskError", "environment")),
        ("nan", ("RewardNotFinite", "environment")),
        ("exits", ("SystemExit", "environment")),
        ("sleeps", ("RolloutTimeout", "environment")),
        ("blocks", ("RolloutTimeout", "environment")),
        ("shouts", None),
        ("leaks", None),
        ("clings", ("RolloutTimeout", "environment")),
        ("words", ("TaskError", "environment")),
        ("refuse", ("ProviderError", "model")),
    ],
)
def test_a_rude_environment_costs_only_its_own_rollout(
    played: dict[str, DriverEvents], way: str, error: tuple[str, str] | None
) -> None:
    rude = played["rude_v1"]
    (task,) = (task["index"] for task in rude.tasks if task["prompt"] == way)
    rollout = rude.rollouts[f"model/{task}/0"]
    assert rude.errors().get(f"model/{task}/0") == error
    assert rollout["ok"] == (error is None)
    assert rollout["reward"] == (0.25 if error is None else None)
    assert rollout["reward_text"] == ("nan" if way == "nan" else "")
    assert rude.events[-1]["event"] == "done"


def test_tasks_that_cannot_be_loaded_are_fatal_and_say_why(played: dict[str, DriverEvents]) -> None:
    (fatal,) = (e for e in played["empty_v1"].events if e["event"] == "fatal")
    assert fatal["stage"] == "load"
    assert fatal["error"]["type"] == "FileNotFoundError"
    assert fatal["error"]["message"] == "tasks.jsonl"
    assert "empty_v1.py" in fatal["error"]["traceback"]


def test_requests_name_the_model_of_the_job(
    played: dict[str, DriverEvents], gateway: StubGateway, tmp_path: Path
) -> None:
    assert {r["model"] for calls in gateway.calls.values() for r in calls.requests} == {"policy"}
