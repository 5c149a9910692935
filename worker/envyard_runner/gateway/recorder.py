"""Writes one rollout's transcript as its calls come, within a bound and without secrets."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from envyard.contract.transcript import (
    REASONING,
    Exchange,
    Node,
    Transcript,
    clean_message,
    clean_options,
    clean_tools,
    reasoning_of,
    without_reasoning,
)
from envyard.contract.values import CUT, text
from envyard_runner.gateway.openai import encode_json, parse_json
from envyard_runner.probing.probes import Message

REPLIES_SHARE = 4  # a quarter of the room is kept for replies: no prompt can crowd them out
BESIDE = 48  # bytes of a node beside its message
SHORTEST = 100  # characters; a text is not cut below this
SECRET_CHARACTERS = 8  # what is shorter is a placeholder such as "EMPTY", and part of common words


class Recorder:
    """One transcript under construction: `room` bytes of JSON, `secrets` never among them.

    A message is found again by its content, so that a call costs what it adds: a message equal to
    the one recorded after the same messages is compared with that and not processed further. Most
    environments send a reply back without its reasoning: that is the reply's node all the same, and
    no branch.
    """

    def __init__(self, room: int, secrets: Sequence[str] = ()) -> None:
        self.transcript = Transcript()
        self._room, self._for_replies = room, room // REPLIES_SHARE
        self._secrets = [s for s in secrets if len(s) >= SECRET_CHARACTERS]
        self._nodes: dict[tuple[int, bytes], int] = {}
        self._without_reasoning: dict[tuple[int, bytes], int] = {}
        self._latest: dict[int, int] = {}
        self._sets: dict[bytes, int] = {}

    def add(
        self,
        messages: list[Message],
        tools: list[Message],
        reply: Message | None,
        call: Exchange,
        options: dict[str, Any] | None = None,
    ) -> None:
        """Record one call; `call` holds its other fields, bounded and without secrets too."""
        transcript = self.transcript
        parent, sent = -1, 0
        for sent, message in enumerate(messages, start=1):
            node = self._node(parent, message, spare=self._for_replies)
            if node is None:
                sent -= 1
                break
            parent = node
        answer = None if reply is None else self._node(parent, reply, spare=0, sent=False)
        offered = self._keep(transcript.tools, clean_tools, tools)
        wanted = self._keep(transcript.options, clean_options, options)
        left_out = len(messages) - sent
        if left_out or (reply is not None and answer is None):
            self.transcript = replace(self.transcript, truncated=True)
        transcript.calls.append(
            replace(
                call,
                asked=parent,
                reply=-1 if answer is None else answer,
                tools=offered,
                options=wanted,
                finish_reason=text(self.without_secrets(str(call.finish_reason)), 80),
                error=text(self.without_secrets(call.error), 2000),
                left_out=left_out,
                reasoning_sent=sum(bool(reasoning_of(message)) for message in messages),
            )
        )

    def holds(self, reply: Message) -> bool:
        """Whether the last call's reply is recorded, and just as it was."""
        at = self.transcript.calls[-1].reply
        return at >= 0 and self.transcript.nodes[at].message == reply

    def without_secrets(self, raw: str) -> str:
        """The text with a mark in the place of every secret."""
        for secret in self._secrets:
            raw = raw.replace(secret, "[secret]")
        return raw

    def _node(self, parent: int, message: Message, *, spare: int, sent: bool = True) -> int | None:
        """The node of this message after `parent`, one with its reasoning where it was sent
        without; None where there is no room for a new one."""
        latest = self._latest.get(parent, -1)
        if latest >= 0 and _same(self.transcript.nodes[latest].message, message, sent=sent):
            return latest
        message, raw = self._cleaned(message)
        place = (parent, hashlib.sha256(raw).digest())
        existing = self._nodes.get(place, self._without_reasoning.get(place) if sent else None)
        if existing is not None:
            self._latest[parent] = existing
            return existing
        bare = encode_json(without_reasoning(message)) if REASONING[0] in message else b""
        room = self._room - spare - BESIDE
        if len(raw) > room:
            message, raw = _cut(message, raw, room)
            self.transcript = replace(self.transcript, truncated=True)
        if len(raw) > room:
            return None
        self._room -= len(raw) + BESIDE
        self.transcript.nodes.append(Node(parent, message))
        self._latest[parent] = self._nodes[place] = len(self.transcript.nodes) - 1
        if bare:
            self._without_reasoning[parent, hashlib.sha256(bare).digest()] = self._nodes[place]
        return self._nodes[place]

    def _cleaned(self, message: Message) -> tuple[Message, bytes]:
        clean = clean_message(message)
        raw = encode_json(clean)
        hidden = self._hidden(raw)
        return (clean, raw) if hidden == raw else (parse_json(hidden), hidden)

    def _hidden(self, raw: bytes) -> bytes:
        """The JSON with a mark in the place of every secret, as JSON spells it in a string."""
        for secret in self._secrets:
            raw = raw.replace(encode_json(secret)[1:-1], b"[secret]")
        return raw

    def _keep(self, known: list[Any], clean: Callable[[Any], Any], value: Any) -> int:
        """The index of what is given among `known`; -1 for nothing, or where it does not fit."""
        if not value:
            return -1
        if known and known[-1] == value:
            return len(known) - 1
        raw = self._hidden(encode_json(clean(value)))
        digest = hashlib.sha256(raw).digest()
        if digest not in self._sets:
            if len(raw) > self._room - self._for_replies:
                self.transcript = replace(self.transcript, truncated=True)
                return -1
            self._room -= len(raw)
            self._sets[digest] = len(known)
            known.append(parse_json(raw))
        return self._sets[digest]


def _cut(message: Message, raw: bytes, room: int) -> tuple[Message, bytes]:
    """The message with its long texts cut until it fits, or as short as it gets."""
    calls = message.get("tool_calls", [])
    reasoning = message.get(REASONING[0], "")
    maximum = max(len(part) for part in (message["content"], reasoning, *map(_arguments, calls)))
    while len(raw) > room and maximum > SHORTEST:
        maximum = max(SHORTEST, min(maximum * max(room, 0) // len(raw), maximum - maximum // 10))
        message = message | {"content": _first(message["content"], maximum)}
        if reasoning:
            message = message | {REASONING[0]: _first(message[REASONING[0]], maximum)}
        if calls:
            calls = [_with_arguments(call, _first(_arguments(call), maximum)) for call in calls]
            message = message | {"tool_calls": calls}
        raw = encode_json(message)
    return message, raw


def _same(known: Message, message: Message, *, sent: bool) -> bool:
    """Whether the message is the recorded one; sent back, it may lack the reasoning."""
    if known == message:
        return True
    if not sent or REASONING[0] not in known:
        return False
    kept = reasoning_of(message) in ("", known[REASONING[0]])
    return kept and without_reasoning(known) == without_reasoning(message)


def _first(value: str, maximum: int) -> str:
    return text(value.removesuffix(CUT), maximum)


def _arguments(call: dict[str, Any]) -> str:
    return str(call["function"]["arguments"])


def _with_arguments(call: dict[str, Any], arguments: str) -> dict[str, Any]:
    return call | {"function": call["function"] | {"arguments": arguments}}
