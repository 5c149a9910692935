"""Two transcripts side by side, line by line, in bounded time for any text.

Patience diff: lines that occur once on either side are matched in order, then the gaps between
them the same way. difflib's matcher takes minutes for some texts of a thousand lines; this takes
O(n log n) a level, at most MAX_LEVELS of them. Source: Bram Cohen, "Patience Diff Advantages".
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from envyard.contract.transcript import Transcript, reasoning_of
from frontend.render import plain

MAX_LINES = 5000  # of a side
MAX_LINE = 1000  # characters
MAX_LEVELS = 12
HEADING = "\0"  # begins a line of the viewer: no stored text contains it
CONTEXT = 3  # equal lines that are shown around a difference
Pairs = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of each side, None where there is none. Of a changed one, `start` characters at the
    beginning and `end` at the end are equal."""

    left: str | None
    right: str | None
    start: int = 0
    end: int = 0

    @property
    def is_equal(self) -> bool:
        """Whether both sides have the line."""
        return self.left == self.right

    def parts(self, line: str) -> tuple[str, str, str]:
        """The line's equal beginning, its own middle and its equal end."""
        stop = len(line) - self.end
        return line[: self.start], line[self.start : stop], line[stop:]


@dataclass(frozen=True, slots=True)
class Block:
    """Rows in a row that are all equal, and folded where there are many, or none of them is."""

    rows: list[Row]
    folded: bool


@dataclass(frozen=True, slots=True)
class Text:
    """The lines of a transcript's main conversation; `is_cut`: it has more."""

    lines: list[str]
    is_cut: bool


def text_of(transcript: Transcript) -> Text:
    """Each message as a heading with its role, its reasoning, its content and its calls."""
    lines: list[str] = []
    for message in transcript.messages:
        lines += _lines(message)
        if len(lines) > MAX_LINES:
            return Text(lines[:MAX_LINES], True)
    return Text(lines, False)


def compared(texts: Sequence[Text]) -> dict[str, Any]:
    """What parts/compared_texts.html shows of two texts."""
    left, right = texts
    return {
        "blocks": blocks(left.lines, right.lines),
        "is_cut": left.is_cut or right.is_cut,
        "is_equal": left.lines == right.lines,
        "is_empty": not left.lines and not right.lines,
    }


def _lines(message: dict[str, Any]) -> Iterator[str]:
    yield f"{HEADING}{message.get('role', '')}"
    if reasoning := reasoning_of(message):
        yield f"{HEADING}reasoning"
        yield from _cut(reasoning)
        yield f"{HEADING}reply"
    yield from _cut(str(message.get("content") or ""))
    for call in message.get("tool_calls", []):
        yield from _cut(f"{call['function']['name']}({call['function']['arguments']})")


def _cut(text: str) -> Iterator[str]:
    for line in text.splitlines()[: MAX_LINES + 1]:
        yield line[:MAX_LINE]


def blocks(left: Sequence[str], right: Sequence[str]) -> list[Block]:
    """All lines of both sides in order; long runs of equal ones are folded blocks."""
    rows = list(_rows(left, right))
    result: list[Block] = []
    at = 0
    while at < len(rows):
        end = at
        while end < len(rows) and rows[end].is_equal is rows[at].is_equal:
            end += 1
        first, last = (CONTEXT if at else 0), (CONTEXT if end < len(rows) else 0)
        if rows[at].is_equal and end - at > first + last + 1:
            parts = rows[at : at + first], rows[at + first : end - last], rows[end - last : end]
            result += [Block(part, n == 1) for n, part in enumerate(parts) if part]
        else:
            result.append(Block(rows[at:end], False))
        at = end
    return result


def _rows(left: Sequence[str], right: Sequence[str]) -> Iterator[Row]:
    a = b = 0
    for at, to in [*matches(left, right), (len(left), len(right))]:
        for n in range(max(at - a, to - b)):
            one = left[a + n] if a + n < at else None
            other = right[b + n] if b + n < to else None
            yield _row(one, other)
        if at < len(left):
            yield Row(left[at], right[to])
        a, b = at + 1, to + 1


def _row(left: str | None, right: str | None) -> Row:
    if left is None or right is None:
        return Row(left, right)
    most = min(len(left), len(right))
    start = next((n for n in range(most) if left[n] != right[n]), most)
    most -= start
    end = next((n for n in range(most) if left[-1 - n] != right[-1 - n]), most)
    return Row(left, right, start, end)


def pair(row: Row) -> SafeString:
    """Both sides of a line as HTML, with what differs within a changed one marked."""
    if row.is_equal:
        line = _shown(row.left or "")
        kind = "equal heading" if (row.left or "").startswith(HEADING) else "equal"
        return format_html(
            '<div class="pair {}"><div>{}</div><div>{}</div></div>', kind, line, line
        )
    return format_html(
        '<div class="pair">{}{}</div>',
        _side(row, row.left, "removed", "− "),
        _side(row, row.right, "added", "+ "),
    )


def _side(row: Row, line: str | None, kind: str, sign: str) -> SafeString:
    if line is None:
        return SafeString("<div></div>")
    start, middle, end = map(_shown, row.parts(line))
    template = "<mark>{}</mark>" if (start or end) and middle else "{}"
    marked = format_html(template, middle)
    return format_html('<div class="{}">{}{}{}{}</div>', kind, sign, start, marked, end)


def _shown(text: str) -> str:
    return plain.visible(text.replace(HEADING, ""))


def matches(left: Sequence[str], right: Sequence[str]) -> Pairs:
    """The positions of lines that both sides have, in ascending order on both."""
    pairs: Pairs = []
    gaps = [(0, len(left), 0, len(right), 0)]
    while gaps:
        a, a_end, b, b_end, level = gaps.pop()
        while a < a_end and b < b_end and left[a] == right[b]:
            pairs.append((a, b))
            a, b = a + 1, b + 1
        while a < a_end and b < b_end and left[a_end - 1] == right[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
            pairs.append((a_end, b_end))
        if level == MAX_LEVELS:
            continue
        anchors = _unique(left, right, (a, a_end, b, b_end))
        ends = [*anchors, (a_end, b_end)]
        begins = [(a, b), *((x + 1, y + 1) for x, y in anchors)]
        pairs += anchors
        if anchors:
            gaps += [
                (x, x_end, y, y_end, level + 1)
                for (x, y), (x_end, y_end) in zip(begins, ends, strict=True)
                if x < x_end and y < y_end
            ]
    return sorted(pairs)


def _unique(left: Sequence[str], right: Sequence[str], gap: tuple[int, int, int, int]) -> Pairs:
    """The longest ascending sequence of lines that occur once on either side of the gap."""
    a, a_end, b, b_end = gap
    ours, theirs = Counter(left[a:a_end]), Counter(right[b:b_end])
    places = {right[n]: n for n in range(b, b_end) if theirs[right[n]] == 1}
    pairs = [
        (n, places[left[n]]) for n in range(a, a_end) if ours[left[n]] == 1 and left[n] in places
    ]
    tails: list[int] = []
    lasts: list[int] = []
    before: list[int] = []
    for n, (_, place) in enumerate(pairs):
        length = bisect_left(tails, place)
        before.append(lasts[length - 1] if length else -1)
        tails[length : length + 1] = [place]
        lasts[length : length + 1] = [n]
    chain, at = [], lasts[-1] if lasts else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]
