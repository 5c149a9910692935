"""Other courses of a paid rollout of several turns: a step left out, an early end, answers tried.

Each is the list of replies that a mutant gives in the place of the recorded ones, whatever the
environment sends in between. Pure functions of the recorded rollout.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from envyard.contract.transcript import Transcript, clean_message
from envyard_runner.gateway.courses.call_order import call_order
from envyard_runner.gateway.courses.claimed_lines import echoed, noted, unnoted
from envyard_runner.gateway.courses.corrected_calls import corrected
from envyard_runner.gateway.courses.early_ends import FEWEST_TURNS, declines, leaves, leaving_word
from envyard_runner.gateway.courses.further_calls import further_calls
from envyard_runner.gateway.courses.last_reply_alone import (
    alone,
    claimed,
    misreported,
    reported,
    uncalled,
    unreported,
)
from envyard_runner.gateway.courses.letter_case import letter_case
from envyard_runner.gateway.courses.malformed_calls import malformed
from envyard_runner.gateway.courses.middle_answer import middle
from envyard_runner.gateway.courses.other_arguments import other_argument
from envyard_runner.gateway.courses.overwritten_files import miswritten, overwritten
from envyard_runner.gateway.courses.priced_help import helped
from envyard_runner.gateway.courses.replies_in_turn import (
    Course,
    first_prompts,
    masked,
    recorded_replies,
    values,
    written,
)
from envyard_runner.gateway.courses.to_and_fro import stays, to_and_fro
from envyard_runner.gateway.courses.wanted_numbers import wanted_form
from envyard_runner.gateway.courses.worse_beginnings import begun_worse, missed
from envyard_runner.gateway.courses.written_sources import misset, source_written
from envyard_runner.mutation.answers import find_answer
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.probes import Message
from envyard_runner.probing.sql_calls import sql_tools
from envyard_runner.probing.submitted_answers import results_of
from envyard_runner.probing.tool_schemas import CHANGING, LOOKUP

TRIES = 3  # wrong answers
TRIED = "call_tried"  # with which the ids of such calls begin
LONGEST_ANSWER = 80  # characters of one that is tried
MAX_TOOLS = 2
NUMBER = re.compile(r"-?\d{1,9}")
# What a lookup returns for a key of another task, which is no verdict on an answer.
NO_ENTRY = re.compile(
    r"\bno such\b|\bnot found\b|\bunknown\b|\bthere is no\b|\bdoes not exist\b|"
    r"\bno \w+ (?:called|named|with|'|\"|\.\.\.)|\bnot (?:in|on|part of) (?:this|the)\b",
    re.IGNORECASE,
)
# What a parameter is called that takes a query or an expression, and no answer.
EXPRESSION = re.compile(
    r"sql|query|statement|expression|formula|command|shell|script|regex|keyword|search|url",
    re.IGNORECASE,
)
# A result that says that a call failed, which no judge returns for the right answer.
FAILED = re.compile(
    r"\W{0,5}(?!no[ _])(?:\w{1,30}[ _])?\w{0,30}(?:error|exception)\b|\W{0,5}traceback\b",
    re.IGNORECASE,
)
DIRECTION = re.compile(
    r"\b(?:higher|lower|larger|smaller|bigger|greater|above|below|warmer|colder)\b", re.IGNORECASE
)
ACCEPTING = re.compile(r"<accept\s*/>|<(deal|accept)></\1>|\b(?:ACCEPT|DEAL)\b")


def left_out(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """All but one of the calls that change something, another one in each rollout."""
    replies = recorded_replies(transcript)
    steps = [
        (turn, place)
        for turn, reply in enumerate(replies)
        for place, call in enumerate(reply.get("tool_calls") or ())
        if changes(call)
    ]
    if not steps:
        return None
    turn, place = steps[zlib.crc32(str(replies).encode()) % len(steps)]
    step = replies[turn]["tool_calls"][place]
    kept = [call for at, call in enumerate(replies[turn]["tool_calls"]) if at != place]
    shorter = [{**replies[turn], "tool_calls": kept}] if kept else []
    return Course([*replies[:turn], *shorter, *replies[turn + 1 :]], written(step), "no call")


def accepts(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The first reply, whose numbers are 1 where there is no other, then the words or the tag with
    which the prompt lets a policy take what the other side offers."""
    replies = recorded_replies(transcript)
    if any(reply.get("tool_calls") for reply in replies) or not replies:
        return None
    match = ACCEPTING.search(first_prompts(transcript))
    text = str(replies[0]["content"])
    first = text if len(replies) > 1 else NUMBER.sub("1", text)
    if match is None or match[0] in text or not NUMBER.search(text):
        return None
    messages = [{"role": "assistant", "content": each} for each in (first, match[0])]
    return Course(messages, str(replies[-1]["content"]), f"{first}, then {match[0]}")


def repeats(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The first reply in the place of all others, such as a move that the game allows once."""
    replies = recorded_replies(transcript)
    texts = [str(reply["content"]).strip() for reply in replies]
    has_tools = any(reply.get("tool_calls") for reply in replies)
    if len(replies) < FEWEST_TURNS or has_tools or len({*texts}) == 1:
        return None
    if {*texts[1:]} == {leaving_word(first_prompts(transcript))}:
        return None  # the first one is all that it does
    return Course([replies[0]], texts[1], texts[0])


def tried(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """Wrong answers passed to the tools that take one, then the right one, then the recorded
    replies. `others` are the answers of other tasks."""
    replies = recorded_replies(transcript)
    if not replies or replies[-1].get("tool_calls"):
        return None
    answer = find_answer(plain_text(replies[-1].get("content"))).answer.strip()
    wrong = _wrong_answers(answer, others)
    if not 0 < len(answer) <= LONGEST_ANSWER or len(wrong) < TRIES:
        return None
    calls: list[Message] = []
    for name, parameter, is_number in _tools_for(transcript, answer)[:MAX_TOOLS]:
        for value in (*wrong, answer):
            arguments = json.dumps({parameter: int(value) if is_number else value})
            function = {"name": name, "arguments": arguments}
            calls.append({"id": f"{TRIED}{len(calls)}", "type": "function", "function": function})
    if not calls:
        return None
    first = {"role": "assistant", "content": "", "tool_calls": calls}
    return Course([first, *replies], answer, ", ".join(map(written, calls)))


def judged_tries(messages: Sequence[Message]) -> str:
    """What a tool returned to all wrong answers alike and what to the right one; empty where none
    did so, or where it only lacks an entry for the wrong ones, fails for the right one too, or
    compares as the prompt says (`higher`): such a search is the task. The messages are those of a
    conversation, as the environment sent them."""
    messages = [clean_message(message) for message in messages]
    results = results_of(messages)
    replies = (message for message in messages if message.get("role") == "assistant")
    calls = [call for reply in replies for call in reply.get("tool_calls") or ()]
    calls = [call for call in calls if str(call.get("id")).startswith(TRIED)]
    for start in range(0, len(calls), TRIES + 1):
        group = calls[start : start + TRIES + 1]
        # What repeats the right answer to wrong ones is no verdict on it.
        returned = [
            masked((call, group[-1]), results.get(str(call.get("id")), "")) for call in group
        ]
        wrong, right = {*returned[:-1]}, returned[-1]
        is_verdict = len(wrong) == 1 and not any(map(NO_ENTRY.search, wrong))
        is_verdict = is_verdict and not FAILED.match(right)
        if len(group) > TRIES and is_verdict and "" not in wrong and right not in (*wrong, ""):
            if _is_search(wrong, messages):
                continue
            name = group[0]["function"]["name"]
            return f"{name}: {wrong.pop()[:60]!r} to wrong ones, {right[:60]!r} to the right one"
    return ""


def _is_search(results: Iterable[str], messages: Sequence[Message]) -> bool:
    """Whether a result says in which direction the answer lies, as the prompt announces."""
    prompts = (m for m in messages if m.get("role") in ("system", "developer", "user"))
    announced = " ".join(plain_text(m.get("content")) for m in prompts).casefold()
    words = {match[0].casefold() for text in results for match in DIRECTION.finditer(text)}
    return any(re.search(rf"\b{word}\b", announced) for word in words)


COURSES: dict[str, Callable[[Transcript, Sequence[str]], Course | None]] = {
    "alone": alone,
    "uncalled": uncalled,
    "claimed": claimed,
    "unreported": unreported,
    "reported": reported,
    "misreported": misreported,
    "left_out": left_out,
    "other_argument": lambda transcript, others: other_argument(transcript, others, changes),
    "call_order": call_order,
    "letter_case": letter_case,
    "wanted_form": wanted_form,
    "leaves": leaves,
    "declines": declines,
    "accepts": accepts,
    "repeats": repeats,
    "to_and_fro": to_and_fro,
    "stays": stays,
    "middle": middle,
    "tried": tried,
    "corrected": corrected,
    "malformed": malformed,
    "helped": helped,
    "unnoted": lambda transcript, others: unnoted(transcript, others, changes),
    "noted": lambda transcript, others: noted(transcript, others, changes),
    "echoed": echoed,
    "miswritten": lambda transcript, others: miswritten(transcript, others, changes),
    "overwritten": lambda transcript, others: overwritten(transcript, others, changes),
    "misset": lambda transcript, others: misset(transcript, others, changes),
    "source_written": lambda transcript, others: source_written(transcript, others, changes),
    "missed": missed,
    "begun_worse": begun_worse,
    "further_calls": lambda transcript, others: further_calls(transcript, others, changes),
}


def changes(call: Any) -> bool:
    """Whether a call changes something, by its tool's name. A sum of numbers changes nothing."""
    function = call.get("function") or {}
    name = str(function.get("name"))
    if not CHANGING.match(name):
        return False
    return not name.casefold().startswith("add") or '"' in values(function)


def _wrong_answers(answer: str, others: Sequence[str]) -> list[str]:
    """Answers of other tasks, for which a lookup returns as much as for the right one; of numbers
    also others, where there are too few."""
    known = [other.strip() for other in dict.fromkeys(others)]
    wrong = [other for other in known if other and other.casefold() != answer.casefold()]
    if NUMBER.fullmatch(answer):
        wrong = [other for other in wrong if NUMBER.fullmatch(other)]
        wrong += [str(int(answer) + step) for step in (1, 2, 5)]
    return list(dict.fromkeys(wrong))[:TRIES]


def _tools_for(transcript: Transcript, answer: str) -> list[tuple[str, str, bool]]:
    """Name and parameter of the tools that take one value, which may be this answer, and whether
    that is a number; of those that execute queries or look something up, none."""
    place = transcript.calls[0].tools
    offered = transcript.tools[place] if place >= 0 else []
    no_judges = {name for name, _ in sql_tools(offered)}
    tools = []
    for tool in offered:
        function = tool.get("function")
        parameters = function.get("parameters") if isinstance(function, dict) else None
        fields = parameters.get("properties") if isinstance(parameters, dict) else None
        if not isinstance(function, dict) or not isinstance(fields, dict) or len(fields) != 1:
            continue
        ((parameter, schema),) = fields.items()
        name = str(function.get("name"))
        if name in no_judges or LOOKUP.match(name) or EXPRESSION.search(str(parameter)):
            continue
        kind = schema.get("type") if isinstance(schema, dict) else None
        is_number = kind in ("integer", "number")
        if (is_number and NUMBER.fullmatch(answer)) or kind == "string":
            tools.append((name, parameter, is_number))
    return tools
