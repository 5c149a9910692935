"""Headings of allauth's own pages, in the capitals of all others."""

from __future__ import annotations

import re

from django import template
from django.template.defaultfilters import stringfilter

register = template.Library()

TITLED = re.compile(r"(?<=\S[\s-])[A-Z](?=[a-z]+\b)")  # not the first word, QR or WebAuthn


@register.filter(is_safe=True)
@stringfilter
def sentence_case(text: str) -> str:
    """`text` with a capital at its beginning alone: "Recovery codes" of "Recovery Codes"."""
    return TITLED.sub(lambda letter: letter[0].lower(), text)
