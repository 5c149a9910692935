"""How one task becomes one conversation."""

import verifiers.v1 as vf

from {{ module }}.game import Game
from {{ module }}.taskset import {{ class_name }}Task


class {{ class_name }}Env(vf.Env[vf.SingleAgentEnvConfig]):
    """Takes a reply, answers as the user, and stops when the game is over."""

    async def run(self, task: {{ class_name }}Task, agents: vf.Agents) -> None:
        game = Game(secret=task.data.secret)
        async with agents.agent.interaction(task) as chat:
            chat.trace.state.game = game
            segment = await chat.turn()  # the prompt's reply
            while not segment.terminated:
                answer = game.hear(segment.last_reply)
                if answer is None:
                    return
                segment = await chat.turn(answer)
