"""The record of one judge call: what an environment sent by itself, and the verdict."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from envyard.contract.values import count, finite, plain, record, records, text

MAX_EXCHANGES = 200  # of one rollout
MAX_MESSAGES = 100
CHARACTERS = 100_000  # of one message
Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class JudgeExchange:
    """One call of the environment to its judge, apart from the policy's calls.

    `shape` is the path's end (`chat/completions`, `responses`, `messages`), `host` the intercepted
    host, empty where a variable led to the gateway; `asked_model` is what the environment named and
    nobody obeyed. `options` hold the schema (`response_format`); `cut`: messages and options did
    not fit the record.
    """

    role: Literal["judge"] = "judge"
    shape: str = ""
    host: str = ""
    asked_model: str = ""
    messages: list[Message] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    verdict: Message = field(default_factory=dict)
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    at: float = 0.0
    seconds: float = 0.0
    error: str = ""
    cut: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> JudgeExchange:
        """Read an untrusted JSON form; wrong shapes become empty, long texts are cut."""
        return cls(
            shape=text(data.get("shape"), 40),
            host=text(data.get("host"), 255),
            asked_model=text(data.get("asked_model"), 200),
            messages=[_message(message) for message in records(data.get("messages"), MAX_MESSAGES)],
            options=record(plain(data.get("options"), 12)),
            verdict=_message(record(data.get("verdict"))),
            finish_reason=text(data.get("finish_reason"), 80),
            prompt_tokens=count(data.get("prompt_tokens")),
            completion_tokens=count(data.get("completion_tokens")),
            at=max(0.0, finite(data.get("at")) or 0.0),
            seconds=max(0.0, finite(data.get("seconds")) or 0.0),
            error=text(data.get("error"), 2000),
            cut=data.get("cut") is True,
        )


def clean_exchange(exchange: JudgeExchange) -> JudgeExchange:
    """The exchange as it is stored: bounded, its messages reduced to role and text."""
    cleaned = JudgeExchange.from_dict(exchange.to_dict())
    return replace(cleaned, cut=exchange.cut or len(exchange.messages) > MAX_MESSAGES)


def _message(message: Message) -> Message:
    """Role, text and calls of tools; nothing else survives."""
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(
            text(part.get("text")) if part.get("type") == "text" else f"[{part.get('type')}]"
            for part in content
            if isinstance(part, dict)
        )
    clean: Message = {
        "role": text(message.get("role"), 20),
        "content": text(content, CHARACTERS),
    }
    if isinstance(calls := message.get("tool_calls"), list) and calls:
        clean["tool_calls"] = plain(calls[:20], 6)
    return clean
