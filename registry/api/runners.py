"""The runners as staff see them: who lives, who has runs, who is drained."""

from __future__ import annotations

from django.db.models import Count, Q, QuerySet
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts import runners
from registry.accounts.models import Runner
from registry.accounts.permissions import require
from registry.api import shapes
from registry.api.auth import get_actor, person
from registry.errors import NotFound
from registry.runs.models import Run


def rows() -> QuerySet[Runner]:
    """Every runner with `held`, the number of its runs under way, by name."""
    held = Count("runs", filter=Q(runs__status__in=Run.LEASED_STATES))
    return Runner.objects.annotate(held=held).order_by("name")


@api_view(["GET"])
def every(request: Request) -> Response:
    """Staff: all of them, by name."""
    _staff(request)
    return Response({"results": [_runner(one) for one in rows()]})


@api_view(["POST", "DELETE"])
def drain(request: Request, pk: int) -> Response:
    """Staff. POST: give it no new run. DELETE: give it runs again."""
    _staff(request)
    found = rows().filter(pk=pk).first()
    if found is None:
        raise NotFound("there is no such runner")
    act = runners.drain if request.method == "POST" else runners.resume
    act(runner=found, by=person(request))
    return Response(_runner(found))


def _staff(request: Request) -> None:
    who, token = get_actor(request)
    require(who, "hub.moderate", who, token)


def _runner(runner: Runner) -> shapes.Shape:
    away, out = "away" in runners.standing(runner), runners.out_of_service(runner)
    return {
        "id": runner.pk,
        "name": runner.name,
        "enabled": runner.enabled,
        "models": runners.models(runner),
        "pythons": runners.pythons(runner),
        "held": runner.held,  # type: ignore[attr-defined]
        "draining_since": shapes.when(runner.draining_since),
        "ending": runner.capabilities.get("draining") is True and not away,
        "away": away,
        "out_of_service": None
        if out is None
        else {"since": shapes.when(out.since), "reason": out.reason, "check": out.check},
        "last_seen_at": shapes.when(runner.last_seen_at),
    }
