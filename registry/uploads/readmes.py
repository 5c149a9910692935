"""READMEs as safe HTML, each rendered once and stored; others are shown as plain text."""

from __future__ import annotations

import hashlib
import html
from datetime import datetime, timedelta

from django.db import models

from registry.space import unless_full
from registry.uploads import rendering

MAX_AGE_DAYS = 90  # then it is rendered again, so that those of old versions are deleted


class RenderedReadme(models.Model):
    """The safe HTML of one README, by the digest of its source; `plain` where it did not render."""

    digest = models.CharField(max_length=64, primary_key=True)
    html = models.TextField()
    plain = models.BooleanField()
    made_at = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return self.digest


def rendered(text: str, content_type: str) -> RenderedReadme:
    """The README as stored; rendered first where it is not stored."""
    source = f"{rendering.RULES_VERSION}\n{content_type}\n{text}".encode()
    digest = hashlib.sha256(source).hexdigest()
    stored = RenderedReadme.objects.filter(pk=digest).first()
    if stored is not None:
        return stored
    rendered = rendering.render_in_process(text, content_type)
    body = _plain(text) if rendered.html is None else rendered.html
    row = RenderedReadme(digest=digest, html=body, plain=rendered.html is None)
    if rendered.final:
        with unless_full("a rendered README"):
            RenderedReadme.objects.bulk_create([row], ignore_conflicts=True)
    return row


def delete_expired(*, now: datetime) -> None:
    """Delete old rows (celery beat)."""
    RenderedReadme.objects.filter(made_at__lt=now - timedelta(days=MAX_AGE_DAYS)).delete()


def _plain(text: str) -> str:
    return f'<pre tabindex="0">{html.escape(text)}</pre>' if text.strip() else ""
