"""One game as a conversation: read a reply, answer as the opponent, keep the score sheet."""

import re
from dataclasses import dataclass

from tic_tac_toe.board import EMPTY, draw, legal, opponent_move, outcome, place

MAX_TURNS = 8
MOVE = re.compile(r"<move>\s*([0-8])\s*</move>")
THOUGHT = re.compile(r"\A\s*<think>.+?</think>", re.DOTALL)


def read_move(reply: str) -> int | None:
    """The cell in the reply's only <move> tag after any thought; None for none or several."""
    tags = re.findall(r"<move>.*?</move>", reply.rsplit("</think>", 1)[-1], re.DOTALL)
    match = MOVE.fullmatch(tags[0]) if len(tags) == 1 else None
    return int(match[1]) if match else None


@dataclass(slots=True)
class Game:
    """The state of one game and its score sheet."""

    random_move_prob: float
    seed: str
    board: str = EMPTY
    turns: int = 0
    invalid: int = 0
    well_formed: int = 0
    """Turns that held a thought and a legal move; format without a legal move is not counted."""

    def opening(self, *, opponent_starts: bool) -> str:
        """The first message's last part, after the opponent's move where it starts."""
        if not opponent_starts:
            return f"You move first.\n\n{draw(self.board)}"
        cell = self._answer()
        return f"Your opponent moved first and took cell {cell}.\n\n{draw(self.board)}"

    def play(self, reply: str, *, reasoned: bool = False) -> str | None:
        """Play one reply and return the user's answer; None when the game is over.

        `reasoned`: the model server already split the thought off the reply.
        """
        self.turns += 1
        cell = read_move(reply)
        if cell is None or self.board[cell] != ".":
            self.invalid += 1
            reason = "No single <move> tag with a cell from 0 to 8 was found."
            if cell is not None:
                reason = f"Cell {cell} is taken."
            free = ", ".join(map(str, legal(self.board)))
            return self._goes_on(f"Invalid move. {reason} Free cells: {free}. Try again.")
        self.well_formed += bool(reasoned or THOUGHT.match(reply))
        self.board = place(self.board, cell, "X")
        if outcome(self.board) is None:
            answer = self._answer()
            return self._goes_on(f"Your opponent took cell {answer}.")
        return None

    @property
    def result(self) -> str:
        """ "win", "draw" or "loss"; a game that was not finished in time is a loss."""
        return {"X": "win", "draw": "draw"}.get(outcome(self.board) or "", "loss")

    def _goes_on(self, text: str) -> str | None:
        if outcome(self.board) is not None or self.turns >= MAX_TURNS:
            return None
        return f"{text}\n\n{draw(self.board)}"

    def _answer(self) -> int:
        cell = opponent_move(self.board, random_move_prob=self.random_move_prob, seed=self.seed)
        self.board = place(self.board, cell, "O")
        return cell
