"""A README as HTML: what the page shows, and what an upload must therefore be able to give.

Source: the content types of the core metadata specification. reStructuredText is rendered as
`twine check` does it, by readme_renderer, which comes with twine.
"""

from __future__ import annotations

import html
import io
from collections.abc import Iterator

from markdown_it import MarkdownIt
from readme_renderer import rst

from envyard.contract.codes import Finding, finding
from envyard.contract.wheel import Wheel

RST = "text/x-rst"


def kind(content_type: str) -> str:
    """The bare type, `text/markdown` where none is given."""
    return content_type.partition(";")[0].strip().lower() or "text/markdown"


def render(text: str, content_type: str) -> str:
    """The README as HTML that is still to be cleaned; raises ValueError, which says what is wrong
    with reStructuredText. Markdown and plain text always render."""
    match kind(content_type):
        case "text/markdown":
            machine = MarkdownIt("commonmark", {"html": True})
            return str(machine.enable(["table", "strikethrough"]).render(text))
        case "text/x-rst":
            told = io.StringIO()
            made: str | None = rst.render(text, stream=told)
            if made is None:
                raise ValueError(" ".join(told.getvalue().split()) or "nothing is left of it")
            return made
        case _:
            return f"<pre>{html.escape(text)}</pre>"


def renders(whl: Wheel) -> Iterator[Finding]:
    """A README in reStructuredText has no fault that its renderer stops at."""
    said = whl.metadata
    if kind(said.description_content_type) != RST or not said.description.strip():
        return
    try:
        render(said.description, RST)
    except ValueError as error:
        yield finding(
            "metadata.bad_description",
            f"METADATA: the description of type {RST!r} does not render: {str(error)[:400]}",
            where="description",
        )
