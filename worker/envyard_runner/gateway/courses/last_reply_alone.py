"""The last reply of a rollout without the calls before it, where these only looked something up.

A verifier that pays this reply alone, and also the calls without it, searches all messages: the
result of a tool then counts as the policy's answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.replies_in_turn import (
    Course,
    first_prompts,
    recorded_replies,
    written,
)
from envyard_runner.mutation.answers import FENCE, find_answer
from envyard_runner.mutation.records import is_object
from envyard_runner.mutation.wrong_answers import OPPOSITES
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.probes import Message
from envyard_runner.probing.submitted_answers import arguments_of, calls_of

# Where the policy is to report what it did, such as the titles that it looked up.
REPORTED = re.compile(
    r"\b(?:that|which|what|whose|(?!unless\b|always\b)\w{2,30}s)"
    r" (?:\w+ ){0,2}?you (?:have |had |actually )?"
    r"(?:looked up|consulted|read|used|checked|called|searched|visited|opened|measured|queried"
    r"|inspected|examined|ran|tested|took|cited)\b",
    re.IGNORECASE,
)
# Where it is to report values that tools return.
VALUES_REPORTED = re.compile(
    r"\b(?:rates?|values?|readings?|figures?|prices?|numbers?|amounts?|measurements?|counts?|dates?)"
    r" (?:that )?(?:\w+ ){0,2}?you (?:have |had )?"
    r"(?:found|read|got|measured|obtained|retrieved|looked up|received)\b",
    re.IGNORECASE,
)
NUMBER = re.compile(r"(?<![\w.])\d{1,9}(?![\w.]*\w)")
MOST_CLAIMS = 20  # calls that a reply claims, and arguments that it reports
SHORTEST, LONGEST = 2, 200  # characters of an answer; a shorter one is in a result by chance


def uncalled(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The last reply alone, whatever the calls before it did."""
    *earlier, last = recorded_replies(transcript) or [{}]
    if last.get("tool_calls") or not any(True for _ in calls_of(earlier)):
        return None
    return Course([last], plain_text(last.get("content")), "no call")


def reported(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The last reply alone, where the prompt wants it to report what the policy did."""
    course = uncalled(transcript, others)
    if course is None or not REPORTED.search(first_prompts(transcript)):
        return None
    return Course(course.replies, course.before, f"{course.before}, without the calls")


def unreported(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """All replies, the last one cut to the line of its answer; where that has no mark, without the
    lines that name what the calls looked up. None where the answer is no line."""
    replies = recorded_replies(transcript)
    values = VALUES_REPORTED.search(first_prompts(transcript))
    if reported(transcript, others) is None and (not values or uncalled(transcript, ()) is None):
        return None
    text = plain_text(replies[-1].get("content")).strip()
    lines = _lines(text, replies)
    kept = "\n".join(line for line, is_report in lines if not is_report)
    last = {"role": "assistant", "content": kept}
    return Course([*replies[:-1], last], text, kept) if kept.strip() and kept != text else None


def _lines(text: str, replies: Sequence[Message]) -> list[tuple[str, bool]]:
    """The lines of a last reply, and whether each is no line of the answer; where that has no mark,
    whether it names what the calls looked up. None where the answer is no line."""
    marked = find_answer(text)
    is_marked = marked.answer != text
    if is_object(text) or FENCE in text or (is_marked and "\n" in marked.answer.strip()):
        return []
    lines = text.split("\n")
    if is_marked:
        place = marked.before.count("\n")
        return [(line, at != place) for at, line in enumerate(lines)]
    given = [str(each) for call in calls_of(replies) for each in arguments_of(call).values()]
    given = [each for each in given if SHORTEST <= len(each) <= LONGEST][:MOST_CLAIMS]
    named = "|".join(map(re.escape, given))
    report = re.compile(rf"(?<!\w)(?:{named or '(?!)'})(?!\w)")
    counts = [len({*report.findall(line)}) for line in lines]
    # Where the answer is some of what was looked up, the report names more of it.
    fewest = max(counts) if all(map(bool, counts)) and min(counts) < max(counts) else 1
    return [(line, count >= fewest) for line, count in zip(lines, counts, strict=True)]


def misreported(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """All replies, the last one with other numbers in its report, in the place of those that tools
    returned and the prompt does not have, where it is to report such values."""
    replies, prompt = recorded_replies(transcript), first_prompts(transcript)
    if uncalled(transcript, others) is None or not VALUES_REPORTED.search(prompt):
        return None
    text = plain_text(replies[-1].get("content")).strip()
    results = "\n".join(
        plain_text(node.message.get("content"))
        for node in transcript.nodes
        if node.message.get("role") == "tool"
    )
    returned = {*NUMBER.findall(results)} - {*NUMBER.findall(prompt)}

    def other(match: re.Match[str]) -> str:
        return str(int(match[0]) + 1) if match[0] in returned else match[0]

    lines = _lines(text, replies)
    changed = "\n".join(NUMBER.sub(other, line) if is_report else line for line, is_report in lines)
    if not changed or changed == text:
        return None
    last = {"role": "assistant", "content": changed}
    return Course([*replies[:-1], last], text, changed)


def claimed(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The last reply alone, behind the calls before it as text."""
    *earlier, last = recorded_replies(transcript) or [{}]
    calls = [*calls_of(earlier)]
    if last.get("tool_calls") or not calls:
        return None
    text = plain_text(last.get("content"))
    claims = "\n".join(map(written, calls[:MOST_CLAIMS]))
    return Course([{"role": "assistant", "content": f"{claims}\n{text}"}], text, claims)


def are_only_claimed(transcript: Transcript, messages: Sequence[Message]) -> bool:
    """Whether no message of a conversation has what a call returned in the recorded rollout: an
    environment that reads calls from texts makes them."""
    recorded = (node.message for node in transcript.nodes if node.message.get("role") == "tool")
    results = {plain_text(message.get("content")).strip() for message in recorded} - {""}
    behind = dropwhile(lambda message: message.get("role") != "assistant", messages)
    sent = [plain_text(m.get("content")) for m in behind if m.get("role") != "assistant"]
    return not any(result in text for result in results for text in sent)


def alone(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The last reply alone; None where no tool's result holds its answer, or a call or an earlier
    reply gives it, because that may rightly be paid."""
    *earlier, last = recorded_replies(transcript) or [{}]
    answer = find_answer(plain_text(last.get("content"))).answer.strip()
    searched = SHORTEST <= len(answer) <= LONGEST and answer.casefold() not in OPPOSITES
    if last.get("tool_calls") or not earlier or not searched:
        return None
    whole = re.compile(rf"(?<!\w){re.escape(answer)}(?!\w)", re.IGNORECASE)
    results = [
        plain_text(node.message.get("content"))
        for node in transcript.nodes
        if node.message.get("role") == "tool"
    ]
    given = [str([*arguments_of(call).values()]) for call in calls_of(earlier)]
    given += [plain_text(reply.get("content")) for reply in earlier]
    if any(map(whole.search, given)) or not any(map(whole.search, results)):
        return None
    return Course([last], answer, "the last reply alone")
