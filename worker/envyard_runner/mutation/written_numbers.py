"""Numbers in the form in which a prompt wants them: as in an example of an answer, or as tools,
tables and lists write theirs. Plain references show nothing of a verifier that refuses that form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import islice

LONGEST = 40_000  # characters of what prompts and results say
# A number with separators of thousands, and perhaps a sign of a currency before it.
GROUPED = (
    r"(?P<sign>[$\u20ac\u00a3]?)(?<![\d.,'])\d{1,3}(?P<group>[,.'\u2019 \u00a0\u202f])\d{3}"
    r"(?:(?P=group)\d{3}){0,4}(?:(?P<point>[.,])(?P<decimals>\d{1,4}))?(?![\d%]|[.,]\d)"
)
SHOWN = re.compile(GROUPED)
PLAIN = re.compile(
    r"(?P<minus>[-\u2212]?)(?<![\d.,'/:#\w])(?P<whole>\d{1,12})(?:\.(?P<decimals>\d{1,4}))?"
    r"(?![\d:/\w%]|[.,]\d)"
)
LARGE = re.compile(r"(?<![\d.,'/:#-])\d{4,12}(?:\.\d{1,4})?(?![\d:/-]|[.,]\d)")
YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
# What stands before an example of the answer's form, in the same sentence.
EXAMPLE = re.compile(
    r"\b(?:forms?|format(?:ted)?|like|as in|such as|e\.g\.,?|for example,?|example:?|exactly)"
    rf"[^\n]{{0,60}}?(?P<number>{GROUPED})",
    re.IGNORECASE,
)
OF_ANSWER = re.compile(
    r"\b(?:repl(?:y|ies)|answers?|write|written|give|state|submit|finish|end|final|amounts?"
    r"|totals?|line)\b",
    re.IGNORECASE,
)
NEAR, MOST = 160, 20  # characters, and places that are read
SOURCES = (
    r"(?:tools?|functions?|ledgers?|registers?|catalogues?|catalogs?|tables?|lists?|desks?"
    r"|statements?|results?|outputs?|invoices?|receipts?|records?|documents?|accounts?|books?)"
)
WRITES = r"(?:write|print|show|give|return|list|display|format|quote|report|use|do|state)s?"
AS_SOURCE = re.compile(
    rf"\b(?:as|like|how|(?:way|form|format|notation|style) (?:that )?) ?(?:\w+ ){{0,3}}{SOURCES}"
    rf" (?:\w+ )?{WRITES}\b"
    rf"|\b(?:same|exact) (?:way|form|format|notation|style|layout)\b (?:\w+ ){{0,4}}{SOURCES}\b"
    rf"|\b(?:form|format|notation|style) of (?:\w+ ){{0,2}}{SOURCES}\b"
    rf"|\b(?:written|formatted|printed|shown) (?:exactly )?(?:as|like) (?:in |on |by )?"
    rf"(?:\w+ ){{0,2}}{SOURCES}\b",
    re.IGNORECASE,
)
AMOUNTS = r"\b(?:amounts?|numbers?|totals?|prices?|figures?|values?|sums?|quotes?|costs?|fees?)\b"
OTHERS = r"\b(?:names?|ids?|codes?|dates?|times?|routes?|places?|titles?|words?)\b"
# The last of these words before it says what is written so.
WRITTEN = re.compile(rf"(?P<amount>{AMOUNTS})|{OTHERS}", re.IGNORECASE)
ROUNDED = re.compile(r"\b(?:whole|integer|round\w*|nearest|decimals?)\b", re.IGNORECASE)
PLAIN_WANTED = re.compile(
    r"\b(?:without|no|not|never|plain|bare|omit\w*|drop\w*|remov\w*|strip\w*|leave out|instead of"
    r"|rather than|free of)\b[^.;\n]{0,40}\b(?:separators?|commas?|grouping|thousands|numbers?"
    r"|symbols?|signs?|spaces)\b|\b(?:plain|bare|unformatted) (?:number|amount|digit|integer)"
    r"|\b(?:only|just) (?:the )?digits\b|\bdigits (?:only|alone)\b|\bdigits without\b|\bno commas\b"
    r"|\bmachine[- ]readable\b|\bcopy\b|\b(?:in|whole number of) cents\b|<whole number>",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Style:
    """How numbers are written: a currency's sign before them, the separator of thousands, the
    decimal one and how many decimals; None where it has no decimals to show."""

    sign: str
    group: str
    point: str
    decimals: int | None

    def write(self, match: re.Match[str]) -> str | None:
        """A plain number in this style; None where its decimals would be rounded."""
        try:
            value = Decimal(f"{match['whole']}.{match['decimals'] or 0}")
        except InvalidOperation:
            return None
        places = len(match["decimals"] or "") if self.decimals is None else self.decimals
        if value != round(value, places):
            return None
        whole, _, rest = f"{value:,.{places}f}".partition(".")
        text = whole.replace(",", self.group) + (self.point + rest if rest else "")
        return f"{match['minus']}{self.sign}{text}"


def in_wanted_form(answer: str, prompts: str, results: str) -> str | None:
    """The answer's only number in the form that the prompts want: of their own example, or of the
    tools and tables that they name, whose `results` are texts. None where they want another."""
    numbers = [*PLAIN.finditer(answer)]
    prompts, results = prompts[-LONGEST:], results[-LONGEST:]
    if len(numbers) != 1 or PLAIN_WANTED.search(prompts):
        return None
    style = _of_example(prompts) or _of_source(prompts, results)
    decimals = len(numbers[0]["decimals"] or "")
    if style and style.decimals not in (None, decimals) and ROUNDED.search(prompts):
        return None
    after = style.write(numbers[0]) if style else None
    if style is None or after is None or SHOWN.search(after) is None:
        return None
    before = answer[: numbers[0].start()]
    if style.sign and before.rstrip().endswith(style.sign):
        after = after.replace(style.sign, "", 1)
    return f"{before}{after}{answer[numbers[0].end() :]}"


def _of_example(prompts: str) -> Style | None:
    """The style of examples of the answer's form, where all are written alike."""
    styles = set[Style]()
    for match in EXAMPLE.finditer(prompts):
        if OF_ANSWER.search(prompts[max(0, match.start() - NEAR) : match.start("number")]):
            style = _style(match)
            if style is None:
                return None
            styles.add(style)
    return styles.pop() if len(styles) == 1 else None


def _of_source(prompts: str, results: str) -> Style | None:
    """The style of all large numbers that tools returned or, where there are none, prompts show,
    where these want the form of such a source."""
    places = islice(AS_SOURCE.finditer(prompts), MOST)
    if not any(_is_of_amount(prompts, place) for place in places):
        return None
    text = results if SHOWN.search(results) else prompts
    styles = {_style(match) for match in SHOWN.finditer(text)}
    plain = [match[0] for match in LARGE.finditer(text) if not YEAR.fullmatch(match[0])]
    return styles.pop() if len(styles) == 1 and not plain else None


def _is_of_amount(prompts: str, match: re.Match[str]) -> bool:
    """Whether it is an amount that is to be written so."""
    words = [*WRITTEN.finditer(prompts[max(0, match.start() - NEAR) : match.start() + 40])]
    return bool(words) and words[-1]["amount"] is not None


def _style(match: re.Match[str]) -> Style | None:
    """The style of a number; None where its marks may mean something else."""
    group, point = match["group"], match["point"]
    if group == point or (group in ". " and point != ","):
        return None
    decimals = len(match["decimals"]) if point else None
    return Style(match["sign"], group, point or ("," if group == "." else "."), decimals)
