"""The two forms of a page. HTML is PEP 503 as PEP 833 froze it: nothing is ever added there."""

from __future__ import annotations

import json
from html import escape

from registry.index.content import Page

HEAD = """<!DOCTYPE html>
<html>
  <head>
    <meta name="pypi:repository-version" content="{version}">
{status}    <title>{title}</title>
  </head>
  <body>
    <h1>{title}</h1>
"""
TAIL = "  </body>\n</html>\n"


def as_json(page: Page) -> bytes:
    """The page in JSON."""
    return json.dumps(page, ensure_ascii=False, separators=(",", ":")).encode()


def as_html(page: Page) -> bytes:
    """The page in HTML."""
    if "files" in page:
        title = f"Links for {page['name']}"
        links = [_anchor(file) for file in page["files"]]
    else:
        title = "Simple index"
        links = [_link(f"{entry['name']}/", entry["name"]) for entry in page["projects"]]
    head = HEAD.format(
        version=page["meta"]["api-version"], status=_status(page), title=escape(title)
    )
    return (head + "".join(f"    {link}<br>\n" for link in links) + TAIL).encode()


def _status(page: Page) -> str:
    status = page.get("project-status", {})
    attribute_fields = {"pypi:project-status": "status", "pypi:project-status-reason": "reason"}
    return "".join(
        f'    <meta name="{name}" content="{escape(status[key])}">\n'
        for name, key in attribute_fields.items()
        if key in status
    )


def _anchor(file: Page) -> str:
    sha256 = f"sha256={file['core-metadata']['sha256']}"
    attributes = {
        "data-requires-python": file.get("requires-python"),
        "data-core-metadata": sha256,
        "data-dist-info-metadata": sha256,
    }
    if file["yanked"]:
        attributes["data-yanked"] = "" if file["yanked"] is True else file["yanked"]
    attribute_text = "".join(f' {k}="{escape(v)}"' for k, v in attributes.items() if v is not None)
    return _link(
        f"{file['url']}#sha256={file['hashes']['sha256']}", file["filename"], attribute_text
    )


def _link(href: str, text: str, attributes: str = "") -> str:
    return f'<a href="{escape(href)}"{attributes}>{escape(text)}</a>'
