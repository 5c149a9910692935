"""The board, perfect play and the seeded opponent. X is the policy, O the opponent."""

import random
from functools import cache, lru_cache

EMPTY = "........."
LINES = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6),
)  # fmt: skip


def legal(board: str) -> list[int]:
    """The free cells, ascending."""
    return [cell for cell, mark in enumerate(board) if mark == "."]


def place(board: str, cell: int, mark: str) -> str:
    """The board with `mark` put on a free cell."""
    return board[:cell] + mark + board[cell + 1 :]


def outcome(board: str) -> str | None:
    """ "X" or "O" for a finished line, "draw" for a full board, None while the game goes on."""
    for a, b, c in LINES:
        if board[a] != "." and board[a] == board[b] == board[c]:
            return board[a]
    return None if "." in board else "draw"


@cache
def value(board: str, mark: str) -> int:
    """What perfect play gives X when `mark` is to move: 1 win, 0 draw, -1 loss."""
    end = outcome(board)
    if end is not None:
        return {"X": 1, "O": -1, "draw": 0}[end]
    other = "O" if mark == "X" else "X"
    values = [value(place(board, cell, mark), other) for cell in legal(board)]
    return max(values) if mark == "X" else min(values)


def best_moves(board: str, mark: str) -> list[int]:
    """Every move that keeps the position's minimax value for `mark`, ascending."""
    other = "O" if mark == "X" else "X"
    goal = value(board, mark)
    return [cell for cell in legal(board) if value(place(board, cell, mark), other) == goal]


def opponent_move(board: str, *, random_move_prob: float, seed: str) -> int:
    """O's move: random with the given probability, else any equally good minimax move.

    The draw depends on the game's seed and the position alone, so two rollouts of one task that
    reach the same position see the same reply: within a group only the policy makes a difference.
    """
    rng = random.Random(f"{seed}/{board}")
    if rng.random() < random_move_prob:
        return rng.choice(legal(board))
    return rng.choice(best_moves(board, "O"))


@lru_cache(maxsize=20_000)
def best_line(board: str, *, random_move_prob: float, seed: str) -> tuple[float, tuple[int, ...]]:
    """X's best (result, moves) against the seeded opponent: 1 win, 0.5 draw, 0 loss, short first.

    Better than minimax: it uses this opponent's seeded mistakes, so it is the ceiling of the task.
    """
    best: tuple[float, tuple[int, ...]] = (-1.0, ())
    for cell in legal(board):
        after = place(board, cell, "X")
        tail: tuple[int, ...] = ()
        if outcome(after) is None:
            reply = opponent_move(after, random_move_prob=random_move_prob, seed=seed)
            after = place(after, reply, "O")
        if (end := outcome(after)) is None:
            result, tail = best_line(after, random_move_prob=random_move_prob, seed=seed)
        else:
            result = {"X": 1.0, "draw": 0.5, "O": 0.0}[end]
        line = (result, (cell, *tail))
        if (line[0], -len(line[1])) > (best[0], -len(best[1])):
            best = line
    return best


def draw(board: str) -> str:
    """The board as three lines; a free cell shows its number."""
    cells = [mark if mark != "." else str(cell) for cell, mark in enumerate(board)]
    return "\n".join(" | ".join(cells[row : row + 3]) for row in (0, 3, 6))
