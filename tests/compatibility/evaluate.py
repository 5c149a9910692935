"""Evaluate one environment as a hub would: build, static checks, a run of the probes, the card."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from envyard import builder
from envyard.contract import wheel as wheels
from envyard.contract.codes import CODES
from envyard.contract.examine import examine
from envyard.contract.job import GitArchive
from envyard.contract.local_access import LocalAccess
from envyard.contract.probes import PROBE_NAMES
from envyard.errors import HubCliError
from envyard_runner import try_wheel
from envyard_runner.config import Config
from envyard_runner.execution.run import RunnerContext
from tests.compatibility import git_repositories, material
from tests.compatibility.catalogue import Source
from tests.compatibility.services import Services

LISTED = "listed"
MEASURED = "measured rejection"
HELD = "held"
REJECTED = "rejected"
REFUSED = "refused"
NOT_BUILT = "not built"
TASKS = 4
MADE_UP_KEY = "made-up-key-of-a-service"
RUNNER_HOME = Path("/var/lib/envyard-compatibility")  # below no closed home, for root's sandboxes


@dataclass(frozen=True, slots=True)
class Result:
    """How far one environment got.

    `outcome` is one of the constants above: only the first two mean that it was measured. `codes`
    are those of the findings that decided, `sentence` the first one's message, `requirement` what
    is missing outside, `seconds` what all of it took.
    """

    environment: str
    outcome: str
    codes: tuple[str, ...] = ()
    requirement: str = ""
    sentence: str = ""
    seconds: float = 0.0
    tree: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form that `from_dict` reads."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Result:
        """Read it."""
        return cls(**{**fields, "codes": tuple(fields["codes"])})

    @property
    def measured(self) -> bool:
        """Whether rollouts were scored and a card was computed."""
        return self.outcome in (LISTED, MEASURED)


def evaluate(source: Source, git: Path, services: Services, *, tasks: int = TASKS) -> Result:
    """The result for one source; a document of the run is kept in the cache folder."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="envyard-compatibility-", dir="/var/tmp") as name:
        folder = Path(name)
        material.unpack(source, git, folder / "source")
        result = _evaluate_folder(source, folder, services, tasks)
    fields = result.to_dict() | {
        "seconds": round(time.monotonic() - began, 1),
        "tree": material.tree_of(source, git),
    }
    return Result.from_dict(fields)


def _evaluate_folder(source: Source, folder: Path, services: Services, tasks: int) -> Result:
    (folder / "wheels").mkdir()
    try:
        wheel = builder.build(folder / "source", folder / "wheels")
    except HubCliError as error:
        return Result(source.key, NOT_BUILT, sentence=error.message.splitlines()[0])
    findings, detection = examine(wheel, repositories=services.git.repositories)
    problems = [item.to_dict() for item in findings if item.severity == "error"]
    git: list[GitArchive] = []
    if not problems:
        required = wheels.read(wheel).metadata.requires_dist
        git, refused = git_repositories.archives(required, services.git, folder)
        problems = [item.to_dict() for item in refused]
    if problems or not detection.framework:
        is_platform = bool(problems) and all(
            CODES[item["code"]].fault == "platform" for item in problems
        )
        return decided(source.key, HELD if is_platform else REFUSED, problems)
    grant = source.grant
    values = {secret.name: MADE_UP_KEY for secret in grant.secrets}
    access = LocalAccess(hosts=grant.hosts, secrets=grant.secrets, values=values)
    config = config_of(services)
    job = try_wheel.local_job(wheel, detection, tasks, access, config)
    job = replace(job, git_sources=tuple(git))
    machine = RunnerContext(config, outside=services.outside)
    document = asyncio.run(try_wheel.run(machine, wheel, job, access))
    material.write_document(source, document)
    return result_of(source.key, document)


def config_of(services: Services) -> Config:
    """A runner with a folder of its own, which keeps venvs from one environment to the next."""
    home = RUNNER_HOME if os.geteuid() == 0 else material.cache_folder() / "runner"
    return Config.from_environment({**os.environ, "RUNNER_HOME": str(home), **services.settings})


def result_of(key: str, document: dict[str, Any]) -> Result:
    """The result of a run by its document."""
    problems = [item for item in document["findings"] if item["severity"] == "error"]
    if document["outcome"] == "failed":
        return decided(key, REJECTED, problems)
    if document["outcome"] != "succeeded":
        return decided(key, HELD, problems)
    from registry.card.trial import card_of  # needs Django

    errors = [
        item for item in card_of(document, PROBE_NAMES)["findings"] if item["severity"] == "error"
    ]
    undecided = [item for item in errors if CODES[item["code"]].fault != "environment"]
    if undecided:
        return decided(key, HELD, undecided)
    if not any(rollout["ok"] for rollout in document["rollouts"]):
        return decided(key, REJECTED, errors)
    return decided(key, MEASURED if errors else LISTED, errors)


def decided(key: str, outcome: str, problems: list[dict[str, Any]]) -> Result:
    """The result that these findings decide."""
    needs = [item for item in problems if item["code"].startswith("needs.")]
    names = [str(name) for item in needs for name in item.get("details", {}).get("names", ())]
    kinds = dict.fromkeys(item["code"].removeprefix("needs.") for item in needs)
    requirement = ", ".join(kinds) + (f" ({', '.join(names)})" if names else "")
    return Result(
        key,
        outcome,
        codes=tuple(dict.fromkeys(item["code"] for item in problems)),
        requirement=requirement,
        sentence=problems[0]["message"] if problems else "",
    )
