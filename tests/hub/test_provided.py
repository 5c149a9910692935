"""The line of `serve` that names what runs have, and what adds the rest."""

import pytest

from hub import provided


@pytest.mark.parametrize(
    ("environ", "line"),
    [
        (
            {},
            (
                "Runs have: no data sets (set RUNNER_DATA_URL); "
                "no judge (set HUB_JUDGE_MODEL and RUNNER_JUDGE_URL); "
                "no model (set HUB_MODEL and HUB_MODEL_URL)"
            ),
        ),
        (
            {"RUNNER_DATA_URL": "https://data.example", "HUB_JUDGE_MODEL": "judge-7b"},
            (
                "Runs have: data sets https://data.example; no judge (set RUNNER_JUDGE_URL); "
                "no model (set HUB_MODEL and HUB_MODEL_URL)"
            ),
        ),
        (
            {
                "RUNNER_DATA_URL": "https://data.example",
                "HUB_JUDGE_MODEL": "judge-7b",
                "RUNNER_JUDGE_URL": "http://127.0.0.1:9/v1",
                "HUB_MODEL": "policy-1b",
                "HUB_MODEL_URL": "http://127.0.0.1:8/v1",
            },
            "Runs have: data sets https://data.example; judge judge-7b; model policy-1b",
        ),
    ],
)
def test_the_line_names_what_runs_have_and_what_adds_the_rest(
    environ: dict[str, str], line: str
) -> None:
    assert provided.line(environ) == line
