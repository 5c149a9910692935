"""Answers with a part that a prompt calls optional, or without it: an article, a sign, a unit,
hyphens, zeros at the beginning, a mark at the end, accents.

A verifier must read both. Each part is known by its name in the prompt.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

MARK = "[\"'`\u201c\u201d\u2018\u2019]"
QUOTE = f"{MARK}?"
FREE = (
    r"(?:optional|ignored|not (?:needed|required|necessary)|up to you|your choice|fine either way"
    r"|do(?:es)? not matter|(?:may|can) be (?:left out|omitted|dropped|skipped))"
)
ALLOWED = r"(?:allowed|accepted|fine|ok|okay|welcome)"  # the part may be there, not be absent
REFUSED = re.compile(
    r"\b(?:must|never|do(?: not|n't)(?! matter)|not optional|always|if|unless|only|except)\b"
    rf"|(?:\bnot|n't|\bnor) (?:\w+ )?{ALLOWED}\b",
    re.IGNORECASE,
)
# A sentence without such a word calls nothing optional, and no part need be looked for.
PERMITS = re.compile(
    rf"\b(?:{FREE}|{ALLOWED}|with or without|omit|leave out|drop|skip)\b", re.IGNORECASE
)
SENTENCE = re.compile(r"(?:[^.?!\n]|[.](?=\w|[\"'`)\u201d]))+")
BRACKETS = re.compile(r" ?\([^()\n]{1,60}\)")
WORDS = re.compile(r"[^\W\d_]{2,30}(?:[ -][^\W\d_]{2,30}){0,3}")
NUMBER = re.compile(r"[-+]?\d{1,12}(?:\.\d{1,9})?")
AMOUNT = re.compile(r"([-+]?\d[\d,]{0,15}(?:\.\d{1,9})?) ?([^\W\d_]{1,12}|[°%][^\W\d_]?)")
QUOTED = re.compile(r"[\"']([^\"'\n]+)[\"']")
CODE = re.compile(r"[A-Z\d]{1,8}(?: [A-Z\d]{1,8}){1,9}|\d[\d.,]{0,15} [^\W\d_]{1,3}")
SCALES = frozenset(["k", "thousand", "million", "billion", "trillion", "dozen", "am", "pm"])
CONVERTED = re.compile(r"\b(?:convert|exchange|worth)", re.IGNORECASE)
CURRENCY = re.compile(r"[$\u20ac\u00a3\u00a5]")
# A name in quotes or capitals: `the word order` names no word.
NAMED_PART = re.compile(
    r"\b(suffix|ending|word|label|marker|tag|letters?|abbreviation) "
    rf"(?:{MARK}([^\W\d_]{{1,20}}){MARK}|(?-i:([A-Z]{{1,20}}))\b)[^,;\n]{{0,40}}\b{FREE}",
    re.IGNORECASE,
)
AT_END = ("suffix", "ending")


@dataclass(frozen=True, slots=True)
class Part:
    """The names of a part, and the answer with it where it lacks it, or without it."""

    names: str
    toggled: Callable[[str, str], str | None]

    def is_free(self, sentence: str) -> bool:
        """Whether the sentence calls the part optional."""
        name = rf"{QUOTE}(?:{self.names}){QUOTE}"
        pattern = (
            rf"\bwith or without (?:an? |the |any |its )?{name}"
            rf"|{name}[^,;\n]{{0,40}}\b{FREE}"
            rf"|\b(?:may|can) (?:omit|leave out|drop|skip) (?:an? |the |its )?{name}"
        )
        return re.search(pattern, sentence, re.IGNORECASE) is not None

    def is_allowed(self, sentence: str) -> bool:
        """Whether the sentence allows the part, which says nothing of an answer without it."""
        pattern = rf"{QUOTE}(?:{self.names}){QUOTE}[^,;\n]{{0,45}}\b{ALLOWED}\b"
        return re.search(rf"(?<!no )(?<!without ){pattern}", sentence, re.IGNORECASE) is not None


def _article(answer: str, _: str) -> str | None:
    if not WORDS.fullmatch(answer):
        return None
    rest = re.sub(r"^(?:the|an?) ", "", answer, flags=re.IGNORECASE)
    return rest if rest != answer else f"the {answer}"


def _currency(answer: str, prompt: str) -> str | None:
    if sign := CURRENCY.search(answer):
        return answer.replace(sign[0], "").strip()
    signs = {*CURRENCY.findall(prompt)}
    if len(signs) != 1 or CONVERTED.search(prompt) or not NUMBER.fullmatch(answer):
        return None
    return f"{signs.pop()}{answer}" if answer[0].isdigit() else None


def _unit(answer: str, _: str) -> str | None:
    match = AMOUNT.fullmatch(answer)
    return match[1] if match and match[2].casefold() not in SCALES else None


def _hyphen(answer: str, _: str) -> str | None:
    return re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", " ", answer)


def _zeros(answer: str, _: str) -> str | None:
    return re.sub(r"(?<![\w.,:])0+(?=\d)", "", answer)


def _stop(answer: str, _: str) -> str | None:
    if answer.endswith("."):
        return answer[:-1] if answer.count(".") == 1 else None
    return f"{answer}." if answer[-1:].isalnum() else None


def _quotes(answer: str, _: str) -> str | None:
    if "'" not in answer and '"' not in answer:
        return f'"{answer}"'
    match = QUOTED.fullmatch(answer)
    return match[1] if match else None


def _plus(answer: str, _: str) -> str | None:
    if not NUMBER.fullmatch(answer) or answer.startswith("-"):
        return None
    return answer[1:] if answer.startswith("+") else f"+{answer}"


def _accents(answer: str, _: str) -> str | None:
    split = unicodedata.normalize("NFD", answer)
    plain = "".join(each for each in split if not unicodedata.combining(each))
    return unicodedata.normalize("NFC", plain)


def _prefix(answer: str, _: str) -> str | None:
    return re.sub(r"^0[xXbBoO](?=\w)", "", answer)


def _percent(answer: str, _: str) -> str | None:
    if answer.endswith("%"):
        return answer[:-1].strip()
    is_share = answer.lstrip("+-").startswith("0.")  # 0.25 may stand for 25%
    return f"{answer}%" if NUMBER.fullmatch(answer) and not is_share else None


def _spaces(answer: str, _: str) -> str | None:
    """Without the spaces beside a mark, and all of a code or amount: words need theirs."""
    if CODE.fullmatch(answer):
        return answer.replace(" ", "")
    return re.sub(r"(?<=[^\w\s]) +| +(?=[^\w\s])", "", answer)


PARTS = (
    Part(r"(?:leading |definite )?articles?|(?<=[\"'`\u201c])the(?=[\"'`\u201d])", _article),
    Part(r"(?:currency|dollar|euro|pound|money) (?:sign|symbol)s?|[$\u20ac\u00a3]", _currency),
    Part(r"units?(?: of measurement)?", _unit),
    Part(r"hyphens?|dashes|hyphenation", _hyphen),
    Part(r"(?:leading|initial) zero(?:e?s)?", _zeros),
    Part(r"(?:final |trailing )?(?:full stop|period)|(?:final|trailing) punctuation", _stop),
    Part(r"quot(?:es|ation marks?)", _quotes),
    Part(r"plus(?: signs?)?", _plus),
    Part(r"accents?(?: marks?)?|diacritics?|diacritical marks?|umlauts?", _accents),
    Part(r"0[xbo](?: prefix)?|(?:0[xbo] )?prefix", _prefix),
    Part(r"(?:percent(?:age)? (?:sign|symbol)|%)", _percent),
    Part(r"spaces?|blanks?|spacing", _spaces),
)  # fmt: skip


def optional(answer: str, prompt: str) -> str | None:
    """The answer with a part that the prompt calls optional, or without it; of several parts
    another one in each answer."""
    text = answer.strip()
    changed = dict.fromkeys(_changed(text, prompt))
    return [*changed][zlib.crc32(text.encode()) % len(changed)] if changed else None


def _changed(text: str, prompt: str) -> Iterator[str]:
    whole = BRACKETS.sub("", prompt)  # examples such as (1,234.50) separate no sentences
    sentences = [
        each
        for each in SENTENCE.findall(whole)
        if PERMITS.search(each) and not REFUSED.search(each)
    ]
    for part in PARTS:
        free = any(map(part.is_free, sentences))
        if not free and not any(map(part.is_allowed, sentences)):
            continue
        after = part.toggled(text, prompt)
        if after and after != text and (free or len(after) > len(text)):
            yield after
    yield from _without_named(text, sentences)


def _without_named(text: str, sentences: Sequence[str]) -> Iterator[str]:
    """The answer without a word at its end, or at its beginning if it is no suffix, that a sentence
    calls optional by its name: `the suffix CE is optional`."""
    for sentence in sentences:
        for match in NAMED_PART.finditer(sentence):
            part = re.escape(match[2] or match[3])
            behind, before = rf"(?:(?<=\d)| ){part}$", rf"|^{part} (?=[\W\d])"
            is_end = match[1].casefold() in AT_END
            without = re.sub(behind if is_end else behind + before, "", text)
            if without and without != text:
                yield without
