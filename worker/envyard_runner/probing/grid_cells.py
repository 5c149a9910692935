"""The cells of a table that is shown with letters above its columns and numbers before its rows."""

from __future__ import annotations

import re
from collections.abc import Iterator

HEADER = re.compile(r"^[ \t|]*A(?:[ \t|]+[B-Z]){1,25}[ \t|]*$")
ROW = re.compile(r"^[ \t|]*(\d{1,3})(?=[ \t|])")
LETTER = re.compile(r"[A-Z]")
NUMBER = re.compile(r"(?<![\w.,-])-?\d[\d,]*(?:\.\d+)?(?![\w.])")
SEARCHED, MOST = 20_000, 60  # characters of a text, and cells


def grid_cells(text: str) -> list[str]:
    """The names of the cells that have numbers, such as B2, row by row, at most MOST; none where no
    line has the letters of the columns from A on."""
    lines = text[:SEARCHED].splitlines()
    header = next((line for line in lines if HEADER.match(line)), None)
    if header is None:
        return []
    columns = [(match.start(), match[0]) for match in LETTER.finditer(header)]
    cells: list[str] = []
    for line in lines[lines.index(header) + 1 :]:
        cells += _cells_of(line, columns)
    return cells[:MOST]


def _cells_of(line: str, columns: list[tuple[int, str]]) -> Iterator[str]:
    """The cells of one row: the letter of each number is the one that stands nearest."""
    row = ROW.match(line)
    if row is None:
        return
    for match in NUMBER.finditer(line, row.end()):
        _, letter = min(columns, key=lambda each: min(abs(each[0] - at) for at in match.span()))
        yield f"{letter}{row[1]}"
