"""How to publish, in five commands."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def publish(request: HttpRequest) -> HttpResponse:
    """The commands with this hub's own address and, when signed in, the reader's own name."""
    hub = settings.HUB_URL
    owner = request.user.get_username() or "OWNER"
    return render(
        request,
        "pages/publish.html",
        {
            "commands": [
                f"hub login --url {hub}",
                "hub init my-env",
                "hub check my-env",
                "hub push my-env",
                f"hub install {owner}/my-env",
            ],
            "twine": f"twine upload --repository-url {hub}/legacy/{owner}/ -u __token__ dist/*.whl",
            "uv": f"uv publish --publish-url {hub}/legacy/{owner}/ --token hub_... dist/*.whl",
        },
    )
