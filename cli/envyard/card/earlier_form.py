"""The results of a card in the form of earlier statements, which so stay verifiable."""

from __future__ import annotations

from typing import Any

Results = dict[str, Any]


def first_form(results: Results) -> Results:
    """The results as `urn:envyard:card:v1` holds them: measures without a source."""
    models = [
        row | {"measures": [_without_source(measure) for measure in row["measures"]]}
        for row in results["model_results"]
    ]
    measures = [_without_source(measure) for measure in results["measures"]]
    return results | {"measures": measures, "model_results": models}


def _without_source(measure: Results) -> Results:
    return {key: value for key, value in measure.items() if key != "source"}
