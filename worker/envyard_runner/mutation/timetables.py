"""The connections that a prompt lists, one on each line or row: places, times and perhaps a code.

A prompt is read only where all lines with two different times have one layout, because one misread
line would change which journey is best.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

FEWEST, MOST = 3, 400  # connections
LONGEST = 20_000  # characters of a prompt
LONGEST_LINE = 200
TIME = r"(?:[01]?\d|2[0-3]):[0-5]\d(?!\d|:\d)"
TIMES = re.compile(rf"(?<![\d:]){TIME}")
CAPITAL = r"[^\W\d_a-z]"
NAME = rf"{CAPITAL}[\w'\u2019.]{{0,30}}(?:[ -]{CAPITAL}[\w'\u2019.]{{0,30}}){{0,3}}"
CODE = (
    r"(?:(?:Train|Bus|Ferry|Flight|Tram|Boat|Coach|Line|Service|Sailing|Connection|Ship) "
    r"(?:no\.? ?|number |#)?)?[A-Z]{0,4}[- ]?\d{1,5}[A-Z]?"
)
HEAD = (
    rf"(?:[-*\u2022] |\d{{1,3}}[.)] )?(?:[\[(`*]{{0,3}}(?P<code>{CODE})[\])`*]{{0,3}}"
    r"(?::| -| \u2013| \||,)? )?"
)
LEAVES = (
    r"(?:(?:leaves|departs|departing|leaving|departure|dep\.?|from|sails|runs|goes|starts):? "
    r"(?:from |at |in )?)?"
)
ARRIVES = r"(?:(?:arrives|arriving|arrival|arr\.?|reaches|reaching|to):? (?:at |in |to |on )?)?"
AT = (
    r"(?:,? (?:at |@ ?|dep\.? |arr\.? |(?:departs|leaves|arrives|departing|arriving) (?:at )?)?"
    r"| ?\()"
)
JOIN = r"\)?[,;]?(?: ?(?:-->|->|=>|\u2192|-|\u2013|\u2014|/|\|) ?| (?:and|to|until) (?:it )?| )"
LEAVING, ARRIVING = rf"(?P<leaves>{TIME})", rf"(?P<arrives>{TIME})"
START, END = rf"(?P<start>{NAME})", rf"(?P<end>{NAME})"
LAYOUTS = tuple(
    re.compile(HEAD + line + r"\)?[.;,]?")
    for line in (
        f"{LEAVES}{START}{AT}{LEAVING}{JOIN}{ARRIVES}{END}{AT}{ARRIVING}",
        f"{LEAVES}{START}{JOIN}{ARRIVES}{END}[:,;]?{AT}{LEAVING}{JOIN}{ARRIVES}{ARRIVING}",
        f"{LEAVES}{LEAVING}{JOIN}{LEAVES}{START}{JOIN}{ARRIVES}{ARRIVING}{JOIN}{ARRIVES}{END}",
        f"{LEAVING}{JOIN}{ARRIVING}[:,;]?{JOIN}{LEAVES}{START}{JOIN}{ARRIVES}{END}",
    )
)
COLUMNS = {
    "code": re.compile(
        r"code|(?:train|bus|ferry|flight|tram|boat|service|sailing|connection|line)?"
        r" ?(?:no\.?|number|id|code|#)|train|bus|ferry|flight|tram|boat|service|sailing|connection",
    ),
    "start": re.compile(
        r"from|origin|start|departs from|departure (?:station|town|place|stop|port|city)"
    ),
    "end": re.compile(
        r"to|destination|end|arrives (?:at|in)|arrival (?:station|town|place|stop|port|city)"
    ),
    "leaves": re.compile(r"dep\.?|departs|departure|leaves|departure time|departs at|dep\.? time"),
    "arrives": re.compile(r"arr\.?|arrives|arrival|arrival time|arrives at|arr\.? time"),
}
RULE = re.compile(r"[\s|:+=\u2500-\u257f-]*|`{3}\w*")
DELIMITERS = "|\t;,"


@dataclass(frozen=True, slots=True)
class Leg:
    """One connection; times in minutes after midnight, `code` empty where it has none."""

    code: str
    start: str
    end: str
    leaves: int
    arrives: int


@dataclass(frozen=True, slots=True)
class Timetable:
    """The connections of a prompt, and the text around them on one line for each paragraph."""

    legs: tuple[Leg, ...]
    rest: str


def read_timetable(prompt: str) -> Timetable | None:
    """The only listing of a prompt; None where it has none, or a line of it is unclear."""
    if len(prompt) > LONGEST:
        return None
    lines = [line.strip() for line in prompt.splitlines()]
    timed = [at for at, line in enumerate(lines) if len({*TIMES.findall(line)}) > 1]
    if not FEWEST <= len(timed) <= MOST or any(len(lines[at]) > LONGEST_LINE for at in timed):
        return None
    between = {*range(timed[0], timed[-1] + 1)} - {*timed}
    if not all(RULE.fullmatch(lines[at]) for at in between):
        return None
    rows = [lines[at] for at in timed]
    legs, header = _of_layout(rows), None
    if not legs and (header := _header(lines, timed[0])) is not None:
        legs = _of_table(lines[header], rows)
    if not _are_clear(legs):
        return None
    others = (at for at in range(len(lines)) if at != header and not timed[0] <= at <= timed[-1])
    text = "\n".join("" if RULE.fullmatch(lines[at]) else lines[at] for at in others)
    paragraphs = (" ".join(each.split()) for each in re.split(r"\n{2,}", text))
    return Timetable((*legs,), "\n".join(each for each in paragraphs if each))


def minutes_of(time: str) -> int:
    """Minutes after midnight; -1 for another text."""
    if not TIMES.fullmatch(time):
        return -1
    hours, minutes = time.split(":")
    return 60 * int(hours) + int(minutes)


def clock(minutes: int) -> str:
    """The time as `09:05`."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _of_layout(rows: Sequence[str]) -> list[Leg]:
    """The connections of lines in the first layout that all of them have."""
    for layout in LAYOUTS:
        matches = [*_matches(layout, rows)]
        if len(matches) == len(rows):
            return [
                _leg(
                    match["code"] or "",
                    match["start"],
                    match["end"],
                    match["leaves"],
                    match["arrives"],
                )
                for match in matches
            ]
    return []


def _matches(layout: re.Pattern[str], rows: Sequence[str]) -> Iterator[re.Match[str]]:
    for row in rows:
        match = layout.fullmatch(row)
        if match is None:
            return
        yield match


def _leg(code: str, start: str, end: str, leaves: str, arrives: str) -> Leg:
    return Leg(code, start, end, minutes_of(leaves), minutes_of(arrives))


def _header(lines: Sequence[str], first: int) -> int | None:
    """The line of column names before the first row."""
    before = (at for at in range(first - 1, max(-1, first - 3), -1))
    return next((at for at in before if not RULE.fullmatch(lines[at])), None)


def _of_table(header: str, rows: Sequence[str]) -> list[Leg]:
    """The connections of a table whose columns are places, times and perhaps a code."""
    for delimiter in DELIMITERS:
        names = [each.casefold() for each in _cells(header, delimiter)]
        kinds = [_kind(name) for name in names]
        if len(kinds) < 4 or "" in kinds or len({*kinds}) < len(kinds):
            continue
        cells = [dict(zip(kinds, row, strict=True)) for row in _rows(rows, delimiter, len(kinds))]
        if len(cells) == len(rows) and {*kinds} >= COLUMNS.keys() - {"code"}:
            return [
                _leg(row.get("code", ""), row["start"], row["end"], row["leaves"], row["arrives"])
                for row in cells
            ]
    return []


def _kind(name: str) -> str:
    return next((kind for kind, words in COLUMNS.items() if words.fullmatch(name)), "")


def _rows(rows: Sequence[str], delimiter: str, size: int) -> Iterator[list[str]]:
    for row in rows:
        cells = _cells(row, delimiter)
        if len(cells) == size and sum(TIMES.fullmatch(cell) is not None for cell in cells) == 2:
            yield cells


def _cells(row: str, delimiter: str) -> list[str]:
    inner = row.strip().strip("|") if delimiter == "|" else row
    return [cell.strip().strip("`*") for cell in inner.split(delimiter)]


def _are_clear(legs: Sequence[Leg]) -> bool:
    """Whether all connections go forward on one day, and have different codes or none."""
    codes = {leg.code for leg in legs}
    one_each = codes == {""} or (len(codes) == len(legs) and "" not in codes)
    forward = all(0 <= leg.leaves < leg.arrives and leg.start != leg.end for leg in legs)
    return len(legs) >= FEWEST and forward and one_each
