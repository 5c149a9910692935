"""`hub search`: find listed environments."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub
from envyard.commands.show import percent, score_text
from envyard.contract.facets import FACETS
from envyard.output import Output

OPTIONS = {name: facet for name, facet in FACETS.items() if facet.option}


def register(commands: Any, common: ArgumentParser) -> None:
    """Add search."""
    search = commands.add_parser("search", parents=[common], help="find listed environments")
    search.add_argument(
        "words",
        nargs="*",
        help="words in name, owner, summary, tags or README; tolerates typing errors",
    )
    for name, facet in OPTIONS.items():
        choices = f": {', '.join(facet.choices)}" if facet.choices else ""
        search.add_argument(f"--{name.replace('_', '-')}", help=f"{facet.option}{choices}")
    orders = ("relevance", "fresh", "name", "installs", "stars", "learnability")
    search.add_argument("--sort", choices=orders, help="the order (default: relevance, or fresh)")
    search.add_argument(
        "--limit", type=int, default=20, help="maximum number of environments (default 20)"
    )
    search.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Print one line for each environment."""
    hub = Hub(configs.load(args.url))
    words = " ".join(args.words) or None
    filters = {name: getattr(args, name) for name in OPTIONS}
    rows = list(
        hub.pages(
            "environments/",
            limit=args.limit,
            q=words,
            sort=args.sort,
            **filters,
        )
    )
    if out.as_json:
        out.json(rows)
        return
    if not rows:
        conditions = [repr(words)] if words else []
        conditions += [f"{name} {value!r}" for name, value in filters.items() if value]
        out.note(
            f"nothing listed matches {', '.join(conditions)}"
            if conditions
            else "nothing is listed yet"
        )
        out.hint("use fewer words and filters; `hub search` alone lists everything")
        return
    out.table(
        ("ENVIRONMENT", "VERSION", "SCORE", "USEFUL GROUPS", "SUMMARY"),
        [
            (
                row["ref"],
                (row["latest"] or {}).get("version", "-"),
                score_text(row["score"], (row.get("card") or {}).get("model", "")),
                percent(row.get("learnability")),
                row["summary"],
            )
            for row in rows
        ],
    )
    out.hint(f"more about one: hub info {rows[0]['ref']}")
