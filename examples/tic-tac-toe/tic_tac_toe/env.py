"""One game as one conversation, driven in process through a single agent seat."""

import verifiers.v1 as vf

from tic_tac_toe.taskset import TicTacToeTask


class TicTacToeEnv(vf.Env[vf.SingleAgentEnvConfig]):
    """Takes a reply, answers as the opponent, and closes when the game is over."""

    async def run(self, task: TicTacToeTask, agents: vf.Agents) -> None:
        game, _ = task.data.new_game()
        async with agents.agent.interaction(task) as chat:
            chat.trace.state.game = game
            segment = await chat.turn()
            while not segment.terminated:
                reasoned = any(
                    getattr(message, "reasoning_content", None) for message in segment.messages
                )
                answer = game.play(segment.last_reply, reasoned=reasoned)
                if answer is None:
                    return
                segment = await chat.turn(answer)
