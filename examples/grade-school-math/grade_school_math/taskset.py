"""The verifiers taskset: word problems in, one checked number out."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

import verifiers.v1 as vf
from pydantic import Field

from grade_school_math.answers import correct, marked
from grade_school_math.problems import problems

INSTRUCTION = "\n\nWork it out step by step. End with a line `#### <number>`."


class GradeSchoolMathData(vf.TaskData):
    """One word problem, its worked solution and its answer."""

    answer: str
    solution: str
    split: str


class GradeSchoolMathTask(vf.Task[GradeSchoolMathData]):
    """Pays the right final number."""

    @vf.reward(weight=1.0)
    async def correct(self, trace: vf.Trace) -> float:
        return float(correct(trace.last_reply, self.data.answer))

    @vf.metric
    async def format_ok(self, trace: vf.Trace) -> float:
        return float(marked(trace.last_reply))

    def oracle(self, messages: list[dict[str, Any]]) -> str:
        """The worked solution."""
        return self.data.solution


class GradeSchoolMathConfig(vf.TasksetConfig):
    """Which problems are loaded."""

    num_tasks: int = Field(200, ge=1, le=10_000)
    seed: int = 0
    split: Literal["train", "eval"] = "train"


class GradeSchoolMathTaskset(vf.Taskset[GradeSchoolMathTask, GradeSchoolMathConfig]):
    """Seeded problems, the same for the same seed on every machine."""

    def load(self) -> Iterator[GradeSchoolMathTask]:
        config = self.config
        stream = problems(seed=config.seed, split=config.split)
        for problem in islice(stream, config.num_tasks):
            data = GradeSchoolMathData(
                prompt=problem.text + INSTRUCTION,
                answer=problem.answer,
                solution=problem.solution,
                split=config.split,
            )
            yield GradeSchoolMathTask(data, config.task)
