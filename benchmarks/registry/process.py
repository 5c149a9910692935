"""Run the hub's web process, as `serve` starts it, with the caller's settings.

python -m benchmarks.registry.process
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

COMMAND = [sys.executable, "-m", "benchmarks.registry.process"]


def main() -> None:
    """Migrate, build the static files, then execute web."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
    import django

    django.setup()
    from django.core.management import call_command

    from hub import programs

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    (web,) = (
        child for child in programs.children(logs=Path(), runner_token="") if child.name == "web"
    )
    os.execve(web.command[0], list(web.command), dict(web.environ))


if __name__ == "__main__":
    main()
