"""What changed from one version of an environment to another."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from frontend import rates
from frontend.access import environment_or_404, follows_moves, sentences
from frontend.pages.environment_head import head, tabs
from registry.accounts.permissions import can
from registry.catalog.models import Environment, Version
from registry.errors import HubError
from registry.read_models import environments, version_changes, versions
from registry.sources import changes

OFFERED = 100  # versions of the two lists


@require_safe
@follows_moves
def compare(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """The versions `from` and `to` of the query string; the two newest by default."""
    env = environment_or_404(request, owner, name)
    rows = list(env.versions.visible_to(request.user).newest_first().defer("readme")[:OFFERED])
    for row in rows:
        row.environment = env
    before = _chosen(request, env, rows, "from", default=rows[1] if len(rows) > 1 else None)
    after = _chosen(request, env, rows, "to", default=rows[0] if rows else None)
    context: dict[str, Any] = {
        "env": environments.summary(env),
        **head(request, env, after),
        "version": versions.summary(after) if after else None,
        "tabs": tabs(request, env, on="versions"),
        "offered": versions.summaries(rows),
        "before": versions.summary(before) if before else None,
        "after": versions.summary(after) if after else None,
    }
    status = 200
    if before is not None and after is not None and before.pk != after.pk:
        context["comparison"] = version_changes.comparison(before, after)
        if all(can(request.user, "version.install", row) for row in (before, after)):
            try:
                rates.check(request, "file")
                context["changes"] = changes.between(before=before, after=after)
            except HubError as problem:
                context["problem"], status = sentences(problem), problem.status
    return render(request, "pages/changes.html", context, status=status)


def _chosen(
    request: HttpRequest,
    env: Environment,
    rows: list[Version],
    parameter: str,
    *,
    default: Version | None,
) -> Version | None:
    """The version that the parameter names; 404 for one that the reader may not see."""
    number = request.GET.get(parameter, "").replace("\0", "")
    if not number:
        return default
    known = next((row for row in rows if row.version == number), None)
    if known is None:
        known = env.versions.visible_to(request.user).filter(version=number).first()
    if known is None:
        raise Http404
    known.environment = env
    return known
