"""What checks of a judge show, and when they show nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envyard.card.judge_checks import dependence, judge_findings
from envyard.card.measures.scorer import family
from envyard.card.verdict import findings_of
from envyard.contract.facts import Facts
from envyard.contract.judge import JudgeCheck, JudgeFacts
from tests.registry.card.test_measures import evidence, measured

BEST, WORST = "oracle/0/0", "silent/0/0"


def checks(
    best: dict[str, float | None], worst: dict[str, float | None], **fields: Any
) -> list[JudgeCheck]:
    """The checks of two rollouts that earned 1 and 0, each given the other's verdict."""
    rows = []
    for rollout, rewards, recorded, donor in ((BEST, best, 1.0, WORST), (WORST, worst, 0.0, BEST)):
        for check, reward in rewards.items():
            given = {"donor": donor, "donor_reward": 1.0 - recorded} if check == "given" else {}
            rows.append(
                JudgeCheck(rollout, check, reward, recorded=recorded, **{**given, **fields})
            )
    return rows


def codes(rows: list[JudgeCheck], facts: JudgeFacts | None = None) -> list[str]:
    return [finding.code for finding in judge_findings(facts, rows)]


HEEDED = {"own": 1.0, "given": 0.0, "yes": 1.0, "no": 0.0, "mute": None, "broken": None}
HEEDED_LOW = {"own": 0.0, "given": 1.0, "yes": 1.0, "no": 0.0, "mute": None, "broken": None}


def test_a_reward_that_follows_its_judge_has_no_finding() -> None:
    assert codes(checks(HEEDED, HEEDED_LOW)) == []
    assert dependence(checks(HEEDED, HEEDED_LOW)) == 1.0


def test_a_reward_is_ignoring_where_a_readable_verdict_changes_nothing() -> None:
    same = dict.fromkeys(HEEDED, 1.0)
    assert codes(checks(same, dict.fromkeys(HEEDED, 0.0))) == ["judge.ignored"]


def test_verdicts_that_may_be_unreadable_accuse_nobody() -> None:
    scripted = {"own": 1.0, "yes": 1.0, "no": 1.0}
    assert codes(checks(scripted, {"own": 0.0, "yes": 0.0, "no": 0.0})) == []
    assert codes(checks(scripted, {}, readable=True)) == ["judge.ignored"]


def test_a_rollout_that_is_not_repeatable_shows_nothing() -> None:
    unstable = HEEDED | {"own": 0.5, "mute": 1.0}
    assert codes(checks(unstable, {})) == []
    assert dependence(checks(unstable, {})) is None


@pytest.mark.parametrize("check", ["mute", "broken"])
def test_a_missing_verdict_must_pay_no_more_than_the_worst_one(check: str) -> None:
    assert codes(checks(HEEDED | {check: 0.0}, HEEDED_LOW)) == []
    assert codes(checks(HEEDED | {check: 0.7}, HEEDED_LOW)) == ["judge.unreadable_paid"]


def test_a_parser_that_reads_a_negation_as_yes_is_named_unless_it_reads_anything_so() -> None:
    assert codes(checks(HEEDED | {"negated": 1.0}, HEEDED_LOW)) == ["judge.negation_paid"]
    both = HEEDED | {"negated": 1.0, "mute": 1.0}
    assert codes(checks(both, HEEDED_LOW)) == ["judge.unreadable_paid"]


def test_an_empty_reply_may_not_be_paid_by_a_favourable_verdict() -> None:
    paid = HEEDED | {"empty_yes": 1.0, "empty_no": 0.0}
    assert codes(checks(paid, HEEDED_LOW)) == ["judge.empty_paid"]
    constant = HEEDED | {"empty_yes": 0.1, "empty_no": 0.1}  # for its length, say
    assert codes(checks(constant, HEEDED_LOW)) == []
    failing = HEEDED | {"empty_yes": None, "empty_no": None}
    assert codes(checks(failing, HEEDED_LOW)) == []


def test_an_order_to_the_judge_may_not_be_paid() -> None:
    talked = HEEDED | {"plain": 0.0, "pleading": 1.0, "obeying": 1.0}
    assert codes(checks(talked, HEEDED_LOW)) == ["judge.talked_over"]
    firm = HEEDED | {"plain": 0.0, "pleading": 0.0, "obeying": 1.0}
    assert codes(checks(firm, HEEDED_LOW)) == []


def test_refused_calls_are_named() -> None:
    assert codes([], JudgeFacts("arbiter", calls=9, over_budget=2)) == ["judge.over_budget"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", "qwen3-32b"),
        ("gpt-4.1", "openai/gpt-5-mini"),
        ("meta-llama/Llama-3.1-8B", "llama4"),
    ],
)
def test_models_of_one_family_are_recognised_by_their_names(first: str, second: str) -> None:
    assert family(first) == family(second)
    assert family(first) != family("mistral-small")


def test_the_card_names_the_judge_and_warns_where_it_judges_its_own_family() -> None:
    judge = JudgeFacts("Qwen/Qwen3-32B", max_tokens=2048, calls=8)
    run = replace(
        evidence(facts=Facts(judge=judge), policies=("silent", "model")), model="qwen2.5-7b"
    )
    measure = measured("scorer_independence", run)
    assert measure.status == "warn"
    assert "judge Qwen/Qwen3-32B (temperature 0, seed 0, at most 2048 tokens)" in measure.detail
    assert "qwen2.5-7b" in measure.detail
    same = measured("scorer_independence", replace(run, model="Qwen/Qwen3-32B"))
    assert "it judges its own replies" in same.detail
    other = measured("scorer_independence", replace(run, model="llama-3-8b"))
    assert other.status == "pass"
    assert "card.scorer_independence" in {f.code for f in findings_of(run, ())}
