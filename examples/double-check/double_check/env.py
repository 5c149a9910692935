"""The two-turn exchange: one question, one doubt, in process and with one agent seat."""

import verifiers.v1 as vf

from double_check.dialogue import challenge, read_answer
from double_check.taskset import DoubleCheckTask


class DoubleCheckEnv(vf.Env[vf.SingleAgentEnvConfig]):
    """One question, one doubt, and the end: never more than two assistant turns."""

    async def run(self, task: DoubleCheckTask, agents: vf.Agents) -> None:
        async with agents.agent.interaction(task) as chat:
            opening = await chat.turn()
            if opening.terminated:
                return
            state = chat.trace.state
            state.first_answer = read_answer(opening.last_reply)
            await chat.turn(challenge(style=task.data.style, first_answer=state.first_answer))
