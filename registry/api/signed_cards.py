"""/integrity/: the signed cards of a wheel, the evidence behind them, and the hub's public keys."""

from __future__ import annotations

import json
from dataclasses import asdict

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from registry.accounts.permissions import can
from registry.api import auth
from registry.api.errors import answers_errors
from registry.api.integrity import JSON, MAX_AGE, respond
from registry.card import keys, signing
from registry.card.models import SignedCard
from registry.errors import NotFound

ENVELOPE = "application/vnd.dsse.envelope.v1+json"


@require_safe
@answers_errors
def card(
    request: HttpRequest, owner: str, name: str, number: str, filename: str, sha256: str = ""
) -> HttpResponseBase:
    """The newest signed card of the wheel, or the one whose statement has that sha256."""
    rows = _visible(request, owner, name, number, filename)
    signed = (rows.filter(sha256=sha256) if sha256 else rows).defer("evidence").first()
    if signed is None:
        raise _missing(filename, "signed card")
    return respond(request, signed.version, signing.envelope(signed), [ENVELOPE, JSON])


@require_safe
@answers_errors
def evidence(
    request: HttpRequest, owner: str, name: str, number: str, filename: str, sha256: str
) -> HttpResponseBase:
    """The evidence document with that sha256, from which its card is recomputed."""
    rows = _visible(request, owner, name, number, filename)
    signed = rows.filter(evidence_sha256=sha256).first()
    if signed is None:
        raise _missing(filename, "such evidence")
    return respond(request, signed.version, signing.evidence(signed), [JSON])


@require_safe
@answers_errors
def public_keys(request: HttpRequest) -> HttpResponse:
    """The public keys of the hub's signatures; the first signs."""
    data = json.dumps({"keys": [asdict(key) for key in keys.public_keys()]})
    response = HttpResponse(data, content_type=JSON)
    response["Cache-Control"] = f"public, max-age={MAX_AGE}"
    return response


def _visible(
    request: HttpRequest, owner: str, name: str, number: str, filename: str
) -> QuerySet[SignedCard]:
    """The signed cards of the wheel; none where the actor may not install it."""
    rows = SignedCard.objects.select_related("version__environment__owner").filter(
        version__environment__owner__name=owner,
        version__environment__name=name,
        version__version=number,
        version__filename=filename,
        version__deleted_at=None,
    )
    actor, token = auth.identify(request)
    newest = rows.defer("evidence").first()
    if newest is None or not can(actor, "version.install", newest.version, token):
        return rows.none()
    return rows


def _missing(filename: str, what: str) -> NotFound:
    return NotFound(f"{filename[:120]!r} has no {what}, or you may not see it")
