"""The findings of a run in a statement: their bounds, and what the evidence confirms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envyard.card import run_findings
from envyard.card.evidence import Evidence
from envyard.contract.findings import finding
from envyard.contract.training import TrainingFacts
from tests.registry.card.test_measures import evidence


def with_facts(**changes: Any) -> Evidence:
    run = evidence()
    return replace(run, facts=replace(run.facts, **changes))


def test_errors_come_first_and_long_messages_are_cut() -> None:
    rows = run_findings.stated(
        [
            finding("run.network", "a", severity="info"),
            finding("card.leaks", "b" * 5000, where="silent/0/0"),
            finding("run.inconsistent", "c"),
        ]
    )
    assert [row["severity"] for row in rows] == ["error", "warning", "info"]
    assert all(len(row["message"]) <= run_findings.MESSAGE_CHARACTERS for row in rows)
    assert run_findings.read(rows) == tuple(rows)


def test_no_more_than_the_bound_are_stated_and_no_error_is_left_out() -> None:
    warnings = [finding("card.leaks", str(n)) for n in range(run_findings.MAX_FINDINGS)]
    rows = run_findings.stated([*warnings, finding("run.inconsistent", "c")])
    assert len(rows) == run_findings.MAX_FINDINGS
    assert rows[0]["code"] == "run.inconsistent"


@pytest.mark.parametrize("code", ["run.no_model_call", "run.prompt_not_sent", "run.prompt_changed"])
def test_rollouts_that_do_not_count_must_have_their_finding(code: str) -> None:
    run = with_facts(not_counted={"model/0/0": code})
    reported = run_findings.stated([finding(code)])
    assert list(run_findings.contradictions([], run, failed=False)) == [
        f"run_findings lacks {code}, which the evidence shows"
    ]
    assert not list(run_findings.contradictions(reported, run, failed=False))
    assert run_findings.is_confirmed(code, run)
    assert not run_findings.is_confirmed(code, evidence())


def test_a_run_that_broke_off_is_not_accused_of_incomplete_evidence() -> None:
    reported = run_findings.stated([finding("run.no_model_call")])
    assert not list(run_findings.contradictions(reported, evidence(), failed=True))
    assert list(run_findings.contradictions(reported, evidence(), failed=False))


def test_a_difference_in_training_must_have_its_finding() -> None:
    run = with_facts(training=TrainingFacts(8, 2))
    assert list(run_findings.contradictions([], run, failed=False))
    alike = with_facts(training=TrainingFacts(8, 0))
    assert not list(run_findings.contradictions([], alike, failed=False))
