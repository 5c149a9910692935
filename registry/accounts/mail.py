"""Plain-text mail, sent once the change that it is about is committed."""

from __future__ import annotations

import logging
from functools import partial

from django.core.mail import EmailMessage
from django.db import transaction

log = logging.getLogger(__name__)


def send(*, to: str, subject: str, text: str) -> None:
    """Send after the commit; a mail that cannot be sent is logged and undoes nothing."""
    if to:
        transaction.on_commit(partial(_send, EmailMessage(subject, text, to=[to])))


def _send(message: EmailMessage) -> None:
    try:
        message.send()
    except OSError:  # smtplib's errors are among them
        log.exception("mail %r was not sent", message.subject)
