"""Behaves while it is watched first; in the second sandbox it hangs, then ends the process."""

# ruff: noqa
# mypy: ignore-errors

import asyncio
import os

import verifiers.v1 as vf


class HostileTask(vf.Task[vf.TaskData]):
    @vf.reward
    async def behaviour(self, trace: vf.Trace) -> float:
        first = open("/venv/environment/sandbox").read() == "1"
        if not first and self.data.name == "hangs":
            await asyncio.sleep(3600)
        if not first and self.data.name == "exits":
            os._exit(9)
        return 0.5


class HostileTaskset(vf.Taskset[HostileTask, vf.TasksetConfig]):
    def load(self):
        names = ("honest", "hangs", "exits")
        return [
            HostileTask(vf.TaskData(name=name, prompt=name), self.config.task) for name in names
        ]


__all__ = ["HostileTaskset"]
