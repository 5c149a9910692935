"""Render a README as safe HTML in a separate process with limits: README in, HTML out.

A table of 2 KB becomes 600 KB of HTML, and some texts keep either renderer busy for minutes.
Source: the content types of the core metadata specification. reStructuredText is rendered as
`twine check` does it, by readme_renderer, which comes with twine.

python -m registry.uploads.rendering text/markdown <README.md
"""

from __future__ import annotations

import html
import io
import os
import resource
import subprocess
import sys
import threading
from dataclasses import dataclass

from markdown_it import MarkdownIt
from mdit_py_plugins.gfm import gfm_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound
from readme_renderer import rst

from registry.uploads import readme_html

RST = "text/x-rst"
RULES_VERSION = 5  # raise it whenever the result for a README changes
MAX_CHARACTERS = 512 * 1024  # characters
MAX_HTML = 2**21  # characters
CPU_SECONDS = 2
MEMORY = 2**29
WAIT_SECONDS = 20  # of wall time, on a busy machine
PROCESSES = threading.BoundedSemaphore(2)  # per web process, each of which may use MEMORY
FAULTY = 3  # exit status for invalid reStructuredText
LONGEST_CODE = 50_000  # characters of a block of code that is highlighted
# The check boxes of a task list, which a reader cannot change, as characters.
BOXES = {
    '<input class="task-list-item-checkbox" disabled="" type="checkbox">': "☐",
    '<input class="task-list-item-checkbox" disabled="" type="checkbox" checked="">': "☑",
}


@dataclass(frozen=True, slots=True)
class Rendered:
    """The HTML, None where rendering failed; the fault of the README, which may be present with
    HTML too; and whether a repetition would give the same."""

    html: str | None
    fault: str = ""
    final: bool = True


def render_in_process(text: str, content_type: str) -> Rendered:
    """The README as safe HTML, rendered in a process with limits."""
    if len(text) > MAX_CHARACTERS:
        return Rendered(None, f"it has {len(text)} characters; {MAX_CHARACTERS} are the most")
    command = [sys.executable, "-m", "registry.uploads.rendering", content_type]
    environ = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"}
    try:
        with PROCESSES:
            completed = subprocess.run(
                command,
                input=text.encode(),
                capture_output=True,
                timeout=WAIT_SECONDS,
                env=environ,
                check=False,
            )
    except subprocess.TimeoutExpired:  # not the fault of the README
        return Rendered(None, final=False)
    if completed.returncode not in (0, FAULTY):
        return Rendered(
            None, f"it takes more than {CPU_SECONDS} s or {MEMORY >> 20} MiB, or grows too long"
        )
    return Rendered(
        completed.stdout.decode(), completed.stderr.decode() if completed.returncode else ""
    )


def kind(content_type: str) -> str:
    """The bare type, `text/markdown` where none is given."""
    return content_type.partition(";")[0].strip().lower() or "text/markdown"


def render(text: str, content_type: str) -> str:
    """The README as HTML that is not cleaned yet; raises ValueError with the errors of
    reStructuredText. Markdown and plain text always render."""
    match kind(content_type):
        case "text/markdown":
            return markdown(text, html=True)
        case "text/x-rst":
            errors = io.StringIO()
            rendered: str | None = rst.render(text, stream=errors)
            if rendered is None:
                raise ValueError(" ".join(errors.getvalue().split()) or "nothing is left of it")
            return rendered
        case _:
            return f"<pre>{html.escape(text)}</pre>"


def safe_html(text: str, content_type: str) -> str:
    """The README as HTML; raises ValueError as `render` does."""
    if not text.strip():
        return ""
    return readme_html.clean(render(text, content_type))


def markdown(text: str, *, html: bool) -> str:
    """GitHub's Markdown: tables, task lists, footnotes, alerts, autolinks, highlighted code. Tags
    are text where `html` is False."""
    parser = MarkdownIt("commonmark", {"highlight": _highlighted}).use(gfm_plugin)
    parser.options["html"] = html
    rendered = str(parser.render(text))
    for box, character in BOXES.items():
        rendered = rendered.replace(box, character)
    return rendered


def _highlighted(code: str, language: str, _: str) -> str:
    """The code with a class for each kind of token; empty where its language is unknown."""
    if not language or len(code) > LONGEST_CODE:
        return ""
    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return ""
    highlighted: str = highlight(code, lexer, HtmlFormatter(nowrap=True))
    return highlighted


def main() -> int:
    """Exit with 0 and the HTML, with 1 where it is too long, or with FAULTY, the README as plain
    text and its errors on stderr."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    text, status = sys.stdin.read(), 0
    try:
        rendered = safe_html(text, sys.argv[1])
    except ValueError as error:
        rendered, status = safe_html(text, "text/plain"), FAULTY
        sys.stderr.write(str(error))
    if len(rendered) > MAX_HTML:
        return 1
    sys.stdout.write(rendered)
    return status


if __name__ == "__main__":
    sys.exit(main())
