"""One judge call, in the form of chat completions whatever its wire shape was."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any

from envyard_runner.gateway.reply import Refusal
from envyard_runner.probing.probes import Message

INLINE = re.compile(r"data:image/[A-Za-z0-9.+-]{1,40};base64,[A-Za-z0-9+/=_\s-]*")


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


def require_inline(messages: list[Message]) -> None:
    """Refuse parts that are neither text nor an image in the message itself: a model server fetches
    the address of any other, from the operator's network."""
    for message in messages:
        parts = message.get("content")
        for part in parts if isinstance(parts, list) else ():
            if not (isinstance(part, dict) and _is_inline(part)):
                raise Refusal(
                    400, "bad_request", "a part of a message must be text or an image as a data URL"
                )


def _is_inline(part: dict[str, Any]) -> bool:
    if part.get("type") == "text":
        return set(part) <= {"type", "text"} and isinstance(part.get("text"), str)
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, dict) else None
    is_image = part.get("type") == "image_url" and set(part) == {"type", "image_url"}
    return is_image and isinstance(url, str) and INLINE.fullmatch(url) is not None
