"""`manage.py drain_runner NAME`: let a runner finish its runs and lease it no new ones."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.accounts import runners
from registry.accounts.models import Runner
from registry.runs.models import Run


class Command(BaseCommand):
    """Print how many runs the runner still has; with --resume lease runs to it again."""

    help = "Give a runner no new runs, or, with --resume, give it runs again."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """NAME and --resume."""
        parser.add_argument("name", help="the runner's name, as pages and logs call it")
        parser.add_argument("--resume", action="store_true", help="give it runs again")

    def handle(self, *args: Any, **options: Any) -> None:
        """Drain or resume; a second call changes nothing."""
        runner = Runner.objects.filter(name=options["name"]).first()
        if runner is None:
            names = ", ".join(Runner.objects.order_by("name").values_list("name", flat=True)[:20])
            raise CommandError(f"there is no runner {options['name']!r}, but: {names or 'none'}")
        if options["resume"]:
            runners.resume(runner=runner)
            self.stdout.write(f"{runner.name} is given runs again")
            return
        runners.drain(runner=runner)
        run_count = Run.with_shards.filter(runner=runner, status__in=Run.LEASED_STATES).count()
        state = (
            "it is idle"
            if not run_count
            else f"it still has {run_count} run{'s' if run_count > 1 else ''}"
        )
        self.stdout.write(f"{runner.name} is given no new runs; {state}")
