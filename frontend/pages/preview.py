"""The preview image of an environment, for sites that show links to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from frontend.access import environment_or_404, follows_moves
from frontend.render import preview
from frontend.templatetags.hub import amount, num
from registry.read_models import environments
from registry.read_models.environments import EnvironmentSummary

SECONDS = 3600  # that browsers and caches may show an older image
cache = caches["local"]


@require_safe
@follows_moves
def image(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """The PNG; drawn once for the same content."""
    env = environments.summary(environment_or_404(request, owner, name))
    shown = preview.Preview(env.owner, env.name, env.summary, tuple(evidence(env)))
    digest = hashlib.sha256(repr(shown).encode("utf-8", "backslashreplace")).hexdigest()
    data = cache.get_or_set(f"preview-{digest}", lambda: preview.draw(shown), SECONDS)
    response = HttpResponse(data, content_type="image/png")
    is_public = env.visibility == "public" and env.latest is not None
    response.headers["Cache-Control"] = f"public, max-age={SECONDS}" if is_public else "no-store"
    response.headers["ETag"] = f'"{digest}"'
    return response


def evidence(env: EnvironmentSummary) -> Iterator[str]:
    """The verdict strip as plain text, one part each."""
    card = env.card
    if card is None:
        yield f"{env.framework} {env.api}".strip() or "not listed yet"
        return
    measures = sum(card[status] for status in ("passed", "warned", "failed", "unknown"))
    yield f"{card['passed']}/{measures} checks"
    yield f"floor {num(card['floor'])}"
    yield f"oracle {num(card['ceiling'])}"
    if score := env.score:
        low, high = num(score["low"]), num(score["high"])
        yield f"{(card['model'] or 'model')[:40]} {num(score['mean'])} [{low}, {high}]"
    if env.learnability is not None:
        yield f"learnable {amount(env.learnability, 'share')}"
    if card["seconds"] is not None:
        yield f"{num(card['seconds'])} s a rollout"
