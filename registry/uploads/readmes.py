"""READMEs as safe HTML, each made once and kept.

They are made in a process of their own that may use little: a table of 2 KB becomes 600 KB of
HTML, and some texts keep either renderer busy for minutes. What does not come out of it is shown
as it is written.
"""

from __future__ import annotations

import hashlib
import html
import os
import subprocess
import sys
from datetime import datetime, timedelta

from django.db import models

from registry.uploads import rendering

KEPT_DAYS = 90  # after which one is made anew, so that those of old versions go
WAIT_SECONDS = 20  # on the clock of a busy machine


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
    try:
        made = _render(text, content_type)
    except subprocess.TimeoutExpired:  # no fault of the README, so that it is not kept
        return RenderedReadme(digest=digest, html=_plain(text), plain=True)
    new = RenderedReadme(
        digest=digest, html=_plain(text) if made is None else made, plain=made is None
    )
    RenderedReadme.objects.bulk_create([new], ignore_conflicts=True)
    return new


def forget(*, now: datetime) -> None:
    """Delete the old ones (beat)."""
    RenderedReadme.objects.filter(made_at__lt=now - timedelta(days=KEPT_DAYS)).delete()


def _plain(text: str) -> str:
    return f"<pre>{html.escape(text)}</pre>" if text.strip() else ""


def _render(text: str, content_type: str) -> str | None:
    """None where it is too long, or took too much."""
    if len(text) > rendering.LONGEST:
        return None
    done = subprocess.run(
        [sys.executable, "-m", rendering.__name__, content_type],
        input=text.encode(),
        capture_output=True,
        timeout=WAIT_SECONDS,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"},
        check=False,
    )
    return done.stdout.decode() if done.returncode == 0 else None
