"""The answer that a policy's last reply gives, in one form for equal answers. Pure functions."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation

from envyard.contract.transcript import Transcript
from envyard.contract.values import content_text

MAX_REPLY = 20_000  # characters, from the end
MAX_ANSWER = 100
SHORT_LINE, SHORT_WORDS = 40, 6
THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
OPENED = re.compile(r"<answer>", re.IGNORECASE)
CLOSED = re.compile(r"</answer>", re.IGNORECASE)
LABEL = re.compile(
    r"^[ \t*_#>]*(?:(?:the )?final )?answer[*_]*(?: is)?[ \t]*[:=][*_]*(.+)$",
    re.IGNORECASE | re.MULTILINE,
)
FENCE = re.compile(r"^[ \t]*```", re.MULTILINE)
EDGES = " \t\r\n*_`$\"'"
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
NUMBER = re.compile(r"[-+]?\d{1,30}(?:\.\d{1,30})?")


def final_answer(reply: str) -> str:
    """The normalised answer: of the last `\\boxed{}`, else of the last answer tag, else of the last
    line `Answer:`, else the last line where that is short and no code; empty for none."""
    text = THOUGHT.sub("", reply)[-MAX_REPLY:]
    labels = LABEL.findall(text)
    given = _boxed(text)
    given = _tagged(text) if given is None else given
    if given is None:
        given = labels[-1] if labels else _short_line(text)
    return normalised(given or "")


def answer_of(transcript: Transcript) -> str:
    """The normalised answer of the last call's reply; empty where there is none."""
    reply = transcript.calls[-1].reply if transcript.calls else -1
    if not 0 <= reply < len(transcript.nodes):
        return ""
    return final_answer(content_text(transcript.nodes[reply].message.get("content")))


def normalised(answer: str) -> str:
    """The answer without case, emphasis, final stops, repeated white space and separators of
    thousands; numbers of equal value are equal. Empty for more than MAX_ANSWER characters."""
    text = " ".join(unicodedata.normalize("NFKC", answer).casefold().split())
    text = text.strip(EDGES).rstrip(".").strip(EDGES)
    text = THOUSANDS.sub("", text)
    if NUMBER.fullmatch(text):
        text = _number(text)
    return text if len(text) <= MAX_ANSWER else ""


def _number(text: str) -> str:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return text
    plain = f"{value:f}"
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return "0" if value == 0 else plain.removeprefix("+")


def _boxed(text: str) -> str | None:
    """The content of the last `\\boxed{`, empty where that is not closed; None without one."""
    start = text.rfind("\\boxed{")
    if start < 0:
        return None
    begin, depth = start + len("\\boxed{"), 1
    for place in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[begin:place]
    return ""


def _tagged(text: str) -> str | None:
    """The content of the last answer tag, empty where that is not closed; None without one."""
    opened = [match.end() for match in OPENED.finditer(text)]
    if not opened:
        return None
    closed = CLOSED.search(text, opened[-1])
    return text[opened[-1] : closed.start()] if closed else ""


def _short_line(text: str) -> str:
    """The last line after all blocks of code, where it has few words."""
    fences = [match.end() for match in FENCE.finditer(text)]
    if len(fences) % 2:
        return ""
    lines = [line.strip() for line in text[fences[-1] if fences else 0 :].splitlines()]
    lines = [line for line in lines if any(character.isalnum() for character in line)]
    if not lines or len(lines[-1]) > SHORT_LINE or len(lines[-1].split()) > SHORT_WORDS:
        return ""
    return lines[-1]
