"""The answer's number in the form that a prompt wants, also where a tool takes the answer or a
later message asks for it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.replies_in_turn import Course, recorded_replies
from envyard_runner.mutation.answers import find_answer
from envyard_runner.mutation.written_numbers import in_wanted_form
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.probes import Message
from envyard_runner.probing.submitted_answers import arguments_of
from envyard_runner.probing.tool_schemas import LOOKUP

OWN = ("system", "developer", "user")


def wanted_form(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The recorded replies with the number of the last one, or of the last call where that
    submits the answer, in the form that the messages want."""
    replies = recorded_replies(transcript)
    if not replies:
        return None
    sent = [transcript.nodes[at].message for at in transcript.path(transcript.calls[-1].asked)]
    prompts = _texts(sent, OWN)
    results = _texts(sent, ("tool",))
    marked = find_answer(plain_text(replies[-1].get("content")))
    after = in_wanted_form(marked.answer, prompts, results)
    if after is not None and not replies[-1].get("tool_calls"):
        last = {**replies[-1], "content": marked.holding(after)}
        return Course([*replies[:-1], last], marked.answer, after)
    return _submitted(replies, prompts, results)


def _submitted(replies: list[Message], prompts: str, results: str) -> Course | None:
    """The last call with its only number as a text in that form."""
    turns = [turn for turn, reply in enumerate(replies) if reply.get("tool_calls")]
    if not turns:
        return None
    turn = turns[-1]
    *calls, call = replies[turn]["tool_calls"]
    given = arguments_of(call)
    texts = [name for name, value in given.items() if isinstance(value, str)]
    if LOOKUP.match(str(call["function"].get("name"))) or len(given) != 1 or len(texts) != 1:
        return None
    (name,) = texts
    after = in_wanted_form(given[name], prompts, results)
    if after is None:
        return None
    function = {**call["function"], "arguments": json.dumps({name: after})}
    changed = {**replies[turn], "tool_calls": [*calls, {**call, "function": function}]}
    return Course([*replies[:turn], changed, *replies[turn + 1 :]], given[name], after)


def _texts(messages: Sequence[Message], roles: Sequence[str]) -> str:
    return "\n".join(plain_text(m.get("content")) for m in messages if m.get("role") in roles)
