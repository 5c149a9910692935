"""Results of runs and their table: what counts as measured, what is missing, what is cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.compatibility import evaluate, material, table
from tests.compatibility.catalogue import PUBLISHED_SOURCES, SOURCES, VERIFIERS
from tests.compatibility.evaluate import Result

PAGE = Path(__file__).parents[2] / "docs/compatibility.md"


def document(outcome: str, *problems: dict[str, Any]) -> dict[str, Any]:
    return {"outcome": outcome, "findings": list(problems), "policies": [], "rollouts": []}


def problem(code: str, message: str, **details: Any) -> dict[str, Any]:
    return {"code": code, "severity": "error", "message": message, "details": details}


def test_a_requirement_is_named_with_what_is_missing() -> None:
    needed = problem("needs.data", "It needs data sets.", names=["openai/gsm8k"])

    result = evaluate.result_of("research/one", document("errored", needed))

    assert (result.outcome, result.requirement) == ("held", "data (openai/gsm8k)")
    assert not result.measured


def test_a_failed_run_is_no_measured_rejection() -> None:
    failed = problem("run.load_failed", "Loading the tasks failed.")

    result = evaluate.result_of("research/one", document("failed", failed))

    assert (result.outcome, result.codes) == ("rejected", ("run.load_failed",))


def test_a_run_whose_gates_cannot_be_known_is_held() -> None:
    failed = {"policy": "silent", "task": 0, "attempt": 0, "ok": False, "seconds": 1.0}
    run = document("succeeded") | {"policies": ["silent"], "tasks": 1, "attempts": 1}
    run |= {"facts": {"tasks": [{"index": 0, "hash": "h"}]}, "rollouts": [failed]}

    result = evaluate.result_of("research/one", run)

    assert (result.outcome, result.codes) == ("held", ("card.undecided",))
    assert not result.measured


def test_a_run_without_a_scored_rollout_is_not_measured() -> None:
    error = {"type": "ValueError", "message": "no", "fault": "environment"}
    failed = {"policy": "silent", "task": 0, "attempt": 0, "ok": False, "seconds": 1.0}
    run = document("succeeded") | {"policies": ["silent"], "tasks": 1, "attempts": 1}
    run |= {
        "facts": {"tasks": [{"index": 0, "hash": "h"}], "hashes_again": ["h"]},
        "rollouts": [failed | {"error": error}],
    }

    result = evaluate.result_of("research/one", run)

    assert (result.outcome, result.measured) == ("rejected", False)
    assert "card.completes" in result.codes


def test_the_page_is_read_as_it_was_written() -> None:
    results = [
        Result("verifiers/gsm8k", "measured rejection", ("card.floor",), sentence="Pays | <b>."),
        Result("research/aime2024", "listed"),
    ]

    page = table.markdown(results)

    assert table.outcomes(page) == {
        "verifiers/gsm8k": "measured rejection",
        "research/aime2024": "listed",
    }
    assert "Pays \\| &lt;b&gt;." in page
    assert "2 of 2 measured: 1 listed, 1 measured rejection." in page
    assert "1 of 1 measured: 1 listed." in page  # of the published packages


def test_the_kept_page_names_environments_of_the_catalogue_alone() -> None:
    kept = table.outcomes(PAGE.read_text(encoding="utf-8"))

    assert set(kept) <= {source.key for source in SOURCES}
    assert len(kept) >= 40
    assert len(PUBLISHED_SOURCES) == 28


def test_a_folder_without_the_commit_is_no_material(tmp_path: Path) -> None:
    source = next(source for source in SOURCES if source.repository == VERIFIERS)

    with pytest.raises(material.NoMaterial):
        material.tree_of(source, tmp_path)
