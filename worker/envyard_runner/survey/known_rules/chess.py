"""The colour of a square of a chess board, and moves of one piece on an empty board."""

from __future__ import annotations

import re

from envyard_runner.survey.known_rules.entry import (
    KnownRule,
    Solved,
    has,
    pattern,
    verdict,
    words_of,
    yes_or_no,
)

SQUARE = re.compile(r"(?<![\w-])[a-h][1-8](?![\w])|(?<=-)[a-h][1-8](?!\w)", re.IGNORECASE)
PIECE = pattern(r"\b(?:knight|bishop|rook|queen|king|pawn)s?\b")
EMPTY = has(r"\b(?:empty|only piece|no other pieces?|without other pieces)\b")
IN_ONE_MOVE = has(
    r"\b(?:legal\w*|(?:in |with )?(?:one|a single) move|move(?:s|d)?|reach|attacks?|go)\b"
)
COLOUR = has(r"\b(?:colou?r\w*|dark|light|black or white|white or black)\b")
SAME = has(r"\bsame colou?r\b")
OTHERWISE = has(
    r"\b(?:(?:two|three|four|\d+) moves|minimum|fewest|shortest|how many|occupied|block\w*|except"
    r"|fen|pgn|in check|checkmate|castl\w*|capture\w*|camel|zebra|fairy|princess|amazon|archbishop"
    r"|(?<!or )illegal(?! or)|cannot|can't|unable|toroidal|cylind\w*|10x10|hexagonal)\b"
)
LIGHT, DARK = "light", "dark"
COLOURS = {LIGHT: LIGHT, DARK: DARK, "white": LIGHT, "black": DARK, "light square": LIGHT,
           "dark square": DARK, "white square": LIGHT, "black square": DARK}  # fmt: skip


def squares_in(text: str) -> list[tuple[int, int]]:
    """The files and ranks of the squares of a text, from 0 on."""
    names = [match[0].casefold() for match in SQUARE.finditer(text)]
    return [("abcdefgh".index(name[0]), int(name[1]) - 1) for name in names]


def colour(prompt: str) -> Solved | None:
    """The colour of the only square of a prompt without pieces; a1 is dark."""
    squares = [*dict.fromkeys(squares_in(prompt))]
    if len(squares) != 1 or not COLOUR(prompt) or PIECE.search(prompt) or SAME(prompt):
        return None
    return Solved((LIGHT,), (DARK,)) if sum(squares[0]) % 2 else Solved((DARK,), (LIGHT,))


def same_colour(prompt: str) -> Solved | None:
    """Whether the only two squares of a prompt have one colour."""
    squares = squares_in(prompt)
    if len(squares) != 2 or not SAME(prompt) or PIECE.search(prompt):
        return None
    return yes_or_no(sum(squares[0]) % 2 == sum(squares[1]) % 2)


def is_legal(prompt: str) -> Solved | None:
    """Whether the only piece moves from the first to the second of two squares."""
    squares = [*dict.fromkeys(squares_in(prompt))]
    pieces = {match[0].casefold().rstrip("s") for match in PIECE.finditer(prompt)}
    if len(squares) != 2 or len(pieces) != 1 or not EMPTY(prompt) or not IN_ONE_MOVE(prompt):
        return None
    (piece,) = pieces
    (file, rank), (to_file, to_rank) = squares
    across, along = sorted((abs(file - to_file), abs(rank - to_rank)))
    moves = {
        "knight": (across, along) == (1, 2),
        "bishop": across == along > 0,
        "rook": across == 0 < along,
        "queen": along > 0 and across in (0, along),
        "king": along == 1,
    }
    return yes_or_no(moves[piece]) if piece in moves else None


def normal_colour(answer: str) -> str:
    """Light or dark; empty for other answers."""
    return COLOURS.get(words_of(answer).removeprefix("a "), "")


CLUE = pattern(r"\bchess\w*|\bsquares?\b|\bboard\b")
RULES = (
    KnownRule("the colour of its square on a chess board", CLUE, colour, normal_colour, OTHERWISE),
    KnownRule("whether its squares have one colour", CLUE, same_colour, verdict, OTHERWISE),
    KnownRule("whether the piece moves so on an empty board", CLUE, is_legal, verdict, OTHERWISE),
)
