"""One pushed evaluation: its metadata and metrics, and its samples as transcripts."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from frontend.access import demand, evaluation_or_404
from frontend.pages.environment_head import tabs
from frontend.render import pushed
from registry.accounts.permissions import can
from registry.read_models import verdicts
from registry.self_reported import samples, services
from registry.self_reported.models import REPORTED, Evaluation

SHOWN, PAGE, OF_TASK = 10, 50, 64
MAX_FORMATTED = 100_000  # bytes
MAX_CHARACTERS = 200_000  # of one sample as JSON on its page
CONFIRMATION = "delete"


@require_safe
def evaluation(request: HttpRequest, owner: str, name: str, pk: UUID) -> HttpResponse:
    """The page, with a note that the results are self-reported."""
    row = evaluation_or_404(request, owner, name, pk)
    lines = samples.lines(evaluation=row, count=SHOWN)
    context = _context(request, row) | {
        "metadata": json.dumps(row.metadata, indent=1, ensure_ascii=False),
        "samples": [pushed.row(number, line) for number, line in enumerate(lines, 1)],
        "may_delete": can(request.user, "evaluation.remove", row),
    }
    return render(request, "pages/evaluation.html", context)


@require_safe
def samples_of(request: HttpRequest, owner: str, name: str, pk: UUID) -> HttpResponse:
    """Its samples, a page at a time; with `task` those of one task."""
    row = evaluation_or_404(request, owner, name, pk)
    context = _context(request, row)
    if (task := request.GET.get("task", "")).isdecimal() and len(task) <= 10:
        numbered = samples.of_task(evaluation=row, task=int(task), count=OF_TASK)
        context |= {
            "task": int(task),
            "samples": [pushed.row(number + 1, line) for number, line in numbered],
        }
        return render(request, "pages/samples.html", context)
    start = request.GET.get("start", "")
    first = int(start) if start.isdecimal() and len(start) <= 10 else 1
    lines = samples.lines(evaluation=row, start=max(first, 1) - 1, count=PAGE)
    after = max(first, 1) + len(lines)
    context |= {
        "samples": [pushed.row(number, line) for number, line in enumerate(lines, max(first, 1))],
        "next": f"?start={after}" if lines and after <= row.sample_count else "",
    }
    return render(request, "pages/samples.html", context)


@require_safe
def sample(request: HttpRequest, owner: str, name: str, pk: UUID, sample: int) -> HttpResponse:
    """One sample, the first being 1, as the transcript of a rollout is shown."""
    row = evaluation_or_404(request, owner, name, pk)
    lines = samples.lines(evaluation=row, start=sample - 1, count=1) if sample >= 1 else []
    if not lines:
        raise Http404
    content = json.loads(lines[0])
    line = lines[0].decode()
    small = len(line) <= MAX_FORMATTED  # a large one is not indented, which would take seconds
    text = json.dumps(content, indent=1, ensure_ascii=False) if small else line
    here = (row.environment.owner.name, row.environment.name, pk)
    context = _context(request, row) | {
        "sample": pushed.row(sample, lines[0]),
        "turns": pushed.turns(content),
        "facts": pushed.facts(content),
        "metrics": pushed.metrics(content),
        "json": text[:MAX_CHARACTERS],
        "cut": len(text) > MAX_CHARACTERS,
        "previous": _sample_address(here, sample - 1) if sample > 1 else "",
        "following": _sample_address(here, sample + 1) if sample < row.sample_count else "",
    }
    return render(request, "pages/sample.html", context)


def _sample_address(here: tuple[str, str, UUID], number: int) -> str:
    return reverse("evaluation-sample", args=[*here, number])


def _context(request: HttpRequest, row: Evaluation) -> dict[str, Any]:
    return {
        "env": row.environment,
        "verdict": _verdict(request, row),
        "row": row,
        "reported": REPORTED,
        "tabs": tabs(request, row.environment, on="evaluations"),
    }


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
    return redirect(f"{reverse('environment', args=[owner, name])}?tab=evaluations")


def _verdict(request: HttpRequest, row: Evaluation) -> verdicts.Verdict | None:
    """On the evaluated version where the reader may see it, else on the latest one."""
    if row.version is None:
        return verdicts.of_environment(row.environment)
    row.version.environment = row.environment
    if not can(request.user, "version.see", row.version):
        return verdicts.of_environment(row.environment)
    return verdicts.of_version(row.version)
