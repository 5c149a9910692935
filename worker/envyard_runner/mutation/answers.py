"""Find the answer in a reply, and what surrounds it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import islice

from envyard_runner.mutation.forms import SURE_NAMES, parsed
from envyard_runner.mutation.pairs import are_named
from envyard_runner.mutation.records import (
    data_names,
    is_object,
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
