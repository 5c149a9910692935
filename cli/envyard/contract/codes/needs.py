"""Codes of requirements: what an environment needs from outside its sandbox."""

from __future__ import annotations

from envyard.contract.codes.code import requirement

NEEDS = (
    requirement(
        "needs.data",
        "The environment needs data sets that no runner could read.",
        "Once the settings are made, `hub-runner doctor` on the runner tests its data sets.",
    ),
    requirement(
        "needs.judge",
        "The environment calls a judge model, and this hub has none.",
        "Once the settings are made, `hub-runner doctor` on the runner tests its judge.",
    ),
    requirement(
        "needs.secret",
        "The environment needs secrets that it does not have.",
        "Owners find secrets in the environment's settings too: Variables, secrets and hosts.",
    ),
    requirement(
        "needs.host",
        "The environment needs hosts that are not approved.",
        "Declare each in the wheel or by `hub host add OWNER/NAME HOST`, then ask the operator.",
    ),
    requirement(
        "needs.machine",
        "The environment runs its tasks in container images, which no runner can start.",
        "Where a task does not need the image, leave `image` out and publish a new version.",
    ),
)
