"""Codes of data sets: what a version needs of them, and what its data lock does not name."""

from __future__ import annotations

from envyard.contract.codes.code import environment_fault, platform_fault

DATA = (
    platform_fault(
        "needs.data",
        "The environment needs data sets that no runner could read.",
        "The sentence names who can provide each; the run is repeated once it is provided.",
    ),
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
)
