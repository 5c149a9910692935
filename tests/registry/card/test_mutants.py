"""What changed replies show of a verifier, and when they show nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envyard.card.mutants import comparable, corrupting, difference, equivalent, sentence
from envyard.card.verdict import findings_of
from envyard.contract.findings import Finding
from envyard.contract.mutants import MutantResult
from envyard.contract.replay import Replay
from envyard.contract.survey import Survey
from tests.registry.card.test_measures import evidence, measured
from tests.registry.run_factories import POLICIES, honest_rollouts, make_facts

CAUGHT = ("digit", "last_digit", "sign", "truncation", "blank", "negation", "claim")
FORMS = ("spaces", "thousands", "rounding", "shorter", "composed")


def mutants(
    *survivors: str, tasks: int = 3, turns: int = 1, control: float | None = 1.0
) -> list[MutantResult]:
    """Mutants of several paid rollouts, of which those of some operators kept the reward."""
    rows = []
    for task in range(tasks):
        rollout = f"oracle/{task}/0"
        rows.append(MutantResult(rollout, "unchanged", "142", "142", control, 1.0, turns=turns))
        for operator in (*CAUGHT, *FORMS):
            keeps = (operator in survivors) != (operator in FORMS)
            rows.append(MutantResult(rollout, operator, "142", "1", float(keeps), 1.0, turns=turns))
    return rows


def findings(rows: list[MutantResult]) -> list[Finding]:
    run = evidence(facts=replace(make_facts(), mutants=rows))
    return findings_of(run, POLICIES)


def test_a_verifier_that_notices_every_change_has_no_finding() -> None:
    rows = mutants()
    assert (corrupting(rows).caught, corrupting(rows).n) == (21, 21)
    assert (equivalent(rows).caught, equivalent(rows).n) == (15, 15)
    assert findings(rows) == []


@pytest.mark.parametrize("survivor", ["digit", "last_digit", "sign", "truncation", "blank"])
def test_a_change_that_no_verifier_should_overlook_warns(survivor: str) -> None:
    [finding] = findings(mutants(survivor))
    assert (finding.code, finding.severity) == ("card.mutants_caught", "warning")
    assert finding.details["survivors"][0]["operator"] == survivor
    assert finding.details["survivors"][0]["change"] == "[-142-]{+1+}"


def test_more_words_may_keep_a_reward_and_must_not_raise_it() -> None:
    padded = MutantResult("oracle/0/0", "padded", "RETURN", "RETURN and so on", 1.0, 1.0, turns=1)
    assert findings([*mutants(), padded]) == []
    rows = [replace(padded, rollout=f"oracle/{task}/0", reward=1.4) for task in (0, 1)]
    [finding] = findings([*mutants(), *rows])
    assert finding.code == "card.mutants_caught"
    assert "two hundred more words" in finding.message


def beside(wrong: float) -> list[MutantResult]:
    """The right answer before the mark is paid; a wrong one in the mark alone gets that reward."""
    rows = []
    for task in range(3):
        right = MutantResult(f"oracle/{task}/0", "beside", "fair", "snve", 1.0, 1.0, turns=1)
        rows += [right, replace(right, operator="marked_wrong", reward=wrong)]
    return rows


def test_the_right_answer_before_a_mark_must_not_be_paid() -> None:
    [finding] = findings([*mutants(), *beside(0.0)])
    assert finding.code == "card.mutants_caught"
    assert "a wrong answer in its mark, the right one before it" in finding.message


def test_where_any_text_in_the_mark_is_paid_the_one_before_it_shows_nothing() -> None:
    assert findings([*mutants(), *beside(1.0)]) == []


def late(before_last: float, last_turn: float) -> list[MutantResult]:
    """Three rollouts whose right reply came late."""
    rows = mutants()
    for task in range(3):
        for operator, reward in (("before_last", before_last), ("last_turn", last_turn)):
            rows.append(MutantResult(f"oracle/{task}/0", operator, "7", "7 in turn 6", reward, 1.0))
    return rows


def test_the_last_turn_must_be_paid_where_the_one_before_it_is() -> None:
    (finding,) = findings(late(1.0, 0.0))
    assert finding.code == "card.equivalents_kept"
    assert "the last turn that the prompt promises" in finding.message
    assert findings(late(1.0, 1.0)) == []
    assert findings(late(0.4, 0.0)) == []  # each turn costs something
    assert findings(late(0.0, 0.0)) == []


def test_a_verifier_that_reads_the_first_number_may_overlook_what_follows() -> None:
    assert findings(mutants("claim")) == findings(mutants("negation")) == []
    assert [f.code for f in findings(mutants("claim", "negation", "digit"))] == [
        "card.mutants_caught"
    ]


def test_partial_credit_for_a_nearly_right_answer_is_sound() -> None:
    rows = [replace(r, reward=0.98) if r.operator in CAUGHT else r for r in mutants()]
    assert findings(rows) == []


def test_rewards_below_zero_are_compared_as_they_are() -> None:
    rows = [replace(r, recorded=-0.1, reward=-0.1 if r.reward else -1.0) for r in mutants()]
    assert findings(rows) == []


def test_a_rollout_whose_reward_is_not_steady_shows_nothing() -> None:
    rows = mutants(*CAUGHT, control=0.4)
    assert comparable(rows) == []
    assert [finding.code for finding in findings(rows)] == ["card.reproducible_reward"]
    assert measured("mutants_caught", evidence(facts=replace(make_facts(), mutants=rows))).n == 0


def test_a_paid_reply_that_is_paid_less_when_it_is_repeated_shows_state() -> None:
    """Replays of each rollout alone agree: the first of its kind is paid in every process."""
    played = [replace(r, replay=Replay(r.reward, r.rewards)) for r in honest_rollouts()]
    facts = replace(make_facts(), mutants=mutants(control=0.0))
    [finding] = findings_of(evidence(played, facts=facts), POLICIES)
    assert (finding.code, finding.severity) == ("card.reproducible_reward", "warning")
    assert "3 of 3 paid replies got another reward" in finding.message
    assert finding.details["rewards"]["oracle/0/0"] == [1.0, 0.0]
    steady = evidence(played, facts=replace(facts, mutants=mutants()))
    assert measured("reproducible_reward", steady).status == "pass"
    crashed = evidence(played, facts=replace(facts, mutants=mutants(control=None)))
    assert measured("reproducible_reward", crashed).status == "pass"
    forged = [replace(r, recorded=None) for r in mutants(control=0.0)]
    unknown = evidence(played, facts=replace(facts, mutants=forged))
    assert measured("reproducible_reward", unknown).status == "pass"


def of_calls(alone: float | None, blank: float = 1.0) -> list[Finding]:
    """The findings of rollouts with calls whose last reply earns `alone` without these, and `blank`
    without an answer."""
    rows = []
    for task in range(3):
        rollout = f"oracle/{task}/0"
        rows.append(MutantResult(rollout, "unchanged", "142", "142", 1.0, 1.0, turns=3))
        rows.append(MutantResult(rollout, "blank", "142", "", blank, 1.0, turns=3))
        rows.append(MutantResult(rollout, "digit", "142", "942", blank, 1.0, turns=3))
        rows.append(MutantResult(rollout, "alone", "142", "alone", alone, 1.0, turns=3))
    return findings(rows)


def test_a_paid_last_reply_must_count_where_it_is_paid_without_the_calls() -> None:
    [finding] = of_calls(alone=1.0)
    assert finding.code == "card.mutants_caught"
    assert "nothing in its place, oracle/0/0" in finding.message
    assert of_calls(alone=0.0) == of_calls(alone=0.9) == of_calls(alone=None) == []
    assert of_calls(alone=1.0, blank=0.0) == []


def course(operator: str, *, blank: float | None, last: str = "142") -> list[Finding]:
    """The findings for rollouts of several turns that keep their reward with this change, and that
    earn `blank` without an answer in the last reply (None: that was not tried)."""
    rows = []
    for task in range(3):
        rollout = f"oracle/{task}/0"
        rows.append(MutantResult(rollout, "unchanged", last, last, 1.0, 1.0, turns=4))
        if blank is not None:
            rows.append(MutantResult(rollout, "blank", last, "", blank, 1.0, turns=4))
        rows.append(MutantResult(rollout, operator, last, "1", 1.0, 1.0, turns=4))
    return findings(rows)


@pytest.mark.parametrize("operator", ["digit", "middle"])
def test_a_changed_last_text_of_several_turns_counts_where_that_decides(operator: str) -> None:
    assert [each.code for each in course(operator, blank=0.0)] == ["card.mutants_caught"]
    assert course(operator, blank=1.0) == []
    assert course(operator, blank=None) == []


def test_a_step_left_out_counts_where_the_last_text_does_not_decide() -> None:
    assert [each.code for each in course("left_out", blank=1.0)] == ["card.mutants_caught"]
    assert course("left_out", blank=0.0) == []
    assert course("left_out", blank=None) == []
    assert [each.code for each in course("left_out", blank=None, last="")] == [
        "card.mutants_caught"
    ]


@pytest.mark.parametrize("operator", ["leaves", "declines", "repeats", "tried"])
def test_other_courses_count_whatever_decides(operator: str) -> None:
    for blank in (0.0, 1.0, None):
        assert [each.code for each in course(operator, blank=blank)] == ["card.mutants_caught"]


@pytest.mark.parametrize(("reward", "refused"), [(0.5, True), (0.9, False)])
def test_an_equivalent_form_keeps_half_of_what_no_answer_loses(
    reward: float, refused: bool
) -> None:
    """The last of two answers can only lose its own half of the reward."""
    rows = []
    for task in range(3):
        rollout = f"oracle/{task}/0"
        rows += [
            MutantResult(rollout, "unchanged", "142", "142", 1.0, 1.0, turns=2),
            MutantResult(rollout, "blank", "142", "", 0.5, 1.0, turns=2),
            MutantResult(rollout, "as_shown", "142", "1", reward, 1.0, turns=2),
        ]
    assert [each.code for each in findings(rows)] == ["card.equivalents_kept"] * refused


def test_the_last_text_of_several_turns_may_count_for_nothing() -> None:
    assert findings(mutants(*CAUGHT, turns=2)) == []


def test_a_single_mutant_of_an_operator_accuses_nobody() -> None:
    assert findings(mutants("last_digit", tasks=1)) == []


@pytest.mark.parametrize("refused", ["spaces", "rounding", "shorter", "composed"])
def test_other_forms_may_be_refused_but_not_these(refused: str) -> None:
    assert findings(mutants("thousands")) == []
    [finding] = findings(mutants(refused))
    assert (finding.code, finding.severity) == ("card.equivalents_kept", "warning")


def test_a_mutant_that_crashes_the_verifier_is_caught_but_no_other_form_of_the_answer() -> None:
    rows = [
        replace(r, reward=None, error="ValueError") for r in mutants() if r.operator != "unchanged"
    ]
    rows += [r for r in mutants() if r.operator == "unchanged"]
    assert not corrupting(rows).survivors
    assert len(equivalent(rows).survivors) == 15
    assert "got no reward" in sentence(equivalent(rows))


def test_survivors_are_shown_as_word_diffs() -> None:
    result = MutantResult("oracle/0/0", "word", "the Danube flows", "the Qnahor flows")
    assert difference(result) == "the [-Danube-]{+Qnahor+} flows"
    assert difference(replace(result, before="a b c", after="c b a")) == "{+c b+} a [-b c-]"
    text = sentence(corrupting(mutants("digit", "claim")))
    assert text.startswith("another first digit, oracle/0/0: [-142-]{+1+} got 1; a wrong answer")
    assert text.endswith("4 more")


def test_results_read_from_json_are_bounded() -> None:
    raw = {
        "rollout": 5,
        "operator": "digit",
        "before": "x" * 9000,
        "reward": float("nan"),
        "turns": -1,
    }
    result = MutantResult.from_dict(raw)
    assert (result.reward, result.rollout) == (None, "5")
    assert len(result.before) < 700
    assert MutantResult.from_dict(result.to_dict()) == result


@pytest.mark.parametrize(("refused", "codes"), [(1, []), (2, ["card.equivalents_kept"])])
def test_a_form_that_is_refused_twice_warns_even_if_it_is_paid_in_other_tasks(
    refused: int, codes: list[str]
) -> None:
    rows = mutants(tasks=8)
    for task in range(8):
        reward = 0.0 if task < refused else 1.0
        rows.append(MutantResult(f"oracle/{task}/0", "twelve_hour", "0:20", "x", reward, 1.0))
    assert [each.code for each in findings(rows)] == codes


def test_changes_of_the_surveys_references_count_with_those_of_the_run() -> None:
    survivors = mutants("digit", tasks=4)
    rows = [replace(each, rollout=f"survey/{each.task + 40}/0") for each in survivors]
    facts = replace(make_facts(), mutants=mutants(), survey=Survey(mutants=rows))
    [finding] = findings_of(evidence(facts=facts), POLICIES)
    assert finding.code == "card.mutants_caught"
    assert "survey/40/0" in finding.message


@pytest.mark.parametrize(("unreported", "counts"), [(0.6, True), (1.0, False)])
def test_calls_that_are_only_reported_count_where_the_report_is_paid(
    unreported: float, *, counts: bool
) -> None:
    results = [
        MutantResult(f"oracle/{n}/0", operator, "before", "after", reward, 1.0, turns=3)
        for n in range(4)
        for operator, reward in (
            ("unchanged", 1.0), ("blank", 0.0), ("unreported", unreported), ("reported", 1.0),
        )
    ]  # fmt: skip
    assert ("reported" in corrupting(results).by_operator) == counts


def claiming(uncalled: float, claimed: float) -> list[MutantResult]:
    """Rollouts with calls, without these and with calls that are only claimed."""
    rows = []
    for task in range(2):
        for operator, reward in (
            ("unchanged", 1.0), ("blank", 0.0), ("uncalled", uncalled), ("claimed", claimed),
        ):  # fmt: skip
            rows.append(
                MutantResult(f"oracle/{task}/0", operator, "142", "sheet(3)", reward, 1.0, turns=4)
            )
    return rows


def test_claimed_calls_must_not_earn_what_the_calls_earn() -> None:
    [finding] = findings(claiming(0.6, 1.0))
    assert finding.code == "card.mutants_caught"
    assert finding.details["survivors"][0]["operator"] == "claimed"
    assert findings(claiming(0.6, 0.6)) == []
    assert findings(claiming(1.0, 1.0)) == []  # no call is needed


@pytest.mark.parametrize(("without", "survivors"), [(0.0, 2), (1.0, 0)])
@pytest.mark.parametrize(
    ("control", "operator"), [("unnoted", "noted"), ("miswritten", "overwritten")]
)
def test_notes_and_emptied_files_count_where_their_control_lost_reward(
    control: str, operator: str, without: float, survivors: int
) -> None:
    rows = [
        MutantResult(f"oracle/{task}/0", name, "fill(1)", "fill(2)", reward, 1.0, turns=4)
        for task in range(2)
        for name, reward in (("unchanged", 1.0), (control, without), (operator, 1.0))
    ]
    assert len(corrupting(rows).survivors) == survivors
