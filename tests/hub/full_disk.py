"""Rows for a hub whose disk is about to be full; `python -m tests.hub.full_disk` prints tokens."""

import json
import os
import sys

import django


def main() -> None:
    """Migrate, and make what each kind of request needs."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "hub.settings"
    django.setup()
    from django.core.management import call_command

    from registry.accounts import runners, tokens
    from registry.accounts.models import Token
    from registry.index import writer
    from tests.factories import make_environment, make_version
    from tests.people import person
    from tests.registry import run_factories
    from tests.wheels import make_wheel

    call_command("migrate", verbosity=0)
    alice = person("alice")
    listed = make_version(alice, "listed-env", wheel=make_wheel("listed-env"))
    writer.update_pages()
    run_factories.make_run(run_factories.make_version(alice.owner, name="queued-env"))
    ids = {
        "publish": tokens.mint(user=alice, name="x", scope=Token.Scope.PUBLISH, days=1)[1],
        "admin": tokens.mint(user=alice, name="y", scope=Token.Scope.ADMIN, days=1)[1],
        "runner": runners.create(name="gpu-1")[1],
        "environment": f"env_{make_environment(alice).pk}",
        "file": f"/files/{listed.sha256[:2]}/{listed.sha256}/{listed.filename}",
    }
    sys.stdout.write(json.dumps(ids))


if __name__ == "__main__":
    main()
