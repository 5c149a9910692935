"""Addresses of the documentation's pages, and links inside a rendered document.

A link to a file that the hub does not serve (`../deploy/nginx.conf`) becomes its words: the
address of the source repository is not known to the hub.
"""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

from django.urls import reverse
from django.utils.html import format_html

from envyard.card.learnability import MODEL_MEASURES
from envyard.card.measures import MEASURES
from envyard.contract.codes import CODES
from frontend.documentation.documents import documents
from registry.uploads.readme_html import PREFIX

ID = re.compile(rf'( id="|href="#){PREFIX}')
LINK = re.compile(r'<a href="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
LINK_OR_CODE = re.compile(r"<a [^>]*>.*?</a>|<pre.*?</pre>|<code>([a-z_.]+)</code>", re.DOTALL)
FIRST_CELL = re.compile(r"(<tr>\s*<td[^>]*>)<code>(\w+)</code>")


@lru_cache(maxsize=1024)  # a card has dozens of these links
def code_address(code: str) -> str:
    """The page of a finding code; empty where the hub has no such code."""
    return reverse("docs-finding", args=[code]) if code in CODES else ""


@lru_cache(maxsize=1024)
def measure_address(name: str) -> str:
    """The page of a measure, of the card or of a model; empty where there is no such measure."""
    known = name in MEASURES or name in MODEL_MEASURES
    return reverse("docs-measure", args=[name]) if known else ""


@lru_cache(maxsize=1024)
def document_address(name: str) -> str:
    """The page of a document."""
    return reverse("docs-page", args=[name])


def linked(rendered: str, name: str) -> str:
    """The rendered document with links between pages, also from finding codes and measures."""
    own_ids = ID.sub(r"\1", rendered)  # it is the hub's own text, whose ids name no other part
    pages = LINK.sub(lambda match: _page_link(match, posixpath.dirname(name)), own_ids)
    measures = FIRST_CELL.sub(_measure_link, pages)
    return LINK_OR_CODE.sub(_code_link, measures)


def _page_link(match: re.Match[str], folder: str) -> str:
    target, words = match.groups()
    if target.startswith("#") or ":" in target:
        return match[0]
    path, _, anchor = target.partition("#")
    name = posixpath.normpath(posixpath.join(folder, path)).removesuffix(".md")
    if name not in documents():
        return words
    fragment = f"#{anchor}" if anchor else ""
    return f'<a href="{document_address(name)}{fragment}">{words}</a>'


def _measure_link(match: re.Match[str]) -> str:
    address = measure_address(match[2])
    if not address:
        return match[0]
    return str(match[1]) + format_html('<a href="{}"><code>{}</code></a>', address, match[2])


def _code_link(match: re.Match[str]) -> str:
    address = code_address(match[1] or "")
    if not address:
        return match[0]
    return format_html('<a href="{}"><code>{}</code></a>', address, match[1])
