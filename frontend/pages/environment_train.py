"""The tab Train: the lock, what loads and evaluates the version, and what trains on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from packaging.version import InvalidVersion

from envyard.contract.frameworks.adapter import MODEL, MODEL_URL, Training, Usage
from frontend.pages.environment_head import usage_of
from registry.catalog.models import Version
from registry.read_models import locks


@dataclass(frozen=True, slots=True)
class Trainer:
    """What trains on the version: the trainer's name, what it needs and the program, with a note;
    or in `reason` why no program is shown."""

    name: str = ""
    install: str = ""
    program: str = ""
    note: str = ""
    reason: str = ""


def context(version: Version, release: str) -> dict[str, Any]:
    """The context of parts/train.html; `release` is that of the framework in the version's runs."""
    usage = usage_of(version)
    return {
        "usage": usage,
        "locks": locks.summaries(version),
        "pin": pin_lines(version),
        "trainer": trainer_of(version, usage, release),
    }


def pin_lines(version: Version) -> dict[str, str]:
    """The commands that name this version."""
    return {
        "lock": f"hub lock {version} > env.txt",
        "install": "uv pip install --no-deps --require-hashes -r env.txt",
        "data": f"hub data {version} --to data",
        "evaluate": f"hub eval --local {version} -m {MODEL} -b {MODEL_URL} --suite full",
    }


def install_line(training: Training) -> str:
    """The command that installs the trainer and changes nothing that the lock names."""
    return f'uv pip install -c env.txt "{training.requirement}"'


def trainer_of(version: Version, usage: Usage | None, release: str) -> Trainer:
    """The program for tasks of one turn without tools, which a card must have shown."""
    training = usage.training if usage else None
    if training is None:
        return Trainer(reason="No test of the hub trains on environments of this kind.")
    if reason := _reason(version, training, release):
        return Trainer(reason=reason)
    return Trainer(training.trainer, install_line(training), training.program, training.note)


def _reason(version: Version, training: Training, release: str) -> str:
    """Why the program does not train on the version; empty where it does."""
    facets = version.facets
    if not release or not {"turns", "tools", "verifier"} <= facets.keys():
        return "Its runs do not show yet how many turns its tasks take, and with which tools."
    if facets["turns"] != "1" or facets["tools"] != "none":
        taken = "takes several turns" if facets["turns"] != "1" else "offers tools"
        return (
            f"It {taken}, so a trainer must play the loop of {version.framework} itself. "
            f"{training.elsewhere}"
        )
    if facets["verifier"] != "program":
        return "A judge model decides its rewards, which no test of the hub trains on."
    if not _tested(release, training):
        return (
            f"Tests run {training.trainer} beside {version.framework}{training.releases}, and this "
            f"version runs with {release}."
        )
    return ""


def _tested(release: str, training: Training) -> bool:
    """Whether tests run the program with that release; the environment's process reported it."""
    try:
        return training.releases.contains(release)
    except InvalidVersion:
        return False
