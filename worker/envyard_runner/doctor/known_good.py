"""A tiny environment that is known to be good, and its run on this machine without any hub.

It goes the way of every environment: a wheel, its dependencies from the index, the sandbox,
driver and worker, the gateway with two scripted probes, and the second sandbox. It is written
for one adapter: it tests the machine, which is the same for every framework.
"""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from dataclasses import dataclass

from envyard.contract.findings import Finding
from envyard.contract.frameworks.verifiers import V1
from envyard.contract.job import JobSpec, RunLimits, WheelRef
from envyard_runner.config import Config
from envyard_runner.execution.run import RunnerContext, run_attempt
from envyard_runner.hub_api.event_outbox import EventOutbox
from envyard_runner.hub_api.local_hub import LocalHub

MODULE, VERSION = "envyard_known_good", "1"
FILENAME = f"{MODULE}-{VERSION}-py3-none-any.whl"
SOURCE = '''"""Say the word that the prompt names."""

import verifiers.v1 as vf

__all__ = ["KnownGoodTaskset"]


class WordData(vf.TaskData):
    answer: str


class WordTask(vf.Task[WordData]):
    @vf.reward(weight=1.0)
    async def named(self, trace: vf.Trace) -> float:
        return float(trace.last_reply.strip() == self.data.answer)

    def oracle(self, messages):
        return self.data.answer


class KnownGoodTaskset(vf.Taskset[WordTask, vf.TasksetConfig]):
    def load(self):
        for word in ("amber", "birch"):
            prompt = f"Reply with this word and nothing else: {word}."
            yield WordTask(WordData(prompt=prompt, answer=word), self.config.task)
'''
METADATA = f"Metadata-Version: 2.1\nName: {MODULE.replace('_', '-')}\nVersion: {VERSION}\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: envyard\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
EXPECTED = {"silent": 0.0, "oracle": 1.0}  # what each probe is paid
TASKS = 2
LIMITS = RunLimits(
    wall_seconds=180.0, rollout_seconds=60.0, install_seconds=300.0, cpu_seconds=120, max_tokens=64
)


@dataclass(frozen=True, slots=True)
class Result:
    """How its run ended: `problem` is empty where all was as expected; `finding` what ended it.

    `began` states whether its code began to load, `installed` whether its dependencies were there.
    """

    problem: str
    finding: Finding | None
    installed: bool
    began: bool
    seconds: float = 0.0


async def run_known_good(config: Config) -> Result:
    """Play it as a run is played; main thread only, like every sandbox."""
    wheel = make_wheel()
    job, hub = job_of(wheel), LocalHub(wheel)
    outbox = EventOutbox(hub, job)
    ending = await run_attempt(job, hub, RunnerContext(config), outbox)
    await outbox.finish(ending.outcome, ending.findings)
    errors = [problem for problem in ending.findings if problem.severity == "error"]
    finding = errors[0] if errors else None
    return Result(
        problem=_problem(ending.outcome, finding, hub),
        finding=finding,
        installed=hub.facts.get("packages") is not None,
        began=hub.facts.get("environment_began") is True,
        seconds=hub.facts.get("install_seconds") or 0.0,
    )


def _problem(outcome: str, finding: Finding | None, hub: LocalHub) -> str:
    if finding is not None or outcome != "succeeded":
        return f"{finding.code}: {finding.message}" if finding else f"it ended as {outcome}"
    for policy, expected in EXPECTED.items():
        rewards = [rollout["reward"] for rollout in hub.rollouts if rollout["policy"] == policy]
        if rewards != [expected] * TASKS:
            return f"{policy} was paid {rewards}, not {expected:g} for each of {TASKS} tasks"
    if len(hub.facts.get("hashes_again") or ()) != TASKS:
        return "a second sandbox did not load its tasks again"
    return ""


def job_of(wheel: bytes) -> JobSpec:
    """Its run by two probes."""
    return JobSpec(
        run="doctor",
        attempt=1,
        run_token="",
        environment="envyard/known-good",
        version=VERSION,
        wheel=WheelRef("", FILENAME, hashlib.sha256(wheel).hexdigest(), len(wheel)),
        framework=V1.framework,
        api=V1.api,
        module=MODULE,
        entry="KnownGoodTaskset",
        policies=tuple(EXPECTED),
        tasks=TASKS,
        attempts=1,
        seed=0,
        lease_seconds=60.0,
        limits=LIMITS,
    )


def make_wheel() -> bytes:
    """The wheel's bytes, the same each time."""
    folder = f"{MODULE}-{VERSION}.dist-info"
    members = {
        f"{MODULE}/__init__.py": SOURCE.encode(),
        f"{folder}/METADATA": METADATA.encode(),
        f"{folder}/WHEEL": WHEEL.encode(),
    }
    lines = [f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in members.items()]
    members[f"{folder}/RECORD"] = f"{''.join(lines)}{folder}/RECORD,,\n".encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return file.getvalue()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
