"""The tag that marks whose word a number is."""

from __future__ import annotations

from functools import cache

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from envyard.card.sources import SOURCES
from frontend.documentation import links

register = template.Library()

SECTION = "whose-word-each-number-is"  # of docs/card.md


@register.simple_tag
def source_mark(code: str) -> SafeString:
    """The mark of a source, with its meaning as title and a link to the section that explains it;
    empty for an unknown code."""
    return _marks().get(code, SafeString())


@cache
def _marks() -> dict[str, SafeString]:
    """The mark of each source by its code."""
    address = f"{links.document_address('card')}#{SECTION}"
    return {
        source.code: format_html(
            '<a href="{}" title="{}">{}</a>', address, source.meaning, source.mark
        )
        for source in SOURCES.values()
    }


@register.filter
def source_meaning(code: str) -> str:
    """What stands behind a number of that source; empty for an unknown code."""
    return next((row.meaning for row in SOURCES.values() if row.code == code), "")
