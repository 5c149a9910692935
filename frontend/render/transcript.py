"""A transcript as rows of the viewer; all text is untrusted and never markup.

A tool's result is part of the call that it answers. Ids of calls may repeat from turn to turn, so
the newest open call of that id counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from django.utils.safestring import SafeString

from envyard.contract.transcript import Exchange, Transcript, reasoning_of

LONG = 4000
LABEL = 60  # characters
SHOWN = 20  # conversations; a framework may branch at every turn
ROLES = ("system", "user", "assistant", "tool")


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of the policy, with the message that answers it."""

    name: str
    arguments: str
    key: str = ""
    result: Turn | None = None


@dataclass(slots=True)
class Turn:
    """One message with its reasoning and tool calls.

    The page sets `html`, its content as safe HTML, and `found`, whether a search matches it.

    `exchange` is the call whose reply it is; `failed` are calls without a reply that ended with it.
    """

    number: int
    role: str
    content: str
    name: str = ""
    answers: str = ""
    calls: list[Call] = field(default_factory=list)
    exchange: Exchange | None = None
    failed: list[Exchange] = field(default_factory=list)
    reasoning: str = ""
    html: SafeString | None = None
    found: bool = False

    @property
    def texts(self) -> Iterator[str]:
        """What a search looks at, without the results of its calls."""
        yield self.content
        yield self.reasoning
        for call in self.calls:
            yield call.name
            yield call.arguments

    @property
    def results(self) -> list[Turn]:
        """The messages that answer its calls."""
        return [call.result for call in self.calls if call.result is not None]

    @property
    def label(self) -> str:
        """The beginning of what it says, for an outline."""
        called = ", ".join(f"{call.name}()" for call in self.calls)
        return " ".join((self.content[:LABEL] or called or self.reasoning[:LABEL]).split())

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
        turns = [
            _turn(at, transcript.nodes[at].message, exchanges.get(at), failed.get(at, []))
            for at in new
        ]
        yield Conversation(turns=_joined(turns), shared=len(path) - len(new))


def _joined(turns: list[Turn]) -> list[Turn]:
    """The turns, with each tool's result at its call instead of among them."""
    rows: list[Turn] = []
    pending: dict[str, tuple[Turn, int]] = {}
    for turn in turns:
        if turn.kind == "tool" and turn.answers in pending:
            caller, place = pending.pop(turn.answers)
            caller.calls[place] = replace(caller.calls[place], result=turn)
            continue
        rows.append(turn)
        if turn.kind != "tool":
            pending = {call.key: (turn, place) for place, call in enumerate(turn.calls) if call.key}
    return rows


def every(turns: Iterable[Turn]) -> Iterator[Turn]:
    """The turns in order, with the results of their calls."""
    for turn in turns:
        yield turn
        yield from turn.results


def _turn(
    number: int, message: dict[str, Any], exchange: Exchange | None, failed: list[Exchange]
) -> Turn:
    return Turn(
        number=number,
        role=str(message.get("role", "")),
        content=str(message.get("content") or ""),
        name=str(message.get("name") or message.get("tool_call_id") or ""),
        calls=[
            Call(
                str(call["function"]["name"]),
                str(call["function"]["arguments"]),
                str(call.get("id") or ""),
            )
            for call in message.get("tool_calls", [])
        ],
        answers=str(message.get("tool_call_id") or ""),
        exchange=exchange,
        failed=failed,
        reasoning=reasoning_of(message),
    )
