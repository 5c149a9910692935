"""The verifiers taskset: broken repositories in, hidden tests decide."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf
from pydantic import Field

from bug_fix import judge
from bug_fix.repositories import MOST, Repository, repositories
from bug_fix.server import RepositoryState, RepositoryToolset

PROMPT = """\
You maintain the small Python repository `{package}`. A user reports:

> {report}

Files: {files}

Find the cause and repair it with the tools. `run_tests` runs the visible tests, which may not \
cover the report; further hidden tests decide. Keep names and signatures. When you are done, reply \
with one sentence that says what was wrong."""


class BugFixData(vf.TaskData):
    """One broken repository and what is needed to judge its repair."""

    broken: dict[str, str]
    right: dict[str, str]
    bug_path: str
    bug_text: str
    right_text: str
    hidden: list[tuple[str, str, list[Any]]]


class BugFixTask(vf.Task[BugFixData, RepositoryState]):
    """Pays when the repaired repository passes every hidden test."""

    async def setup(self, trace: vf.Trace) -> None:
        trace.state.files = dict(self.data.broken)

    async def finalize(self, trace: vf.Trace) -> None:
        trace.info["hidden_pass_rate"] = await asyncio.to_thread(
            judge.passed, trace.state.files, right=self.data.right, hidden=self.data.hidden
        )

    @vf.reward(weight=1.0)
    async def hidden_tests_pass(self, trace: vf.Trace) -> float:
        return float(trace.info["hidden_pass_rate"] == 1.0)

    @vf.metric
    async def work(self, trace: vf.Trace) -> dict[str, float]:
        return {
            "hidden_pass_rate": trace.info["hidden_pass_rate"],
            "edits": float(trace.state.edits),
            "test_runs": float(trace.state.test_runs),
        }

    def oracle(self, messages: list[dict[str, Any]]) -> str | dict[str, Any]:
        """The repairing edit, a test run, then a closing sentence, by the turns taken so far."""
        edit = {
            "path": self.data.bug_path,
            "old_text": self.data.bug_text,
            "new_text": self.data.right_text,
        }
        calls: list[tuple[str, dict[str, str]]] = [("edit_file", edit), ("run_tests", {})]
        turn = sum(message.get("role") == "assistant" for message in messages)
        if turn >= len(calls):
            return f"The bug was in {self.data.bug_path}."
        name, arguments = calls[turn]
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{turn}", "type": "function", "function": function}
        return {"role": "assistant", "content": "", "tool_calls": [call]}


class BugFixConfig(vf.TasksetConfig):
    """Which repositories are loaded."""

    num_tasks: int = Field(100, ge=1, le=MOST)
    seed: int = 0
    tools: vf.SharedToolsetConfig = vf.SharedToolsetConfig()


def task_data(repository: Repository) -> BugFixData:
    """The row of one repository."""
    prompt = PROMPT.format(
        package=repository.package,
        report=repository.report,
        files=", ".join(sorted(repository.broken)),
    )
    return BugFixData(
        prompt=prompt,
        broken=repository.broken,
        right=repository.right,
        bug_path=repository.bug_path,
        bug_text=repository.bug_text,
        right_text=repository.right_text,
        hidden=repository.hidden,
    )


class BugFixTaskset(vf.Taskset[BugFixTask, BugFixConfig]):
    """Seeded repositories, the same for the same seed on every machine."""

    @classmethod
    def toolsets(cls, config: BugFixConfig) -> list[vf.Toolset]:
        return [RepositoryToolset(config.tools)]

    def load(self) -> Iterator[BugFixTask]:
        for repository in repositories(seed=self.config.seed, count=self.config.num_tasks):
            yield BugFixTask(task_data(repository), self.config.task)
