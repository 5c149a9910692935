"""The replies that a mutant of a rollout of several turns gives in turn."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from envyard.contract.transcript import Transcript
from envyard_runner.gateway import openai
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.probes import Message

LONGEST_REPLY = 1 << 20  # tokens


@dataclass(frozen=True, slots=True)
class Course:
    """The replies, and what they are in words, before the change and after it."""

    replies: Sequence[Message]
    before: str
    after: str


class OtherCourse:
    """Gives the `replies` of a course in turn, then the last one again.

    `messages` are those of the last call: the whole conversation so far.
    """

    def __init__(self, replies: Sequence[Message]) -> None:
        self.diverged, self.difference, self.changed = 0, "", b""
        self.messages: Sequence[Message] = ()
        self.replies = tuple(replies)
        self._left = list(replies)

    def answer(self, call: Call) -> Reply:
        """The next reply."""
        self.messages = call.messages
        message = self._left.pop(0) if len(self._left) > 1 else self._left[0]
        return openai.scripted(message, call, LONGEST_REPLY)

    def end(self) -> None:
        """Another course may rightly change the conversation."""


def recorded_replies(transcript: Transcript) -> list[Message]:
    """The replies of a rollout, in order."""
    return [transcript.nodes[call.reply].message for call in transcript.calls if call.reply >= 0]


def first_prompts(transcript: Transcript) -> str:
    """What the policy reads before its first reply."""
    sent = transcript.path(transcript.calls[0].asked)
    return "\n".join(plain_text(transcript.nodes[at].message.get("content")) for at in sent)


def written(call: Message) -> str:
    """A call as `name(arguments)`."""
    function = call["function"]
    return f"{function.get('name')}({values(function)[1:-1]})"


def masked(calls: Sequence[Message], result: str) -> str:
    """A result without the values that the calls gave."""
    for call in calls:
        if given := values(call["function"])[1:-1].strip('"'):
            result = re.sub(rf"(?<!\w){re.escape(given)}(?!\w)", "...", result)
    return result


def values(function: Message) -> str:
    """The arguments of a call as a list in JSON; empty where they are no object."""
    try:
        given = json.loads(str(function.get("arguments")))
    except (ValueError, RecursionError):
        return ""
    return json.dumps([*given.values()]) if isinstance(given, dict) else ""
