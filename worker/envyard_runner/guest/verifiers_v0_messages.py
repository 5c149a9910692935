"""Messages of classic verifiers as OpenAI chat messages. Source: verifiers 0.1.9 to 0.3.1."""

from __future__ import annotations

from typing import Any

Message = dict[str, Any]


def wire(messages: Any) -> list[Message]:
    """The framework's messages, or the row's, as OpenAI chat messages."""
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    return [_wire_message(message) for message in messages or []]


def _wire_message(message: Any) -> Message:
    fields = message if isinstance(message, dict) else message.model_dump(exclude_none=True)
    result = {"role": fields.get("role", "user"), "content": fields.get("content") or ""}
    if fields.get("tool_call_id"):
        result["tool_call_id"] = fields["tool_call_id"]
    if fields.get("tool_calls"):
        result["tool_calls"] = [_wire_call(call) for call in fields["tool_calls"]]
    return result


def _wire_call(call: dict[str, Any]) -> dict[str, Any]:
    if "function" in call:
        return call
    function = {"name": call.get("name"), "arguments": call.get("arguments")}
    return {"id": call.get("id"), "type": "function", "function": function}
