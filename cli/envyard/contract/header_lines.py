"""Lines of `Field: value`, as METADATA and WHEEL have them, that all readers split in the same way.

Python's email parser ends lines at a lone CR, skips a first `From ` line and takes a line without a
colon for the end of the headers; other readers, such as uv's, do not, and they decode `=?...?=`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from envyard.contract.hidden import describe

FIELD = re.compile(r"[A-Za-z][A-Za-z0-9-]*:")
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
ENCODED_WORD = re.compile(r"=\?[\w.-]+(\*[\w-]*)?\?[bBqQ]\?[^?\s]*\?=")


def fault(line: str) -> str:
    """What rule a line breaks, continued lines included; empty where it keeps all."""
    if "\r" in line:
        return "holds a carriage return alone, which only some readers take for a line break"
    if match := CONTROL.search(line):
        return f"holds {describe(match[0])}, which some readers take for a line break"
    if not line.startswith((" ", "\t")) and not FIELD.match(line):
        return "is no 'Field: value'"
    if ENCODED_WORD.search(line):
        return "holds an encoded word (=?...?=), which only some readers decode"
    return ""


def headers(text: str) -> Iterator[tuple[int, str, str]]:
    """Number, field in lower case and text of each line before the first empty one."""
    name = ""
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if not line:
            return
        if not line.startswith((" ", "\t")):
            name = line.partition(":")[0].lower()
        yield number, name, line
