"""Highlight a source file in a separate process with limits: the file in, one line of HTML a line.

The file is a stranger's, and Pygments' patterns may take minutes for a text made for that.

python -m registry.uploads.highlighting rewards.py <rewards.py
"""

from __future__ import annotations

import contextlib
import functools
import html
import os
import resource
import subprocess
import sys
import threading

import nh3
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

PROCESSES = threading.BoundedSemaphore(2)  # per web process, each of which may use MEMORY
WAIT_SECONDS = 20  # of wall time, on a busy machine
CPU_SECONDS = 2
MEMORY = 2**29
MAX_CHARACTERS = 256 * 1024
MAX_KEPT = 32 * 1024  # characters of a file whose lines a web process keeps
CLASSES = {"span": {name for name in STANDARD_TYPES.values() if name}}


def lines_in_process(text: str, filename: str) -> list[str]:
    """Each line as safe HTML, coloured by the language of the file name; plain where that is
    unknown, or takes more than CPU_SECONDS."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    if len(text) <= MAX_CHARACTERS:
        with contextlib.suppress(NotHighlighted):
            read = kept if len(text) <= MAX_KEPT else _coloured
            return [*read(text, filename)]
    return [html.escape(line) for line in text.split("\n")]


class NotHighlighted(Exception):
    """The language is unknown, or a limit was exceeded."""


def _coloured(text: str, filename: str) -> tuple[str, ...]:
    """The lines; raises NotHighlighted, which is tried again: the machine may have been busy."""
    command = [sys.executable, "-m", "registry.uploads.highlighting", filename]
    environ = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"}
    try:
        with PROCESSES:
            completed = subprocess.run(
                command,
                input=text.encode(),
                capture_output=True,
                timeout=WAIT_SECONDS,
                env=environ,
                check=False,
            )
    except subprocess.TimeoutExpired as error:
        raise NotHighlighted from error
    lines = completed.stdout.decode().split("\n")
    if completed.returncode != 0 or len(lines) != text.count("\n") + 1:
        raise NotHighlighted
    return tuple(lines)


# A process for each view takes 0.2 s.
kept = functools.lru_cache(maxsize=32)(_coloured)


def coloured(text: str, filename: str) -> str:
    """The lines as spans with Pygments' classes; raises ClassNotFound for an unknown language."""
    lexer = get_lexer_for_filename(filename, stripnl=False, ensurenl=False)
    highlighted = highlight(text, lexer, HtmlFormatter(nowrap=True))
    return nh3.clean(
        highlighted.removesuffix("\n"),
        tags={"span"},
        attributes={},
        allowed_classes=CLASSES,
    )


def main() -> int:
    """Exit with 0 and the HTML, or with 1 where the language is unknown."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        sys.stdout.write(coloured(sys.stdin.read(), sys.argv[1]))
    except ClassNotFound:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
