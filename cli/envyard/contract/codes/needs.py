"""Codes of requirements: what an environment needs from outside its sandbox."""

from __future__ import annotations

from envyard.contract.codes.code import requirement

NEEDS = (
    requirement(
        "needs.data",
        "The environment needs data sets that no runner could read.",
        "The sentence names who can provide each; the run is repeated once it is provided.",
    ),
    requirement(
        "needs.judge",
        "The environment calls a judge model, and this hub has none.",
        "The hub's operator sets HUB_JUDGE_MODEL and, on a runner, RUNNER_JUDGE_URL.",
    ),
    requirement(
        "needs.secret",
        "The environment needs secrets that it does not have.",
        "An owner sets each with `hub secret set OWNER/NAME SECRET --host HOST`.",
    ),
    requirement(
        "needs.host",
        "The environment needs hosts that are not approved.",
        "The author declares them under [tool.envyard] hosts; the hub's operator approves them.",
    ),
    requirement(
        "needs.machine",
        "The environment runs its tasks in container images, which no runner can start.",
        "Nothing to change in the environment: this hub has no runner for images yet.",
    ),
)
