"""The documentation that the hub serves."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.test import Client

from envyard.card.learnability import MODEL_MEASURES
from envyard.card.measures import MEASURES
from envyard.contract.codes import CODES
from frontend.documentation import entries, rendering, search
from frontend.documentation.documents import documents, groups
from registry.models import User
from tests.factories import make_run, make_version
from tests.frontend.people import text

pytestmark = [pytest.mark.once, pytest.mark.django_db]
ROOT = Path(__file__).parents[2]
PAGES = [
    *("/docs/", "/docs/decisions/", "/docs/findings/", "/docs/measures/"),
    *(f"/docs/{name}/" for name in documents()),
    *(f"/docs/findings/{code}/" for code in CODES),
    *(f"/docs/measures/{name}/" for name in (*MEASURES, *MODEL_MEASURES)),
]


class Anchors(HTMLParser):
    """The ids and the links inside the documentation of one page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids += [values["id"] or ""] if "id" in values else []
        if tag == "a":
            self.links.append(values.get("href") or "")


def test_every_page_is_served_and_every_link_between_pages_leads_to_its_anchor(
    client: Client,
) -> None:
    pages = {url: Anchors(text(client, url)) for url in PAGES}
    wrong = []
    for url, page in pages.items():
        wrong += [f"{url}: two ids {each}" for each in page.ids if page.ids.count(each) > 1]
        for link in page.links:
            path, _, anchor = link.partition("#")
            target = pages.get(path or url)
            if path.startswith("/docs/") and target is None:
                wrong.append(f"{url}: {link} is no page")
            elif target and anchor and anchor not in target.ids:
                wrong.append(f"{url}: {link} has no such anchor")
            elif not path.startswith(("/", "http", "?")) and path:
                wrong.append(f"{url}: {link} is a relative address")
    assert not wrong, "\n".join(wrong)


def test_every_document_but_the_decisions_is_in_the_navigation() -> None:
    grouped = [row.name for _, rows in groups() for row in rows]
    named = [row.name for row in documents().values() if not row.is_decision]
    assert sorted(grouped) == sorted(named)


def test_every_decision_is_titled_by_its_number() -> None:
    for row in documents().values():
        if row.is_decision:
            number = row.name.removeprefix("decisions/").partition("-")[0]
            assert re.match(rf"{number} \S", row.title), row


def test_lists_of_codes_measures_and_results_show_no_markdown(client: Client) -> None:
    pages = [
        text(client, url) for url in ("/docs/findings/", "/docs/measures/", "/docs/?q=reward+range")
    ]
    shown = "".join(page.partition("<main")[2].partition("</main>")[0] for page in pages)
    assert "<code>1,000</code>" in shown
    assert "`" not in shown
    assert "](" not in shown


def test_a_link_to_a_file_that_the_hub_does_not_serve_is_its_words(client: Client) -> None:
    page = text(client, "/docs/operations/") + text(client, "/docs/runners/")
    assert "../deploy" not in page


@pytest.mark.parametrize(
    "path", ["nothing", "findings/card.nothing", "measures/nothing", "../settings"]
)
def test_unknown_pages_are_not_found(client: Client, path: str) -> None:
    assert client.get(f"/docs/{path}/").status_code == 404


def test_the_list_of_codes_begins_with_a_link_to_each_subject(client: Client) -> None:
    page = text(client, "/docs/findings/")
    subjects = re.findall(r'<h2 id="([^"]+)"', page)
    assert len(subjects) > 5
    links = page.partition("<h2 id=")[0]
    assert re.findall(r'<a href="#([^"]+)"', links.partition("<h1>")[2]) == subjects


def test_page_of_a_code_says_whose_fault_it_is_and_what_to_do(client: Client) -> None:
    page = text(client, "/docs/findings/card.floor/")
    for words in (CODES["card.floor"].message, "its author has to change", "/docs/measures/floor/"):
        assert words in page
    assert "held, not rejected" in text(client, "/docs/findings/needs.secret/")
    assert "the request is refused" in text(client, "/docs/findings/request.invalid/")


def test_page_of_a_measure_names_its_finding_threshold_and_documents(client: Client) -> None:
    page = text(client, "/docs/measures/floor/")
    for words in ("/docs/findings/card.floor/", "0004-card-thresholds", '<a href="/docs/card/">'):
        assert words in page
    assert "it rejects nothing" in text(client, "/docs/measures/solve_rate/")


def test_documents_link_finding_codes_and_measures(client: Client) -> None:
    assert '<a href="/docs/measures/floor/"><code>floor</code></a>' in text(client, "/docs/card/")
    assert '<a href="/docs/findings/card.leaks/"><code>card.leaks</code></a>' in rendering.html_of(
        "card"
    )


def test_pages_link_findings_and_measures_to_their_explanation(client: Client, alice: User) -> None:
    version = make_version(alice, status="rejected")
    for code in ("run.load_failed", "run.of_an_older_release"):
        version.findings.create(
            stage="run",
            run=make_run(version, status="failed"),
            code=code,
            severity="error",
            message="x",
        )
    client.force_login(alice)
    page = text(client, "/envs/alice/demo-env/0.1.0/")
    assert '<a href="/docs/findings/run.load_failed/"><code>run.load_failed</code></a>' in page
    assert "<code>run.of_an_older_release</code>" in page
    assert "/docs/findings/run.of_an_older_release/" not in page


def test_search_finds_settings_by_name_and_sections_that_have_all_words(client: Client) -> None:
    results = search.search("HUB_READY_SECONDS")
    assert {"Settings", "Operating a hub"} <= {result.title for result in results}
    assert "<mark>HUB_READY_SECONDS</mark>" in results[0].snippet
    assert search.search("card.floor")[0].url == "/docs/findings/card.floor/"
    assert not search.search("sandbox zebra-crossing")
    page = text(client, "/docs/?q=trusted+publishing")
    assert "/docs/trusted-publishing/" in page
    assert "No section has all of these words" in text(client, "/docs/?q=zebra-crossing")


@pytest.mark.parametrize("query", ["<script>alert(1)</script>", '"><img src=x>', "%00", "a " * 900])
def test_search_shows_any_query_as_text(client: Client, query: str) -> None:
    page = client.get("/docs/", {"q": query}).content.decode()
    assert "<script>alert" not in page
    assert "<img" not in page


def test_snippets_mark_words_in_the_middle_of_a_text_and_escape_it() -> None:
    shown = search.snippet("x " * 200 + "<b> the Floor is & low " + "y " * 200, ["floor"])
    assert "&lt;b&gt; the <mark>Floor</mark> is &amp; low" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")


def test_pages_of_the_documentation_need_no_query(
    client: Client, django_assert_num_queries: object
) -> None:
    with django_assert_num_queries(0):  # type: ignore[operator]
        for url in ("/docs/", "/docs/?q=floor", "/docs/card/", "/docs/findings/card.floor/"):
            client.get(url)


def test_every_severity_and_fault_has_a_sentence() -> None:
    for code in CODES.values():
        assert entries.severity_of(code)
        assert entries.FAULTS[code.fault]


@pytest.mark.slow
def test_the_wheel_of_the_hub_contains_the_documents(tmp_path: Path) -> None:
    """The one that is made from the source distribution, which has no links."""
    command = [sys.executable, "-m", "build", "--no-isolation", "-o", str(tmp_path)]
    subprocess.run([*command, str(ROOT)], check=True, capture_output=True, timeout=300)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        packaged = [re.sub(r"^frontend/documents/|\.md$", "", name) for name in wheel.namelist()]
    assert documents().keys() <= set(packaged)
