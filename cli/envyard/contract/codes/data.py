"""Codes of data sets: an upstream that fails, and what a data lock does not name."""

from __future__ import annotations

from envyard.contract.codes.code import environment_fault, platform_fault

DATA = (
    platform_fault(
        "run.data_unreachable",
        "The data set hub did not answer, or answered wrongly.",
        "Is RUNNER_DATA_URL reachable from the runner? `hub-runner doctor` tests it.",
    ),
    environment_fault(
        "data.not_locked",
        "The run requested a data set or file that the version's data lock does not name.",
        "Read the same files in every run; publish a new version to change what is read.",
    ),
    environment_fault(
        "data.over_limit",
        "The run requested more data than a run may read.",
        "Load fewer files, or stream them; the operator sets RUNNER_DATA_RUN_MB.",
    ),
)
