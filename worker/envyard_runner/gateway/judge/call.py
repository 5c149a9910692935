"""One judge call, in the form of chat completions whatever its wire shape was."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from envyard_runner.gateway.probes import Message


@dataclass(frozen=True, slots=True)
class JudgeCall:
    """The messages and options of a call; `asked_model` is recorded and never obeyed.

    `options` are in the form of chat completions: `response_format`, `tools`, `stop`, ...
    """

    asked_model: str
    messages: list[Message]
    options: dict[str, Any]
    stream: bool = False
    include_usage: bool = False

    @property
    def digest(self) -> str:
        """The sha256 of messages and options, which identifies the question in a replay."""
        question = json.dumps([self.messages, self.options], sort_keys=True)
        return hashlib.sha256(question.encode("utf-8", "surrogatepass")).hexdigest()
