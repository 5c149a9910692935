"""One environment: its card, README, evaluations, rollouts, versions, files and use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from envyard.contract.names import normalise
from frontend.access import demand, environment_or_404, follows_moves
from frontend.pages import environment_evaluations, environment_rollouts, environment_train, files
from frontend.pages.environment_head import TABS, head, tabs
from frontend.paging import page
from frontend.render import readme
from frontend.render.links import safe_links
from registry.accounts.permissions import can
from registry.catalog import stars
from registry.catalog.models import Environment, Version
from registry.notifications import watches
from registry.read_models import environments, verdicts, versions
from registry.uploads import readmes

FORMER_TABS = {"runs": "evaluations"}
WITHOUT_FACTS = {"evaluations", "rollouts"}  # tabs that take the whole width
NOT_IN_ROWS = ("readme", "requires_dist", "card__measures", "card__model_results")


@require_safe
@follows_moves
def environment(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """The page of the latest listed version; owners see the newest one if none is listed."""
    if (normal := normalise(name)) != name or owner != owner.lower():
        return redirect("environment", owner.lower(), normal, permanent=True)
    env = environment_or_404(request, owner, name)
    visible = env.versions.visible_to(request.user)
    version = env.latest or visible.newest_first().first()
    requested = request.GET.get("tab", "")
    tab = FORMER_TABS.get(requested, requested)
    if tab not in TABS:
        tab = "card" if version and versions.card_of(version) else "readme"
    shown = _shown(version, tab) if version else None
    context: dict[str, Any] = {
        "env": environments.summary(env),
        **head(request, env, version),
        "version": shown,
        "links": safe_links(version.links if version else {}),
        "tab": tab,
        "tabs": tabs(request, env, on=tab),
        "may_star": can(request.user, "environment.star", env),
        "starred": stars.starred(environment=env, actor=request.user),
        "may_watch": can(request.user, "environment.watch", env),
        "watched": watches.watched(environment=env, actor=request.user),
        "quarantine_reason": env.quarantine_reason,
        "may_quarantine": can(request.user, "environment.quarantine", env),
    }
    if tab == "train" and version and isinstance(shown, versions.VersionDetail):
        context |= environment_train.context(version, shown.framework_version)
    elif tab == "evaluations":
        context |= environment_evaluations.context(request, env, version, context["models"])
    else:
        context |= tab_context(request, env, version, tab)
    return render(request, "pages/environment.html", context)


def _shown(version: Version, tab: str) -> versions.VersionHead | versions.VersionDetail:
    if tab in WITHOUT_FACTS and version.status == Version.Status.LISTED:
        return versions.head(version)
    return versions.detail(version)


@require_POST
@login_required
def star(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """Add or remove a star."""
    env = environment_or_404(request, owner, name)
    user = demand(request, "environment.star", env)
    (stars.star if request.POST.get("star") == "on" else stars.unstar)(environment=env, by=user)
    return redirect("environment", env.owner.name, env.name)


def tab_context(
    request: HttpRequest, env: Environment, version: Version | None, tab: str
) -> dict[str, Any]:
    """Context of the selected tab."""
    visible = env.versions.visible_to(request.user)
    if tab == "readme" and version:
        rendered = readmes.rendered(version.readme, version.readme_type)
        body = rendered.html if rendered.plain else readme.with_files(rendered.html, version)
        return {"readme": {"html": body, "plain": rendered.plain}}
    if tab == "card" and version:
        card = versions.card_of(version)
        return {"card_scores": card.scores if card else []}
    if tab == "versions":
        rows, following = page(
            request,
            visible.select_related("environment__owner", "card").defer(*NOT_IN_ROWS),
            by=("-sort_key", "-pk"),
        )
        return {"timeline": timeline(rows), "next": following}
    if tab == "files" and version:
        version.environment = env
        return files.top_folder(request, version)
    if tab == "rollouts":
        return environment_rollouts.context(request, env, version)
    return {}


@dataclass(frozen=True, slots=True)
class Release:
    """A version of the timeline, the verdict on it, and the one before it on the page."""

    version: versions.VersionSummary
    verdict: verdicts.Verdict
    previous: str
    changes: str  # the address of what changed since then


def timeline(rows: Sequence[Version]) -> list[Release]:
    """The versions, newest first; rows come with environment, owner and card."""
    previous = [*(row.version for row in rows), ""][1:]
    return [
        Release(versions.summary(row), verdicts.of_version(row), before, _changes(row, before))
        for row, before in zip(rows, previous, strict=True)
    ]


def _changes(version: Version, before: str) -> str:
    env = version.environment
    page = reverse("environment-changes", args=[env.owner.name, env.name])
    return f"{page}?{urlencode({'from': before, 'to': version.version})}"
