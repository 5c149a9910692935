"""Signatures of webhooks by the Standard Webhooks specification, version 1 (symmetric).

`webhook-signature` is `v1,` and the base64 of HMAC-SHA256 over `ID.TIMESTAMP.BODY`. The key is
derived from the hub's SECRET_KEY and a salt of the webhook: the database alone forges nothing.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

from django.utils.crypto import salted_hmac

from registry.webhooks.models import Webhook

PREFIX = "whsec_"
SALT = "registry.webhooks"


def new_salt() -> str:
    """A salt, which gives a webhook another secret."""
    return secrets.token_hex(32)


def secret(webhook: Webhook) -> str:
    """The secret as receivers configure it; shown once."""
    return PREFIX + base64.b64encode(_key(webhook)).decode()


def headers(webhook: Webhook, *, message_id: str, timestamp: int, body: str) -> dict[str, str]:
    """The three headers of a message; `timestamp` is that of the attempt, in seconds."""
    signed = f"{message_id}.{timestamp}.{body}".encode()
    digest = hmac.new(_key(webhook), signed, hashlib.sha256).digest()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": "v1," + base64.b64encode(digest).decode(),
    }


def _key(webhook: Webhook) -> bytes:
    return salted_hmac(SALT, f"{webhook.pk}:{webhook.salt}", algorithm="sha256").digest()
