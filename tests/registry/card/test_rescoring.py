"""The measure of replayed rollouts: equal and differing rewards."""

from dataclasses import replace
from typing import Any

import pytest

from envyard.card.evidence import Evidence
from envyard.card.measures import MEASURES, Measure
from envyard.card.rescoring import rescored
from envyard.card.verdict import findings_of
from envyard.contract.replay import Replay
from envyard.contract.runner_events import RolloutResult
from tests.registry.run_factories import POLICIES, honest_rollouts, make_facts, make_rollout


def measured(code: str, evidence: Evidence) -> Measure:
    """The result of one measure."""
    return MEASURES[code].measure(evidence)


def replayed(rollout: RolloutResult, **fields: Any) -> RolloutResult:
    """The rollout, replayed with the same result, apart from `fields`."""
    same: dict[str, Any] = {"reward": rollout.reward, "rewards": rollout.rewards}
    return replace(rollout, replay=Replay(**(same | fields)))


def evidence(rollouts: list[RolloutResult]) -> Evidence:
    return Evidence(POLICIES, 5, 1, make_facts(), tuple(rollouts))


def test_rewards_that_agree_pass_with_their_interval() -> None:
    measure = measured("reproducible_reward", evidence([replayed(r) for r in honest_rollouts()]))
    assert (measure.status, measure.value, measure.n, measure.threshold) == ("pass", 1.0, 25, 1.0)
    assert measure.low is not None
    assert 0.5 < measure.low < measure.high == 1.0  # of five tasks
    assert measure.detail == (
        "25 of 25 rollouts got the same reward when replayed with the recorded replies"
    )


@pytest.mark.parametrize(
    ("second", "same"),
    [(1.0, True), (1.0 + 9e-7, True), (1.0 + 2e-6, False), (0.0, False), (None, False)],
)
def test_rewards_agree_within_a_millionth(second: float | None, same: bool) -> None:
    rollout = replayed(make_rollout("oracle", reward=1.0), reward=second)
    measure = measured("reproducible_reward", evidence([rollout]))
    assert measure.status == ("pass" if same else "warn")


def test_two_rewards_of_about_nothing_agree() -> None:
    rollout = replayed(make_rollout("oracle", reward=0.0), reward=1e-12)
    assert measured("reproducible_reward", evidence([rollout])).status == "pass"


def test_differing_rewards_warn_with_both_rewards_and_the_conversation() -> None:
    parts = {"right": {"score": 0.5, "weight": 1.0}}
    rollouts = [replayed(r) for r in honest_rollouts()]
    rollouts[0] = replayed(rollouts[0], reward=0.5, rewards=parts)
    rollouts[1] = replayed(rollouts[1], reward=0.25, diverged=2, asked="user: Is it 7?")
    rollouts[2] = replayed(rollouts[2], reward=None, error="KeyError: 'x'")
    [finding] = findings_of(evidence(rollouts), POLICIES)
    assert (finding.code, finding.severity) == ("card.reproducible_reward", "warning")
    assert finding.where == "silent/0/0"
    assert finding.details["rewards"] == {
        "silent/0/0": [0.0, 0.5], "silent/1/0": [0.0, 0.25], "silent/2/0": [0.0, None],
    }  # fmt: skip
    assert finding.details["value"] == 22 / 25
    assert (
        "silent/0/0 got 0, then got 0.5 (right 0, then 0.5), with the same conversation; "
        "silent/1/0 got 0, then got 0.25, its call 2 being another: 'user: Is it 7?'; "
        "silent/2/0 got 0, then failed (KeyError: 'x'), with the same conversation"
    ) in finding.message


def test_only_the_first_that_differ_are_named() -> None:
    rollouts = [replayed(r, reward=0.7) for r in honest_rollouts()]
    assert measured("reproducible_reward", evidence(rollouts)).detail.endswith("; 22 more differ")


def test_rollouts_that_are_left_out_count_neither_way_and_are_reported() -> None:
    rollouts = [replayed(r) for r in honest_rollouts()]
    rollouts[3] = replayed(rollouts[3], reward=None, left_out="its record is shortened")
    measure = measured("reproducible_reward", evidence(rollouts))
    assert (measure.status, measure.n) == ("pass", 24)
    assert measure.detail.endswith("; 1 left out: its record is shortened")


def test_another_conversation_with_the_same_reward_passes_and_is_reported() -> None:
    rollouts = [replayed(r) for r in honest_rollouts()]
    rollouts[0] = replayed(rollouts[0], diverged=1, asked="user: hello")
    measure = measured("reproducible_reward", evidence(rollouts))
    assert measure.status == "pass"
    assert "1 agree although the conversation changed: silent/0/0" in measure.detail


def test_rescoring_without_replays_is_unknown_and_rejects_nothing() -> None:
    late = [replayed(r, reward=None, left_out="the run's time was over") for r in honest_rollouts()]
    for rollouts in (honest_rollouts(), late):
        measure = measured("reproducible_reward", evidence(rollouts))
        assert (measure.status, measure.n) == ("unknown", 0)
        assert findings_of(evidence(rollouts), POLICIES) == []
    assert "25 left out: the run's time was over" in measure.detail


def test_a_judge_call_that_was_not_recorded_is_named() -> None:
    asked = "Is it right at 12:31?"
    again = Replay(reward=0.0, judge_diverged=2, judge_asked=asked)
    (first, *_) = honest_rollouts()
    played = [replace(first, reward=1.0, replay=again)]
    expected = f"2 of its judge calls not being recorded: {asked!r}"
    assert expected in rescored(played).sentence
    same = [replace(played[0], replay=replace(again, reward=1.0))]
    assert rescored(same).differing == ()
    assert expected in rescored(same).sentence
