"""Several turns with a scripted user, who opens the conversation."""

from typing import Any

import verifiers.v1 as vf


class QuizData(vf.TaskData):
    sums: list[tuple[int, int]]


class QuizTask(vf.Task[QuizData]):
    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        replies = [message.content for message in trace.assistant_messages]
        right = sum(
            reply == str(a + b) for reply, (a, b) in zip(replies, self.data.sums, strict=False)
        )
        return right / len(self.data.sums)

    def oracle(self, messages: list[dict[str, Any]]) -> str:
        a, b = str(messages[-1]["content"]).split("+")
        return str(int(a) + int(b))


class QuizEnv(vf.SingleAgentEnv):
    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        async with agents.agent.interaction(task) as talk:
            for a, b in task.data.sums:
                if (await talk.turn(f"{a}+{b}")).terminated:
                    break


class QuizTaskset(vf.Taskset[QuizTask, vf.TasksetConfig]):
    def load(self) -> list[QuizTask]:
        return [
            QuizTask(QuizData(system_prompt="Add.", sums=sums), self.config.task)
            for sums in ([(1, 2), (3, 4), (5, 6)], [(7, 8), (9, 10)])
        ]


__all__ = ["QuizEnv", "QuizTaskset"]
