"""`manage.py rejudge`: decide again on rejected versions, after a rule or the hub was corrected."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from envyard.contract.names import BadName, parse_ref
from registry import pipeline
from registry.accounts.models import User
from registry.catalog.models import Version
from registry.errors import HubError


class Command(BaseCommand):
    """Each goes back to the step that rejected it; the journal keeps the reason."""

    help = "Have rejected versions judged again: those named, or all with a finding's code."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """REF..., --code, --reason, --by and --dry-run."""
        parser.add_argument("refs", nargs="*", metavar="OWNER/NAME==VERSION")
        parser.add_argument("--code", help="all rejected versions that have an error of this code")
        parser.add_argument(
            "--reason", required=True, help="what was corrected; the journal has it"
        )
        parser.add_argument("--by", metavar="USER", help="who decided that, for the journal")
        parser.add_argument("--dry-run", action="store_true", help="only print which they are")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print a line for each; exit 1 where one was refused."""
        if bool(options["refs"]) == bool(options["code"]):
            raise CommandError("name versions, or one --code")
        by = None
        if options["by"]:
            by = User.objects.filter(username=options["by"], is_staff=True).first()
            if by is None:
                raise CommandError(f"--by: {options['by']!r} is none of the staff")
        versions = [_version(ref) for ref in options["refs"]] or _with_error(options["code"])
        refused = 0
        for version in versions:
            if options["dry_run"]:
                self.stdout.write(f"{version} is {version.status}")
                continue
            try:
                pipeline.rejudge(version=version, reason=options["reason"], by=by)
            except HubError as error:
                refused += 1
                self.stderr.write(f"{version}: {error.message}. {error.hint}")
            else:
                self.stdout.write(f"{version} is {version.status}")
        if refused:
            raise CommandError(f"{refused} of {len(versions)} were refused")


def _version(text: str) -> Version:
    try:
        ref = parse_ref(text)
    except BadName as error:
        raise CommandError(f"{error}; for example alice/reverse-text==0.1.0") from error
    rows = Version.objects.select_related("environment__owner").filter(
        environment__owner__name=ref.owner,
        environment__name=ref.name,
        version=ref.version,
        deleted_at=None,
    )
    version = rows.first()
    if version is None:
        raise CommandError(f"there is no version {text}")
    return version


def _with_error(code: str) -> list[Version]:
    rows = Version.objects.select_related("environment__owner").filter(
        status=Version.Status.REJECTED, deleted_at=None
    )
    return list(rows.filter(findings__code=code, findings__severity="error").distinct())
