"""Rollouts are played again from their record, in a sandbox that has nothing of the first."""

from __future__ import annotations

import pytest

from envyard_runner.gateway.replays import NOT_ENDED, TOO_LONG
from tests.worker.execution.with_framework.conftest import ReplayedRun, Runner
from tests.worker.stub_model import StubModel

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(400)]
HONEST, LOOKUP, RANDOM, DRIFTS, CRASHES, LOOKS = 0, 1, 2, 6, 7, 8
LEAKY = (3, 4, 5)


@pytest.fixture(scope="module")
def kinds(runner: Runner) -> ReplayedRun:
    files = {"__init__.py": "kinds.py", "tools.py": "tools.py"}
    return runner.perform(
        "v1", files, module="kinds", policies=("oracle", "model"), tasks=9, attempts=1
    )


@pytest.fixture(scope="module")
def classic(forking_runner: Runner) -> ReplayedRun:
    files = {"__init__.py": "classic.py"}
    policies = ("babble", "model")
    return forking_runner.perform(
        "v0", files, module="classic", policies=policies, tasks=2, attempts=2
    )


def test_replays_are_sent_beside_the_rollouts_and_count_for_nothing_else(
    kinds: ReplayedRun,
) -> None:
    hub = kinds.outcome.hub
    # An information: one of the tasks has no prompt to compare.
    assert kinds.outcome.result == ("succeeded", ["run.prompt_not_compared"])
    assert len(kinds.first) == len(hub.rollouts) == len(kinds.replays) == 18
    assert {(batch["done"], batch["total"]) for batch in hub.batches[-1:]} == {(18, 18)}
    assert "18 of 18 chosen rollouts were played again" in hub.log
    assert not [replay for replay in kinds.replays.values() if replay["left_out"]]


def test_an_honest_reward_is_the_same_with_tools_and_over_several_turns(kinds: ReplayedRun) -> None:
    assert kinds.first[f"oracle/{LOOKUP}/0"] == 0.5
    same = {kinds.same[f"{policy}/{task}/0"] for policy in ("oracle", "model")
            for task in (HONEST, LOOKUP)}  # fmt: skip
    assert same == {True}
    assert kinds.replays[f"oracle/{LOOKUP}/0"]["diverged"] == 0


def test_an_unseeded_reward_differs_although_the_conversation_is_the_same(
    kinds: ReplayedRun,
) -> None:
    for policy in ("oracle", "model"):
        again = kinds.replays[f"{policy}/{RANDOM}/0"]
        assert not kinds.same[f"{policy}/{RANDOM}/0"]
        assert (again["diverged"], again["error"]) == (0, "")
        assert again["rewards"]["behaviour"]["score"] == again["reward"]


def test_state_of_a_module_from_other_rollouts_shows_in_a_fresh_process(kinds: ReplayedRun) -> None:
    same = [kinds.same[f"{policy}/{task}/0"] for policy in ("oracle", "model") for task in LEAKY]
    assert False in same


def test_another_question_is_named_by_its_call(kinds: ReplayedRun) -> None:
    again = kinds.replays[f"oracle/{DRIFTS}/0"]
    assert again["diverged"] == 2
    assert again["asked"].startswith("user: Is ")
    assert kinds.same[f"oracle/{DRIFTS}/0"]  # its reward does not depend on the question


def test_a_crash_in_the_replay_alone_is_reported_and_fails_nothing(kinds: ReplayedRun) -> None:
    assert kinds.first[f"oracle/{CRASHES}/0"] == 0.5
    again = kinds.replays[f"oracle/{CRASHES}/0"]
    assert again["reward"] is None
    assert "KeyError: 'only when nobody looks'" in again["error"]


def test_aliases_variables_processes_and_files_do_not_reveal_a_replay(kinds: ReplayedRun) -> None:
    for policy in ("oracle", "model"):
        again = kinds.replays[f"{policy}/{LOOKS}/0"]
        assert again["error"] == ""
        assert kinds.same[f"{policy}/{LOOKS}/0"]


def test_a_judge_and_compared_attempts_are_repeated_as_a_group(classic: ReplayedRun) -> None:
    assert classic.outcome.result == ("succeeded", [])
    assert set(classic.same) == {
        "babble/0/0", "babble/1/0", "model/0/0", "model/0/1", "model/1/0", "model/1/1",
    }  # fmt: skip
    assert set(classic.same.values()) == {True}
    assert {replay["diverged"] for replay in classic.replays.values()} == {0}
    assert set(classic.replays["model/0/0"]["rewards"]) == {"judged", "longest"}
    assert {rollout["turns"] for rollout in classic.outcome.hub.rollouts} == {
        4
    }  # two of them the judge's


def test_an_environment_that_hangs_or_ends_itself_in_a_replay_is_reported(
    runner: Runner,
) -> None:
    hostile = runner.perform(
        "v1", {"__init__.py": "hostile.py"}, module="hostile", policies=("silent",), tasks=3,
        concurrency=1, limits={"rollout_seconds": 30.0},
    )  # fmt: skip
    assert hostile.outcome.result == ("succeeded", [])
    assert set(hostile.first.values()) == {0.5}
    ended = hostile.replays["silent/2/0"]
    assert ended["error"].startswith("ProcessEnded: the environment's process ended with status 9")
    assert "silent/2/0" in ended["error"]  # by its name, not by its word
    reached = {hostile.replays[f"silent/{task}/0"]["left_out"] for task in (0, 1)}
    assert reached <= {"", TOO_LONG, NOT_ENDED}  # they come in any order


def test_what_an_environment_takes_as_it_loads_is_free_when_it_loads_again(runner: Runner) -> None:
    again = runner.perform(
        "v1", {"__init__.py": "settles.py"}, module="settles", policies=("silent",), tasks=3
    )
    assert again.outcome.result == ("succeeded", [])
    facts = again.outcome.hub.facts
    assert facts["hashes_again"] == [task["hash"] for task in facts["tasks"]]
    assert again.same == {f"silent/{task}/0": True for task in range(3)}


@pytest.mark.parametrize(("api", "source"), [("v0", "reasons.py"), ("v1", "reasons_v1.py")])
def test_a_reward_that_reads_the_reasoning_is_the_same_from_the_record(
    forking_runner: Runner, api: str, source: str
) -> None:
    again = forking_runner.perform(
        api, {"__init__.py": source}, module=source.removesuffix(".py"), policies=("model",),
        tasks=2, attempts=1, model=StubModel(reasoning={"reasoning": "six sevens"}),
    )  # fmt: skip
    assert again.outcome.result == ("succeeded", [])
    assert set(again.first.values()) == {0.11}
    assert again.same == {"model/0/0": True, "model/1/0": True}
