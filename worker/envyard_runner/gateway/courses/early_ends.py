"""Early ends of a paid rollout, with the words that its prompt gives to a policy that leaves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.replies_in_turn import Course, first_prompts, recorded_replies

FEWEST_TURNS = 3  # of a rollout that may end early: the first move may win a shorter one
PLACEHOLDER = re.compile(r"\.\.\.|[<{\u2026]")  # of an answer that is to be filled in
ENDS = (
    r"(?:leave|stop|quit|end|finish|exit|give up|give in|resign|surrender|retire|cash out|"
    r"walk away|be done|bow out)"
)
SAYS = r"(?:write|say|reply|respond|send|type|answer|enter|use|call|output)(?: with)?"
WORD = (
    r"(?:the words? |just |only )?"
    r"(`[^`\n]{2,30}`|\"[^\"\n]{2,30}\"|'[^'\n]{2,30}'|[A-Z]{3,20}\b|<[a-z_]{3,20}\s*/>)"
)
LEAVING = (
    re.compile(rf"\b(?i:{ENDS}\b[^.\n]{{0,60}}?\b{SAYS}) {WORD}"),
    re.compile(rf"\b(?i:{SAYS}) {WORD}(?i:[^.\n]{{0,40}}?\b(?:to|and) {ENDS}\b)"),
)
# Words that give up, which never are what a rollout of one turn is to reply; and a prompt of turns.
GIVES_UP = re.compile(
    r"stop|quit|give|resign|surrender|leave|forfeit|retire|abort|pass\b", re.IGNORECASE
)
LONGEST_END = 24  # characters of a last reply that ends a rollout, such as DONE
FINISHES = re.compile(
    rf"\b(?:{ENDS}|finish\w*|end(?:s|ing)?|complet\w+|submit\w*|close\w*)\b", re.IGNORECASE
)
IN_TURNS = re.compile(r"\b(?:each|every|per|one|a) (?:turn|round|move|step|guess)", re.IGNORECASE)


def leaves(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The first reply, then the words with which the prompt lets a policy end; None where the
    reference does so."""
    replies = recorded_replies(transcript)
    if len(replies) < FEWEST_TURNS or replies[0].get("tool_calls"):
        return None
    prompt = first_prompts(transcript)
    word = leaving_word(prompt) or _own_end(prompt, replies)
    last, second = {"role": "assistant", "content": word}, str(replies[1]["content"])
    return Course([replies[0], last], second, word) if word and word not in second else None


def declines(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The words with which the prompt lets a policy end, at once; None where the reference does
    so."""
    replies, prompt = recorded_replies(transcript), first_prompts(transcript)
    word = leaving_word(prompt) or _own_end(prompt, replies) if replies else ""
    if len(replies) < FEWEST_TURNS and not (GIVES_UP.search(word) and IN_TURNS.search(prompt)):
        return None
    last = {"role": "assistant", "content": word}
    before = str(replies[0]["content"]) if replies else ""
    return Course([last], before, word) if word and word not in before else None


def _own_end(prompt: str, replies: Sequence[dict[str, Any]]) -> str:
    """The reference's own last reply, where the prompt explains it in a line that begins with it,
    such as `DONE  finish the job`, and no other reply of the reference has it; else empty."""
    last = str(replies[-1].get("content") or "").strip()
    if not 2 <= len(last) <= LONGEST_END or re.search(r"[\d\n]", last) or PLACEHOLDER.search(last):
        return ""
    line = re.search(
        rf"^[^\w\n]{{0,6}}{re.escape(last)}(?!\w)([^\n]{{1,200}})$", prompt, re.MULTILINE
    )
    alone = all(last not in str(reply.get("content")) for reply in replies[:-1])
    return last if line and alone and FINISHES.search(line[1]) else ""


def leaving_word(prompt: str) -> str:
    """The words with which a prompt lets a policy end; empty where it names none."""
    for pattern in LEAVING:
        if (match := pattern.search(prompt)) and not PLACEHOLDER.search(match[1].strip("`\"'</>")):
            return match[1].strip("`\"'")
    return ""
