"""The one dict of a page, and both its forms."""

import json
import re
from html.parser import HTMLParser

from registry.catalog import overlays
from registry.index import content, render
from registry.models import User
from tests.factories import make_version

EVIL = '"><script>alert(1)</script>'


class Anchors(HTMLParser):
    """The anchors and metas of a page, as an installer reads them."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.anchors: list[dict[str, str | None]] = []
        self.metas: dict[str, str] = {}
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "a":
            self.anchors.append(attributes)
        if tag == "meta":
            self.metas[str(attributes["name"])] = str(attributes["content"])


def test_a_page_lists_every_file_with_what_installers_need(alice: User) -> None:
    version = make_version(alice, requires_python=">=3.11")
    page = content.environment(version.environment)
    assert page["meta"] == {"api-version": "1.4", "_last-serial": version.environment.index_serial}
    assert (page["name"], page["versions"]) == ("demo-env", ["0.1.0"])
    assert page["project-status"] == {"status": "active"}
    (file,) = page["files"]
    assert file["filename"] == "demo_env-0.1.0-py3-none-any.whl"
    assert file["hashes"] == {"sha256": version.sha256}
    assert file["size"] == version.size
    assert file["requires-python"] == ">=3.11"
    assert file["core-metadata"] == {"sha256": version.metadata_sha256}
    assert "dist-info-metadata" not in file, "Debian 12's pip, 23.0.1, fails on it"
    assert file["yanked"] is False
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", file["upload-time"])
    assert file["url"].endswith(f"files/{version.sha256[:2]}/{version.sha256}/{file['filename']}")


def test_yanked_versions_stay_with_their_reason_and_unlisted_ones_are_not_there(
    alice: User,
) -> None:
    at = "2026-01-01T00:00:00Z"
    environment = make_version(alice, version="0.10.0").environment
    make_version(alice, version="0.9.0", yanked_at=at, yanked_reason="pays <silence>")
    make_version(alice, version="0.11.0", status="evaluating")
    make_version(alice, version="0.12.0", quarantined_at=at)
    make_version(alice, version="0.13.0", deleted_at=at)
    page = content.environment(environment)
    assert page["versions"] == ["0.9.0", "0.10.0"]
    assert [file["yanked"] for file in page["files"]] == ["pays <silence>", False]
    read = Anchors(render.as_html(page))
    assert [a.get("data-yanked") for a in read.anchors] == ["pays <silence>", None]


def test_a_quarantined_environment_offers_nothing(alice: User) -> None:
    environment = make_version(alice).environment
    environment.quarantined_at = environment.created_at
    environment.quarantine_reason = "malware"
    environment.save()
    page = content.environment(environment)
    assert page["project-status"] == {"status": "quarantined", "reason": "malware"}
    assert page["files"] == page["versions"] == []
    metas = Anchors(render.as_html(page)).metas
    assert metas["pypi:project-status"] == "quarantined"
    assert metas["pypi:project-status-reason"] == "malware"


def test_page_of_a_deprecated_environment_has_reason_and_files(alice: User) -> None:
    environment = make_version(alice).environment
    overlays.deprecate(environment=environment, by=alice, reason="use another")
    page = content.environment(environment)
    assert page["project-status"] == {"status": "deprecated", "reason": "use another"}
    assert page["versions"] == ["0.1.0"]
    overlays.quarantine_environment(environment=environment, by=alice, reason="malware")
    page = content.environment(environment)
    assert page["project-status"] == {"status": "quarantined", "reason": "malware"}


def test_html_carries_the_frozen_set_and_no_more(alice: User) -> None:
    version = make_version(alice, requires_python=">=3.11,<4")
    page = content.environment(version.environment)
    read = Anchors(render.as_html(page))
    assert read.metas == {"pypi:repository-version": "1.4", "pypi:project-status": "active"}
    sha = f"sha256={version.metadata_sha256}"
    assert read.anchors == [
        {
            "href": f"{page['files'][0]['url']}#sha256={version.sha256}",
            "data-requires-python": ">=3.11,<4",
            "data-core-metadata": sha,
            "data-dist-info-metadata": sha,
        }
    ]


def test_nothing_an_author_wrote_breaks_out_of_the_html(alice: User) -> None:
    version = make_version(
        alice, requires_python=EVIL, yanked_at="2026-01-01T00:00:00Z", yanked_reason=EVIL
    )
    html = render.as_html(content.environment(version.environment))
    assert b"<script" not in html
    (anchor,) = Anchors(html).anchors
    assert anchor["data-requires-python"] == anchor["data-yanked"] == EVIL


def test_the_root_names_environments_in_both_forms() -> None:
    page = content.root(["a-b", "c"])
    assert json.loads(render.as_json(page)) == {
        "meta": {"api-version": "1.4"},
        "projects": [{"name": "a-b"}, {"name": "c"}],
    }
    assert [a["href"] for a in Anchors(render.as_html(page)).anchors] == ["a-b/", "c/"]
