"""Floor and ceiling: who is paid for what."""

from dataclasses import replace
from typing import Any

import pytest

from envyard.card.evidence import Evidence
from envyard.card.reward_bounds import ceiling, floor, full_marks
from envyard.contract.answer_forms import AnswerForm
from envyard.contract.probes import PROBE_NAMES
from envyard.contract.runner_events import RolloutResult, Usage
from envyard.contract.scoring import Scoring
from tests.registry.run_factories import make_facts, make_failed_rollout, make_rollout


def paid(*, hook: bool = True, weight: float = 1.0, **rewards: Any) -> Evidence:
    """A run in which each policy is paid the same for every task, or a list, task by task."""
    rollouts = [
        make_rollout(
            policy,
            task,
            reward=reward[task] if isinstance(reward, list) else reward,
            rewards={"right": {"score": 1.0, "weight": weight}},
        )
        for policy, reward in rewards.items()
        for task in range(5)
    ]
    policies = tuple(p for p in PROBE_NAMES if p in rewards)
    return Evidence(policies, 5, 4, make_facts(hook=hook), tuple(rollouts))


def statuses(evidence: Evidence) -> dict[str, str]:
    return {bound.score.policy: bound.status for bound in floor(evidence)}


def test_a_verifier_that_pays_silence_fails() -> None:
    bound = floor(paid(silent=1.0, oracle=1.0))[0]
    assert bound.status == "fail"
    assert bound.best_rollout == "silent/0/0"
    assert bound.sentence == (
        "silent is paid 1 on average over 5 rollouts, at most 0.25 is allowed (full marks: 1); "
        "silent/0/0 got 1"
    )


@pytest.mark.parametrize(
    ("reward", "blank", "shaped"),
    [(-0.1, "pass", "pass"), (0.25, "pass", "pass"), (0.3, "fail", "warn"), (0.8, "fail", "fail")],
)
def test_blank_policies_may_earn_less_than_those_that_share_words(
    reward: float, blank: str, shaped: str
) -> None:
    run = paid(silent=reward, babble=reward, parrot=reward, swapped=reward, oracle=1.0)
    assert statuses(run) == {"silent": blank, "babble": blank, "parrot": shaped, "swapped": shaped}


def test_silence_paid_in_full_once_warns() -> None:
    assert statuses(paid(silent=[1.0, 0, 0, 0, 0], oracle=1.0)) == {"silent": "warn"}


@pytest.mark.parametrize(
    ("reward", "status"), [(0.3, "pass"), (0.5, "warn"), (0.75, "warn"), (0.8, "fail")]
)
def test_the_form_alone_may_earn_a_part(reward: float, status: str) -> None:
    assert statuses(paid(format=reward, oracle=1.0)) == {"format": status}


def test_a_refusal_never_rejects() -> None:
    assert statuses(paid(refusal=1.0, oracle=1.0)) == {"refusal": "warn"}


@pytest.mark.parametrize(("played", "status"), [(1, "warn"), (2, "warn"), (3, "fail")])
def test_probes_of_parsers_reject_from_three_rollouts_on(played: int, status: str) -> None:
    run = paid(all_options=1.0, oracle=1.0)
    few = tuple(r for r in run.rollouts if r.policy == "oracle" or r.task < played)
    assert statuses(replace(run, rollouts=few)) == {"all_options": status}


def test_a_right_reply_of_a_probe_is_no_floor() -> None:
    run = paid(silent=[1.0, 0, 0, 0, 0], parrot=1.0, oracle=1.0)
    right = ["silent/0/0", *(f"parrot/{task}/0" for task in range(5))]
    fair = replace(run, facts=replace(run.facts, right_replies=right))
    assert statuses(run) == {"silent": "warn", "parrot": "fail"}
    assert statuses(fair) == {"silent": "pass"}


def test_the_floor_limit_scales_with_full_marks() -> None:
    assert statuses(paid(silent=0.3, oracle=2.0)) == {"silent": "pass"}
    assert statuses(paid(silent=0.05, oracle=0.1)) == {"silent": "fail"}


def test_full_marks_are_the_oracles_mean_or_else_the_weights() -> None:
    assert full_marks(paid(oracle=0.7, weight=1.5)) == 0.7
    assert full_marks(paid(oracle=0.7, weight=1.5, hook=False)) == 1.0
    assert full_marks(paid(oracle=1.4, weight=1.5, hook=False)) == 1.4
    assert full_marks(paid(silent=0.0, weight=0.5)) == 0.5
    assert full_marks(paid(oracle=0.0)) == 1.0


def test_a_failed_rollout_earns_no_marks_whatever_it_claims() -> None:
    run = paid(oracle=0.5)
    claimed = make_rollout("oracle", 4, 1, ok=False, reward=100.0)
    assert full_marks(replace(run, rollouts=(*run.rollouts, claimed))) == 0.5


def test_a_huge_weight_on_a_tiny_score_hides_nothing() -> None:
    assert statuses(paid(silent=1.0, weight=1e9, hook=False)) == {"silent": "fail"}


def test_an_oracle_that_is_not_paid_fails_where_it_is_the_environments_own() -> None:
    own, field = ceiling(paid(oracle=0.2)), ceiling(paid(oracle=0.2, hook=False))
    assert own is not None
    assert field is not None
    assert (own.status, field.status) == ("fail", "warn")
    assert "oracle() is paid 0.2" in own.sentence


def test_an_oracle_that_cannot_always_win_passes_by_its_distance_from_the_floor() -> None:
    bound = ceiling(paid(silent=-0.1, oracle=0.7, weight=1.145))
    assert bound is not None
    assert bound.status == "pass"
    assert bound.minimum == pytest.approx(-0.1 + 0.3)


def test_an_oracle_no_better_than_an_echo_fails() -> None:
    bound = ceiling(paid(parrot=0.6, oracle=0.6))
    assert bound is not None
    assert bound.status == "fail"
    assert bound.minimum == pytest.approx(0.9)


def test_an_own_oracle_whose_rollouts_all_failed_fails() -> None:
    rollouts: list[RolloutResult] = [make_failed_rollout("oracle", task) for task in range(5)]
    bound = ceiling(Evidence(("oracle",), 5, 4, make_facts(), tuple(rollouts)))
    assert bound is not None
    assert bound.status == "fail"
    assert "is paid nothing over 0 rollouts, 5 failed" in bound.sentence


def test_without_any_reference_there_is_no_ceiling() -> None:
    assert ceiling(paid(silent=0.0, hook=False)) is None


def declared(run: Evidence, **fields: Any) -> Evidence:
    """The run of a wheel that declares this about its rewards."""
    return replace(run, facts=replace(run.facts, scoring=Scoring(**fields)))


def test_declared_echo_excuses_the_probe_that_repeats_the_prompt_and_no_other() -> None:
    run = paid(silent=0.8, parrot=1.0, babble=0.8, swapped=0.8, oracle=1.0)
    assert statuses(run) == dict.fromkeys(("silent", "parrot", "babble", "swapped"), "fail")
    echo = declared(run, echo=True)
    assert statuses(echo) == dict.fromkeys(("silent", "babble", "swapped"), "fail")


def test_declared_abstention_allows_a_share_for_no_answer_and_none_for_noise() -> None:
    run = paid(silent=0.5, babble=0.5, oracle=1.0)
    assert statuses(run) == {"silent": "fail", "babble": "fail"}
    assert statuses(declared(run, abstention=True)) == {"silent": "pass", "babble": "fail"}
    full = declared(paid(silent=1.0, oracle=1.0), abstention=True)
    assert statuses(full) == {"silent": "fail"}


def test_answer_fields_that_earn_more_than_the_weights_are_full_marks() -> None:
    run = paid(swapped=3.0, oracle=10.0, hook=False)
    assert full_marks(run) == 10.0
    assert statuses(run) == {"swapped": "warn"}


def test_declared_top_without_a_reference_limits_what_rejects_but_not_what_warns() -> None:
    run = paid(silent=1.0, babble=1.0)
    assert statuses(run) == {"silent": "fail", "babble": "fail"}
    wide = declared(run, reward=(0.0, 1000.0))
    assert statuses(wide) == {"silent": "warn", "babble": "warn"}


def test_declared_top_that_the_reference_does_not_earn_excuses_nothing() -> None:
    for hook in (True, False):
        run = declared(paid(silent=1.0, oracle=1.0, hook=hook), reward=(0.0, 1000.0))
        assert statuses(run) == {"silent": "fail"}


@pytest.mark.parametrize(
    ("reward", "form", "status", "words"),
    [
        (1.0, AnswerForm("<answer>...</answer>", 8, 1.0, 0.0), "pass", "as '<answer>...</answer>'"),
        (0.0, AnswerForm("...", 8, 0.0, 0.0), "warn", "unverified: the answer field, of which no"),
        (1.0, AnswerForm("...", 8, 1.0, 1.0), "pass", "no form of 8 was paid more than others"),
        (0.0, None, "warn", "the answer field is paid 0 on average"),
        (
            1.0,
            AnswerForm("...", 8, 1.0, field="info.due"),
            "pass",
            "the field 'info.due', of which",
        ),
    ],
)
def test_the_ceiling_names_the_form_in_which_answer_fields_were_paid(
    reward: float, form: AnswerForm | None, status: str, words: str
) -> None:
    evidence = paid(hook=False, oracle=reward, silent=0.0)
    facts = replace(evidence.facts, answer_form=form)
    reference = ceiling(replace(evidence, facts=facts))
    assert reference is not None
    assert reference.status == status
    assert words in reference.sentence
    assert reference.is_unverified is ("unverified" in words)


def test_an_inferred_field_that_is_paid_in_no_form_is_no_reference() -> None:
    evidence = paid(hook=False, oracle=0.0, silent=0.0)
    form = AnswerForm("...", 8, 0.0, 0.0, field="info.due")
    assert ceiling(replace(evidence, facts=replace(evidence.facts, answer_form=form))) is None


def test_a_probe_of_tools_counts_only_where_it_called_some() -> None:
    evidence = paid(snoop=1.0, oracle=1.0)
    assert statuses(evidence) == {}
    called = tuple(replace(rollout, turns=3) for rollout in evidence.rollouts)
    assert statuses(replace(evidence, rollouts=called)) == {"snoop": "warn"}
    spoke = tuple(replace(r, usage=Usage(completion_tokens=5)) for r in evidence.rollouts)
    assert statuses(replace(evidence, rollouts=spoke)) == {"snoop": "warn"}
