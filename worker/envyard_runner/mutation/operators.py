"""The changes of an answer, one function for each operator of `envyard.contract.mutants`.

Each returns the changed answer, or None where the answer has nothing that it could change.
"""

from __future__ import annotations

import json
import re
import unicodedata
import zlib
from collections.abc import Callable, Sequence

from envyard.contract.code_checks.scoring_constants import NO_CONSTANTS, ScoringConstants
from envyard_runner.mutation.allowed_forms import (
    as_rgb,
    decimal,
    grouped,
    grouped_twice,
    mixed,
    mixed_negative,
    noon,
    percentage,
    twelve_hour,
    whole,
)
from envyard_runner.mutation.alphabets import ANY, Alphabet
from envyard_runner.mutation.answers import Marked, find_answer
from envyard_runner.mutation.beside import BESIDE
from envyard_runner.mutation.by_prompt import BY_PROMPT, FIXED_WORDS, WRITTEN
from envyard_runner.mutation.covers import other_choice
from envyard_runner.mutation.either_form import as_option, in_words
from envyard_runner.mutation.forms import parsed
from envyard_runner.mutation.hedges import candidates, other_answers
from envyard_runner.mutation.itineraries import other_itinerary, short_change
from envyard_runner.mutation.joined_numbers import joined, joined_signs
from envyard_runner.mutation.lines import inner_line, middle_line
from envyard_runner.mutation.lists import FREE_NUMBER, OF_LISTS, repeated
from envyard_runner.mutation.narrow import OF_AMOUNTS, OF_CODES
from envyard_runner.mutation.number_words import number_and
from envyard_runner.mutation.numbers import (
    SEVERAL,
    digit,
    exchanged,
    last_digit,
    last_number,
    may_be_negative,
    nan,
    near,
    prefix,
    rounding,
    sign,
    stepped,
    thousands,
    unit,
)
from envyard_runner.mutation.open_forms import OPEN_FORMS
from envyard_runner.mutation.optional_parts import optional
from envyard_runner.mutation.own_marks import OWN
from envyard_runner.mutation.pairs import are_named, pair, permuted
from envyard_runner.mutation.parentheses import in_parentheses
from envyard_runner.mutation.pieces import empty_text, extension, fields, truncation
from envyard_runner.mutation.polynomials import factored
from envyard_runner.mutation.records import is_object
from envyard_runner.mutation.right_reply import RightReply
from envyard_runner.mutation.routes import other_route
from envyard_runner.mutation.shown_forms import as_shown
from envyard_runner.mutation.si_prefixes import with_si_prefix
from envyard_runner.mutation.steps import ends
from envyard_runner.mutation.tables import table_layout
from envyard_runner.mutation.tolerances import percent_off
from envyard_runner.mutation.totals import same_total
from envyard_runner.mutation.units import micro_sign, other_unit
from envyard_runner.mutation.vacuous import with_body
from envyard_runner.mutation.whole_replies import WHOLE_REPLIES
from envyard_runner.mutation.words import (
    capitals,
    initial,
    letters,
    one_letter,
    opposite,
    other_word,
    word,
)
from envyard_runner.mutation.wrong_answers import shifted

LONGEST_VALUE = 40  # characters of a field's text; a longer one may rightly be paid in other words
# The operators that change one value of an object of several fields; others change all of it.
OF_VALUES = frozenset(
    {
        "digit",
        "last_digit",
        "last_number",
        "stepped",
        "exchanged",
        "extension",
        "near",
        "sign",
        "unit",
        "prefix",
        "opposite",
        "word",
        "letters",
        "one_letter",
    }
    | {"initial", "nan", "capitals", "rounding", "composed"}
)
# Of a text that the policy is to write, another word may be as right.
TEXT = re.compile(r"[^\W\d_]{3}")  # a word; rows of numbers or codes have none
OF_WORDS = frozenset({"word", "other_word", "one_letter", "inner_line"})
# Where a prompt speaks of errors in spelling, one letter may be left open.
SPELLING = re.compile(r"\b(?:typos?|spell|misspell|fuzzy|approximate|close enough)", re.IGNORECASE)
OF_NO_OBJECT = frozenset({"thousands", "emphasis"})


def blank(answer: str) -> str | None:
    """Nothing where the answer stood."""
    return "" if answer.strip() else None


def negation(answer: str) -> str | None:
    """The answer, negated; of named values a reader may look for the names alone."""
    is_line = answer.strip() and "\n" not in answer.strip()
    return f"not {answer}" if is_line and not are_named(answer) else None


def claim(answer: str) -> str | None:
    """The answer and a wrong one."""
    text = answer.strip()
    if not text or "\n" in text:
        return None
    return f"{answer} or {opposite(answer) or shifted(text, 2)}"


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
    "last_number": last_number,
    "stepped": stepped,
    "extension": extension,
    "near": near,
    "sign": sign,
    "unit": unit,
    "prefix": prefix,
    "opposite": opposite,
    "word": word,
    "other_word": other_word,
    "letters": letters,
    "one_letter": one_letter,
    "inner_line": inner_line,
    "repeated": repeated,
    "pair": pair,
    "permuted": permuted,
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


# Changes of a whole reply, of an answer by its prompt, and (CHANGES) of an answer alone.
OF_REPLIES = OWN | BESIDE | WHOLE_REPLIES
OF_PROMPT = (
    BY_PROMPT
    | OPEN_FORMS
    | OF_LISTS
    | {
        "as_shown": as_shown,
        "candidates": candidates,
        "empty_text": empty_text,
        "ends": ends,
        "factored": factored,
        "percentage": percentage,
        "decimal": decimal,
        "grouped": grouped,
        "grouped_twice": grouped_twice,
        "number_and": number_and,
        "optional": optional,
        "in_parentheses": in_parentheses,
        "in_words": in_words,
        "as_option": as_option,
        "other_unit": other_unit,
        "micro_sign": micro_sign,
        "joined": joined,
        "joined_signs": joined_signs,
        "table_layout": table_layout,
        "mixed": mixed,
        "mixed_negative": mixed_negative,
        "whole": whole,
        "as_rgb": as_rgb,
        "same_total": same_total,
        "other_route": other_route,
        "other_itinerary": other_itinerary,
        "short_change": short_change,
        "other_choice": other_choice,
        "twelve_hour": twelve_hour,
        "noon": noon,
        "percent_off": percent_off,
        "si_prefix": with_si_prefix,
    }
)


def mutate(
    reply: str,
    operator: str,
    alphabet: Alphabet = ANY,
    prompt: str = "",
    constants: ScoringConstants = NO_CONSTANTS,
    others: Sequence[str] = (),
) -> tuple[str, str, str] | None:
    """The changed reply, its answer before and after; None where nothing can be changed. The
    alphabet is that of the answers of the set, `prompt` what the policy reads first, `constants`
    are those of the scoring code, `others` the answers of other tasks."""
    marked = find_answer(reply)
    if operator in OF_REPLIES:
        return OF_REPLIES[operator](RightReply(reply, marked, alphabet, prompt, constants))
    if _is_open(marked.answer, operator, prompt):
        return None
    if operator in OF_PROMPT:
        after = OF_PROMPT[operator](marked.answer, prompt)
        if after is None and operator == "candidates" and not FREE_NUMBER.search(prompt):
            after = other_answers(marked.answer, others)
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
    if operator == "spaces":  # of several lines, such as code, a space may indent the first
        changed = f"\n{changed} \n" if "\n" in changed else f"\n {changed} \n"
    return changed, marked.answer, after


def _is_open(answer: str, operator: str, prompt: str) -> bool:
    """Whether the prompt may leave open what the operator changes."""
    if operator == "sign" and not may_be_negative(answer, prompt):
        return True
    if operator == "stepped" and SEVERAL.search(prompt):
        return True
    if operator == "composed" and answer.strip() in prompt:  # it is to be copied
        return True
    if operator in ("one_letter", "inner_line") and SPELLING.search(prompt):
        return True
    text = middle_line(answer) if operator == "inner_line" else answer
    is_text = len(answer.split()) > 2 and TEXT.search(text)
    written = WRITTEN.search(prompt) and not FIXED_WORDS.search(prompt)
    return bool(operator in OF_WORDS and is_text and written)


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
