"""Instructions for publishing and for runners, and the wheels of both commands."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from envyard.card.measures import MEASURES
from envyard.contract.probes import PROBES
from frontend.command import COMMAND, RUNNER, packed


@require_safe
def publish(request: HttpRequest) -> HttpResponse:
    """The commands with this hub's own address and, when signed in, the reader's own name."""
    hub = settings.HUB_URL
    owner = request.user.get_username() or "OWNER"
    return render(
        request,
        "pages/publish.html",
        {
            "hub": hub,
            "install": install(),
            "probes": PROBES.values(),
            "measures": MEASURES.values(),
            "commands": [
                "hub login",
                "hub init my-env",
                "hub check my-env",
                "hub push my-env",
                f"hub install {owner}/my-env",
            ],
            "twine": f"twine upload --repository-url {hub}/legacy/{owner}/ -u __token__ dist/*.whl",
            "uv": f"uv publish --publish-url {hub}/legacy/{owner}/ --token hub_... dist/*.whl",
        },
    )


@require_safe
def runner(request: HttpRequest) -> HttpResponse:
    """Instructions for adding a runner."""
    wheels = f"{_requirement(RUNNER)} {_requirement(COMMAND)}"
    folder = "/opt/envyard-runner"
    return render(
        request,
        "pages/runner.html",
        {
            "uv": f"uv venv {folder} && uv pip install --python {folder} {wheels}",
            "pip": f"python3 -m venv {folder} && {folder}/bin/pip install {wheels}",
            "settings": f"export HUB_URL={settings.HUB_URL} "
            "HUB_RUNNER_TOKEN_FILE=/etc/envyard/runner_token RUNNER_HOME=/var/lib/envyard-runner",
            "commands": [
                f"{folder}/bin/hub-runner doctor",
                f"{folder}/bin/hub-runner start --poll",
            ],
            "model": [
                "uv venv /opt/vllm && uv pip install --python /opt/vllm vllm",
                "export RUNNER_VLLM=/opt/vllm/bin/vllm",
                f"{folder}/bin/hub-runner model --model Qwen/Qwen3-8B --gpus 0",
            ],
        },
    )


def install() -> dict[str, str]:
    """The commands that install this hub's `hub`, by installer."""
    requirement = _requirement(COMMAND)
    return {"uv": f"uv tool install {requirement}", "pip": f"pip install {requirement}"}


def _requirement(package: str) -> str:
    wheel = packed(package)
    url = settings.HUB_URL + reverse("command", args=[wheel.filename])
    return f'"{package.replace("_", "-")} @ {url}#sha256={wheel.sha256}"'


@require_safe
def command(request: HttpRequest, filename: str) -> HttpResponse:
    """The wheel of the `hub` or the `hub-runner` command."""
    wheels = (packed(package) for package in (COMMAND, RUNNER))
    wheel = next((wheel for wheel in wheels if wheel.filename == filename), None)
    if wheel is None:
        raise Http404
    etag = f'"{wheel.sha256}"'
    response = get_conditional_response(request, etag=etag) or HttpResponse(
        wheel.data, content_type="application/octet-stream"
    )
    # An update of the hub changes the bytes under the same name: caches must revalidate.
    response["ETag"], response["Cache-Control"] = etag, "public, no-cache"
    return response
