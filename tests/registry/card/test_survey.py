"""What a survey of many tasks shows, and what it must not accuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envyard.card.evidence import Evidence
from envyard.card.verdict import findings_of
from envyard.contract.answer_forms import AnswerForm
from envyard.contract.facts import Facts
from envyard.contract.mutants import MutantResult
from envyard.contract.scoring import Scoring
from envyard.contract.survey import BenchmarkOverlap, Contradiction, PlayedReference, Split, Survey
from envyard.contract.task_texts import (
    IncompletePrompts,
    LabelOutlier,
    LabelRule,
    ShortDecimals,
    SplitDifference,
)
from tests.registry.card.test_measures import evidence, measured
from tests.registry.run_factories import POLICIES, honest_rollouts, make_facts


def surveyed(*, hook: bool = True, rewards: dict[int, float | None] | None = None,
             turns: int = 1, **fields: Any) -> Evidence:  # fmt: skip
    """An honest run whose survey played twenty references, of which some earned otherwise."""
    earned: dict[int, float | None] = dict.fromkeys(range(0, 40, 2), 1.0)
    rows = [PlayedReference(t, r, turns=turns) for t, r in (earned | (rewards or {})).items()]
    survey = Survey(limit=300, tasks=40, prompts=40, references=rows, **fields)
    return evidence(facts=replace(make_facts(hook=hook), survey=survey))


def codes(run: Evidence) -> list[tuple[str, str]]:
    return [(f.code, f.severity) for f in findings_of(run, POLICIES)]


def test_a_sound_survey_has_no_finding() -> None:
    run = surveyed(answers=40, same_answers=2, top_answer="7")
    assert codes(run) == []
    reading = measured("references_paid", run)
    assert (reading.status, reading.n) == ("pass", 25)


def test_one_refused_reference_warns_and_is_named() -> None:
    run = surveyed(rewards={30: 0.0})
    assert codes(run) == [("card.references_paid", "warning")]
    assert "task 30 of the survey got 0" in measured("references_paid", run).detail


def test_references_refused_beyond_five_per_cent_reject() -> None:
    run = surveyed(rewards={30: 0.0, 32: None})
    assert codes(run) == [("card.references_paid", "error")]
    assert "task 32 of the survey got no reward" in measured("references_paid", run).detail


@pytest.mark.parametrize("unusual", [{"hook": False}, {"turns": 4}], ids=["field", "game"])
def test_games_and_bare_answers_are_never_rejected_for_refused_references(
    unusual: dict[str, Any],
) -> None:
    run = surveyed(rewards=dict.fromkeys(range(20, 40, 2), 0.0), **unusual)
    assert ("card.references_paid", "warning") in codes(run)
    assert "error" not in {severity for _, severity in codes(run)}


def test_references_of_other_worth_and_below_zero_are_paid() -> None:
    """Step penalties, a reward range of 0 to 1.5, and partial credit of single tasks."""
    assert codes(surveyed(rewards={4: 0.4, 6: 1.5, 8: 0.2})) == []
    played = [replace(r, reward=-0.2 if r.policy == "oracle" else -1.0) for r in honest_rollouts()]
    negative = surveyed(rewards=dict.fromkeys(range(0, 40, 2), -0.3))
    run = replace(negative, rollouts=tuple(played))
    assert measured("references_paid", run).status == "pass"


def test_a_reference_that_earns_nothing_is_refused_although_no_work_is_penalised() -> None:
    """A game whose turn limit ends long tasks: only bumps into walls cost something."""
    played = [replace(r, reward=1.0 if r.policy == "oracle" else -0.6) for r in honest_rollouts()]
    run = replace(surveyed(rewards={30: 0.0, 32: 0.0}, turns=12), rollouts=tuple(played))
    assert "task 30 of the survey got 0, task 32" in measured("references_paid", run).detail
    assert ("card.references_paid", "warning") in codes(run)
    lost = [replace(r, reward=1.0 if r.policy == "oracle" else -1.0) for r in honest_rollouts()]
    drawn = replace(run, rollouts=tuple(lost))
    assert measured("references_paid", drawn).status == "pass"


def test_references_that_are_paid_in_part_warn_where_as_many_are_paid_in_full() -> None:
    run = surveyed(rewards=dict.fromkeys(range(0, 20, 2), 0.667))
    assert codes(run) == [("card.references_paid", "warning")]
    detail = measured("references_paid", run).detail
    assert "10 of these in part: task 0 of the survey got 0.667" in detail
    declared = replace(run, facts=replace(run.facts, scoring=Scoring(reward=(0.0, 1.0))))
    assert codes(declared) == []
    assert codes(surveyed(rewards={0: 0.667})) == []
    assert codes(surveyed(rewards=dict.fromkeys(range(0, 20, 2), 0.667), turns=3)) == []


def test_without_any_reference_nothing_is_known() -> None:
    run = replace(surveyed(), rollouts=(), facts=Facts())
    assert measured("references_paid", run).status == "unknown"


@pytest.mark.parametrize(
    ("form", "status"),
    [
        (AnswerForm("...", 8, 0.0, 0.0), "unknown"),
        (AnswerForm("<answer>...</answer>", 8, 1.0, 0.0), "warn"),
        (None, "warn"),
    ],
)
def test_references_of_an_unverified_form_say_nothing_of_the_answers(
    form: AnswerForm | None, status: str
) -> None:
    """Answer fields are paid by chance where no form is known: that says nothing of their tasks."""
    rewards = {task: 0.25 if task % 8 else 0.0 for task in range(0, 40, 2)}
    run = surveyed(hook=False, rewards=rewards)
    low = tuple(replace(r, reward=0.25 * (r.policy == "oracle")) for r in run.rollouts)
    run = replace(run, rollouts=low, facts=replace(run.facts, answer_form=form))
    assert measured("references_paid", run).status == status
    assert ("card.references_paid" in dict(codes(run))) is (status == "warn")


def test_references_of_a_form_that_is_paid_are_known() -> None:
    form = AnswerForm("...", 8, 1.0, 1.0)
    run = surveyed(hook=False, rewards={30: 0.0})
    paid = replace(run, facts=replace(run.facts, answer_form=form))
    assert measured("references_paid", paid).status == "warn"


def test_answers_that_break_the_rule_of_the_others_warn_and_are_named() -> None:
    outliers = [LabelOutlier(3, "Add 12 and 30.", "43", "42")]
    run = surveyed(label_rule=LabelRule("number 1 + number 2", 40, 4, outliers))
    (item,) = findings_of(run, POLICIES)
    assert (item.code, item.severity) == ("card.label_outliers", "warning")
    assert "In 36 of 40 tasks" in item.message
    assert "Task 3 ('Add 12 and 30.') has '43', not '42'." in item.message
    read = Survey.from_dict(run.facts.survey.to_dict() if run.facts.survey else {})
    assert read == run.facts.survey


def test_prompts_that_lack_what_they_ask_about_warn_and_are_named() -> None:
    lacking = IncompletePrompts(2, [9, 18], "nothing follows where a text is announced", "Text:")
    run = surveyed(incomplete=lacking)
    (item,) = findings_of(run, POLICIES)
    assert (item.code, item.severity) == ("card.incomplete_prompts", "warning")
    assert item.message == (
        "2 of 40 prompts lack what they ask about: nothing follows where a text is announced. "
        "Task 9 ends with 'Text:'."
    )
    (unread,) = findings_of(surveyed(incomplete=replace(lacking, prompt="")), POLICIES)
    assert unread.message.endswith("is announced. The first is task 9.")
    read = Survey.from_dict(run.facts.survey.to_dict() if run.facts.survey else {})
    assert read == run.facts.survey


def test_references_of_too_few_decimals_warn_unless_a_tolerance_pays_for_more() -> None:
    run = surveyed(short_decimals=ShortDecimals(30, 40, 3, 2, "28.6"))
    (item,) = findings_of(run, POLICIES)
    assert (item.code, item.severity) == ("card.reference_decimals", "warning")
    assert "ask for 3 decimals, and 30 of 40 references" in item.message
    assert Survey.from_dict(run.facts.survey.to_dict() if run.facts.survey else {}) == (
        run.facts.survey
    )
    for reward, expected in ((0.0, ["card.reference_decimals"]), (1.0, [])):
        control = MutantResult("oracle/0/0", "unchanged", "28.6", "28.6", 1.0, 1.0)
        finer = MutantResult("oracle/0/0", "finer", "28.6", "28.63", reward, 1.0)
        played = replace(run, facts=replace(run.facts, mutants=[control, finer]))
        assert [finding.code for finding in findings_of(played, POLICIES)] == expected


def test_evaluation_tasks_of_another_rule_warn() -> None:
    differs = SplitDifference("the answer is number 1 + number 2", 40, 12, 12, 3, "7", "31")
    run = surveyed(split_difference=differs)
    (item,) = findings_of(run, POLICIES)
    assert (item.code, item.severity) == ("card.splits_differ", "warning")
    assert "in 12 of 12 evaluation tasks of this kind that is not so" in item.message
    assert item.message.endswith("Evaluation task 3 has '7', not '31'.")
    assert Survey.from_dict(run.facts.survey.to_dict() if run.facts.survey else {}) == (
        run.facts.survey
    )


def test_answers_in_the_first_call_warn_where_half_of_the_tasks_have_them() -> None:
    assert codes(surveyed(leaks=[2], leak="key: 7")) == []
    assert codes(surveyed(leaks=list(range(8)), leak="key: 7")) == []
    [finding] = findings_of(surveyed(leaks=list(range(0, 24, 2)), leak="key: 77"), POLICIES)
    assert (finding.code, finding.severity) == ("card.leaks", "warning")
    assert "'key: 77' in task 0 of the survey" in finding.message


def test_worked_examples_that_are_the_task_itself_warn_but_not_where_the_task_is_to_repeat() -> (
    None
):
    shown = surveyed(examples=[4, 9], example="Reply: ship storm")
    [finding] = findings_of(shown, POLICIES)
    assert (finding.code, finding.severity) == ("card.leaks", "warning")
    assert "'Reply: ship storm' gives the answer of task 4 of the survey" in finding.message
    echo = replace(shown, facts=replace(shown.facts, scoring=Scoring(echo=True)))
    assert codes(echo) == []


@pytest.mark.parametrize(
    ("same", "n", "warns"), [(40, 40, True), (22, 40, False), (5, 5, False), (30, 40, True)]
)
def test_one_answer_for_most_tasks_warns(same: int, n: int, warns: bool) -> None:
    """Two balanced classes and sets of few tasks are sound."""
    run = surveyed(answers=n, same_answers=same, top_answer="yes")
    assert codes(run) == [("card.labels", "warning")] * warns


def test_a_field_of_a_game_that_an_oracle_plays_is_no_label() -> None:
    run = surveyed(answers=40, same_answers=40, top_answer="Move: north")
    games = tuple(replace(r, turns=4) if r.policy == "silent" else r for r in run.rollouts)
    assert codes(replace(run, rollouts=games)) == []
    field = replace(run, facts=replace(run.facts, tasks=make_facts(hook=False).tasks))
    assert ("card.labels", "warning") in codes(replace(field, rollouts=games))


def test_tasks_that_are_broken_late_warn() -> None:
    assert codes(surveyed(empty=[25, 26])) == [("card.late_tasks", "warning")]
    failed = evidence(facts=replace(make_facts(), survey=Survey(limit=300, error="KeyError: 'q'")))
    [finding] = findings_of(failed, POLICIES)
    assert finding.code == "card.late_tasks"
    assert finding.message.endswith("although the first 5 did: KeyError: 'q'")


def test_a_seed_without_effect_warns_but_not_where_all_tasks_begin_alike() -> None:
    assert codes(surveyed(seed_ignored=True)) == [("card.seed_ignored", "warning")]
    game = surveyed(seed_ignored=True, exact=39)
    assert "card.seed_ignored" not in dict(codes(game))


def test_repeated_prompts_of_the_survey_count() -> None:
    reading = measured("diversity", surveyed(exact=10, near=2))
    assert (reading.status, reading.n) == ("warn", 40)
    assert measured("diversity", surveyed(exact=1)).status == "pass"


def test_few_problems_behind_many_prompts_warn_and_are_counted() -> None:
    reading = measured("diversity", surveyed(problems=6))
    assert (reading.status, reading.value) == ("warn", 34 / 40)
    assert "they pose 6 different problems" in reading.detail
    assert measured("diversity", surveyed(problems=0)).status == "pass"


def test_a_survey_read_from_json_is_bounded() -> None:
    survey = Survey.from_dict({"tasks": -3, "leaks": [1, "x"] * 50, "references": [{"task": 4}, 7]})
    assert survey.tasks == 0
    assert len(survey.leaks) == 20
    assert survey.references == [PlayedReference(4)]
    full = Survey(limit=3, references=[PlayedReference(1, 0.5, "", 2)], leaks=[1], error="e")
    assert Facts.from_dict(Facts(survey=full).to_dict()).survey == full


def test_one_prompt_with_two_answers_warns_and_names_both() -> None:
    pair = Contradiction([3, 30], "What is 3 plus 3?", ["6", "7"])
    [finding] = findings_of(surveyed(contradicting=2, contradictions=[pair]), POLICIES)
    assert (finding.code, finding.severity) == ("card.contradictions", "warning")
    assert "tasks 3 and 30 ('What is 3 plus 3?') have '6' and '7'" in finding.message


def test_a_game_may_have_one_opening_and_two_answers() -> None:
    pair = Contradiction([3, 30], "Guess my number.", ["6", "7"])
    run = surveyed(contradicting=2, contradictions=[pair])
    games = tuple(replace(r, turns=4) if r.policy == "silent" else r for r in run.rollouts)
    assert codes(replace(run, rollouts=games)) == []


def test_splits_that_share_more_than_one_task_of_a_hundred_warn() -> None:
    listed = {"evaluation": Split(200, complete=True)}
    assert codes(surveyed(**listed)) == []
    assert codes(surveyed(**listed, shared_exact=1, shared=[3])) == []
    assert codes(surveyed(**listed, shared_exact=1, shared_near=1, shared=[3, 4])) == []
    [finding] = findings_of(surveyed(**listed, shared_exact=3, shared=[3, 4, 9]), POLICIES)
    assert (finding.code, finding.severity) == ("card.splits_overlap", "warning")
    assert "3 of 200 evaluation tasks equal a training task" in finding.message


def test_tasks_that_end_with_an_error_warn_with_its_place() -> None:
    [finding] = findings_of(surveyed(train=Split(2500, error="KeyError: 'question'")), POLICIES)
    assert (finding.code, finding.severity) == ("card.late_tasks", "warning")
    assert "after task 2499: KeyError: 'question'" in finding.message
    assert codes(surveyed(train=Split(2000, endless=True))) == []


def test_tasks_without_an_answer_warn_except_where_abstention_is_declared() -> None:
    run = surveyed(unanswered=[7])
    assert codes(run) == [("card.late_tasks", "warning")]
    declared = replace(run, facts=replace(run.facts, scoring=Scoring(abstention=True)))
    assert codes(declared) == []


def test_an_answer_at_one_place_of_the_prompts_warns_except_of_declared_copies() -> None:
    run = surveyed(copied=40, copied_place="number 1")
    [finding] = findings_of(run, POLICIES)
    assert (finding.code, finding.severity) == ("card.answer_place", "warning")
    assert "number 1 of the prompt" in finding.message
    declared = replace(run, facts=replace(run.facts, scoring=Scoring(echo=True)))
    assert codes(declared) == []


def test_tasks_that_share_items_of_a_benchmark_warn_and_name_the_list() -> None:
    rows = [BenchmarkOverlap("gsm8k", 1319, 2, [3, 9]), BenchmarkOverlap("mmlu", 14042, 1, [4])]
    [finding] = findings_of(surveyed(benchmarks=rows), POLICIES)
    assert (finding.code, finding.severity) == ("card.overlap", "warning")
    assert "2 of 40 tasks share 13 words" in finding.message
    assert "'gsm8k': 3, 9" in finding.message
    assert codes(surveyed(benchmarks=[])) == []
