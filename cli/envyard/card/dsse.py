"""DSSE envelopes: the signed form of a statement.

https://github.com/secure-systems-lab/dsse, protocol.md and envelope.md (version 1).
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any

MAX_BYTES = 16 << 20


class BadEnvelope(ValueError):
    """The bytes are no DSSE envelope; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """A payload with its type, and signatures by the id of the key that made each."""

    payload_type: str
    payload: bytes
    signatures: dict[str, bytes]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of envelope.md."""
        return {
            "payload": base64.b64encode(self.payload).decode(),
            "payloadType": self.payload_type,
            "signatures": [
                {"keyid": key_id, "sig": base64.b64encode(signature).decode()}
                for key_id, signature in self.signatures.items()
            ],
        }


def signed_bytes(payload_type: str, payload: bytes) -> bytes:
    """PAE of protocol.md, the bytes that are signed: type and body with their lengths."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def read(data: bytes) -> Envelope:
    """An untrusted envelope; raises BadEnvelope. Both base64 alphabets are accepted, as the
    specification demands."""
    if len(data) > MAX_BYTES:
        raise BadEnvelope(f"it has more than {MAX_BYTES >> 20} MiB")
    try:
        document = json.loads(data)
        return Envelope(
            payload_type=str(document["payloadType"]),
            payload=_decoded(document["payload"]),
            signatures={
                str(row.get("keyid", "")): _decoded(row["sig"]) for row in document["signatures"]
            },
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise BadEnvelope("it has no payload, payloadType and signatures in base64") from error


def _decoded(value: str) -> bytes:
    try:
        return base64.b64decode(value.replace("-", "+").replace("_", "/"), validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from error
