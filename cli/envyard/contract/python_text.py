"""Python source that people read as one thing and Python as another; nothing of it is run."""

from __future__ import annotations

import re
from dataclasses import dataclass

COOKIE = re.compile(rb"^[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)")
COMMENT = re.compile(rb"[ \t\f]*#")
# Behind these Python lets any suffix stand, such as that of Emacs for line ends: utf-8-unix.
SUFFIXED = re.compile(r"(utf-8|latin-1|iso-8859-1|iso-latin-1)(-|$)")
BIDI = re.compile(b"\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")
LONE_RETURN = re.compile(rb"\r(?!\n)[^\r\n]")
# No line of 120 popular distributions has even 120 blanks before code.
FAR_RIGHT = re.compile(rb"(?<![\r\n \t\f])[ \t\f]{300,}[^\s#]")
# Runs of invisible characters, in which entire programs have been encoded: variation
# selectors, tags, zero-width and invisible operators. The flag of a region has six tags.
INVISIBLE = re.compile(
    rb"(?:\xf3\xa0[\x80-\x87][\x80-\xbf]|\xef\xb8[\x80-\x8f]|\xe2\x80[\x8b-\x8f]|\xe2\x81[\xa0-\xa4])"
    rb"{8,}"
)
KEPT = 1024  # bytes of one chunk that are read again with the next
# What an encoding may make of ASCII: a second meaning where it has shifts or escapes.
PROBES = (
    rb"\u0041\x41\n", bytes(range(32, 127)), b"+AAo-", b"~{VDND~}", b"\x1b$B!!", b"a-xn--b",
    b"\n#\n",
)  # fmt: skip


@dataclass(slots=True)
class Source:
    """Looks through one .py member as its bytes arrive; `fault` is the first rule it breaks."""

    fault: str = ""
    _head: bytes = b""
    _rest: bytes = b""

    def feed(self, chunk: bytes) -> None:
        """The next bytes."""
        if len(self._head) < 1024:
            self._head += chunk[:1024]
        data = self._rest + chunk
        self._look(data[:-1])  # a carriage return at the end waits for what follows
        self._rest = data[-KEPT:]

    def close(self) -> None:
        """There are no more."""
        self._look(self._rest)
        if encoding := _odd_encoding(self._head):
            self.fault = (
                f"declares the encoding {encoding!r}, in which plain characters mean others"
            )

    def _look(self, data: bytes) -> None:
        if self.fault:
            return
        if match := BIDI.search(data):
            self.fault = f"holds U+{ord(match[0].decode()):04X}, which reorders the text around it"
        elif LONE_RETURN.search(data):
            self.fault = "holds a carriage return alone, behind which Python reads another line"
        elif INVISIBLE.search(data):
            self.fault = "holds a run of eight characters or more that are shown as nothing"
        elif FAR_RIGHT.search(data):
            self.fault = "holds code behind 300 blanks or more, outside every reader's window"


def _odd_encoding(head: bytes) -> str:
    """The declared encoding where it gives ASCII characters another meaning, else empty."""
    for line in head.removeprefix(b"\xef\xbb\xbf").splitlines()[:2]:
        if match := COOKIE.match(line):
            name = match[1].decode()
            return "" if _keeps_ascii(name) else name
        if line.strip(b" \t\f") and not COMMENT.match(line):
            break  # behind code, Python looks for no encoding
    return ""


def _keeps_ascii(encoding: str) -> bool:
    if SUFFIXED.match(encoding.lower().replace("_", "-")):
        return True
    try:
        return all(probe.decode(encoding) == probe.decode("ascii") for probe in PROBES)
    except (LookupError, UnicodeError, ValueError):
        return False
