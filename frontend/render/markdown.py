"""Markdown of models as safe HTML, rendered in a separate process with limits.

The rules are stricter than a README's: tags are text, since a reader looks for <answer> and the
like; no images, no ids, no headings of the page's outline, and links only to other hosts. Some
texts keep the renderer busy for minutes, so the process prints each result as it comes and is ended
by its limit of processor time; the rest stays raw.

python -m frontend.render.markdown <TEXTS.json
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Sequence

import nh3
from django.core.cache import caches
from django.utils.safestring import SafeString, mark_safe

from frontend.render import plain
from registry.uploads import readme_html, rendering

LONGEST = 20_000  # characters of one text
MOST = 200_000  # characters of all texts of a page
SECONDS = 3600  # a result is cached
TAGS = readme_html.TAGS - {"section"}
ATTRIBUTES = {
    "a": {"href", "title"},
    "img": {"alt"},
    "ol": {"start"},
}
IMAGE = re.compile(r'<img(?: alt="([^"]*)")?>')
HEADING = re.compile(r"<(/?)h[1-6]>")


def rendered(texts: Sequence[str]) -> list[SafeString | None]:
    """Each text as safe HTML; None for one that is too long or takes too long."""
    key = "markdown-" + hashlib.sha256(json.dumps(texts).encode()).hexdigest()
    cache = caches["local"]
    results: list[str | None] | None = cache.get(key)
    if results is None:
        results = _in_process(_within_limits(texts))
        cache.set(key, results, SECONDS)
    return [None if result is None else mark_safe(result) for result in results]  # noqa: S308 - nh3 cleaned it


def _within_limits(texts: Sequence[str]) -> list[str]:
    """The texts, those beyond the limits empty."""
    left, result = MOST, []
    for text in texts:
        fits = len(text) <= min(LONGEST, left)
        result.append(plain.visible(text) if fits else "")
        left -= len(text) if fits else 0
    return result


def _in_process(texts: list[str]) -> list[str | None]:
    environ = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"}
    try:
        with rendering.PROCESSES:
            completed = subprocess.run(
                [sys.executable, "-m", "frontend.render.markdown"],
                input=json.dumps(texts).encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=rendering.WAIT_SECONDS,
                env=environ,
                check=False,
            )
        output = completed.stdout
    except subprocess.TimeoutExpired as late:
        output = late.stdout or b""
    lines = output.split(b"\n")[:-1]  # the last one is cut, or empty
    results = [json.loads(line) or None for line in lines]
    return [*results, *[None] * (len(texts) - len(results))]


def clean(unsafe: str) -> str:
    """The HTML with what a reply needs and nothing else."""
    safe = nh3.clean(
        unsafe,
        tags=TAGS,
        attributes=ATTRIBUTES,
        allowed_classes={"span": readme_html.CLASSES["span"]},
        set_tag_attribute_values=readme_html.REACHABLE,
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
        link_rel="nofollow noopener noreferrer ugc",
    )
    paragraphs = HEADING.sub(lambda tag: "</p>" if tag[1] else '<p class="heading">', safe)
    return IMAGE.sub(_words, paragraphs)


def _words(image: re.Match[str]) -> str:
    words = html.escape(html.unescape(image[1] or "")) or "without a description"
    return f"<i>[image: {words}]</i>"


def main() -> None:
    """Print the HTML of each text as a line of JSON."""
    seconds = rendering.CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (rendering.MEMORY, rendering.MEMORY))
    for text in json.load(sys.stdin):
        unsafe = rendering.markdown(text, html=False) if text.strip() else ""
        result = clean(unsafe)
        sys.stdout.write(json.dumps(result if len(result) <= rendering.MAX_HTML else "") + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
