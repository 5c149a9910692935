"""Evaluate one entry as a hub does: static checks, a run of the probes, the card."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from envyard.contract.examine import examine
from envyard.contract.job import RunLimits
from envyard.contract.local_access import LocalAccess
from envyard.contract.probes import PROBE_NAMES
from envyard_runner import try_wheel
from envyard_runner.config import Config
from envyard_runner.execution.run import RunnerContext
from envyard_runner.sandbox import Sandbox
from tests.forked.sandbox import ForkedSandbox
from tests.zoo import wheel as wheels
from tests.zoo.entry import Entry

TASKS = 5  # of a hub's smoke run
WALL_ROLLOUTS = 30  # a run may take as long as so many rollouts
RUNNER_HOME = Path("/var/lib/envyard-zoo")  # below no closed home, for root's sandboxes
UNRELATED = ("metadata.", "wheel.")  # static findings that no entry is about


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a hub would decide: `listed`, `warned`, `rejected` or `held`, and the findings' codes.

    `sentence` is the message of the first finding.
    """

    decision: str
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    sentence: str = ""
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The JSON form that `from_dict` reads."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Judgement:
        """Read it."""
        lists = {name: tuple(fields[name]) for name in ("errors", "warnings")}
        return cls(**{**fields, **lists})

    def is_right(self, entry: Entry) -> bool:
        """Whether the entry was judged as it should be."""
        if entry.expected == "sound":
            return self.decision in ("listed", "warned")
        if self.decision == "held":
            return False
        codes = self.errors if entry.expected == "rejected" else self.errors + self.warnings
        return any(code in codes for code in entry.codes) if entry.codes else bool(codes)


def evaluate(
    entry: Entry, *, seed: int, settings: Mapping[str, str], sandboxed: bool = True
) -> Judgement:
    """Run it with that seed on this machine; `settings` are the runner's, such as its judge.

    Not `sandboxed`, its processes are forked from one that has imported the framework.
    Call it on the main thread: a sandbox dies with the thread that started it. Needs Django.
    """
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="envyard-zoo-", dir="/var/tmp") as name:
        judgement = _evaluate(entry, Path(name), seed, settings, sandboxed=sandboxed)
    return replace(judgement, seconds=round(time.monotonic() - began, 1))


def _evaluate(
    entry: Entry, folder: Path, seed: int, settings: Mapping[str, str], *, sandboxed: bool
) -> Judgement:
    path = wheels.write(entry, folder)
    found, detection = examine(path)
    findings = [item.to_dict() for item in found if not item.code.startswith(UNRELATED)]
    if any(item["severity"] == "error" for item in findings) or not detection.framework:
        return decided("rejected", findings)
    home = os.environ.get("ENVYARD_ZOO_HOME") or str(RUNNER_HOME)
    config = Config.from_environment({**os.environ, "RUNNER_HOME": home, **settings})
    access = LocalAccess()
    job = try_wheel.local_job(path, detection, TASKS, access, config)
    seconds = entry.rollout_seconds
    limits = RunLimits(wall_seconds=WALL_ROLLOUTS * seconds, rollout_seconds=seconds)
    job = replace(job, seed=seed, limits=limits)
    machine = RunnerContext(config, prepare=(Sandbox if sandboxed else ForkedSandbox).prepare)
    document = asyncio.run(try_wheel.run(machine, path, job, access))
    return judged(document, findings)


def judged(document: dict[str, Any], findings: list[dict[str, Any]]) -> Judgement:
    """The hub's decision about the document of a run and the findings of static checks."""
    findings = findings + document["findings"]
    if document["outcome"] == "failed":
        return decided("rejected", findings)
    if document["outcome"] != "succeeded":
        return decided("held", findings)
    from registry.card.trial import card_of  # needs Django

    findings = findings + card_of(document, PROBE_NAMES)["findings"]
    errors = {item["code"] for item in findings if item["severity"] == "error"}
    if not errors:
        return decided("warned" if _of(findings, "warning") else "listed", findings)
    return decided("held" if "card.undecided" in errors else "rejected", findings)


def decided(decision: str, findings: list[dict[str, Any]]) -> Judgement:
    """The judgement that these findings lead to."""
    errors, warnings = _of(findings, "error"), _of(findings, "warning")
    first = [item["message"] for item in findings if item["code"] in errors] or [
        item["message"] for item in findings if item["code"] in warnings
    ]
    return Judgement(decision, errors, warnings, first[0] if first else "")


def _of(findings: list[dict[str, Any]], severity: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f["code"] for f in findings if f["severity"] == severity))
