"""README to safe HTML: nh3 keeps of what was rendered only what a README needs."""

from __future__ import annotations

import nh3
from django.utils.safestring import SafeString, mark_safe

from registry.uploads import readme

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
    """The README as HTML; what does not render is shown as it is written."""
    if not text.strip():
        return SafeString("")
    try:
        raw = readme.render(text, content_type)
    except ValueError:
        raw = readme.render(text, "text/plain")
    clean = nh3.clean(
        raw,
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener noreferrer ugc",
    )
    return mark_safe(clean)  # noqa: S308 - nh3 has just cleaned it
