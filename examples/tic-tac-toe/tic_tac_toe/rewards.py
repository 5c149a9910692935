"""The pay of one finished game."""

from tic_tac_toe.game import Game

RESULT = {"win": 1.0, "draw": 0.5, "loss": 0.0}
FORMAT_WEIGHT = 0.2
INVALID_WEIGHT = -0.1


def result_reward(game: Game) -> float:
    """1 for a win, 0.5 for a draw, 0 for a loss or an unfinished game."""
    return RESULT[game.result]


def format_reward(game: Game) -> float:
    """Share of turns with a thought and a legal move, in [0, 1]; format alone pays nothing."""
    return game.well_formed / game.turns if game.turns else 0.0


def invalid_reward(game: Game) -> float:
    """1 for a game with any invalid move, else 0; its weight makes it a penalty."""
    return float(game.invalid > 0)


def total(game: Game) -> float:
    """Sum as the framework computes it, in [-0.1, 1.2]."""
    paid = result_reward(game) + FORMAT_WEIGHT * format_reward(game)
    return paid + INVALID_WEIGHT * invalid_reward(game)
