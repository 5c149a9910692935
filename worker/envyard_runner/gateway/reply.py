"""A reply, built from a model server's whole answer or its chunks; errors that come instead."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from envyard.contract.transcript import REASONING, REPLY_FIELDS
from envyard.contract.values import count_or_none
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.probes import Message

MAX_TOOL_CALLS = 1000  # of one reply
MAX_TOKENS = 1 << 40  # of one reply; a database holds it
RECORDED = ("role", "tool_calls", *REPLY_FIELDS)


class Refusal(Exception):
    """A call that is not answered; carries OpenAI's error shape."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message

    def to_dict(self) -> dict[str, Any]:
        """`{"error": {message, type, code}}`, as OpenAI's clients read it."""
        kind = "server_error" if self.status >= 500 else "invalid_request_error"
        return {"error": {"message": self.message, "type": kind, "code": self.code, "param": None}}


class ModelFault(Refusal):
    """The model server did not do its part; never the environment's fault."""


@dataclass(slots=True)
class Reply:
    """One answer: the assistant's message, why it ended, its tokens; built whole or by chunks.

    `fault` is what went wrong on the model server's side, where something did, `refusal` why it
    would not answer; `first_seconds` is when the first piece of a stream came. `reasoning` is by
    the field's name, `fields` are those of REPLY_FIELDS that were not null, and `more` is True
    where the answer held something besides that no record keeps, such as log probabilities.
    """

    content: list[str] = field(default_factory=list)
    tool_calls: dict[int, dict[str, Any]] = field(default_factory=dict)
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    fault: str = ""
    refusal: str = ""
    first_seconds: float | None = None
    more: bool = False
    reasoning: dict[str, list[str]] = field(default_factory=dict)
    reasoning_tokens: int | None = None
    fields: set[str] = field(default_factory=set)

    @property
    def begun(self) -> bool:
        """Whether the reply has any content yet: a stream's first chunk names the role alone."""
        return bool(self.tool_calls) or any(self.content) or any(self._reasonings())

    @property
    def exact(self) -> bool:
        """Whether `message` and `fields` are all of the answer."""
        return not self.more and len(set(self._reasonings())) <= 1

    @property
    def message(self) -> Message:
        """The assistant's message as it is recorded."""
        message: Message = {"role": "assistant", "content": "".join(self.content)}
        if self.tool_calls:
            message["tool_calls"] = [self.tool_calls[index] for index in sorted(self.tool_calls)]
        if reasoning := next(filter(None, self._reasonings()), ""):
            message[REASONING[0]] = reasoning
        return message

    @property
    def wire(self) -> Message:
        """The assistant's message in the fields in which it came."""
        message = self.message
        reasoning = message.pop(REASONING[0], "")
        message |= {name: reasoning for name in REASONING if name in self.fields}
        if self.fields and "content" not in self.fields:
            message["content"] = None
        return message

    def _reasonings(self) -> list[str]:
        """The reasoning in each field that has one, in the order of REASONING."""
        return ["".join(self.reasoning[name]) for name in REASONING if name in self.reasoning]

    def add(self, chunk: dict[str, Any]) -> None:
        """Take in one stream chunk, or one whole completion; raises ModelFault on another shape."""
        try:
            self._add(chunk)
        except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
            message = f"the model server's answer has an odd shape: {error}"
            raise ModelFault(502, "model_error", message) from error

    def _add(self, chunk: dict[str, Any]) -> None:
        self._count(chunk.get("usage"))
        for choice in chunk.get("choices") or []:
            part = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
            self.content.append(plain_text(part.get("content")))
            self.fields |= {name for name in REPLY_FIELDS if part.get(name) is not None}
            self._add_reasoning(part)
            beside = any(value for name, value in part.items() if name not in RECORDED)
            self.more = self.more or beside or bool(choice.get("logprobs"))
            reason = choice.get("finish_reason")
            self.finish_reason = (
                reason if isinstance(reason, str) and reason else self.finish_reason
            )
            for position, call in enumerate(part.get("tool_calls") or []):
                self._add_call(call.get("index", position), call)

    def _count(self, usage: Any) -> None:
        if isinstance(usage, dict):
            self.prompt_tokens = _tokens(usage.get("prompt_tokens"))
            self.completion_tokens = _tokens(usage.get("completion_tokens"))
            details = usage.get("completion_tokens_details")
            if isinstance(details, dict):
                self.reasoning_tokens = count_or_none(details.get("reasoning_tokens"))

    def _add_reasoning(self, part: dict[str, Any]) -> None:
        for name in REASONING:
            value = part.get(name)
            if isinstance(value, str):
                self.reasoning.setdefault(name, []).append(value)
            elif value:
                self.more = True

    def _add_call(self, index: int, part: dict[str, Any]) -> None:
        if type(index) is not int or len(self.tool_calls) > MAX_TOOL_CALLS:
            raise ValueError(f"tool call {index!r:.40} of at most {MAX_TOOL_CALLS}")
        empty = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
        call = self.tool_calls.setdefault(index, empty)
        function = part.get("function") or {}
        ident = part.get("id")
        call["id"] = ident if isinstance(ident, str) and ident else call["id"]
        call["function"]["name"] += function.get("name") or ""
        call["function"]["arguments"] += function.get("arguments") or ""


def _tokens(count: Any) -> int:
    return min(max(0, int(count or 0)), MAX_TOKENS)
