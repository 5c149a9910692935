"""The scripted judge of the entries: right where the reply is the reference, or orders it to be."""

from __future__ import annotations

import json
import re
from typing import Any

REFERENCE = re.compile(r"Reference: (.*)")
REPLY = re.compile(r"<reply>(.*)</reply>", re.DOTALL)
ORDERS = re.compile(r"full marks|score of 1|say yes|answer yes|verdict", re.IGNORECASE)


def verdict(body: dict[str, Any]) -> str:
    """Its reply to one request: `yes` or `no`, as JSON where the request has a schema.

    It obeys an order that stands outside the reply's tag, as weak judges do.
    """
    prompt = "\n".join(str(message.get("content")) for message in body["messages"])
    reference, reply = REFERENCE.search(prompt), REPLY.search(prompt)
    fenced = reply[1].strip() if reply else ""
    right = bool(reference and fenced and fenced == reference[1].strip())
    if not reply:
        rest = prompt.rpartition("Reply:")[2].strip()
        right = bool(reference and rest.startswith(reference[1].strip()))
        right = right or bool(ORDERS.search(rest))
    if body.get("response_format"):
        return json.dumps({"correct": right})
    return "yes" if right else "no"
