"""Every task is of another kind: honest, or unrepeatable in the way that its name states."""

# ruff: noqa
# mypy: ignore-errors

import asyncio
import hashlib
import json
import os
import random
import sys
import urllib.request
import uuid

import verifiers.v1 as vf

from .tools import Atlas

KINDS = [
    "honest",
    "lookup",
    "random",
    "leaky-1",
    "leaky-2",
    "leaky-3",
    "drifts",
    "crashes",
    "looks",
]
BEFORE = {
    folder: sorted(os.listdir(folder))
    for folder in ("/tmp", "/dev/shm", "/var/tmp", "/run")
    if os.path.isdir(folder)
}
BEFORE["/proc"] = [name for name in sorted(os.listdir("/proc")) if name.isdigit()]
scored = 0


class KindData(vf.TaskData):
    kind: str


class KindState(vf.State):
    question_count: int = 0


class KindTaskConfig(vf.TaskConfig):
    atlas: vf.ToolsetConfig = vf.ToolsetConfig()


class KindTask(vf.Task[KindData, KindState, KindTaskConfig]):
    @vf.reward
    async def behaviour(self, trace: vf.Trace) -> float:
        global scored
        scored += 1
        kind = self.data.kind.partition("-")[0]
        if kind == "lookup":
            return trace.state.question_count / 2
        if kind == "random":
            return random.random()
        if kind == "leaky":
            return scored / 100
        if kind == "crashes" and open("/venv/environment/sandbox").read() != "1":
            raise KeyError("only when nobody looks")
        if kind == "looks":
            return fingerprint()
        return 0.5 if trace.last_reply == "Oslo" else 0.25

    async def oracle(self, messages):
        if self.data.kind != "lookup" or messages[-1]["role"] == "tool":
            return "Oslo"
        call = {"name": "atlas_capital", "arguments": '{"country": "Norway"}'}
        return {"content": "", "tool_calls": [{"id": "1", "type": "function", "function": call}]}


def fingerprint() -> float:
    """A number that is another one where anything is that this process can look at."""
    package = sys.modules["__main__"].__package__
    rollout = sys.modules[f"{package}.harness"].current.get()
    with urllib.request.urlopen(f"{rollout.url}/models") as answer:
        headers, body = sorted(answer.headers), answer.read().decode()
    view = {
        "arguments": sys.argv[1:],
        "command": open("/proc/self/cmdline").read().replace(package, "PACKAGE"),
        "variables": sorted(os.environ),
        "words": [len(rollout.id), set(rollout.id) <= set("0123456789abcdef")],
        "headers": headers,
        "body": body.replace(rollout.id, "ID"),
        "modules": sorted(
            name.replace(package, "PACKAGE") for name in sys.modules if name.startswith(package)
        ),
        "job": open(f"/app/{package}/config.json").read(),
        "process": [os.getpid(), os.getppid(), os.getuid(), os.uname().nodename],
        "first": os.listdir("/proc/1"),  # nothing: the first process is covered
        "files": BEFORE,
    }
    print(view, flush=True)
    return (
        int(hashlib.sha256(json.dumps(view, sort_keys=True).encode()).hexdigest()[:12], 16) / 16**12
    )


class LookupTask(KindTask):
    """Alone with tools: a trainer's host imports the framework for each of their servers."""

    @classmethod
    def toolsets(cls, config):
        return [Atlas(config.atlas)]


class KindConfig(vf.TasksetConfig):
    task: KindTaskConfig = KindTaskConfig()


class KindEnv(vf.SingleAgentEnv):
    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        if task.data.kind != "drifts":
            await super().run(task, agents)
            return
        async with agents.agent.interaction(task) as talk:
            await talk.turn("Which capital?")
            await talk.turn(f"Is {uuid.uuid4()} a capital?")


class KindTaskset(vf.Taskset[KindTask, KindConfig]):
    def load(self):
        return [
            (LookupTask if kind == "lookup" else KindTask)(
                KindData(prompt=None if kind == "drifts" else f"{kind}: the capital?", kind=kind),
                self.config.task,
            )
            for kind in KINDS
        ]


__all__ = ["KindEnv", "KindTaskset"]
