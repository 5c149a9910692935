"""A README as safe HTML, made in a process of its own that may use little: README in, HTML out.

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

import nh3
from markdown_it import MarkdownIt
from readme_renderer import rst

RST = "text/x-rst"
RULES = 1  # counts the changes of what is made of a README
LONGEST = 512 * 1024  # characters
MOST_HTML = 2**21  # characters
CPU_SECONDS = 2
MEMORY = 2**29
WAIT_SECONDS = 20  # on the clock of a busy machine
AT_ONCE = threading.BoundedSemaphore(2)  # so many may use MEMORY for one web process
FAULTY = 3  # the exit status where it is no good reStructuredText
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


@dataclass(frozen=True, slots=True)
class Made:
    """The HTML, None where there is none; what is wrong with the README, which is not always why;
    and whether another time would end alike."""

    html: str | None
    fault: str = ""
    final: bool = True


def apart(text: str, content_type: str) -> Made:
    """The README as safe HTML, in a process with bounds."""
    if len(text) > LONGEST:
        return Made(None, f"it has {len(text)} characters; {LONGEST} are the most")
    command = [sys.executable, "-m", "registry.uploads.rendering", content_type]
    environ = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"}
    try:
        with AT_ONCE:
            done = subprocess.run(
                command,
                input=text.encode(),
                capture_output=True,
                timeout=WAIT_SECONDS,
                env=environ,
                check=False,
            )
    except subprocess.TimeoutExpired:  # no fault of the README
        return Made(None, final=False)
    if done.returncode not in (0, FAULTY):
        return Made(
            None, f"it takes more than {CPU_SECONDS} s or {MEMORY >> 20} MiB, or grows too long"
        )
    return Made(done.stdout.decode(), done.stderr.decode() if done.returncode else "")


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


def safe_html(text: str, content_type: str) -> str:
    """The README as HTML; raises ValueError as `render` does.

    nh3 keeps of what was rendered only what a README needs.
    """
    if not text.strip():
        return ""
    return nh3.clean(
        render(text, content_type),
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener noreferrer ugc",
    )


def main() -> int:
    """0 with the HTML, 1 where it became too much; FAULTY with the README as it is written, and
    with what is wrong with it as an error."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    text, status = sys.stdin.read(), 0
    try:
        made = safe_html(text, sys.argv[1])
    except ValueError as error:
        made, status = safe_html(text, "text/plain"), FAULTY
        sys.stderr.write(str(error))
    if len(made) > MOST_HTML:
        return 1
    sys.stdout.write(made)
    return status


if __name__ == "__main__":
    sys.exit(main())
