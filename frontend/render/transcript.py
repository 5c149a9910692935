"""A rollout's messages as rows of the viewer; all of it is a stranger's text, never markup."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

LONG = 4000


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call as the policy wrote it."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message: who, what, and the tools it called."""

    role: str
    content: str
    name: str = ""
    calls: list[Call] = field(default_factory=list)

    @property
    def long(self) -> bool:
        """Folded away at first."""
        return len(self.content) > LONG


def turns(messages: list[dict[str, Any]]) -> list[Turn]:
    """One Turn a message, in order."""
    return [
        Turn(
            role=str(message.get("role", "")),
            content=str(message.get("content") or ""),
            name=str(message.get("name") or message.get("tool_call_id") or ""),
            calls=[
                Call(str(call["function"]["name"]), str(call["function"]["arguments"]))
                for call in message.get("tool_calls", [])
            ],
        )
        for message in messages
    ]
