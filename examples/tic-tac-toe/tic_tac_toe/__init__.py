"""Tic-tac-toe against a minimax opponent whose skill is chosen for each task."""

from tic_tac_toe.env import TicTacToeEnv
from tic_tac_toe.taskset import TicTacToeTaskset

__all__ = ["TicTacToeEnv", "TicTacToeTaskset"]
