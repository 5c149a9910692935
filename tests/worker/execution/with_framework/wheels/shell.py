"""The model acts in its runtime: a task prepares a file there, and the reward reads another."""

# ruff: noqa
# mypy: ignore-errors

import json

import verifiers.v1 as vf

COMMANDS = {
    "copies": "tr a-z A-Z < question.txt > answer.txt && cat answer.txt && echo fine >&2",
    "floods": "yes | tee flood.txt",
    "fails": "exit 3",
}
EDIT = {"path": "question.txt", "old_str": "quince", "new_str": "QUINCE"}


def call(name, **arguments):
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "content": "",
        "tool_calls": [{"id": "1", "type": "function", "function": function}],
    }


class ShellData(vf.TaskData):
    kind: str


class ShellTask(vf.Task[ShellData]):
    async def setup(self, runtime: vf.Runtime) -> None:
        await runtime.write("question.txt", b"quince")

    @vf.reward
    async def done(self, trace: vf.Trace, runtime: vf.Runtime) -> float:
        if self.data.kind == "copies":
            shown = await runtime.run(["cat", "answer.txt"], {})
            return float(shown.stdout == "QUINCE")
        if self.data.kind == "edits":
            return float((await runtime.read("question.txt")) == b"QUINCE")
        results = [str(message.content) for message in trace.tool_messages]
        if self.data.kind == "floods":
            return float(len(results) == 1 and "output was cut" in results[0])
        return float(results == [""])

    async def oracle(self, messages):
        if messages[-1]["role"] == "tool":
            return "done"
        if self.data.kind == "edits":
            return call("edit", **EDIT)
        return call("bash", command=COMMANDS[self.data.kind])


class ShellTaskset(vf.Taskset[ShellTask]):
    def load(self):
        return [
            ShellTask(ShellData(idx=n, prompt=f"Do what {kind} asks.", kind=kind), self.config.task)
            for n, kind in enumerate(["copies", "edits", "floods", "fails"])
        ]


__all__ = ["ShellTaskset"]
