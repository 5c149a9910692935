"""The journey that a prompt asks for in its timetable, and the earliest arrival.

A prompt that says more than start, target, ready time and the minimum of a change is not read: a
cancelled train, a stop on the way or a platform may make another journey the best one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from envyard_runner.mutation.number_words import VALUES
from envyard_runner.mutation.timetables import TIMES, Leg, minutes_of, read_timetable

EARLIEST = re.compile(r"\bearliest\b|\bas (?:early|soon) as\b|\bsoonest\b", re.IGNORECASE)
# Words by which a prompt wants more or other things than to arrive early.
MORE_WANTED = re.compile(
    r"\bcancel|\bdelay|\blate\b|\bclosed\b|\bexcept|\bunless\b|\bvia\b|\bavoid|\bfares?\b|\bpric"
    r"|\bcosts?\b|\bcheap|\bbooked\b|\breserv|\bdays\b|\btomorrow|\bnext day|\bmidnight|\bzone"
    r"|\bwalk|\bon foot\b|\bdirect\b|\bnon-?stop|\bstay|\bsame (?:train|bus|ferry|boat|vehicle)\b"
    r"|\bthrough (?:train|service)|\blatest\b|\bfewest\b|\bfewer\b|\bshort|\bfastest\b|\bquick"
    r"|\bprefer|\breturn|\bvisit|\bat most\b|\b(?:no|not) more than\b|\bmaxim|\blongest\b"
    r"|\bhow (?:long|many|much)\b|\bduration\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\bonly (?:run|stop|on|operat)|\bnot (?:run|stop|operat|available|allowed)|\bcannot\b"
    r"|\bnever\b|\b[ap]\.?m\b|\btak\w* the (?:first|next)\b|\bonce\b|\btwice\b|\bexactly\b"
    r"|\bwith (?:one|two|a single|no)\b|\brecommend|\bideal|\bsuggest|\busual|\bcomfort"
    r"|\bwheelchair|\bluggage|\bbicycle"
    r"|\bwhen (?:do|does|must|should|can) (?:\w+ ){1,3}(?:leave|depart|set off)\b|\bif you miss",
    re.IGNORECASE,
)
EXAMPLE = re.compile(
    r"\b(?:e\.g\.|for example|for instance|such as|as in|example:)[^\n]{1,60}?"
    r"(?:[.;)](?=\s|\Z)|(?=\n)|\Z)"
    r"|<(?P<tag>\w{1,20})>[^<\n]{0,80}</(?P=tag)>|`[^`\n]{1,80}`|\"[^\"\n]{0,40}:[^\"\n]{0,40}\"",
    re.IGNORECASE,
)
MARKS = re.compile(r"[*_\u201c\u201d]")
TO = re.compile(
    r"(?:\bto:?|\breach(?:es|ing)?|\b(?:arriv\w+|be) (?:in|at|on)|\bdestination(?: is|:)?"
    r"|\btarget(?: is|:)?|\binto|->|\u2192) (?:the )?\Z",
    re.IGNORECASE,
)
FROM = re.compile(
    r"(?:\bfrom:?|\bleav\w+|\bdepart\w*(?: from)?|\bstart\w*(?: is|:)?(?: at| in| from| on)?"
    r"|\b(?:am|is|are|wait\w*|stands?|ready) (?:in|at|on)|\borigin(?: is|:)?) (?:the )?\Z",
    re.IGNORECASE,
)
MINUTES = re.compile(
    rf"(?<![\w.:-])(\d{{1,3}}|{'|'.join(VALUES)})[- ]?(?:minutes?|mins?)\b", re.IGNORECASE
)
ANY_MINUTES = re.compile(r"\bmin(?:ute)?s?\b", re.IGNORECASE)
OTHER_SPAN = re.compile(
    r"(?<!24[- ])(?<!12[- ])\bhours?\b|\bquarter\b"
    r"|\b\w+(?: (?:and|to|or) |[-\u2013])\d{1,3}[- ]?min|\bseconds?\b",
    re.IGNORECASE,
)
CHANGE = re.compile(
    r"\bchang|\btransfer|\bconnecti(?:on|ng)|\binterchang|\bswitch|\bbetween (?:two )?\w+\b",
    re.IGNORECASE,
)
AT_LEAST = re.compile(r"\bat least\b|\bminimum\b|\bor more\b|\bnot less than\b", re.IGNORECASE)
OR_LATER = re.compile(
    r"\b(?:or|and) (?:later|after)\b|\bnot? (?:before|earlier)\b|\bonwards?\b"
    rf"|\bfrom {TIMES.pattern}(?: on)?",
    re.IGNORECASE,
)
FIRST_FREE = re.compile(
    r"\b(?:before|for) the first\b|\bany \w+ (?:that|which) (?:leaves|departs)\b", re.IGNORECASE
)
SENTENCE = re.compile(r"(?<=[.!?;])\s|\n")


@dataclass(frozen=True, slots=True)
class Rules:
    """From when on a first leg may leave, and the least minutes between two legs."""

    ready: int
    change: int


@dataclass(frozen=True, slots=True)
class Journey:
    """What a prompt asks for. `usual` are its rules as most read them, `strict` and the other
    `readings` where it leaves open what happens at the very minute or before the first leg.
    `has_minimum` is whether it names the least time of a change."""

    legs: tuple[Leg, ...]
    start: str
    target: str
    usual: Rules
    readings: tuple[Rules, ...]
    has_minimum: bool
    text: str

    @property
    def strict(self) -> Rules:
        """The rules that any reader accepts."""
        return Rules(max(r.ready for r in self.readings), max(r.change for r in self.readings))

    def earliest(self, rules: Rules) -> int | None:
        """The earliest arrival: a scan of the connections by departure (Dibbelt et al. 2018,
        "Connection Scan Algorithm"); None where the target is not reached."""
        reached = {self.start: rules.ready - rules.change}
        for leg in sorted(self.legs, key=lambda leg: leg.leaves):
            since = reached.get(leg.start)
            if since is not None and since + rules.change <= leg.leaves:
                reached[leg.end] = min(leg.arrives, reached.get(leg.end, leg.arrives))
        return reached.get(self.target)


def read_journey(prompt: str) -> Journey | None:
    """The journey that a prompt asks for; None where it wants more or leaves it unclear."""
    if not EARLIEST.search(prompt) or (table := read_timetable(prompt)) is None:
        return None
    text = MARKS.sub("", EXAMPLE.sub(" ", table.rest))
    ends = _ends(text, {place for leg in table.legs for place in (leg.start, leg.end)})
    times = {match[0] for match in TIMES.finditer(text)}
    minimum = _minimum(text)
    if ends is None or len(times) != 1 or minimum is None or MORE_WANTED.search(text):
        return None
    if any(_is_named(leg.code, text) for leg in table.legs):
        return None
    usual = Rules(minutes_of(times.pop()), minimum)
    return Journey(table.legs, *ends, usual, (*_readings(text, usual),), minimum > 0, text)


def _is_named(code: str, text: str) -> bool:
    """Whether a text speaks of one connection; a mere number may count something else."""
    return any(letter.isalpha() for letter in code) and code in text


def _ends(text: str, places: set[str]) -> tuple[str, str] | None:
    """Start and target: the only two places of a text, by the words before them."""
    if any(not place or len(place) > 150 for place in places):
        return None
    names = "|".join(re.escape(place) for place in sorted(places, key=len, reverse=True))
    roles: dict[str, set[str]] = {}
    for match in re.finditer(rf"(?<!\w)(?:{names})(?!\w)", text):
        before = text[max(0, match.start() - 30) : match.start()]
        role = "to" if TO.search(before) else "from" if FROM.search(before) else ""
        if role or len(match[0]) > 1:  # the article A is no place
            roles.setdefault(match[0], set()).add(role)
    if len(roles) != 2:
        return None
    (one, of_one), (other, of_other) = ((place, role - {""}) for place, role in roles.items())
    if len(of_one) > 1 or len(of_other) > 1 or of_one == of_other:
        return None
    return (one, other) if "from" in of_one or "to" in of_other else (other, one)


def _minimum(text: str) -> int | None:
    """The least minutes of a change, 0 where a text has no minutes; None where it is unclear."""
    counts = set()
    for sentence in SENTENCE.split(text):
        for number in MINUTES.findall(sentence):
            if not CHANGE.search(sentence):
                return None
            counts.add(int(number) if number.isdigit() else VALUES[number.casefold()])
    unread = len(ANY_MINUTES.findall(text)) != len(MINUTES.findall(text))
    if unread or OTHER_SPAN.search(text) or len(counts) > 1:
        return None
    return counts.pop() if counts else 0


def _readings(text: str, usual: Rules) -> Iterator[Rules]:
    """The rules in all readings of a text, the usual one first."""
    exact_change = usual.change and AT_LEAST.search(text)
    changes = (usual.change,) if exact_change else (usual.change, usual.change + 1)
    for change, later in product(changes, (0,) if OR_LATER.search(text) else (0, 1)):
        yield Rules(usual.ready + later, change)
        if change and not FIRST_FREE.search(text):
            yield Rules(usual.ready + later + change, change)
