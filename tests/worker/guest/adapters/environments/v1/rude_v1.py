"""Every task misbehaves in a way of its own, named by its row; `none` behaves."""

import asyncio
import sys
import time
from typing import Any

import verifiers.v1 as vf

WAYS = [
    "none",
    "raises",
    "nan",
    "exits",
    "sleeps",
    "blocks",
    "shouts",
    "leaks",
    "clings",
    "words",
    "refuse",
]


class RudeTask(vf.Task[vf.TaskData]):
    @vf.reward
    async def behaviour(self, trace: vf.Trace) -> float:
        way = self.data.name
        if way == "raises":
            raise KeyError("the verifier's own mistake")
        if way == "exits":
            sys.exit("bye")
        if way == "sleeps":
            await asyncio.sleep(3600)
        if way == "blocks":
            time.sleep(3600)  # noqa: ASYNC251
        if way == "shouts":
            sys.stdout.write("x" * 2_000_000)
        if way == "leaks":
            trace.info["object"] = object()
            trace.record_metric("not_finite", float("inf"))
        if way == "clings":
            await self.cling()
        if way == "words":
            return "many"  # type: ignore[return-value]
        return float("nan") if way == "nan" else 0.25

    async def cling(self) -> None:
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                sys.stdout.write("no")

    def oracle(self, messages: list[dict[str, Any]]) -> Any:
        return {"none": "fine", "raises": None, "nan": 1 / 1}.get(self.data.name or "", "fine")


class RudeTaskset(vf.Taskset[RudeTask, vf.TasksetConfig]):
    def load(self) -> list[RudeTask]:
        return [RudeTask(vf.TaskData(name=way, prompt=way), self.config.task) for way in WAYS]


__all__ = ["RudeTaskset"]
