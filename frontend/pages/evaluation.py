"""One pushed evaluation: its metadata, metrics and first samples."""

from __future__ import annotations

import json
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from frontend.access import demand, evaluation_or_404
from frontend.pages.environment import tabs
from registry.accounts.permissions import can
from registry.read_models import verdicts
from registry.self_reported import samples, services
from registry.self_reported.models import REPORTED, Evaluation

SHOWN, CHARACTERS = 10, 4000
MAX_FORMATTED = 100_000  # bytes
CONFIRMATION = "delete"


@require_safe
def evaluation(request: HttpRequest, owner: str, name: str, pk: UUID) -> HttpResponse:
    """The page, with a note that the results are self-reported."""
    row = evaluation_or_404(request, owner, name, pk)
    context = {
        "env": row.environment,
        "verdict": _verdict(request, row),
        "row": row,
        "reported": REPORTED,
        "metadata": json.dumps(row.metadata, indent=1, ensure_ascii=False),
        "samples": [
            _sample(number, line)
            for number, line in enumerate(samples.lines(evaluation=row, count=SHOWN), 1)
        ],
        "may_delete": can(request.user, "evaluation.remove", row),
        "tabs": tabs(request, row.environment, on="runs"),
    }
    return render(request, "pages/evaluation.html", context)


@require_POST
@login_required
def delete(request: HttpRequest, owner: str, name: str, pk: UUID) -> HttpResponse:
    """Delete it permanently, if the person confirmed."""
    row = evaluation_or_404(request, owner, name, pk)
    user = demand(request, "evaluation.remove", row)
    if request.POST.get("confirm", "").strip() != CONFIRMATION:
        messages.error(request, f"{row.name} was not deleted: type {CONFIRMATION} to confirm.")
        return redirect("evaluation", owner, name, pk)
    services.delete(evaluation=row, by=user)
    messages.success(request, f"The evaluation {row.name} was deleted.")
    return redirect(f"{reverse('environment', args=[owner, name])}?tab=runs")


def _verdict(request: HttpRequest, row: Evaluation) -> verdicts.Verdict | None:
    """On the evaluated version where the reader may see it, else on the latest one."""
    if row.version is None:
        return verdicts.of_environment(row.environment)
    row.version.environment = row.environment
    if not can(request.user, "version.see", row.version):
        return verdicts.of_environment(row.environment)
    return verdicts.of_version(row.version)


def _sample(number: int, line: bytes) -> dict[str, str]:
    """Title and text; a large sample is not indented, which would take seconds."""
    title = f"Sample {number}"
    if len(line) > MAX_FORMATTED:
        return {"title": title, "text": f"{line[:CHARACTERS].decode(errors='ignore')} …"}
    sample = json.loads(line)
    text = json.dumps(sample, indent=1, ensure_ascii=False)
    cut = text[:CHARACTERS] + (" …" if len(text) > CHARACTERS else "")
    reward = sample.get("reward")
    suffix = f": reward {reward}" if isinstance(reward, int | float) else ""
    return {"title": title + suffix, "text": cut}
