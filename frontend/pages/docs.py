"""The documentation: documents, finding codes, measures, and the search over all of them."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from envyard.contract.codes import CODES
from frontend.documentation import entries, links, rendering, search
from frontend.documentation.documents import decisions, documents, groups

MAX_QUERY = 200  # characters
THRESHOLDS = "decisions/0004-card-thresholds"


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """All documents by group, or the results of the query `q`."""
    query = request.GET.get("q", "").replace("\0", "").strip()[:MAX_QUERY]
    results = search.search(query)
    context = {"docs_query": query, "results": results, "groups": groups()}
    return render(request, "pages/docs/index.html", context)


@require_safe
def page(request: HttpRequest, name: str) -> HttpResponse:
    """One document."""
    document = documents().get(name)
    if document is None:
        raise Http404
    return render(
        request,
        "pages/docs/page.html",
        {
            "document": document,
            "html": rendering.html_of(name),
            "contents": rendering.contents(name),
            "groups": groups(),
        },
    )


@require_safe
def all_decisions(request: HttpRequest) -> HttpResponse:
    """The decisions with their numbers."""
    rows = [(links.document_address(row.name), row.title) for row in decisions()]
    return render(request, "pages/docs/decisions.html", {"decisions": rows, "groups": groups()})


@require_safe
def findings(request: HttpRequest) -> HttpResponse:
    """All finding codes by subject."""
    context = {"codes": entries.code_groups(), "groups": groups()}
    return render(request, "pages/docs/findings.html", context)


@require_safe
def finding(request: HttpRequest, code: str) -> HttpResponse:
    """One finding code."""
    entry = CODES.get(code)
    if entry is None:
        raise Http404
    name = code.removeprefix(entries.CARD)
    measure = entries.measures().get(name) if name != code else None
    return render(
        request,
        "pages/docs/finding.html",
        {
            "code": entry,
            "severity": entries.severity_of(entry),
            "fault": entries.FAULTS[entry.fault],
            "measure": measure,
            "places": entries.places(code, name) if measure else entries.places(code),
            "groups": groups(),
        },
    )


@require_safe
def measures(request: HttpRequest) -> HttpResponse:
    """All measures, of the card and of a model."""
    rows = entries.measures().values()
    context = {
        "of_card": [row for row in rows if not row.about_model],
        "of_model": [row for row in rows if row.about_model],
        "groups": groups(),
    }
    return render(request, "pages/docs/measures.html", context)


@require_safe
def measure(request: HttpRequest, measure: str) -> HttpResponse:
    """One measure."""
    entry = entries.measures().get(measure)
    if entry is None:
        raise Http404
    names = (measure, entry.code) if entry.code else (measure,)
    context = {
        "measure": entry,
        "places": entries.places(*names),
        "thresholds": links.document_address(THRESHOLDS),
        "groups": groups(),
    }
    return render(request, "pages/docs/measure.html", context)
