"""`python -m benchmarks.registry.bulk`: fill an empty, migrated hub up to the size to measure."""

from __future__ import annotations

import argparse
import os
import sys
import time

import django


def fill(*, environments: int, versions: int, force: bool = False) -> None:
    """Load the same rows every time, without wheels; ValueError where that is refused."""
    from benchmarks.registry.bulk import load
    from registry.accounts.models import User

    if not 1 <= environments <= versions:
        raise ValueError(
            f"--versions {versions} must be at least --environments {environments}, and that 1"
        )
    if User.objects.exists() and not force:
        raise ValueError(
            "this hub has people, and nothing would mark the loaded rows apart from theirs: set "
            "another HUB_HOME or DATABASE_URL, or pass --force"
        )
    began = time.monotonic()
    for count in load.load(environments=environments, versions=versions):
        if count % 10_000 == 0:
            print(f"{count} environments, {time.monotonic() - began:.0f} s", file=sys.stderr)
    print(
        f"{environments} environments and {versions} versions in {time.monotonic() - began:.0f} s; "
        "`manage.py rebuild_index` writes the stored pages of the index"
    )


def main() -> None:
    """Read the command line and fill the hub that HUB_HOME and DATABASE_URL name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environments", type=int, default=100_000)
    parser.add_argument("--versions", type=int, default=1_000_000)
    parser.add_argument("--force", action="store_true", help="even into a hub that people use")
    arguments = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
    django.setup()
    try:
        fill(**vars(arguments))
    except ValueError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
