"""Find the answer in a reference reply, and put a wrong answer of the same form in its place."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import islice
from typing import Any

from envyard_runner.mutation.alphabets import ANY, Alphabet
from envyard_runner.mutation.forms import SURE_NAMES, parsed
from envyard_runner.mutation.pairs import are_named, other_values
from envyard_runner.mutation.records import (
    data_names,
    is_object,
    with_tags,
    with_values,
)

# A label and the answer; the colon of a time such as `Friday 21:35` ends no label.
LABELLED = re.compile(
    r"\A[A-Za-z][\w ]{0,30}(?:(?<!\d):|:(?!\d)|=)[ \t]*(?P<answer>[^\s=][^\n]{0,60})\Z"
)
# A label of one word, behind which a sentence may be the answer.
LABELLED_SENTENCE = re.compile(r"\A[A-Za-z]\w{0,15}:[ \t]*(?P<answer>[^\s=][^\n]{0,200})\Z")
# In brackets, perhaps behind what is done with it, such as [try 17] and [guess: crane].
BRACKETED = re.compile(
    r"\[(?:(?i:[a-z_]{2,12}(?::[ \t]*|[ \t]+(?=[-+]?\d))"
    r"|(?:try|guess|answer|move|play|pick|choose|bid|ask|say|name|go|take|open|reply)[ \t]+)"
    r"(?=\S))?(?P<answer>[^\[\]\n]{1,40})\]"
)
# The forms in which replies mark their answer, the surest first. `answer` is what is marked.
MARKED = (
    re.compile(r"\\boxed\{(?P<answer>[^{}]*)\}"),
    re.compile(
        r"<(?P<tag>answer|solution|final|move|guess|action)>(?P<answer>.*?)</(?P=tag)>", re.DOTALL
    ),
    re.compile(r"<(?P<tag>[A-Za-z_]\w*)>(?P<answer>[^<]*)</(?P=tag)>"),
    re.compile(r"^####[ \t]*(?P<answer>.+)$", re.MULTILINE),
    re.compile(
        r"^(?:the )?(?:final )?answer(?: is)?:?[ \t]+(?P<answer>.+)$", re.IGNORECASE | re.MULTILINE
    ),
    BRACKETED,
    LABELLED,
    LABELLED_SENTENCE,
)
# A field of a reply that is one JSON object; which of them is the answer, its key tells.
JSON_FIELD = re.compile(
    r'"(?P<key>\w+)"\s*:\s*(?:"(?P<text>(?:[^"\\]|\\.)*)"|(?P<number>-?\d[\d.]*))'
)
JSON_VALUE = re.compile(r'(?<=:)\s*"(?P<text>(?:[^"\\]|\\.)*)"|(?<=:)\s*(?P<number>-?\d[\d.]*)')
# A code of digits and the letters a to f: behind # or 0x, or of six characters and more.
HEXADECIMAL = re.compile(
    r"(?<!\w)(#|0x|(?=[0-9]*[a-f])(?=[a-f]*[0-9])(?=[0-9a-f]{6}))([0-9a-f]{2,64})(?!\w)|.",
    re.IGNORECASE | re.DOTALL,
)
CONFIDENCE = re.compile(
    r"(?P<field>\b(?:confidence|probability|certainty|likelihood)\b[^\w\n.+-]{1,8})"
    r"\d+(?:\.\d+)?(?![\w.])",
    re.IGNORECASE,
)
ASSIGNED = re.compile(r"([=:]\s?)([^\s,;=:]+)")
OPPOSITES = {"yes": "no", "true": "false", "correct": "incorrect", "valid": "invalid"}
OPPOSITES |= {wrong: right for right, wrong in OPPOSITES.items()}
OPTIONS = "ABCDEFGHIJ"
# A line with the letter of an option and its text.
OPTION = re.compile(r"^[ \t]*[(\[]?(?P<letter>[A-Ja-j])[).:\]][ \t]+(?P<text>\S.*)$", re.MULTILINE)
PLACEHOLDER = re.compile(r"\[[A-Z][A-Z _-]{2,30}\d*\]")
FENCE = "```"
FENCED = re.compile(r"((?:json)?\s*\n?)(\{.*\})(\s*)", re.DOTALL | re.IGNORECASE)
# What begins a fence around lines that are no program.
PLAIN_FENCE = re.compile(
    r"(?:text|txt|plain|plaintext|output|console|stdout)?[ \t]*\n", re.IGNORECASE
)
PROGRAM = re.compile(
    r"^[ \t]*(?:def|class|import|from|return|for|while|if|print|select|insert|update|delete|with"
    r"|create|function|const|let|var|public|fn|func)\b|[{};][ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
NESTED = re.compile(r"(?<!\[)\[\s{0,20}\[")
NESTED_LISTS = 50  # of a reply that are read
PLACEHOLDER_WORDS = 3  # of a text around it, from which on it is no marked answer
LONGEST_OPTION = 200  # characters
FORMED = re.compile(r"(?<!\w)\d+ (?=[^\W\d_]{2,}(?!\w))|(?<!\w)[^\W\d_]{2,} (?=\d+(?!\w))")
DIGITS = re.compile(r"\d+")
WRONG = 4  # answers around the right one


@dataclass(frozen=True, slots=True)
class Marked:
    """A reply cut at its answer."""

    before: str
    answer: str
    after: str

    def holding(self, answer: str) -> str:
        """The reply with another answer."""
        return f"{self.before}{answer}{self.after}"


def fenced_object(reply: str) -> Marked | None:
    """The reply cut at the JSON object in its only fence, which Markdown puts around code; None
    where there is no fence, or several, or it holds something else."""
    parts = reply.split(FENCE)
    if len(parts) != 3 or not (match := FENCED.fullmatch(parts[1])):
        return None
    before, inner = f"{parts[0]}{FENCE}{match[1]}", match[2]
    if not is_object(inner) or not isinstance(parsed(inner), dict):
        return None
    return Marked(before, inner, f"{match[3]}{FENCE}{parts[2]}")


def fenced_lines(reply: str) -> Marked | None:
    """The reply cut at the lines in the one fence of which it consists; None where it has other
    text, or a program in the fence."""
    parts = reply.split(FENCE)
    if len(parts) != 3 or parts[0].strip() or parts[2].strip():
        return None
    match = PLAIN_FENCE.match(parts[1])
    lines = parts[1][match.end() :].rstrip() if match else ""
    if not match or not lines or PROGRAM.search(lines):
        return None
    behind = parts[1][match.end() + len(lines) :]
    return Marked(f"{parts[0]}{FENCE}{match[0]}", lines, f"{behind}{FENCE}{parts[2]}")


def find_answer(reply: str) -> Marked:
    """The last answer that the reply marks in the surest of the forms; the whole reply where it
    marks none. In a fence around a JSON object or lines it is the answer of these."""
    if fence := fenced_lines(reply) or fenced_object(reply):
        inner = find_answer(fence.answer)
        return Marked(fence.before + inner.before, inner.answer, inner.after + fence.after)
    if span := _answer_of_object(reply):
        return Marked(reply[: span[0]], reply[span[0] : span[1]], reply[span[1] :])
    for form in MARKED:
        if form is BRACKETED and (span := _nested_list(reply)):
            return Marked(reply[: span[0]], reply[span[0] : span[1]], reply[span[1] :])
        if form in (LABELLED, LABELLED_SENTENCE) and are_named(reply):
            break  # the first name is one of several
        matches = [each for each in form.finditer(reply) if not _is_placeholder(each, reply)]
        if matches and matches[-1]["answer"].strip():
            start, end = matches[-1].span("answer")
            return Marked(reply[:start], reply[start:end], reply[end:])
    text = reply.strip()
    before, _, after = reply.partition(text) if text else ("", "", reply)
    return Marked(before, text, after)


def _nested_list(reply: str) -> tuple[int, int] | None:
    """Where the last list of lists stands, such as [[1, 2], [3, 4]], in which no list is the answer
    alone; none for one value in two brackets, such as [[7]]."""
    span, end = None, 0
    for match in islice(NESTED.finditer(reply), NESTED_LISTS):
        if match.start() < end:
            continue
        try:
            value, end = json.JSONDecoder().raw_decode(reply, match.start())
        except (ValueError, RecursionError):
            continue
        if all(isinstance(each, list) for each in value) and sum(map(len, value)) > 1:
            span = match.start(), end
    return span


def _is_placeholder(match: re.Match[str], reply: str) -> bool:
    """Whether it is a name in brackets and capitals within a text, such as a redacted [NAME]."""
    return (
        PLACEHOLDER.fullmatch(match[0]) is not None
        and len(PLACEHOLDER.sub("", reply).split()) >= PLACEHOLDER_WORDS
    )


def _answer_of_object(reply: str) -> tuple[int, int] | None:
    """Where the answer stands in a reply that is one JSON object: in the field of that name, or in
    the only one that explains nothing. It is all of the object where several fields hold data: a
    verifier may pay each of them."""
    if not is_object(reply) or not (fields := list(JSON_FIELD.finditer(reply))):
        return None
    if sure := [field for field in fields if field["key"] in SURE_NAMES]:
        return _span(min(sure, key=lambda field: SURE_NAMES.index(field["key"])))
    row = parsed(reply)
    keys = set(row) if isinstance(row, dict) else {field["key"] for field in fields}
    data = data_names(keys)
    if len(data) == 1 and (only := [field for field in fields if field["key"] in data]):
        return _span(only[0])
    start = len(reply) - len(reply.lstrip())
    return (start, len(reply.rstrip())) if isinstance(row, dict) else None


def _span(field: re.Match[str]) -> tuple[int, int]:
    return field.span("text" if field["text"] is not None else "number")


def other_answer(reply: str, alphabet: Alphabet = ANY) -> str:
    """The reply with a wrong answer of the same form: letters and digits are others, punctuation,
    markup and the keys of JSON stay. Of an answer of several fields all are others, because a
    verifier may pay each of them. The alphabet is that of the answers of the set."""
    if fence := fenced_object(reply):
        return fence.holding(_other_values(fence.answer))
    if is_object(reply):
        return _other_values(reply)
    if fields := with_tags(reply, _other_value):
        return fields
    marked = find_answer(reply)
    answer = marked.answer
    if answer.lstrip().startswith(("{", "[{")):
        return marked.holding(_other_values(answer))
    return marked.holding(_wrong(answer, 1, alphabet))


def unsure(reply: str) -> str:
    """The reply with 0 in its field of confidence or probability, if it has one."""
    return CONFIDENCE.sub(lambda match: f"{match['field']}0", reply)


def _other_values(text: str) -> str:
    """JSON with other values under the same keys; of what does not parse, the values after keys."""
    changed = with_values(text, _other_value)
    return changed or JSON_VALUE.sub(lambda match: shifted(match[0], 1), text)


def _other_value(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case str():
            return _wrong(value, 1)
        case int():
            return int(shifted(str(value), 1))
        case float():
            return value + 1.5
    return value


def among_wrong_answers(reply: str, other: str = "", alphabet: Alphabet = ANY) -> str:
    """The reply between replies with wrong answers of the same form, a line each.

    The first and the last are those of `other`, another task's reply: a verifier that overlooks
    what can be no answer of its tasks must meet one that can. Where there is none, the first is the
    right one with other numbers alone, as its words may belong to the form (`2 from B`).
    A long answer (code, an essay) is no option that could be listed: there it is a wrong one alone.
    """
    marked = find_answer(reply)
    if len(marked.answer) > LONGEST_OPTION or "\n" in marked.answer:
        return other_answer(reply, alphabet)
    if _is_option(marked.answer, alphabet):
        own = marked.answer.strip().upper()
        wrong = [letter for letter in OPTIONS[:5] if letter != own][:WRONG]
    else:
        wrong = [_wrong(marked.answer, step, alphabet) for step in range(1, WRONG + 1)]
        if (answer := find_answer(other).answer) and answer != marked.answer:
            wrong[0] = wrong[-1] = other_values(marked.answer, answer) or answer
        elif FORMED.search(marked.answer):
            wrong[0] = DIGITS.sub(lambda match: shifted(match[0], 1), marked.answer)
    half = WRONG // 2
    answers = [*wrong[:half], marked.answer, *wrong[half:]]
    return "\n".join(marked.holding(answer) for answer in answers)


def _is_option(answer: str, alphabet: Alphabet) -> bool:
    """Whether the answer is the letter of an option, and no code of one letter such as H and T."""
    letter = answer.strip()
    narrow = alphabet.narrow.get("upper" if letter.isupper() else "lower", OPTIONS)
    return letter.upper() in tuple(OPTIONS) and set(narrow.upper()) <= set(OPTIONS)


def _wrong(answer: str, step: int, alphabet: Alphabet = ANY) -> str:
    word = answer.strip().lower()
    if _is_option(answer, alphabet):
        other = OPTIONS[1 if word == "a" else 0]
        return other if answer.isupper() else other.lower()
    if word in OPPOSITES:
        other = OPPOSITES[word]
        return other.upper() if answer.isupper() else other.title() if answer.istitle() else other
    if are_named(answer):
        return ASSIGNED.sub(lambda match: match[1] + shifted(match[2], step), answer)
    if (alphabet.roman or alphabet.covers(answer)) and (other := alphabet.other(answer, step)):
        return other if other != answer else shifted(answer, step)
    return shifted(answer, step)


def shifted(text: str, step: int) -> str:
    """Every letter and digit replaced by another: letters 12 places on and more, digits by 2 to
    8. The first digit of a number is never 0, so that it keeps its length. Hexadecimal codes stay
    such codes."""
    return HEXADECIMAL.sub(
        lambda match: (
            match[1] + "".join(_other(each, step, hexadecimal=True) for each in match[2])
            if match[2]
            else _other(match[0], step)
        ),
        text,
    )


def _other(character: str, step: int, *, hexadecimal: bool = False) -> str:
    if character.isascii() and character.isdigit():
        return str((int(character) - 1 + 2 * step) % 9 + 1)
    if hexadecimal and character in "abcdefABCDEF":
        base = ord("a") if character.islower() else ord("A")
        return chr(base + (ord(character) - base + step) % 6)
    if character.isascii() and character.isalpha():
        base = ord("a") if character.islower() else ord("A")
        return chr(base + (ord(character) - base + 12 + step) % 26)
    if character.isalpha():
        return "x"
    return character
