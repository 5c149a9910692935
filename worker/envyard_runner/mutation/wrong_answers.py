"""Wrong answers of the form of the right one: in its place, and on lines around it."""

from __future__ import annotations

import re
from typing import Any

from envyard_runner.mutation.alphabets import ANY, Alphabet
from envyard_runner.mutation.answers import fenced_object, find_answer
from envyard_runner.mutation.pairs import are_named, other_values
from envyard_runner.mutation.records import is_object, with_tags, with_values

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
LONGEST_OPTION = 200  # characters
COMMAND = re.compile(r"<[A-Za-z_]\w{0,30}\s?/>")
FORMED = re.compile(r"(?<!\w)\d+ (?=[^\W\d_]{2,}(?!\w))|(?<!\w)[^\W\d_]{2,} (?=\d+(?!\w))")
DIGITS = re.compile(r"\d+")
WRONG = 4  # answers around the right one


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


def among_wrong_answers(
    reply: str, other: str = "", alphabet: Alphabet = ANY, prompt: str = ""
) -> str:
    """The reply between replies with wrong answers of the same form, a line each.

    The first and the last are those of `other`, another task's reply: a verifier that overlooks
    what can be no answer of its tasks must meet one that can. Where there is none, the first is the
    right one with other numbers alone, as its words may belong to the form (`2 from B`). Beside a
    command such as `<ride/>` stand the others of the prompt, since an unknown one is no answer.
    A long answer (code, an essay) is no option that could be listed: there it is a wrong one alone.
    """
    if COMMAND.fullmatch(reply.strip()):
        others = [each for each in COMMAND.findall(prompt) if each.lower() != reply.strip().lower()]
        return "\n".join([*others, reply, *others]) if others else other_answer(reply, alphabet)
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
