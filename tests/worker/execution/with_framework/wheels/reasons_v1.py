"""An environment whose reward reads the reasoning of the policy's reply."""

# ruff: noqa
# mypy: ignore-errors

import verifiers.v1 as vf


class ReasonsTask(vf.Task[vf.TaskData, vf.State, vf.TaskConfig]):
    @vf.reward
    async def length_of_reasoning(self, trace: vf.Trace) -> float:
        texts = [getattr(m, "reasoning_content", None) or "" for m in trace.messages]
        return (1 + len("".join(texts))) / 100


class Reasons(vf.Taskset[ReasonsTask, vf.TasksetConfig]):
    def load(self):
        return [
            ReasonsTask(vf.TaskData(idx=at, prompt=f"6 * {7 + at}?"), self.config.task)
            for at in range(2)
        ]


__all__ = ["Reasons"]
