"""The verifiers taskset: which tasks there are and what each pays."""

from collections.abc import Iterator

import verifiers.v1 as vf
from pydantic import Field

from {{ module }}.game import MAX_TURNS, SPAN, Game, secrets

INSTRUCTION = (
    "I think of a whole number from {low} to {high}. You have {turns} guesses; after each I say "
    "whether my number is higher or lower. Give each guess in this form, N being the number: "
    "<guess>N</guess>"
)


class {{ class_name }}Data(vf.TaskData):
    """One task's row; everything in it is part of the task's identity."""

    secret: int


class {{ class_name }}State(vf.State):
    """What a rollout leaves behind for scoring; the environment writes it, never the policy."""

    game: Game | None = None


class {{ class_name }}Task(vf.Task[{{ class_name }}Data, {{ class_name }}State]):
    """Pays the finished game. Add @vf.metric methods for what you want to watch but not to pay."""

    @vf.reward(weight=1.0)
    async def found(self, trace: vf.Trace) -> float:
        return trace.state.game.reward

    @vf.metric
    async def guesses(self, trace: vf.Trace) -> float:
        return float(trace.state.game.turns)

    def oracle(self, messages: list[dict]) -> str:
        """The next reply of a perfect policy, which shows the hub that the reward is possible."""
        return f"<guess>{self.data.secret}</guess>"


class {{ class_name }}Config(vf.TasksetConfig):
    """The options that users of this environment can set."""

    num_tasks: int = Field(100, ge=1, le=10_000)
    seed: int = 0


class {{ class_name }}Taskset(vf.Taskset[{{ class_name }}Task, {{ class_name }}Config]):
    """Yields the tasks, the same for the same seed on every machine."""

    def load(self) -> Iterator[{{ class_name }}Task]:
        for low, secret in secrets(seed=self.config.seed, count=self.config.num_tasks):
            prompt = INSTRUCTION.format(low=low, high=low + SPAN - 1, turns=MAX_TURNS)
            data = {{ class_name }}Data(prompt=prompt, secret=secret)
            yield {{ class_name }}Task(data, self.config.task)
