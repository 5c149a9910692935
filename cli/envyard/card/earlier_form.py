"""The results of a card in the form of earlier statements, which so stay verifiable."""

from __future__ import annotations

from typing import Any

from envyard.card.prices import COMPLETION, PROMPT

Results = dict[str, Any]


def first_form(results: Results) -> Results:
    """The results as `urn:envyard:card:v1` holds them: measures without a source, and one count of
    tokens of 1,000 rollouts."""
    models = [
        row | {"measures": [_without_source(measure) for measure in _one_count(row["measures"])]}
        for row in results["model_results"]
    ]
    measures = [_without_source(measure) for measure in results["measures"]]
    return results | {"measures": measures, "model_results": models}


def _one_count(measures: list[Results]) -> list[Results]:
    """The measures with the sum of prompt and completion tokens in the place of both."""
    values = {measure["code"]: measure["value"] for measure in measures}
    known = values[PROMPT] is not None and values[COMPLETION] is not None
    both = {
        "code": "tokens_per_1000",
        "title": "Tokens of 1,000 rollouts",
        "value": values[PROMPT] + values[COMPLETION] if known else None,
    }
    rows = [measure | (both if measure["code"] == PROMPT else {}) for measure in measures]
    return [measure for measure in rows if measure["code"] != COMPLETION]


def _without_source(measure: Results) -> Results:
    return {key: value for key, value in measure.items() if key != "source"}
