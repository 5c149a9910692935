"""Leaderboards: the models on a version by one suite, and on several environments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from envyard.contract.suite import BUILT_IN, FULL
from frontend.access import follows_moves, version_or_404
from frontend.pages.environment_head import tabs
from registry.catalog.models import Version
from registry.errors import HubError
from registry.read_models import environments, leaderboards, leaderboards_across, links, verdicts
from registry.read_models.suites import OtherDefinition
from registry.runs import suites
from registry.runs.suite_models import Suite

MODELS = 25  # on a page of several environments
ROWS = 50  # on a page of one version


@dataclass(frozen=True, slots=True)
class Link:
    """A choice of the page, whose address contains the others."""

    label: str
    url: str
    on: bool = False
    count: int = 0
    title: str = ""


@require_safe
def across(request: HttpRequest) -> HttpResponse:
    """The models on several environments; suite, environments and page are in the query string."""
    name, digest = request.GET.get("suite", FULL), request.GET.get("digest", "")
    wanted = leaderboards_across.names_in(request.GET.get("environments", ""))
    try:
        board = leaderboards_across.leaderboard_across(
            name, digest=digest, environments=wanted, actor=request.user
        )
    except HubError as problem:
        raise Http404(problem.message) from problem
    shown = [column.environment for column in board.columns]
    base = {"suite": name} | ({"digest": digest} if digest else {})
    context = {
        "board": board,
        "page": Paginator(board.verified, MODELS).get_page(request.GET.get("page")),
        "suites": [
            Link(each, _address(suite=each), each == name)
            for each in dict.fromkeys((*BUILT_IN, name))
        ],
        "definitions": _definitions(board.same_name, suite=name),
        "has_other_results": any(row.has_results for row in board.same_name),
        "columns": [
            (column, _address(**base, environments=",".join(e for e in shown if e != environment)))
            for column in board.columns
            for environment in [column.environment]
        ],
        "others": [
            Link(
                row.environment,
                _address(**base, environments=",".join([*shown, row.environment])),
                count=row.models,
            )
            for row in board.others
        ],
        "everything": _address(**base) if wanted else "",
        "compared": sum(column.in_mean for column in board.columns),
        "address": _address(**base, environments=",".join(wanted)),
    }
    return render(request, "pages/leaderboards.html", context)


def _address(**parameters: str) -> str:
    return f"?{urlencode({key: value for key, value in parameters.items() if value})}"


def _definitions(rows: Sequence[OtherDefinition], **parameters: str) -> list[Link]:
    """The present definition and those with results, at the address with these parameters."""
    return [
        Link(
            "present definition" if row.is_present else f"rules version {row.rules}",
            _address(**parameters, digest=row.digest[:12]),
            title=f"since {row.created_at.day} {row.created_at:%B %Y}, digest {row.digest[:12]}",
        )
        for row in rows
        if row.is_present or row.has_results
    ]


@require_safe
@follows_moves
def leaderboard(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """The models by the suite of the query string, `full` by default; `digest` chooses an earlier
    definition."""
    version = version_or_404(request, owner, name, number)
    digest = request.GET.get("digest", "")
    try:
        suite = suites.named(version.environment, request.GET.get("suite", FULL), digest=digest)
    except HubError as problem:
        raise Http404(problem.message) from problem
    context = {
        "env": environments.summary(version.environment),
        "tabs": tabs(request, version.environment, on="evaluations"),
        "verdict": verdicts.of_version(version),
        "owner": version.environment.owner.name,
        "name": version.environment.name,
        "number": version.version,
        "suites": [row.name for row in suites.of_environment(version.environment)],
        **board_context(request, version, suite, {}),
    }
    return render(request, "pages/leaderboard.html", context)


def board_context(
    request: HttpRequest, version: Version, suite: Suite, parameters: Mapping[str, str]
) -> dict[str, Any]:
    """The context of parts/leaderboard.html: the models on the version by the suite, a page of them
    (`models` of the address). Links to other pages and definitions have these parameters."""
    claims = version.evaluations.visible_to(request.user)
    board = leaderboards.leaderboard(version, suite, claims=claims)
    address = _address(**parameters, suite=suite.name, digest=request.GET.get("digest", ""))
    return {
        "board": board,
        "models_page": Paginator(board.verified, ROWS).get_page(request.GET.get("models")),
        "models_address": address,
        "runs_url": f"{links.environment(version.environment)}?tab=evaluations#runs",
        "definitions": _definitions(board.same_name, **parameters, suite=suite.name),
        "has_other_results": any(row.has_results for row in board.same_name),
        "regression": leaderboards.regression(version, suite),
        "frozen": suite.frozen,
    }
