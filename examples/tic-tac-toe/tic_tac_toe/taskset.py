"""The verifiers taskset: one task is one game against one opponent."""

from collections.abc import Iterator
from typing import Any, Self

import verifiers.v1 as vf
from pydantic import Field, model_validator

from tic_tac_toe import rewards
from tic_tac_toe.board import best_line
from tic_tac_toe.dataset import openings
from tic_tac_toe.game import MAX_TURNS, Game

RULES = f"""\
You play tic-tac-toe as X; your opponent is O. Cells are numbered 0 to 8, row by row, and a free \
cell shows its number. Three marks of one kind in a row, a column or a diagonal win.

In every turn, think first, then name one free cell, in exactly this form, N being the number:
<think>your thoughts</think><move>N</move>
An invalid move costs points and has to be tried again; you have {MAX_TURNS} turns in all.
"""


class TicTacToeData(vf.TaskData):
    """One game: the opponent's skill, who starts, and the seed of the opponent's choices."""

    random_move_prob: float
    opponent_starts: bool
    seed: str

    def new_game(self) -> tuple[Game, str]:
        """A fresh game and the text of its opening."""
        game = Game(random_move_prob=self.random_move_prob, seed=self.seed)
        return game, game.opening(opponent_starts=self.opponent_starts)


class TicTacToeState(vf.State):
    """The finished game's score sheet, written by the environment, never by the policy."""

    game: Game | None = None


class TicTacToeTask(vf.Task[TicTacToeData, TicTacToeState]):
    """Pays the result, the form of legal turns, and a penalty for invalid moves."""

    @vf.reward(weight=1.0)
    async def result(self, trace: vf.Trace) -> float:
        return rewards.result_reward(trace.state.game)

    @vf.reward(weight=rewards.FORMAT_WEIGHT)
    async def format(self, trace: vf.Trace) -> float:
        return rewards.format_reward(trace.state.game)

    @vf.reward(weight=rewards.INVALID_WEIGHT)
    async def invalid_move(self, trace: vf.Trace) -> float:
        return rewards.invalid_reward(trace.state.game)

    @vf.metric
    async def game(self, trace: vf.Trace) -> dict[str, float]:
        game = trace.state.game
        return {
            "win": float(game.result == "win"),
            "draw": float(game.result == "draw"),
            "invalid_moves": float(game.invalid),
            "opponent_random_move_prob": self.data.random_move_prob,
        }

    def oracle(self, messages: list[dict[str, Any]]) -> str:
        """The next move of the best line against this very opponent, by the turns played so far."""
        game, _ = self.data.new_game()
        _, line = best_line(
            game.board, random_move_prob=self.data.random_move_prob, seed=self.data.seed
        )
        turn = sum(message.get("role") == "assistant" for message in messages)
        return f"<think>This wins soonest.</think><move>{line[min(turn, len(line) - 1)]}</move>"


class TicTacToeConfig(vf.TasksetConfig):
    """The number of games, and the strength of the opponent."""

    num_tasks: int = Field(100, ge=1, le=10_000)
    seed: int = 0
    min_random_move_prob: float = Field(0.0, ge=0.0, le=1.0)
    max_random_move_prob: float = Field(0.5, ge=0.0, le=1.0)
    strata: int = Field(10, ge=1)
    """Steps of skill; set it to batch size / rollouts per task to give every batch the same mix."""

    @model_validator(mode="after")
    def _range_is_ordered(self) -> Self:
        low, high = self.min_random_move_prob, self.max_random_move_prob
        if low > high:
            raise ValueError(
                f"min_random_move_prob {low} is above max_random_move_prob {high}; swap them"
            )
        return self


class TicTacToeTaskset(vf.Taskset[TicTacToeTask, TicTacToeConfig]):
    """Seeded games, the same for the same seed on every machine."""

    def load(self) -> Iterator[TicTacToeTask]:
        config = self.config
        for opening in openings(
            seed=config.seed,
            low=config.min_random_move_prob,
            high=config.max_random_move_prob,
            strata=config.strata,
            count=config.num_tasks,
        ):
            data = TicTacToeData(
                random_move_prob=opening.random_move_prob,
                opponent_starts=opening.opponent_starts,
                seed=opening.seed,
            )
            _, start = data.new_game()
            skill = (
                f"Your opponent plays a random move {opening.random_move_prob:.2%} of the time and "
                "perfectly otherwise."
            )
            texts = {"system_prompt": RULES, "prompt": f"{skill} {start}"}
            yield TicTacToeTask(data.model_copy(update=texts), config.task)
