"""Django's mail settings from HUB_EMAIL_URL."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from hub import env

RULE = "must look like smtp://user:password@host:587?tls=1 or smtps://user:password@host"
SECONDS = 10  # the limit on the time that a page waits for sending


def from_url(url: str, *, folder: Path) -> dict[str, Any]:
    """Settings for `smtp://…?tls=1` (STARTTLS) or `smtps://…`; without a URL messages are files.

    Their links give access to accounts, so only this user can open `folder`.
    """
    if not url:
        folder.mkdir(mode=0o700, exist_ok=True)
        backend = "django.core.mail.backends.filebased.EmailBackend"
        return {"EMAIL_BACKEND": backend, "EMAIL_FILE_PATH": folder}
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    visible = f"{parts.scheme}://…"  # the rest may contain a password
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or options.keys() - {"tls"}:
        raise env.refuse("HUB_EMAIL_URL", visible, RULE)
    try:
        port = parts.port
    except ValueError:
        raise env.refuse("HUB_EMAIL_URL", visible, RULE) from None
    secure = parts.scheme == "smtps"
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": port or (465 if secure else 25),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": secure,
        "EMAIL_USE_TLS": not secure and options.get("tls", "0") == "1",
        "EMAIL_TIMEOUT": SECONDS,
    }
