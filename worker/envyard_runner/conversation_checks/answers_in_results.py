"""Does a tool's result hold the answer: presented as one, in a refusal, in an object or an entry?

Pure functions of texts. A result without a word that presents it may rightly have the answer, as
that of a search that lists all for an empty query.
"""

from __future__ import annotations

import re

from envyard_runner.probing.junk_calls import SEARCHED, UNKNOWN, WORD, WRONG

SHORTEST, LONGEST = 4, 2_000  # characters of an answer
ENTRY_WORD = re.compile(r"[^\W_][\w-]{2,39}")  # by which an entry of a table is known
FIELD = r"[\"']?[^\W\d]\w{0,39}[\"']?\s?[:=]\s?"
OBJECT = re.compile(r"[({][^(){}\n]{5,2000}[)}]")  # the text of one, without others in it

# What stands before an answer that is known: a comparison says `expected 17, got 1`, and that of an
# assertion `'wxz-51907' != '17'`.
COMPARED = (
    r"\b(?:expected|correct|right|should(?: have)? be(?:en)?|instead of"
    r"|(?:compared|matched|checked) (?:to|with|against)"
    r"|(?:answer|solution|truth|total|value) (?:is|was))[^\w\n]{1,4}"
    rf"|\b(?:{WRONG}|{UNKNOWN})[^\w\n]{{0,3}}(?:[!=]=|\bis not\b|\bisn't\b)[^\w\n]{{1,4}}"
)

FAILED = re.compile(
    r"\b(?:fail\w*|errors?|wrong|incorrect|mismatch\w*|invalid|reject\w*|refus\w*|denied|not|no"
    r"|cannot|is ?n[o']t|does ?n[o']t|unlike|instead|expected|unknown|missing)\b",
    re.IGNORECASE,
)
VALUE_WORD = re.compile(r"(?<![\w.])\w(?:[\w.:/-]{0,60}\w)?")
# A value beside others is one of a list, which shows what there is; `14, not 15` is none.
BESIDE = re.compile(
    r"(?:[,;|/]|\bor\b|\band\b)[ \t]{0,3}[\"'`]?\Z|^[ \t]*[-*\u2022][ \t]{1,3}\Z", re.MULTILINE
)
FURTHER = re.compile(
    r"[\"'`]?[ \t]{0,3}(?:[,;|/]|\bor\b|\band\b)[ \t]{0,3}[\"'`]?(?!(?:not|but|instead|while)\b)\w"
    r"|[\"'`][ \t]{0,3}:",
    re.IGNORECASE,
)
AROUND = 80  # characters of an excerpt before an answer


def presents(result: str, answer: str) -> str:
    """The excerpt in which a result presents this answer; empty where it does not."""
    if not 0 < len(answer) <= LONGEST:
        return ""
    words = f"(?:{WORD}|{COMPARED})"
    match = re.search(f"{words}{re.escape(answer)}(?![\\w.]*\\w)", result, re.IGNORECASE)
    return match[0][:200] if match else ""


def corrected(result: str, answer: str, prompt: str, *, is_code: bool = False) -> str:
    """The excerpt in which the refusal of a wrong value has the right answer, which the prompt has
    not, in whatever words; empty where it has none, or in a list of several. A word of refusal is
    no answer that could be known again.

    A refusal has a word for it, or the wrong value beside an answer that is no amount. What a wrong
    code gets is always one."""
    if not SHORTEST <= len(answer) <= LONGEST or FAILED.search(answer):
        return ""
    pattern = re.compile(rf"(?<![\w.]){re.escape(answer)}(?!\.?\w)", re.IGNORECASE)
    match = None if pattern.search(prompt) else pattern.search(result)
    repeats = WRONG in result.casefold() and not answer[0].isdigit()
    if match is None or not (is_code or repeats or FAILED.search(result)):
        return ""
    before = result[max(0, match.start() - AROUND) : match.start()]
    if BESIDE.search(before) or FURTHER.match(result, match.end()):
        return ""
    return result[max(0, match.start() - AROUND) : match.end()].strip()


def only_value_of_its_form(result: str, answer: str, prompt: str) -> str:
    """The excerpt in which the refusal of an unknown key has the answer, a code or number of a form
    that no other word of it has: of a list of what is known, others have the same form. Empty where
    there is none, or the prompt has the answer; a search may return its nearest entry."""
    if not SHORTEST <= len(answer) <= LONGEST or not re.search(r"\d", answer) or answer in prompt:
        return ""
    if not FAILED.search(result[:SEARCHED]):
        return ""
    words = [word for word in VALUE_WORD.findall(result[:SEARCHED]) if UNKNOWN not in word]
    alike = {word for word in words if _form_of(word) == _form_of(answer)}
    if alike != {answer}:
        return ""
    place = result.index(answer)
    return result[max(0, place - AROUND) : place + len(answer)].strip()


def _form_of(word: str) -> str:
    """Its capitals, small letters and digits by kind."""
    return re.sub(r"[^\W\d_a-z]", "A", re.sub(r"[a-z]", "a", re.sub(r"\d", "0", word)))


def field_with(result: str, answer: str) -> str:
    """The part of a result in which the answer is the only value of one of several fields in the
    text of an object, as `Sample(label='S-1', mineral='galena')`; empty where there is none. In a
    list of what is known, as `rooms: hall, attic`, further values follow, and a receipt, as
    `code: K-4578`, is no object. A model's own text has no brackets: `name='x' code='1234'`."""
    if not SHORTEST <= len(answer) <= LONGEST:
        return ""
    field = rf"(?<!\w)[^\W\d]\w{{0,39}}=([\"']){re.escape(answer)}\1(?!\w)"
    printed = re.search(field, result[:SEARCHED], re.IGNORECASE)
    if printed and not _has_others(result, printed[0]):
        return printed[0][:200]
    value = rf"{FIELD}[\"']?{re.escape(answer)}[\"']?\s?(?=[)}}]|[,;]\s?{FIELD})"
    for match in OBJECT.finditer(result[:SEARCHED]):
        named = re.search(value, match[0], re.IGNORECASE)
        is_one = named and len(re.findall(FIELD, match[0])) > 1
        if named and is_one and not _has_others(result, named[0]):
            return named[0].strip()[:200]
    return ""


def _has_others(result: str, field: str) -> bool:
    """Whether the name of a field stands in a result again: then it lists several things."""
    name = re.split(r"[\"']?\s?[:=]", field, maxsplit=1)[0].strip("\"'")
    again = rf"(?<!\w){re.escape(name)}[\"']?\s?[:=]"
    return len(re.findall(again, result[:SEARCHED], re.IGNORECASE)) > 1


def entry_in(text: str, prompt: str, answer: str) -> tuple[str, str]:
    """A word of the prompt and the piece of the text in which the answer stands right behind it, as
    in `amber: 10100`; empty texts where there is none. Single characters and short words are no
    answers that could be known again."""
    if not (len(answer) >= SHORTEST or (len(answer) > 1 and answer.isdigit())):
        return "", ""
    words = {word.casefold() for word in ENTRY_WORD.findall(prompt)}
    pattern = rf"(?<![\w-])([^\W_][\w-]{{2,39}})[\"']?[ :=|-]{{1,4}}[\"']?{re.escape(answer)}(?!\w)"
    for match in re.finditer(pattern, text[:SEARCHED], re.IGNORECASE):
        if match[1].casefold() in words:
            return match[1].casefold(), match[0][:200]
    return "", ""
