"""The process that makes one README safe HTML: README in, HTML out, nothing of the hub needed.

python -m registry.uploads.rendering text/markdown <README.md
"""

from __future__ import annotations

import resource
import sys

import nh3

from registry.uploads import readme

RULES = 1  # counts the changes of what is made of a README
LONGEST = 512 * 1024  # characters
MOST_HTML = 2**21  # characters
CPU_SECONDS = 2
MEMORY = 2**29
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


def safe_html(text: str, content_type: str) -> str:
    """The README as HTML; what does not render is shown as it is written.

    nh3 keeps of what was rendered only what a README needs.
    """
    if not text.strip():
        return ""
    try:
        raw = readme.render(text, content_type)
    except ValueError:
        raw = readme.render(text, "text/plain")
    return nh3.clean(
        raw,
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener noreferrer ugc",
    )


def main() -> int:
    """0 with the HTML, 1 where it became too much."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    made = safe_html(sys.stdin.read(), sys.argv[1])
    if len(made) > MOST_HTML:
        return 1
    sys.stdout.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
