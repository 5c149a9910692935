"""The hub's side of runs on several runners: `python -m benchmarks.runner.hub_side COMMAND ...`.

prepare NUMBER            migrate, create an owner and that many runners; prints their tokens
become web|worker|clock   execute that program, as `make run` starts it
queue NUMBER MODEL        queue a run of each of that many new versions; prints their ids
evaluate TASKS ATTEMPTS MODEL   request an evaluation of a new listed version; prints its id
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from pathlib import Path

OWNER = "bench"


def prepare(number: str) -> None:
    """An empty hub with an owner and its runners."""
    from django.core.management import call_command

    from registry.accounts import runners, services

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    services.register(username=OWNER, email="bench@example.com", password="Bench-1234-marks")
    print(json.dumps([runners.create(name=f"box-{n}")[1] for n in range(int(number))]))


def become(name: str) -> None:
    """Replace this process by the hub's program of that name."""
    from hub import programs

    (program,) = (c for c in programs.children(logs=Path(), runner_token="") if c.name == name)
    os.execve(program.command[0], list(program.command), dict(program.environ))


def queue(number: str, model: str) -> None:
    """Create versions under evaluation and queue one run of each."""
    from registry.models import User
    from registry.runs import services
    from tests.factories import make_version
    from tests.wheels import make_wheel

    owner = User.objects.get(username=OWNER)
    ids = []
    for _ in range(int(number)):
        name = f"env-{secrets.token_hex(6)}"
        version = make_version(owner, name, status="evaluating", wheel=make_wheel(name))
        ids.append(services.request(version=version, policies=["model"], model=model).pk.hex)
    print(json.dumps(ids))


def evaluate(tasks: str, attempts: str, model: str) -> None:
    """Create a listed version and a suite, and request an evaluation by it."""
    from registry.models import User
    from registry.runs import evaluations, suites
    from tests.factories import make_version
    from tests.wheels import make_wheel

    owner = User.objects.get(username=OWNER)
    name = f"env-{secrets.token_hex(6)}"
    version = make_version(owner, name, wheel=make_wheel(name))
    suite = suites.create(
        environment=version.environment, name="all", tasks=int(tasks), attempts=int(attempts),
        by=owner,
    )  # fmt: skip
    run = evaluations.request(version=version, model=model, suite=suite, by=owner)
    print(json.dumps([run.pk.hex]))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
    import django

    django.setup()
    commands = {"prepare": prepare, "become": become, "queue": queue, "evaluate": evaluate}
    commands[sys.argv[1]](*sys.argv[2:])
