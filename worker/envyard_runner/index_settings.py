"""The package index of a runner: the variables of uv that it passes on."""

from __future__ import annotations

from collections.abc import Mapping

# uv is started with an empty environment plus these, so that nothing else of the runner reaches it.
INDEX_VARIABLES = (
    "UV_DEFAULT_INDEX",
    "UV_INDEX",
    "UV_FIND_LINKS",
    "UV_HTTP_RETRIES",
    "UV_HTTP_TIMEOUT",
    "UV_SYSTEM_CERTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
)


def index_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of uv's package index and its certificates: the machine's authorities, a
    company's too."""
    variables = {name: environ[name] for name in INDEX_VARIABLES if environ.get(name)}
    for name in ("UV_INDEX_URL", "PIP_INDEX_URL"):
        if environ.get(name):
            variables.setdefault("UV_DEFAULT_INDEX", environ[name])
    return {"UV_SYSTEM_CERTS": "1", **variables}
