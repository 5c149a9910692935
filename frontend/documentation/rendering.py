"""Documents as HTML, rendered once in the life of the process."""

from __future__ import annotations

import functools
import re

from frontend.documentation import links
from frontend.documentation.documents import documents
from registry.uploads.rendering import safe_html

HEADING = re.compile(r'<h([23]) id="([^"]+)">(.*?) <a class="anchor".*?</h\1>', re.DOTALL)
TAG = re.compile(r"<[^>]*>")


@functools.cache
def html_of(name: str) -> str:
    """The document as GitHub's Markdown; raises KeyError for an unknown name."""
    rendered = safe_html(documents()[name].text, "text/markdown")
    return links.linked(rendered, name)


@functools.cache
def contents(name: str) -> tuple[tuple[str, str], ...]:
    """Anchor and words (as HTML without tags) of each heading of the second level."""
    rows = HEADING.findall(html_of(name))
    return tuple((anchor, TAG.sub("", words)) for level, anchor, words in rows if level == "2")
