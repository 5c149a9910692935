"""The verifiers taskset: which tasks there are and what each pays."""

from collections.abc import Iterator

import verifiers.v1 as vf
from pydantic import Field

from {{ module }}.problems import problems
from {{ module }}.rewards import score

INSTRUCTION = (
    "Sort these words alphabetically. Reply with the words, separated by spaces, inside one "
    "answer tag: <answer>...</answer>\n\n"
)


class {{ class_name }}Data(vf.TaskData):
    """One task's row; everything in it is part of the task's identity."""

    words: list[str]


class {{ class_name }}Task(vf.Task[{{ class_name }}Data]):
    """Pays the right reply. Add @vf.metric methods for what you want to watch but not to pay."""

    @vf.reward(weight=1.0)
    async def correct(self, trace: vf.Trace) -> float:
        return score(trace.last_reply, sorted(self.data.words))

    def oracle(self, messages: list[dict]) -> str:
        """The next reply of a perfect policy, which shows the hub that the reward is possible."""
        return f"<answer>{' '.join(sorted(self.data.words))}</answer>"


class {{ class_name }}Config(vf.TasksetConfig):
    """The options that users of this environment can set."""

    num_tasks: int = Field(100, ge=1, le=10_000)
    seed: int = 0


class {{ class_name }}Taskset(vf.Taskset[{{ class_name }}Task, {{ class_name }}Config]):
    """Yields the tasks, the same for the same seed on every machine."""

    def load(self) -> Iterator[{{ class_name }}Task]:
        for words in problems(seed=self.config.seed, count=self.config.num_tasks):
            data = {{ class_name }}Data(prompt=INSTRUCTION + " ".join(words), words=words)
            yield {{ class_name }}Task(data, self.config.task)
