"""One rollout's recorded replies, handed out again to who plays it a second time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
from envyard_runner.gateway.probes import plain
from envyard_runner.gateway.reply import Refusal, Reply

ASKED_CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class Take:
    """One recorded call: marks of what it asked, message by message, and what was replied."""

    messages: tuple[bytes, ...]
    tools: bytes
    exchange: Exchange
    reply: Message


class Tape:
    """The calls of one transcript that were not asked for again yet.

    `diverged` is the number of the first call, from 1, that asked something else than what was
    recorded, 0 while none did; `asked` says what.
    """

    def __init__(self, told: Transcript) -> None:
        self.diverged = 0
        self.asked = ""
        self._calls = 0
        marks = [_message_mark(node.message) for node in told.nodes]
        offers = [_mark(tools) for tools in told.tools]
        self._left = [
            Take(
                tuple(marks[at] for at in told.path(call.asked)),
                offers[call.tools] if call.tools >= 0 else b"",
                call,
                told.nodes[call.reply].message,
            )
            for call in told.calls
        ]

    def answer(self, call: Call) -> Reply:
        """The reply to the same question, whatever came before it; else to the likest one.

        So calls that were made side by side may come in another order. Raises Refusal 400, as for
        a spent budget, where more is asked than was recorded.
        """
        self._calls += 1
        messages = tuple(_message_mark(clean_message(message)) for message in call.messages)
        tools = _mark(clean_tools(call.tools)) if call.tools else b""
        if not self._left:
            recorded = self._calls - 1
            self._diverge(f"one call more than the {recorded} recorded: {_last(call.messages)}")
            raise Refusal(400, "rollout_budget_exhausted", f"this rollout has used its {recorded}")
        take = max(self._left, key=lambda one: _likeness(one, messages, tools))
        self._left.remove(take)
        if take.messages != messages:
            self._diverge(_last(call.messages))
        elif take.tools != tools:
            self._diverge("the same with other tools on offer")
        return _reply(take)

    def end(self) -> None:
        """No call follows: what was not asked for again is a difference too."""
        if self._left:
            total = self._calls + len(self._left)
            self._diverge(
                f"nothing: it ended after {self._calls} of {total} calls", self._calls + 1
            )

    def _diverge(self, asked: str, call: int = 0) -> None:
        if not self.diverged:
            self.diverged, self.asked = call or self._calls, asked


def _reply(take: Take) -> Reply:
    calls = take.reply.get("tool_calls") or []
    fields, reasoning = set(take.exchange.reply_fields), take.reply.get(REASONING[0], "")
    return Reply(
        content=[take.reply["content"]],
        tool_calls=dict(enumerate(calls)),
        finish_reason=take.exchange.finish_reason,
        prompt_tokens=take.exchange.prompt_tokens,
        completion_tokens=take.exchange.completion_tokens,
        reasoning={name: [reasoning] for name in fields if name in REASONING},
        fields=fields,
    )


def _likeness(take: Take, messages: tuple[bytes, ...], tools: bytes) -> tuple[bool, bool, int]:
    same = take.messages == messages
    return same, same and take.tools == tools, _shared(take.messages, messages)


def _shared(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    """How many messages both begin with."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _message_mark(message: Message) -> bytes:
    """Alike with and without reasoning, as in the record."""
    return _mark(without_reasoning(message))


def _mark(value: Any) -> bytes:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).digest()


def _last(messages: Sequence[Message]) -> str:
    """The end of a conversation in a few words."""
    last = messages[-1]
    return f"{last['role']}: {text(plain(last.get('content')), ASKED_CHARACTERS)}"
