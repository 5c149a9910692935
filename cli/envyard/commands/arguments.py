"""Arguments that several commands have."""

from __future__ import annotations

from argparse import ArgumentParser

VERSION_HELP = "the environment; without a version its latest listed one"


def add_ref(parser: ArgumentParser, *, versions: bool = False, **options: str) -> None:
    """Add `ref`, an environment, or one of its `versions`; `options` are of add_argument."""
    metavar = "owner/name[==version]" if versions else "owner/name"
    options = {"help": VERSION_HELP if versions else "the environment", **options}
    parser.add_argument("ref", metavar=metavar, **options)  # type: ignore[arg-type]
