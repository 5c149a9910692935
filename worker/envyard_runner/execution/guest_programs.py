"""The programs that a run starts in its sandboxes: their files, and how each is started."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from envyard_runner.gateway.model_proxy import MODEL_NAME
from envyard_runner.guest.host_config import HostConfig
from envyard_runner.guest.job import GuestJob
from envyard_runner.sandbox.command import APP, OWN_VARIABLES, USER
from envyard_runner.sandbox.guest_files import GUEST, guest_files
from envyard_runner.sandbox.spawn import CHANNEL_FD, FOLDER, PACKAGE

CONFIG = "config.json"
MACHINE_CHECK = (GUEST / "machine.py").read_text(encoding="utf-8")
REFERENCED_TASKS = 1_000  # whose oracle() may be called, in a survey of more

TRAINER = "trainer"  # the name of user and machine of a trainer's host
# What launchers of training set for each process (torchrun; PyTorch's documentation of it). Not
# LOCAL_RANK: libraries that find it connect to the other processes of the machine.
LAUNCHED = {"WORLD_SIZE": "2", "RANK": "0"}
HOST_FILES = (
    *("host_main.py", "host_config.py", "host_verifiers_v1.py", "host_verifiers_v0.py"),
    *("verifiers_v1_config.py", "chat_loop.py", "shell_tools.py", "config_seeds.py", "seeds.py"),
    *("verifiers_v0_releases.py", "sampling.py"),
)
REFERENCE_FILES = (
    *HOST_FILES,
    *("reference_main.py", "reference.py", "answers.py", "loop_alarm.py"),
    *("aiohttp_sessions.py", "rollout_context.py"),
    *("verifiers_v0_messages.py", "verifiers_v0_oracle.py"),
)
# Programs of other sandboxes, or of none: the process that plays has the others.
ELSEWHERE = ("bytecode", "build_wheel", "launch", "machine", "host_", "reference", "__init__")


@dataclass(frozen=True, slots=True)
class GuestProgram:
    """A program that holds an environment's code: its module in a package of `files`, with its
    configuration and further `arguments`.

    `variables` are the version's, which neither the launcher nor the check of the machine that
    comes first where the program is `checked` gets; they replace none of the sandbox's.
    `user` is the name of user and machine.
    """

    module: str
    files: Mapping[str, bytes]
    variables: Mapping[str, str] = field(default_factory=dict)
    arguments: Sequence[str] = ()
    user: str = USER
    checked: bool = False

    @property
    def command(self) -> list[str]:
        """The command that starts it in a sandbox."""
        check = ["python", "-I", "-S", "-c", MACHINE_CHECK, CHANNEL_FD] if self.checked else []
        given = {k: v for k, v in self.variables.items() if k not in OWN_VARIABLES}
        own = {"PYTHONPATH": APP, "PYTHONUNBUFFERED": "1"}
        variables = [f"{name}={value}" for name, value in (given | own).items()]
        program = ["python", "-m", f"{PACKAGE}.{self.module}", f"{FOLDER}/{CONFIG}", CHANNEL_FD]
        return [*check, "/usr/bin/env", *variables, *program, *self.arguments]


def env_worker(job: GuestJob) -> GuestProgram:
    """The process that plays: it loads the job's environment and is driven from outside."""
    names = (path.name for path in sorted(GUEST.glob("*.py")))
    files = _package([name for name in names if not name.startswith(ELSEWHERE)])
    config = json.dumps(job.to_dict() | {"variables": {}}).encode()
    return GuestProgram("env_worker", files | {CONFIG: config}, job.variables, checked=True)


def trainers_host(job: GuestJob, config: HostConfig) -> GuestProgram:
    """The minimal host, which plays the rollouts of its configuration as a trainer does."""
    files = _package(HOST_FILES) | {CONFIG: config.to_json()}
    return GuestProgram("host_main", files, {**LAUNCHED, **job.variables}, user=TRAINER)


def reference_process(job: GuestJob, config: HostConfig, gateway: str) -> GuestProgram:
    """The process that plays nothing and computes references for the gateway at that URL."""
    files = _package(REFERENCE_FILES) | {CONFIG: config.to_json()}
    return GuestProgram("reference_main", files, job.variables, (gateway,), user=TRAINER)


def host_config(job: GuestJob, **fields: Any) -> HostConfig:
    """The configuration of a host program for a job's environment."""
    return HostConfig(
        adapter=job.adapter.partition(":")[0],
        module=job.module,
        tasks=max(job.tasks, min(job.listed_tasks, REFERENCED_TASKS)),
        seed=job.seed,
        model=MODEL_NAME,
        max_turns=job.max_turns,
        max_tokens=job.max_tokens,
        temperature=job.temperature,
        top_p=job.top_p,
        concurrency=job.concurrency,
        **fields,
    )


def _package(names: Sequence[str]) -> dict[str, bytes]:
    return {"__init__.py": b"", **guest_files(*names)}
