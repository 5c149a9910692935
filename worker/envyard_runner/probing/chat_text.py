"""The text of chat messages."""

from __future__ import annotations

from typing import Any


def plain_text(content: Any) -> str:
    """The text of a chat message's content, whether a string or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))
