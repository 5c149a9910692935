"""READMEs as safe HTML, each made once and kept; what cannot be made is shown as it is written."""

from __future__ import annotations

import hashlib
import html
from datetime import datetime, timedelta

from django.db import models

from registry.space import unless_full
from registry.uploads import rendering

KEPT_DAYS = 90  # after which one is made anew, so that those of old versions go


class RenderedReadme(models.Model):
    """One README's safe HTML, found by what it was made of; `plain` where it could not be made."""

    digest = models.CharField(max_length=64, primary_key=True)
    html = models.TextField()
    plain = models.BooleanField()
    made_at = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return self.digest


def shown(text: str, content_type: str) -> RenderedReadme:
    """The README to be shown; made, where nobody looked at it before."""
    said = f"{rendering.RULES}\n{content_type}\n{text}".encode()
    digest = hashlib.sha256(said).hexdigest()
    kept = RenderedReadme.objects.filter(pk=digest).first()
    if kept is not None:
        return kept
    made = rendering.apart(text, content_type)
    body = _plain(text) if made.html is None else made.html
    new = RenderedReadme(digest=digest, html=body, plain=made.html is None)
    if made.final:
        with unless_full("a rendered README"):
            RenderedReadme.objects.bulk_create([new], ignore_conflicts=True)
    return new


def delete_expired(*, now: datetime) -> None:
    """Delete the old ones (beat)."""
    RenderedReadme.objects.filter(made_at__lt=now - timedelta(days=KEPT_DAYS)).delete()


def _plain(text: str) -> str:
    return f"<pre>{html.escape(text)}</pre>" if text.strip() else ""
