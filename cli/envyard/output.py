"""The output of every command: data on stdout, everything else on stderr.

Text from a hub may come from a hostile environment, so control characters (terminal escape codes
among them) are replaced before they reach the terminal.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

LAST_COLUMN = 20  # characters of the last column that must fit beside the others
COLOURS = {"red": "31", "green": "32", "yellow": "33", "blue": "34", "dim": "2", "bold": "1"}


def safe(value: object) -> str:
    """The text with control and direction-changing characters shown as `?`; newline, tab stay."""
    return "".join(
        ch
        if ch in "\n\t" or unicodedata.category(ch) not in ("Cc", "Cf", "Cs") or ch == "\u200d"
        else "?"
        for ch in str(value)
    )


def shortened(text: str, width: int) -> str:
    """A sentence within `width` characters, with an ellipsis where it is cut; one word, such as a
    sha256 or an address, stays whole."""
    if len(text) <= width or " " not in text:
        return text
    return text[: width - 1].rstrip() + "…"


class Output:
    """Human or JSON output; colour only on a terminal, unless NO_COLOR or TERM=dumb is set."""

    def __init__(
        self,
        *,
        as_json: bool = False,
        quiet: bool = False,
        out: TextIO | None = None,
        err: TextIO | None = None,
    ) -> None:
        self.as_json = as_json
        self.quiet = quiet or as_json
        self.out = out or sys.stdout
        self.err = err or sys.stderr
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        self.colour = bool(not plain and self.err.isatty())
        self.data_colour = bool(not plain and self.out.isatty())
        self.live = self.err.isatty() and not self.quiet
        self._bar = False

    def paint(self, text: object, colour: str) -> str:
        """The text in a colour, where stderr shows colours."""
        clean = safe(text)
        return f"\033[{COLOURS[colour]}m{clean}\033[0m" if self.colour else clean

    def json(self, value: Any) -> None:
        """One JSON document on stdout."""
        print(json.dumps(value, indent=2, ensure_ascii=True), file=self.out, flush=True)

    def line(self, text: object = "", colour: str | None = None) -> None:
        """One line of data on stdout."""
        self._clear_bar()
        printable = safe(text)
        if colour and self.data_colour:
            printable = f"\033[{COLOURS[colour]}m{printable}\033[0m"
        print(printable, file=self.out, flush=True)

    def note(self, text: object, colour: str | None = None) -> None:
        """One line for the person watching, on stderr; silent with --json and --quiet."""
        if self.quiet:
            return
        self._clear_bar()
        print(self.paint(text, colour) if colour else safe(text), file=self.err, flush=True)

    def hint(self, text: str) -> None:
        """The next step, after an empty line; silent with --json and --quiet."""
        if not self.quiet:
            self._print_hint(text)

    def _print_hint(self, text: str) -> None:
        if text:
            self._clear_bar()
            print(f"\n{self.paint('hint:', 'blue')} {safe(text)}", file=self.err, flush=True)

    def error(self, message: str, hint: str = "", code: str = "") -> None:
        """A failure: JSON on stderr with --json, else a sentence and its hint."""
        self._clear_bar()
        if self.as_json:
            problem = {"error": {"code": code, "message": message, "hint": hint}}
            print(json.dumps(problem), file=self.err, flush=True)
            return
        print(f"{self.paint('error:', 'red')} {safe(message)}", file=self.err, flush=True)
        self._print_hint(hint)

    def table(self, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Columns on stdout, tab-separated without a header where stdout is not a terminal.

        On a terminal numbers are aligned to the right, sentences in the last column end at the edge
        with an ellipsis, and a table whose last column would begin beyond it has a line for each
        cell.
        """
        values = [list(row) for row in rows]
        cells = [[safe(c).replace("\n", " ").replace("\t", " ") for c in row] for row in values]
        if not self.out.isatty():
            for row in cells:
                print("\t".join(row), file=self.out)
            return
        if not cells:
            return
        lines = [list(head), *cells]
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        indent = sum(widths[:-1]) + 2 * (len(head) - 1)
        columns = shutil.get_terminal_size().columns
        if indent + min(widths[-1], LAST_COLUMN) > columns:
            self._print_blocks(head, cells)
            return
        for row in cells:
            row[-1] = shortened(row[-1], columns - indent)
        numeric = [all(isinstance(row[i], int) for row in values) for i in range(len(head))]
        for line in lines:
            aligned = [
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(line, widths, numeric, strict=True)
            ]
            print("  ".join(aligned).rstrip(), file=self.out)

    def _print_blocks(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """The first cell of a row, and below it the others behind their names."""
        width = max(map(len, head[1:]), default=0)
        for first, *others in rows:
            print(first, file=self.out)
            for name, cell in zip(head[1:], others, strict=True):
                if cell:
                    print(f"  {name.ljust(width)}  {cell}", file=self.out)

    def progress(self, label: str, done: int, total: int) -> None:
        """A bar that rewrites itself on a terminal; nothing elsewhere."""
        if not self.live:
            return
        count = f" {done}/{total}" if total else ""
        room = shutil.get_terminal_size().columns - 1 - len(count)  # a full line would wrap
        text = safe(label)[:room]
        width = min(28, room - len(text) - 1) if total else 0
        filled = int(width * done / total) if width > 0 else 0
        bar = f" {'█' * filled}{'░' * (width - filled)}" if width > 0 else ""
        print(f"\r\033[K{text}{bar}{count}", end="", file=self.err, flush=True)
        self._bar = True

    def _clear_bar(self) -> None:
        if self._bar:
            print("\r\033[K", end="", file=self.err, flush=True)
            self._bar = False
