"""Relative images and links of a README, served from the version's archive.

A path is resolved in the archive's list of members; what is not there is shown by its words.
"""

from __future__ import annotations

import html
import logging
import posixpath
import re
from urllib.parse import unquote

from django.urls import reverse

from frontend.render import raw
from registry.catalog.models import Version
from registry.sources import browse
from registry.sources.models import Source
from registry.uploads.readme_html import RELATIVE

IMAGE = re.compile(r'<img((?: [a-z]+="[^"]*")*)>')
LINK = re.compile(r'<a href="([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
log = logging.getLogger(__name__)
ATTRIBUTE = re.compile(r' ([a-z]+)="([^"]*)"')


def with_files(rendered: str, version: Version) -> str:
    """The README's safe HTML with addresses of the version's files in place of relative paths."""
    links = [match[1] for match in LINK.finditer(rendered)]
    sources = [src for image in IMAGE.finditer(rendered) for src in _sources(image)]
    if not any(_is_relative(value) for value in (*links, *sources)):
        return rendered
    files = _Files(version)
    linked = LINK.sub(lambda match: files.link(match), rendered)
    return IMAGE.sub(lambda match: files.image(match), linked)


def _sources(image: re.Match[str]) -> list[str]:
    return [value for name, value in ATTRIBUTE.findall(image[1]) if name == "src"]


def _is_relative(value: str) -> bool:
    """A path, or another host without a scheme, which looks like one and no archive has."""
    address = html.unescape(value)
    return RELATIVE.fullmatch(address) is not None or address.startswith("//")


class _Files:
    """The members of the archive that the README's paths mean: the source's, else the wheel's."""

    def __init__(self, version: Version) -> None:
        self._version = version
        source = Source.objects.filter(version=version).first()
        self._tree = "wheel" if source is None else "source"
        try:
            self._paths = browse.paths(version=version, source=source)
        except Exception:  # each storage raises its own, and the page needs none of these files
            log.exception("the files of %s cannot be listed", version)
            self._paths = frozenset()
        top = {path.partition("/")[0] for path in self._paths}
        nested = source is not None and len(top) == 1 and not top & self._paths
        self._root = top.pop() if nested else ""

    def _address(self, route: str, value: str) -> str:
        """The address of the file; empty where the archive has none of that path."""
        path, _, anchor = html.unescape(value).partition("#")
        member = posixpath.normpath(posixpath.join(self._root, unquote(path)))
        if member not in self._paths:
            return ""
        env = self._version.environment
        names = (env.owner.name, env.name, self._version.version)
        fragment = f"#{anchor}" if anchor else ""
        return html.escape(reverse(route, args=[*names, self._tree, member]) + fragment)

    def link(self, match: re.Match[str]) -> str:
        """The link to the page of a file; its words alone where there is no such file."""
        if not _is_relative(match[1]):
            return match[0]
        address = self._address("version-file", match[1])
        return f'<a href="{address}"{match[2]}>{match[3]}</a>' if address else match[3]

    def image(self, match: re.Match[str]) -> str:
        """The image from the archive; its words where there is none."""
        attributes = dict(ATTRIBUTE.findall(match[1]))
        source = attributes.get("src", "")
        address = ""
        if _is_relative(source) and raw.image_type(html.unescape(source)):
            address = self._address("version-raw", source)
        name = attributes.get("alt") or attributes.get("title") or source.rpartition("/")[2]
        if not address:
            return f"<i>[image: {name}]</i>"
        return f'<img src="{address}" alt="{name}" loading="lazy">'
