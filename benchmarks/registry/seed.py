"""Fill an empty hub with wheels, through its own upload and lifecycle; no runner evaluates them.

python -m benchmarks.registry.seed WHEEL ...   prints {"token": ...}
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

OWNER = "bench"


def main(paths: list[Path]) -> None:
    """Migrate, create the owner, publish and list each wheel, write the index."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from registry.accounts import services, tokens
    from registry.index import writer

    user = services.register(username=OWNER, email="bench@example.com", password="Bench-1234-marks")
    _, token = tokens.mint(user=user, name="bench", scope="publish")
    for path in paths:
        _list(path, user)
    writer.update_pages()
    print(json.dumps({"token": token}))


def _list(path: Path, user: object) -> None:
    """Upload the wheel and move its version on as a run that succeeded would."""
    from registry.catalog.lifecycle import move
    from registry.catalog.models import Version
    from registry.uploads.services import accept
    from tests.registry.uploads.forms import form_of

    accepted = accept(
        wheel=path,
        form=form_of(path.read_bytes()),
        owner=user.owner,  # type: ignore[attr-defined]
        by=user,  # type: ignore[arg-type]
        token=None,
    )
    version = accepted.version
    Version.objects.filter(pk=version.pk).update(framework="verifiers", api="v1", module="env")
    for status in ("checking", "evaluating", "listed"):
        move(version, status)


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
