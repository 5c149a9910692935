"""Markdown tables with padded cells, as people and models align them."""

from __future__ import annotations

import re

FEWEST = 3  # lines of a table: its head, the line below that, and a row
WANTED = re.compile(
    r"\bmarkdown\b[^.\n]{0,40}\btables?\b|\btables?\b[^.\n]{0,40}\bmarkdown\b", re.IGNORECASE
)
LAYOUT = re.compile(
    r"\b(?:exact\w*|compact|single space|one space|(?:no|without) (?:extra )?(?:spaces?|padding)"
    r"|verbatim|(?:do not|don't|never) (?:align|pad))\b",
    re.IGNORECASE,
)


def table_layout(answer: str, prompt: str) -> str | None:
    """A Markdown table whose columns are aligned with spaces, where the prompt wants such a table
    and no layout of its own."""
    lines = answer.strip().splitlines()
    if len(lines) < FEWEST or not all(line.strip().startswith("|") for line in lines):
        return None
    if not WANTED.search(prompt) or LAYOUT.search(prompt):
        return None
    if "\\|" in answer:
        return None  # a bar within a cell
    rows = [[cell.strip() for cell in _bare(line).split("|")] for line in lines]
    if len({*map(len, rows)}) != 1:
        return None
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = [
        [
            "-" * width if re.fullmatch(r"-+", cell) else cell.ljust(width)
            for cell, width in zip(row, widths, strict=True)
        ]
        for row in rows
    ]
    changed = "\n".join(f"| {' | '.join(row)} |" for row in padded)
    return changed if changed != answer.strip() else None


def _bare(line: str) -> str:
    """A row without the bars at its ends; an empty last cell stays."""
    return line.strip().removeprefix("|").removesuffix("|")
