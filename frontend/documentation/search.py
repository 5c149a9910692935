"""Search of the documentation: sections of documents, finding codes and measures.

All words of a query must occur in a section or in the title of its document. Headings count more
than text, and documents more than decisions. Everything is in memory: 1 MB, a few ms a query.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from envyard.card.learnability import MODEL_MEASURES
from envyard.card.measures import MEASURES
from envyard.contract.codes import CODES
from frontend.documentation import links
from frontend.documentation.documents import documents
from frontend.documentation.rendering import html_of

MAX_WORDS = 8
MAX_RESULTS = 40
SNIPPET = 180  # characters
SECTION = re.compile(r'<h[1-4] id="([^"]+)">(.*?) <a class="anchor".*?</h[1-4]>', re.DOTALL)
TAG = re.compile(r"<[^>]*>")
CODE = re.compile(r"<code>([^<]*)</code>")
SPACE = re.compile(r"\s+")
TITLE_WEIGHT, HEADING_WEIGHT, MAX_OCCURRENCES = 8, 5, 4
CODE_WEIGHT, DOCUMENT_WEIGHT, DECISION_WEIGHT = 3, 2, 0


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: the heading above it and its text, without markup."""

    title: str
    heading: str
    url: str
    text: str
    weight: int
    codes: frozenset[str] = frozenset()  # what is between backticks

    def score(self, words: list[str]) -> int:
        """How well it fits; 0 where a word is missing."""
        title, heading, text = self.title.lower(), self.heading.lower(), self.text.lower()
        total = 0
        for word in words:
            occurrences = min(text.count(word), MAX_OCCURRENCES)
            own = occurrences + HEADING_WEIGHT * (word in heading)
            points = own + TITLE_WEIGHT * (word in title)
            if not points:
                return 0
            total += points
        return total + self.weight


@dataclass(frozen=True, slots=True)
class Result:
    """A section that has all words, with the text around the first of them."""

    title: str
    heading: str
    url: str
    snippet: SafeString


def words_of(query: str) -> list[str]:
    """The words that are looked for, in lower case."""
    return query.lower().split()[:MAX_WORDS]


def search(query: str) -> list[Result]:
    """The best sections, at most MAX_RESULTS."""
    words = words_of(query)
    if not words:
        return []
    scored = [(section.score(words), section) for section in sections()]
    best = sorted((row for row in scored if row[0]), key=lambda row: -row[0])[:MAX_RESULTS]
    return [Result(row.title, row.heading, row.url, snippet(row.text, words)) for _, row in best]


@functools.cache
def sections() -> tuple[Section, ...]:
    """Everything that can be found."""
    return (*_codes(), *_measures(), *_documents())


def _documents() -> Iterator[Section]:
    for name, document in documents().items():
        address = links.document_address(name)
        weight = DECISION_WEIGHT if document.is_decision else DOCUMENT_WEIGHT
        before, *parts = SECTION.split(html_of(name))
        if before.strip():
            yield _section(document.title, "", address, before, weight)
        for anchor, heading, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            words = _bare(heading)
            shown = "" if words == document.title else words
            url = f"{address}#{anchor}" if shown else address
            yield _section(document.title, shown, url, body, weight)


def _section(title: str, heading: str, url: str, body: str, weight: int) -> Section:
    return Section(title, heading, url, _bare(body), weight, frozenset(CODE.findall(body)))


def _codes() -> Iterator[Section]:
    for code in CODES.values():
        text = f"{code.message} {code.hint}".replace("`", "")
        yield Section(code.code, "finding code", links.code_address(code.code), text, CODE_WEIGHT)


def _measures() -> Iterator[Section]:
    for measure in MEASURES.values():
        text = f"{measure.title}. {measure.question} {measure.advice}"
        yield _measure(measure.code, text)
    for model_measure in MODEL_MEASURES.values():
        yield _measure(model_measure.code, f"{model_measure.title}. {model_measure.meaning}")


def _measure(code: str, text: str) -> Section:
    plain = text.replace("`", "")
    return Section(code, "measure", links.measure_address(code), plain, CODE_WEIGHT)


def _bare(fragment: str) -> str:
    return SPACE.sub(" ", html.unescape(TAG.sub(" ", fragment))).strip()


def snippet(text: str, words: list[str]) -> SafeString:
    """About SNIPPET characters around the first word, with every word marked."""
    lowered = text.lower()
    positions = [at for word in words if (at := lowered.find(word)) >= 0]
    middle = min(positions, default=0)
    begin = max(0, middle - SNIPPET // 3)
    if begin:
        begin = text.find(" ", begin, middle) + 1 or begin
    end = begin + SNIPPET
    shown = text[begin:end].rpartition(" ")[0] if end < len(text) else text[begin:]
    pattern = re.compile(
        "|".join(map(re.escape, sorted(words, key=len, reverse=True))), re.IGNORECASE
    )
    marked, position = [], 0
    for match in pattern.finditer(shown):
        marked += [format_html("{}<mark>{}</mark>", shown[position : match.start()], match[0])]
        position = match.end()
    tail = format_html("{}", shown[position:])
    around = "… " if begin else "", " …" if end < len(text) else ""
    return mark_safe(around[0] + "".join(marked) + tail + around[1])  # noqa: S308 - escaped above
