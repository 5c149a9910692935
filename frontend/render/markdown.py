"""README to safe HTML: markdown-it renders, nh3 keeps only what a README needs."""

from __future__ import annotations

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

TAGS = {
    *("a", "b", "blockquote", "br", "code", "dd", "del", "details", "div", "dl", "dt", "em"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "kbd", "li", "ol", "p", "pre", "s"),
    *("span", "strong", "sub", "summary", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
ATTRIBUTES = {
    "a": {"href", "title"},
    "img": {"src", "alt", "title", "width", "height"},
    "td": {"align"},
    "th": {"align"},
    "ol": {"start"},
}


def readme_html(text: str, content_type: str) -> SafeString:
    """The README as HTML; plain text and reStructuredText are shown as they are written."""
    kind = content_type.partition(";")[0].strip().lower()
    if not text.strip():
        return SafeString("")
    if kind in ("", "text/markdown"):
        raw = (
            MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)
        )
    else:
        raw = f"<pre>{nh3.clean_text(text)}</pre>"
    clean = nh3.clean(
        raw,
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener noreferrer ugc",
    )
    return mark_safe(clean)  # noqa: S308 - nh3 has just cleaned it
