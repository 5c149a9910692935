"""Send a wheel to the hub through twine's own upload code, the protocol of PyPI."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from envyard.client import api_error, reason
from envyard.errors import NoConnection


def upload(path: Path, url: str, token: str) -> str:
    """Upload one wheel; returns the hub's message, raises ApiError with its refusal."""
    # Importing twine takes a second, which other commands need not spend.
    import requests
    from twine.package import PackageFile
    from twine.settings import Settings

    settings = Settings(
        repository_url=url,
        username="__token__",
        password=token,
        non_interactive=True,
        disable_progress_bar=True,
    )
    with contextlib.redirect_stdout(io.StringIO()):
        repository = settings.create_repository()
        try:
            answer = repository.upload(PackageFile.from_filename(str(path), comment=None))
        except requests.RequestException as exc:
            raise NoConnection(
                f"the upload to {url} was interrupted: {reason(exc)}",
                "Nothing was published; push again.",
                "cli.no_connection",
            ) from exc
        finally:
            repository.close()
    if answer.status_code >= 300:
        raise api_error(answer, answer.content)
    return answer.text.strip().splitlines()[0] if answer.text.strip() else "Uploaded"
