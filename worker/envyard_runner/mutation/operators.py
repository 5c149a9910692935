"""The changes of an answer, one function for each operator of `envyard.contract.mutants`.

Each returns the changed answer, or None where the answer has nothing that it could change.
"""

from __future__ import annotations

import json
import re
import unicodedata
import zlib
from collections.abc import Callable

from envyard_runner.mutation.alphabets import ANY, Alphabet
from envyard_runner.mutation.answers import (
    OPPOSITES,
    OPTIONS,
    Marked,
    find_answer,
    other_answer,
    shifted,
    unsure,
)
from envyard_runner.mutation.by_prompt import BY_PROMPT
from envyard_runner.mutation.forms import parsed
from envyard_runner.mutation.lists import repeated
from envyard_runner.mutation.narrow import OF_AMOUNTS, OF_CODES
from envyard_runner.mutation.records import is_object
from envyard_runner.mutation.vacuous import with_body

INTEGER = re.compile(r"-?\d{1,3}(?:,\d{3})+|-?\d+")
NUMBER = re.compile(r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w.])")
WITH_UNIT = re.compile(r"(?<=\d)(\s?)(km|kg|cm|mm|mg|ml|min|[mgslhAVW]|%|hours?|days?|dollars?)\b")
NOISY = re.compile(r"-?\d{1,12}\.\d{11,18}")  # decimals, more than anybody writes
MANY_DECIMALS = re.compile(r"-?\d{1,12}\.\d{5,18}")
SMALLEST_NEAR = 20  # numbers below are not 6 % larger by a whole number
FEW_WORDS = 4
SHORTEST_WORD = 4  # of which the first character is no abbreviation
FEWEST_FIELDS = 3
DOUBTED = "doubted"  # changes the reply, not only its answer
LONGEST_VALUE = 40  # characters of a field's text; a longer one may rightly be paid in other words
# The operators that change one value of an object of several fields; others change all of it.
OF_VALUES = frozenset(
    {
        "digit",
        "last_digit",
        "exchanged",
        "extension",
        "near",
        "sign",
        "unit",
        "opposite",
        "word",
        "letters",
    }
    | {"initial", "nan", "capitals", "rounding", "composed"}
)
OF_NO_OBJECT = frozenset({"thousands", "emphasis"})
DIGITS = re.compile(r"(?<![\d.])\d{2,}")  # none behind a decimal point
CODE = re.compile(r"(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{2,24}", re.IGNORECASE)  # letters and digits
LONGEST_INTEGER = 9  # digits; of longer numbers the last digit may be rounding


def digit(answer: str) -> str | None:
    """Another first digit of the first number, or of a code such as `Fe2O3`: never within a
    tolerance."""
    match = re.search(r"[1-9]", answer)
    if match is None or not (_is_numeric(answer) or CODE.fullmatch(answer.strip())):
        return None
    other = (int(match[0]) + 2) % 9 + 1
    return answer[: match.start()] + str(other) + answer[match.end() :]


def last_digit(answer: str) -> str | None:
    """The next last digit of an answer that is one whole number."""
    text = answer.strip()
    if not INTEGER.fullmatch(text) or len(text) > LONGEST_INTEGER or len(text.lstrip("-")) < 2:
        return None
    return text[:-1] + str((int(text[-1]) + 1) % 10)


def exchanged(answer: str) -> str | None:
    """A number with its first two neighbouring digits exchanged that differ: the same characters,
    and never within a tolerance. A number of many digits may be a code, or an estimate."""
    for match in DIGITS.finditer(answer):
        pairs = (at for at in range(match.start(), match.end() - 1))
        at = next((at for at in pairs if answer[at] != answer[at + 1] != "0"), None)
        if at is not None and len(match[0]) <= LONGEST_INTEGER and _is_written(answer):
            return answer[:at] + answer[at + 1] + answer[at] + answer[at + 2 :]
    return None


def extension(answer: str) -> str | None:
    """A whole number with a digit before it, or one word with letters behind it: the right answer
    is still contained."""
    text = answer.strip()
    if INTEGER.fullmatch(text) and len(text) <= LONGEST_INTEGER:
        return f"-7{text[1:]}" if text.startswith("-") else f"7{text}"
    is_word = text.isalpha() and len(text) > 2 and text.lower() not in OPPOSITES
    return text + shifted(text[:3].lower(), 1) if is_word else None


def near(answer: str) -> str | None:
    """A whole number that is 6 % larger."""
    text = answer.strip().replace(",", "")
    if not INTEGER.fullmatch(text) or not SMALLEST_NEAR <= abs(int(text)) < 10**LONGEST_INTEGER:
        return None
    return str(round(int(text) * 1.06))


def sign(answer: str) -> str | None:
    """The other sign of an answer that is one number other than 0."""
    text = answer.strip()
    if not NUMBER.fullmatch(text) or not re.search(r"[1-9]", text):
        return None
    return text[1:] if text.startswith("-") else f"-{text}"


def unit(answer: str) -> str | None:
    """Another unit behind a number."""
    match = WITH_UNIT.search(answer)
    if match is None:
        return None
    other = "kg" if match[2] not in ("kg", "g", "mg") else "km"
    return f"{answer[: match.start(2)]}{other}{answer[match.end(2) :]}"


def opposite(answer: str) -> str | None:
    """The opposite of a word such as yes, or another option's letter."""
    word = answer.strip()
    if len(word) == 1 and word.upper() in OPTIONS:
        other = OPTIONS[1 if word in "aA" else 0]
        return other if word.isupper() else other.lower()
    other = OPPOSITES.get(word.lower(), "")
    return (other.title() if word[:1].isupper() else other) or None


def word(answer: str) -> str | None:
    """Other letters in the longest word of an answer in words."""
    words = [each for each in re.findall(r"[^\W\d_]+", answer) if len(each) > 2]
    if not words or answer.strip().lower() in OPPOSITES:
        return None
    longest = max(words, key=len)
    return answer.replace(longest, shifted(longest, 1), 1)


def letters(answer: str) -> str | None:
    """The letters of an answer that is one word, in reverse order: a word of the same letters."""
    text = answer.strip()
    changes = len(text) > 3 and text.isalpha() and text.casefold() != text[::-1].casefold()
    return text[::-1] if changes else None


def truncation(answer: str) -> str | None:
    """The first half of the answer; the second of one word, whose beginning may abbreviate it. Of
    many decimals half may be right."""
    text = answer.strip()
    half = len(text) // 2
    if half == 0 or MANY_DECIMALS.fullmatch(text):
        return None
    return (text[-half:] if text.isalpha() else text[:half].rstrip()) or None


def blank(answer: str) -> str | None:
    """Nothing where the answer stood."""
    return "" if answer.strip() else None


def negation(answer: str) -> str | None:
    """The answer, negated."""
    return f"not {answer}" if answer.strip() and "\n" not in answer.strip() else None


def claim(answer: str) -> str | None:
    """The answer and a wrong one."""
    text = answer.strip()
    if not text or "\n" in text:
        return None
    return f"{answer} or {opposite(answer) or shifted(text, 2)}"


def capitals(answer: str) -> str | None:
    """Other capitals in a word whose capitals mean nothing."""
    return answer.swapcase() if answer.strip().lower() in OPPOSITES else None


def thousands(answer: str) -> str | None:
    """A whole number from 1,000 on with separators, or without those that it has."""
    text = answer.strip()
    if not INTEGER.fullmatch(text) or abs(int(text.replace(",", ""))) < 1000:
        return None
    return text.replace(",", "") if "," in text else f"{int(text):,}"


def rounding(answer: str) -> str | None:
    """60.900000000000006 as 60.9: the error is that of binary fractions, not of the answer."""
    text = answer.strip()
    if not NOISY.fullmatch(text):
        return None
    shorter = f"{float(text):.10f}".rstrip("0").rstrip(".")
    return shorter if len(shorter) < len(text) - 5 else None


def initial(answer: str) -> str | None:
    """The first character of one word or number; not of `yes`, for which `y` may stand."""
    text = answer.strip()
    if len(text) < SHORTEST_WORD or not text.isalnum() or text.lower() in OPPOSITES:
        return None
    return text[0]


def fields(answer: str) -> str | None:
    """An object of three fields or more with one of them, another one in each answer: where the
    others are optional, that one seldom is the answer."""
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or len(value) < FEWEST_FIELDS:
        return None
    key = sorted(value)[zlib.crc32(answer.encode()) % len(value)]
    return json.dumps({key: value[key]}, ensure_ascii=False)


def nan(answer: str) -> str | None:
    """`nan` for one number: no comparison with it is true, so `abs(a - b) > tolerance` is not."""
    return "nan" if NUMBER.fullmatch(answer.strip()) else None


def exits(answer: str) -> str | None:
    """A function that ends the process with status 0, where code is tested by that status."""
    return with_body(answer, "raise SystemExit(0)")


def composed(answer: str) -> str | None:
    """An answer with combining accents in the form in which people and models write (Unicode's
    normalization form C)."""
    usual = unicodedata.normalize("NFC", answer)
    return usual if usual != answer else None


def emphasis(answer: str) -> str | None:
    """The answer in Markdown's emphasis."""
    return f"**{answer}**" if answer.strip() and "\n" not in answer.strip() else None


def unchanged(answer: str) -> str:
    """The answer as it is."""
    return answer


CHANGES: dict[str, Callable[[str], str | None]] = {
    "unchanged": unchanged,
    "digit": digit,
    "last_digit": last_digit,
    "exchanged": exchanged,
    "extension": extension,
    "near": near,
    "sign": sign,
    "unit": unit,
    "opposite": opposite,
    "word": word,
    "letters": letters,
    "repeated": repeated,
    "truncation": truncation,
    "nan": nan,
    "exits": exits,
    "initial": initial,
    "fields": fields,
    "blank": blank,
    "negation": negation,
    "claim": claim,
    "spaces": unchanged,
    "capitals": capitals,
    "thousands": thousands,
    "rounding": rounding,
    "composed": composed,
    "emphasis": emphasis,
}


def mutate(
    reply: str, operator: str, alphabet: Alphabet = ANY, prompt: str = ""
) -> tuple[str, str, str] | None:
    """The changed reply, its answer before and after; None where nothing can be changed. The
    alphabet is that of the answers of the set, `prompt` what the policy reads first."""
    marked = find_answer(reply)
    if operator == DOUBTED:
        return _doubted(reply, marked, alphabet)
    if operator in BY_PROMPT:
        after = BY_PROMPT[operator](marked.answer, prompt)
    elif not alphabet.covers(marked.answer):
        after = _change(marked.answer, operator)
    elif operator in OF_CODES:
        after = OF_CODES[operator](marked.answer, alphabet)
    else:
        code = alphabet.is_of_codes and operator in OF_AMOUNTS
        after = None if code else _change(marked.answer, operator)
    if after is None or (after == marked.answer and CHANGES.get(operator) is not unchanged):
        return None
    changed = Marked(marked.before, after, marked.after).holding(after)
    if operator == "spaces":
        changed = f"\n {changed} \n"
    return changed, marked.answer, after


def _doubted(reply: str, marked: Marked, alphabet: Alphabet) -> tuple[str, str, str] | None:
    """A wrong answer with 0 in the reply's field of confidence: to doubt it may be right, but must
    not be worth what a right answer is."""
    changed = unsure(reply)
    if changed == reply:
        return None
    changed = unsure(other_answer(reply, alphabet))
    return changed, marked.answer, f"{find_answer(changed).answer}, with confidence 0"


def _change(answer: str, operator: str) -> str | None:
    """The changed answer; of an object one value, another one in each answer."""
    row = parsed(answer) if is_object(answer) else None
    if not isinstance(row, dict) or operator not in OF_VALUES | OF_NO_OBJECT:
        return CHANGES[operator](answer)
    keys = sorted(row)
    start = zlib.crc32(answer.encode()) % max(1, len(keys))
    for key in keys[start:] + keys[:start] if operator in OF_VALUES else ():
        if (value := _changed_value(row[key], operator)) is not None:
            return json.dumps({**row, key: value}, ensure_ascii=False)
    return None


def _changed_value(value: object, operator: str) -> object:
    """A changed text or number, a number where it still is one; None where nothing can change."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    after = CHANGES[operator](str(value)) if len(str(value)) <= LONGEST_VALUE else None
    if after is None or after == str(value):
        return None
    return after if isinstance(value, str) or parsed(after) is None else parsed(after)


def _is_written(answer: str) -> bool:
    """Whether the answer is one line without letters, or of few words."""
    return "\n" not in answer.strip() and len(re.findall(r"[^\W\d_]+", answer)) <= FEW_WORDS


def _is_numeric(answer: str) -> bool:
    """Whether the answer is short and its numbers are what matters in it."""
    return bool(NUMBER.search(answer)) and len(answer.split()) <= 4
