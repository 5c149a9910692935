"""The safe HTML of a README's own HTML: tags, classes, addresses, headings and images.

Ids begin with PREFIX, so that a README names no element of the page around it. An image of
another host would send that host the reader's address, so a link stands in its place.
"""

from __future__ import annotations

import html
import re

import nh3
from pygments.token import STANDARD_TYPES

PREFIX = "user-content-"
TAGS = {
    *("a", "b", "blockquote", "br", "code", "dd", "del", "details", "div", "dl", "dt", "em"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "kbd", "li", "ol", "p", "pre", "s"),
    *("section", "span", "strong", "sub", "summary", "sup", "table", "tbody", "td", "th", "thead"),
    *("tr", "ul"),
}
ATTRIBUTES = {
    "a": {"href", "title", "id"},
    "img": {"src", "alt", "title"},
    "li": {"id"},
    "td": {"align", "style"},  # of styles the alignment alone
    "th": {"align", "style"},
    "ol": {"start"},
}
KINDS_OF_ALERTS = ("note", "tip", "important", "warning", "caution")
CLASSES = {
    "div": {"markdown-alert", *(f"markdown-alert-{kind}" for kind in KINDS_OF_ALERTS)},
    "p": {"markdown-alert-title"},
    "ul": {"contains-task-list"},
    "section": {"footnotes"},
    "span": {name for name in STANDARD_TYPES.values() if name},
}
# A region that scrolls must be reachable by keyboard (axe: scrollable-region-focusable).
REACHABLE = {"pre": {"tabindex": "0"}, "table": {"tabindex": "0"}}
ALIGNED = re.compile(r"(<t[dh]) style=\"text-align:\s*(left|right|center);?\"")
FOOTNOTE = re.compile(rf"(?:{PREFIX})?fn(?:ref)?\d+(?::\d+)?")
NAMED = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,99}")
HEADING = re.compile(r"<(h[1-6])>(.*?)</\1>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
IMAGE = re.compile(r"<img((?: [a-z]+=\"[^\"]*\")*)>")
LINK = re.compile(r"<a [^>]*>.*?</a>", re.DOTALL)
# The path of a file beside the README; pages put the file's address in its place.
RELATIVE = re.compile(r"(?:\.{1,2}/)*\w[^:\\?]*")
ATTRIBUTE = re.compile(r" ([a-z]+)=\"([^\"]*)\"")


def clean(rendered: str) -> str:
    """The HTML with what a README needs and nothing else, with anchors at its headings and labels
    in place of its images."""
    safe = nh3.clean(
        rendered,
        tags=TAGS,
        attributes=ATTRIBUTES,
        attribute_filter=_attribute,
        filter_style_properties={"text-align"},
        allowed_classes=CLASSES,
        set_tag_attribute_values=REACHABLE,
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener noreferrer ugc",
        id_prefix=PREFIX,
    )
    aligned = ALIGNED.sub(r'\1 align="\2"', safe)  # the pages allow no style attributes
    badges = LINK.sub(lambda link: IMAGE.sub(_words, link[0]), aligned)  # a link holds no link
    return _with_anchors(IMAGE.sub(_label, badges))


def _attribute(tag: str, name: str, value: str) -> str | None:
    if name == "id":
        is_anchor = tag == "a" and NAMED.fullmatch(value)
        return value if is_anchor or FOOTNOTE.fullmatch(value) else None
    if tag == "a" and name == "href" and value.startswith("#"):
        return f"#{PREFIX}{value[1:]}"
    return value


def _words(image: re.Match[str]) -> str:
    """The words of an image: its text, its title, or the name of its file; a relative image stays
    as it is."""
    attributes = dict(ATTRIBUTE.findall(image[1]))
    if RELATIVE.fullmatch(html.unescape(attributes.get("src", ""))):
        return image[0]
    name = attributes.get("src", "").rpartition("/")[2]
    return f"<i>[image: {attributes.get('alt') or attributes.get('title') or name}]</i>"


def _label(image: re.Match[str]) -> str:
    """The words of an image, as a link where another host has it."""
    source = dict(ATTRIBUTE.findall(image[1])).get("src", "")
    if not source.startswith(("http://", "https://")):
        return _words(image)
    rel = "nofollow noopener noreferrer ugc"
    return f'<a href="{source}" rel="{rel}">{_words(image)}</a>'


def _with_anchors(safe: str) -> str:
    """Headings with the ids that GitHub gives them, each with a link to itself."""
    used: dict[str, int] = {}

    def anchored(heading: re.Match[str]) -> str:
        words = html.unescape(TAG.sub("", heading[2])).strip()
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        if not slug:
            return heading[0]
        count = used.get(slug, 0)
        used[slug] = count + 1
        key = html.escape(f"{PREFIX}{slug}{f'-{count}' if count else ''}")
        label = html.escape(f"Link to {words}")
        link = f'<a class="anchor" href="#{key}" aria-label="{label}">#</a>'
        return f'<{heading[1]} id="{key}">{heading[2]} {link}</{heading[1]}>'

    return HEADING.sub(anchored, safe)
