"""Its tasks cannot be loaded."""

import verifiers.v1 as vf


class EmptyTaskset(vf.Taskset[vf.Task, vf.TasksetConfig]):
    def load(self) -> list[vf.Task]:
        raise FileNotFoundError("tasks.jsonl")


__all__ = ["EmptyTaskset"]
