"""All replies of a rollout in another letter case, where the prompt leaves it open or lists the
words in that case."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.replies_in_turn import Course, first_prompts, recorded_replies
from envyard_runner.mutation.answers import find_answer
from envyard_runner.mutation.lists import LISTED_WORD
from envyard_runner.probing.chat_text import plain_text

WORDS = re.compile(r"[^\W\d_]{2,30}(?:(?: |, ?|; ?|\n)[^\W\d_]{2,30}){0,40}")
WORD = re.compile(r"[^\W\d_]{2,30}")
LONGEST = 20_000  # characters of a prompt
# What a prompt says of the case of a reply, and how near to that a word about replies stands.
CASE_FREE = re.compile(
    r"\bin capitals or not\b|\bcapitali[sz]ed or not\b|\bwith or without capitals\b"
    r"|\b(?:upper[- ]?(?:case)? or (?:in )?lower|lower[- ]?(?:case)? or (?:in )?upper)[- ]?case\b"
    r"(?![^.\n]{0,60}\?)|\bcase[- ]insensitiv"
    r"|\b(?:letter case|case|capitals|capital letters|capitali[sz]ation|upper and lower case)"
    r" (?:do not|does not|don't|doesn't) matter\b"
    r"|\b(?:letter case|capitali[sz]ation|case) is (?:ignored|irrelevant|free|up to you)\b",
    re.IGNORECASE,
)
NEAR = 160  # characters
REPLYING = re.compile(
    r"\b(?:write|writing|repl(?:y|ies)|answers?|guess(?:es)?|type|tag|play|send|enter|moves?|say)\b",
    re.IGNORECASE,
)
# Tasks in which the case may be part of the question.
OF_CASE = re.compile(
    r"\b(?:sort|alphabet|regex|cipher|encrypt|decrypt|decod|encod|convert|password|copy|copied|"
    r"verbatim|preserv|acronym|ignoring case|(?:starts?|begins?|starting|beginning) with)"
    r"|\bcase[- ]sensitiv|\bas (?:written|given|shown|printed)\b",
    re.IGNORECASE,
)
ONE_CASE = re.compile(r"\b(?:in|all|only) (?:lower|upper)[- ]?case\b(?! or\b)", re.IGNORECASE)
CASE_WANTED = re.compile(
    r"\blower[- ]?case|\bupper[- ]?case|\bsmall letters|\bcapital|\bexact", re.IGNORECASE
)
FEWEST_LISTED = 3  # words of one case
Case = Callable[[str], str]
CASES: tuple[Case, ...] = (str.lower, str.upper, str.capitalize)


def letter_case(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The words of each reply in another case; None where the prompt may want theirs, or a reply
    holds more than words."""
    replies = recorded_replies(transcript)
    prompt = first_prompts(transcript)[:LONGEST]
    texts = [plain_text(reply.get("content")) for reply in replies]
    if not texts or any(reply.get("tool_calls") for reply in replies) or OF_CASE.search(prompt):
        return None
    if ONE_CASE.search(prompt):
        return None
    marked = [find_answer(text) for text in texts]
    answers = [each.answer.strip() for each in marked]
    if not all(map(WORDS.fullmatch, answers)):
        return None
    change = _other_case(answers, prompt)
    if change is None:
        return None
    messages = [
        {**reply, "content": each.holding(WORD.sub(lambda match: change(match[0]), each.answer))}
        for reply, each in zip(replies, marked, strict=True)
    ]
    return Course(messages, answers[-1], WORD.sub(lambda match: change(match[0]), answers[-1]))


def _other_case(answers: Sequence[str], prompt: str) -> Case | None:
    """What gives a word the case in which the prompt lists it, else another case where any is
    right."""
    words = {word for answer in answers for word in WORD.findall(answer)}
    case = next((each for each in CASES if all(each(word) == word for word in words)), None)
    if case is None or any(word.upper().lower() != word.lower() for word in words):
        return None
    free = _leaves_case_open(prompt)
    if not free and CASE_WANTED.search(prompt):
        return None
    others = (other for other in CASES if other is not case)
    listed = (other for other in others if _lists(words, (case, other), prompt, alone=not free))
    opposite = str.lower if case is str.upper else str.upper
    return next(listed, opposite if free else None)


def _leaves_case_open(prompt: str) -> bool:
    """Whether a sentence says that the case of replies does not matter."""
    return any(
        REPLYING.search(prompt[max(0, match.start() - NEAR) : match.end() + NEAR])
        for match in CASE_FREE.finditer(prompt)
    )


def _lists(words: set[str], cases: tuple[Case, Case], prompt: str, *, alone: bool) -> bool:
    """Whether the prompt lists all these words and others in the second case, and shows none of the
    words in the first, their own; `alone`: none of the others either, as an example may."""
    own, other = cases
    listed = {word for word in LISTED_WORD.findall(prompt) if other(word) == word}
    shown = {own(word) for word in listed} if alone else words
    wanted = {other(word) for word in words}
    return (
        len(listed) >= FEWEST_LISTED and wanted <= listed and shown.isdisjoint(WORD.findall(prompt))
    )
