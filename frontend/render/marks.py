"""Untrusted text with the matches of a search marked."""

from __future__ import annotations

import re

from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from frontend.render import plain

MAX_NEEDLE = 200
MAX_MARKS = 1000  # of one text


def pattern(needle: str) -> re.Pattern[str] | None:
    """What finds the text in any case; None for no text."""
    bare = needle.strip()[:MAX_NEEDLE]
    return re.compile(re.escape(bare), re.IGNORECASE) if bare else None


def marked(text: object, needle: str) -> SafeString:
    """The visible text, escaped, with each match in a <mark>, up to MAX_MARKS."""
    shown, wanted = plain.visible(str(text)), pattern(needle)
    if wanted is None:
        return SafeString(conditional_escape(shown))
    pieces, position = [], 0
    for match, _ in zip(wanted.finditer(shown), range(MAX_MARKS), strict=False):
        pieces.append((shown[position : match.start()], match[0]))
        position = match.end()
    return format_html("{}{}", format_html_join("", "{}<mark>{}</mark>", pieces), shown[position:])
