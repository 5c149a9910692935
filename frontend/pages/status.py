"""The status page: queue, runners, models, storage and recent faults."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.read_models import status as read_models


@require_safe
def status(request: HttpRequest) -> HttpResponse:
    """The status of the hub, for everybody."""
    return render(request, "pages/status.html", {"status": read_models.current()})
