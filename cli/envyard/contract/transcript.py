"""The gateway's record of one rollout: a tree of messages, and the calls that extended it.

Every call repeats its conversation so far, so only its additions are stored. A second agent begins
another tree; a retry, or a history that was shortened, is a branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from envyard.contract.judge import MAX_EXCHANGES, JudgeExchange
from envyard.contract.values import (
    content_text,
    count,
    count_or_none,
    finite,
    plain,
    record,
    records,
    text,
)

MAX_NODES = 20_000
MAX_CALLS = 1000
MAX_TOOLS = 100
MAX_PARTS = 50
SAMPLING = ("model", "temperature", "max_tokens", "seed")
# A record keeps the first that holds text, under the first name; servers use either, or both.
REASONING = ("reasoning_content", "reasoning")
REPLY_FIELDS = ("content", *REASONING)
Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Node:
    """One message and the node before it in its conversation, -1 where it is the first."""

    parent: int
    message: Message


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call: the node of the last message that it sent, and that of the reply; -1 for none.

    `tools` is the index of the set of tools that it offered, -1 for none, and `options` that of
    what else the environment asked for; `at` is its beginning in seconds of Unix time, `seconds`
    how long it took and `first_seconds` how long until the first chunk of a streamed reply, None
    where none was streamed; `left_out` counts sent messages that did not fit the record.
    `reasoning_tokens` is the model server's count, None where it gave none; `reasoning_sent` counts
    the sent messages that held reasoning, and `reply_fields` are those of REPLY_FIELDS that were
    not null in the reply.
    """

    asked: int = -1
    reply: int = -1
    tools: int = -1
    options: int = -1
    sampling: dict[str, Any] = field(default_factory=dict)
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    at: float = 0.0
    seconds: float = 0.0
    first_seconds: float | None = None
    error: str = ""
    left_out: int = 0
    reasoning_tokens: int | None = None
    reasoning_sent: int = 0
    reply_fields: list[str] = field(default_factory=list)

    @property
    def end(self) -> int:
        """The last node of its conversation."""
        return self.reply if self.reply >= 0 else self.asked

    @classmethod
    def from_dict(cls, data: dict[str, Any], nodes: int, tools: int, options: int) -> Exchange:
        """Read an untrusted JSON form; indices beyond the nodes, tools and options become -1."""
        sampling = record(data.get("sampling"))
        first = finite(data.get("first_seconds"))
        filled = data.get("reply_fields")
        filled = filled if isinstance(filled, list) else []
        return cls(
            asked=_index(data.get("asked"), nodes),
            reply=_index(data.get("reply"), nodes),
            tools=_index(data.get("tools"), tools),
            options=_index(data.get("options"), options),
            sampling={key: plain(sampling[key], 0, 200) for key in SAMPLING if key in sampling},
            finish_reason=text(data.get("finish_reason"), 80),
            prompt_tokens=count(data.get("prompt_tokens")),
            completion_tokens=count(data.get("completion_tokens")),
            at=max(0.0, finite(data.get("at")) or 0.0),
            seconds=max(0.0, finite(data.get("seconds")) or 0.0),
            first_seconds=None if first is None else max(0.0, first),
            error=text(data.get("error"), 2000),
            left_out=count(data.get("left_out")),
            reasoning_tokens=count_or_none(data.get("reasoning_tokens")),
            reasoning_sent=count(data.get("reasoning_sent")),
            reply_fields=[name for name in REPLY_FIELDS if name in filled],
        )


@dataclass(frozen=True, slots=True)
class Transcript:
    """One rollout's record; `truncated`: something did not fit and is cut or missing.

    `tools` are the sets of tools on offer, `options` what environments may set of a call besides:
    `stop`, `tool_choice`, `response_format`, `logprobs`. `judge` are the environment's calls to its
    judge, which are no turns of the policy.
    """

    nodes: list[Node] = field(default_factory=list)
    calls: list[Exchange] = field(default_factory=list)
    tools: list[list[dict[str, Any]]] = field(default_factory=list)
    options: list[dict[str, Any]] = field(default_factory=list)
    truncated: bool = False
    judge: list[JudgeExchange] = field(default_factory=list)

    def path(self, end: int) -> Iterator[int]:
        """The nodes of the conversation that ends there, its first message first."""
        nodes = []
        while end >= 0:
            nodes.append(end)
            end = self.nodes[end].parent
        return reversed(nodes)

    @property
    def characters(self) -> int:
        """About its size: the texts of its messages."""
        return sum(len(str(node.message)) for node in self.nodes)

    @property
    def main(self) -> int:
        """The end of the conversation of the last call, else of the last message; -1 for none."""
        return self.calls[-1].end if self.calls else len(self.nodes) - 1

    @property
    def messages(self) -> list[Message]:
        """The conversation of the last call."""
        return [self.nodes[at].message for at in self.path(self.main)]

    @property
    def halves(self) -> tuple[list[Message], list[Message]]:
        """The messages of the last call's conversation before the first reply, and from it on."""
        replies = {call.reply for call in self.calls}
        path = list(self.path(self.main))
        reply_places = (
            place
            for place, node in enumerate(path)
            if node in replies
            or (not self.calls and self.nodes[node].message.get("role") == "assistant")
        )
        cut = next(reply_places, len(path))
        messages = [self.nodes[node].message for node in path]
        return messages[:cut], messages[cut:]

    @property
    def ends(self) -> list[int]:
        """The last node of every conversation, the last call's first."""
        inner = {node.parent for node in self.nodes}
        separate = [at for at in range(len(self.nodes)) if at not in inner and at != self.main]
        return [self.main, *separate] if self.nodes else []

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Transcript:
        """Read an untrusted JSON form; wrong shapes become empty, long texts are cut."""
        nodes = [
            Node(_index(node.get("parent"), at), clean_message(record(node.get("message"))))
            for at, node in enumerate(records(data.get("nodes"), MAX_NODES))
        ]
        sets = data.get("tools")
        tools = [
            clean_tools(entry) for entry in (sets[:MAX_PARTS] if isinstance(sets, list) else [])
        ]
        options = [clean_options(entry) for entry in records(data.get("options"), MAX_PARTS)]
        return cls(
            nodes=nodes,
            calls=[
                Exchange.from_dict(call, len(nodes), len(tools), len(options))
                for call in records(data.get("calls"), MAX_CALLS)
            ],
            tools=tools,
            options=options,
            truncated=data.get("truncated") is True,
            judge=[
                JudgeExchange.from_dict(row) for row in records(data.get("judge"), MAX_EXCHANGES)
            ],
        )


def clean_message(message: Message) -> Message:
    """A chat message cut to role, content (text), tool calls, ids and an assistant's reasoning;
    nothing else survives."""
    content = content_text(message.get("content"))
    clean: Message = {"role": text(message.get("role"), 20), "content": content}
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls:
        clean["tool_calls"] = [_clean_call(call) for call in calls[:MAX_PARTS]]
    for key in ("tool_call_id", "name"):
        if message.get(key):
            clean[key] = text(message[key], 200)
    if clean["role"] == "assistant" and (reasoning := reasoning_of(message)):
        clean[REASONING[0]] = text(reasoning)
    return clean


def reasoning_of(message: Message) -> str:
    """The reasoning of a message, apart from its content; empty where it has none."""
    values = (message.get(name) for name in REASONING)
    return next((value for value in values if isinstance(value, str) and value), "")


def without_reasoning(message: Message) -> Message:
    """The message as most environments send it back in the next call."""
    return {name: value for name, value in message.items() if name not in REASONING}


def clean_tools(tools: Any) -> list[dict[str, Any]]:
    """The tools on offer as storable JSON."""
    return [plain(tool, 12) for tool in records(tools, MAX_TOOLS)]


def clean_options(options: dict[str, Any]) -> dict[str, Any]:
    """A call's options besides messages and tools, as storable JSON."""
    return record(plain(options, 12))


def _clean_call(call: Any) -> dict[str, Any]:
    call = record(call)
    function = record(call.get("function"))
    return {
        "id": text(call.get("id"), 200),
        "type": "function",
        "function": {
            "name": text(function.get("name"), 200),
            "arguments": text(function.get("arguments")),
        },
    }


def _index(value: Any, below: int) -> int:
    """The value where it is an index below that, else -1."""
    return value if type(value) is int and 0 <= value < below else -1
