"""Which form of a page a client gets."""

import pytest

from registry.index.negotiate import HTML, JSON, PLAIN, choose, takes_gzip

PIP = f"{JSON}, {HTML}; q=0.1, text/html; q=0.01"
UV = f"{JSON}, {HTML};q=0.2, text/html;q=0.01"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("", PLAIN),
        ("*/*", PLAIN),
        ("image/png", PLAIN),
        (PIP, JSON),
        (UV, JSON),
        (BROWSER, PLAIN),
        (HTML, HTML),
        ("text/html", PLAIN),
        (f"{JSON};q=0.5, text/html", PLAIN),
        (f"{JSON};q=0.5, {HTML};q=0.9", HTML),
        (f"{JSON};q=0, */*", PLAIN),
        (f"{JSON};q=0", PLAIN),
        ("application/vnd.pypi.simple.latest+json", JSON),
        ("application/json", JSON),
        ("application/*", JSON),
        (f"{JSON};q=zero, {HTML}", HTML),
        (f"text/*;q=0.9, {JSON};q=0.1", PLAIN),
        (JSON.upper(), JSON),
        (";;,,q=", PLAIN),
    ],
)
def test_the_best_offered_type_wins(accept: str, kind: str) -> None:
    assert choose(accept) == kind


@pytest.mark.parametrize(
    ("wanted", "kind"),
    [("json", JSON), ("html", PLAIN), (JSON, JSON), (HTML, HTML), ("xml", HTML)],
)
def test_the_format_parameter_comes_first(wanted: str, kind: str) -> None:
    assert choose(HTML, wanted) == kind


@pytest.mark.parametrize(
    ("accept", "takes"),
    [
        ("", False),
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("gzip;q=0", False),
        ("*", False),
        ("x-gzip", False),
    ],
)
def test_gzip_needs_to_be_named_in_accept_encoding(accept: str, takes: bool) -> None:
    assert takes_gzip(accept) is takes
