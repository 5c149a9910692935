"""How to publish, in five commands, and where to get the command."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from frontend.command import packed


@require_safe
def publish(request: HttpRequest) -> HttpResponse:
    """The commands with this hub's own address and, when signed in, the reader's own name."""
    hub = settings.HUB_URL
    owner = request.user.get_username() or "OWNER"
    return render(
        request,
        "pages/publish.html",
        {
            "install": install(),
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


def install() -> dict[str, str]:
    """What puts this hub's own command onto any machine, by installer."""
    wheel = packed()
    url = settings.HUB_URL + reverse("command", args=[wheel.filename])
    requirement = f'"envyard @ {url}#sha256={wheel.sha256}"'
    return {"uv": f"uv tool install {requirement}", "pip": f"pip install {requirement}"}


@require_safe
def command(request: HttpRequest, filename: str) -> HttpResponse:
    """The wheel of the `hub` command."""
    wheel = packed()
    if filename != wheel.filename:
        raise Http404
    etag = f'"{wheel.sha256}"'
    response = get_conditional_response(request, etag=etag) or HttpResponse(
        wheel.data, content_type="application/octet-stream"
    )
    response["ETag"], response["Cache-Control"] = etag, "public, max-age=600"
    return response
