"""Loads other tasks in every process, and ends the process when it scores."""

import os

import verifiers.v1 as vf


class ExitTask(vf.Task[vf.TaskData]):
    @vf.reward
    async def ends(self, trace: vf.Trace) -> float:
        if trace.last_reply:
            os._exit(7)
        return 0.0


class UnsteadyTaskset(vf.Taskset[ExitTask, vf.TasksetConfig]):
    def load(self) -> list[ExitTask]:
        order = " ".join({"a", "b", "c", "d", "e", "f", "g", "h"})
        return [ExitTask(vf.TaskData(prompt=order), self.config.task)]


__all__ = ["UnsteadyTaskset"]
