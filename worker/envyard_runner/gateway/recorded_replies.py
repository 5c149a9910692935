"""Repeat one rollout's recorded replies to its replay."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from envyard.contract.transcript import (
    REASONING,
    Exchange,
    Message,
    Transcript,
    clean_message,
    clean_tools,
    without_reasoning,
)
from envyard.contract.values import text
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Refusal, Reply
from envyard_runner.probing.chat_text import plain_text

SHOWN_CHARACTERS = 160


class RepeatedReplies(Protocol):
    """What answers the policy's calls of a rollout that is played again."""

    diverged: int
    difference: str
    changed: bytes

    def answer(self, call: Call) -> Reply:
        """The reply; raises Refusal."""
        ...

    def end(self) -> None:
        """End the rollout."""
        ...


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One recorded call: a digest of each message that it sent, its tools, and the reply."""

    messages: tuple[bytes, ...]
    tools: bytes
    exchange: Exchange
    reply: Message


class RecordedReplies:
    """The recorded calls of one transcript that the replay has not repeated yet.

    `diverged` is the number of the first call, from 1, that differed from the recorded one, 0 while
    none did; `difference` describes it, and `changed` is a digest of its messages.
    """

    def __init__(self, transcript: Transcript) -> None:
        self.diverged = 0
        self.difference = ""
        self.changed = b""
        self._calls = 0
        digests = [_message_digest(node.message) for node in transcript.nodes]
        tool_digests = [_digest(tools) for tools in transcript.tools]
        self._left = [
            RecordedCall(
                tuple(digests[at] for at in transcript.path(call.asked)),
                tool_digests[call.tools] if call.tools >= 0 else b"",
                call,
                transcript.nodes[call.reply].message,
            )
            for call in transcript.calls
        ]

    def answer(self, call: Call) -> Reply:
        """The reply to the same messages, whatever came before them; else to the most similar ones.

        So concurrent calls may come in another order. Raises Refusal 400, as for a spent budget, if
        more calls are made than were recorded.
        """
        self._calls += 1
        messages = tuple(_message_digest(clean_message(message)) for message in call.messages)
        tools = _digest(clean_tools(call.tools)) if call.tools else b""
        if not self._left:
            recorded = self._calls - 1
            self._diverge(
                f"one call more than the {recorded} recorded: {_describe_last(call.messages)}"
            )
            raise Refusal(400, "rollout_budget_exhausted", f"this rollout has used its {recorded}")
        best = max(self._left, key=lambda candidate: _similarity(candidate, messages, tools))
        self._left.remove(best)
        if best.messages != messages:
            self._diverge(_describe_last(call.messages), changed=b"".join(messages))
        elif best.tools != tools:
            self._diverge("the same with other tools on offer")
        return _reply(best)

    def end(self) -> None:
        """End the replay: recorded calls that it did not repeat are a difference too."""
        if self._left:
            total = self._calls + len(self._left)
            self._diverge(
                f"nothing: it ended after {self._calls} of {total} calls", self._calls + 1
            )

    def _diverge(self, difference: str, call: int = 0, changed: bytes = b"") -> None:
        if not self.diverged:
            self.diverged, self.difference = call or self._calls, difference
            self.changed = hashlib.sha256(changed).digest() if changed else b""


def _reply(recorded: RecordedCall) -> Reply:
    calls = recorded.reply.get("tool_calls") or []
    fields, reasoning = set(recorded.exchange.reply_fields), recorded.reply.get(REASONING[0], "")
    return Reply(
        content=[recorded.reply["content"]],
        tool_calls=dict(enumerate(calls)),
        finish_reason=recorded.exchange.finish_reason,
        prompt_tokens=recorded.exchange.prompt_tokens,
        completion_tokens=recorded.exchange.completion_tokens,
        reasoning={name: [reasoning] for name in fields if name in REASONING},
        fields=fields,
    )


def _similarity(
    recorded: RecordedCall, messages: tuple[bytes, ...], tools: bytes
) -> tuple[bool, bool, int]:
    same = recorded.messages == messages
    return same, same and recorded.tools == tools, _common_prefix(recorded.messages, messages)


def _common_prefix(first: Sequence[bytes], second: Sequence[bytes]) -> int:
    """How many messages both begin with."""
    pairs = zip(first, second, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def _message_digest(message: Message) -> bytes:
    """Alike with and without reasoning, as in the record."""
    return _digest(without_reasoning(message))


def _digest(value: Any) -> bytes:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).digest()


def _describe_last(messages: Sequence[Message]) -> str:
    """The end of a conversation in a few words."""
    last = messages[-1]
    return f"{last['role']}: {text(plain_text(last.get('content')), SHOWN_CHARACTERS)}"
