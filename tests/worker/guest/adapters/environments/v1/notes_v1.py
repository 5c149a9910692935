"""One tool server that all rollouts share, with a state for each of them."""

import verifiers.v1 as vf
from pydantic import Field


class NoteState(vf.State):
    notes: list[str] = Field(default_factory=list)


class Pad(vf.Toolset[vf.SharedToolsetConfig, NoteState]):
    TOOL_PREFIX = "pad"

    @vf.tool
    def add(self, text: str) -> str:
        """Add a note and list them all."""
        self.state.notes.append(text)
        return ",".join(self.state.notes)


class NoteTask(vf.Task[vf.TaskData, NoteState]):
    @vf.reward
    async def only_mine(self, trace: vf.Trace) -> float:
        return float(trace.state.notes == [trace.task.data.name] * 2)


class NoteConfig(vf.TasksetConfig):
    pad: vf.SharedToolsetConfig = vf.SharedToolsetConfig()


class NoteTaskset(vf.Taskset[NoteTask, NoteConfig]):
    @classmethod
    def toolsets(cls, config: NoteConfig) -> list[vf.Toolset]:
        return [Pad(config.pad)]

    def load(self) -> list[NoteTask]:
        return [
            NoteTask(vf.TaskData(name=name, prompt=f"Note {name} twice."), self.config.task)
            for name in ("a", "b", "c")
        ]


__all__ = ["NoteTaskset"]

if __name__ == "__main__":
    Pad.run()
