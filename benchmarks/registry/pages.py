"""Every public page of a hub with 100,000 environments, at one and at four connections.

    HUB_HOME=/somewhere [DATABASE_URL=postgresql://...] python -m benchmarks.registry.pages

needs a hub that `benchmarks.registry.bulk` filled. The pages are those of the URL configuration
that anonymous readers may open: one without an address in `sample` or below is an error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import django

from benchmarks.registry import sample
from benchmarks.registry.bulk import texts
from benchmarks.registry.measure import Timing, table, write
from benchmarks.registry.search import TARGET, web

ADDRESSES = "sample-addresses.json"  # in HUB_HOME


def main() -> None:
    """Make the sample where there is none, measure, print, write."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--requests", type=int, default=100, help="for each row of the table")
    arguments.add_argument("--connections", type=int, nargs="*", default=[1, 4])
    arguments.add_argument("--only", default="", help="rows whose name contains this")
    arguments.add_argument("--json", type=Path, help="write all figures there")
    options = arguments.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
    django.setup()
    rows = [(case, paths) for case, paths in cases() if options.only in case]
    timings: list[Timing] = []
    with web() as client:
        for number in options.connections:
            for timing in client.time_pages(rows, options.requests, connections=number):
                print(f"{timing.case}: p95 {timing.p95:.0f} ms", file=sys.stderr, flush=True)
                timings.append(timing)
    print(table(timings))
    if options.json:
        write(options.json, timings, requests=options.requests)
    slow = [timing.case for timing in timings if timing.p95 > TARGET]
    print(f"p95 above {TARGET:.0f} ms: {', '.join(slow) or 'none'}")


def cases() -> Iterator[tuple[str, list[str]]]:
    """Each public page with the addresses that are requested in turn; raises ValueError where one
    has none."""
    from django.conf import settings

    from tests.registry.access.public_pages import public_pages

    addresses = sample.addresses(Path(settings.HUB_HOME) / ADDRESSES)
    missing = public_pages().keys() - addresses.keys() - set(sample.WITHOUT)
    if missing:
        raise ValueError(f"no address of the pages {', '.join(sorted(missing))}")
    for route, paths in addresses.items():
        if route not in ("browse", "home"):
            yield route, paths
    yield from of_catalogue().items()


def of_catalogue() -> dict[str, list[str]]:
    """Pages whose time depends on the size of the catalogue, with addresses all over it."""
    from frontend.pages.crawlers import PAGE
    from registry.catalog.models import Environment
    from registry.runs.models import Run

    listed = Environment.objects.listed().filter(visibility="public").select_related("owner")
    rows = list(listed.order_by("likeness", "pk").select_related("latest")[:40000:1000])
    long = f"/envs/person-0/{texts.FIRST}/"
    owners = list(dict.fromkeys(row.owner.name for row in rows))
    envs = [f"/envs/{row}/" for row in rows]
    deciding = Run.objects.filter(purpose="listing", version__in=[r.latest_id for r in rows])
    return {
        "home": ["/"],
        "browse": ["/envs/"],
        "browse sorted": [f"/envs/?sort={s}" for s in ("installs", "stars", "learnability")],
        "browse by name": ["/envs/?sort=name"],
        **{f"browse within {days}": [f"/envs/?within={days}"] for days in (30, 365)},
        "browse one filter": list(filters()),
        "browse two filters": [
            f"/envs/?{one}&{two}" for one, two in zip(FILTERS, FILTERS[3:], strict=False)
        ],
        "browse filter and sort": [f"/envs/?{one}&sort=learnability" for one in FILTERS],
        "browse three filters": [
            "/envs/?framework=verifiers&turns=1&tools=none",
            "/envs/?learnable=medium&verifier=program&tasks=1000%2B",
        ],
        "browse search": [f"/envs/?q={word}" for word in texts.TOPICS[:30]],
        "browse search and filter": [f"/envs/?q={word}&tools=none" for word in texts.TOPICS[:30]],
        "browse typo": [f"/envs/?q={word[:2]}{word[3]}{word[2]}{word[4:]}" for word in TYPED],
        "many environments": [f"{env}?tab=readme" for env in envs],
        "many cards": [f"{env}?tab=card" for env in envs],
        "many versions": [f"/envs/{row}/{row.latest.version}/" for row in rows if row.latest],
        "many runs": [f"/runs/{run.pk}/" for run in deciding],
        "many boards": [
            f"/envs/{row}/{row.latest.version}/leaderboard/" for row in rows[:20] if row.latest
        ],
        "many owners": [f"/owners/{name}/" for name in owners[:30]],
        "largest owner": ["/owners/person-0/", "/owners/person-0/atom.xml"],
        "10,000 versions": [long, f"{long}?tab=versions", f"{long}?tab=runs"],
        "10,000 versions, feed": [f"{long}atom.xml"],
        "sitemap of environments": [
            f"/sitemap-environments.xml?p={n}" for n in (1, max(1, listed.count() // PAGE))
        ],
    }


FILTERS = (
    *("framework=verifiers", "framework=ors", "tag=math", "license=MIT", "needs=data"),
    *("difficulty=hard", "learnable=medium", "domain=games", "turns=2-5", "tools=offered"),
    *("verifier=judge", "tasks=100-999", "owner=person-0", "tools=none", "verifier=program"),
)
TYPED = [word for word in texts.TOPICS if len(word) > 5][:20]


def filters() -> Iterator[str]:
    """Each filter alone."""
    for each in FILTERS:
        yield f"/envs/?{each}"


if __name__ == "__main__":
    main()
