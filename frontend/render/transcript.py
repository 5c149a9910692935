"""A transcript as rows of the viewer; all text is untrusted and never markup."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from envyard.contract.transcript import Exchange, Transcript, reasoning_of

LONG = 4000
SHOWN = 20  # conversations; a framework may branch at every turn
ROLES = ("system", "user", "assistant", "tool")


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of the policy."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message with its reasoning and tool calls.

    `exchange` is the call whose reply it is; `failed` are calls without a reply that ended with it.
    """

    number: int
    role: str
    content: str
    name: str = ""
    calls: list[Call] = field(default_factory=list)
    exchange: Exchange | None = None
    failed: list[Exchange] = field(default_factory=list)
    reasoning: str = ""

    @property
    def long(self) -> bool:
        """Whether the viewer collapses it."""
        return len(self.content) > LONG

    @property
    def kind(self) -> str:
        """Its role if it is a known one: roles are untrusted text too."""
        return self.role if self.role in ROLES else "other"

    @property
    def at(self) -> datetime | None:
        """The time of the call, if it was recorded."""
        has_time = self.exchange is not None and 0 < self.exchange.at < 1 << 33
        return datetime.fromtimestamp(self.exchange.at, UTC) if has_time and self.exchange else None


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns that no earlier conversation contains, after `shared` common ones."""

    turns: list[Turn]
    shared: int


def conversations(transcript: Transcript) -> Iterator[Conversation]:
    """The conversation of the last call, then its branches and others, up to SHOWN."""
    exchanges = {call.reply: call for call in transcript.calls if call.reply >= 0}
    failed: dict[int, list[Exchange]] = {}
    for call in transcript.calls:
        if call.reply < 0:
            failed.setdefault(call.asked, []).append(call)
    shown: set[int] = set()
    for end in transcript.ends[:SHOWN]:
        path = list(transcript.path(end))
        new = [at for at in path if at not in shown]
        shown.update(new)
        yield Conversation(
            turns=[
                _turn(at, transcript.nodes[at].message, exchanges.get(at), failed.get(at, []))
                for at in new
            ],
            shared=len(path) - len(new),
        )


def _turn(
    number: int, message: dict[str, Any], exchange: Exchange | None, failed: list[Exchange]
) -> Turn:
    return Turn(
        number=number,
        role=str(message.get("role", "")),
        content=str(message.get("content") or ""),
        name=str(message.get("name") or message.get("tool_call_id") or ""),
        calls=[
            Call(str(call["function"]["name"]), str(call["function"]["arguments"]))
            for call in message.get("tool_calls", [])
        ],
        exchange=exchange,
        failed=failed,
        reasoning=reasoning_of(message),
    )
