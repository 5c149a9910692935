"""`hub token list`, `create` and `revoke`: what programs sign in with."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any
from urllib.parse import quote

from envyard import config as configs
from envyard.client import Hub
from envyard.commands.show import ref_of
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add token with its three."""
    token = commands.add_parser("token", help="list, make and revoke your tokens")
    three = token.add_subparsers(dest="token_command", metavar="COMMAND", required=True)
    listing = three.add_parser("list", parents=[common], help="list your tokens")
    listing.add_argument("--limit", type=int, default=100, help="at most so many (default 100)")
    listing.set_defaults(run=run_list)
    create = three.add_parser("create", parents=[common], help="make a token and print it")
    create.add_argument("name", metavar="NAME", help="what it is for")
    create.add_argument("--scope", required=True, choices=("read", "publish", "admin"))
    create.add_argument("--environment", metavar="owner/name", help="the only one it is good for")
    create.add_argument(
        "--days", type=int, help="until it expires (default 90, or the end of your own token)"
    )
    create.set_defaults(run=run_create)
    revoke = three.add_parser("revoke", parents=[common], help="end a token")
    revoke.add_argument("public_id", metavar="ID", help="from `hub token list`")
    revoke.set_defaults(run=run_revoke)


def run_list(args: Namespace, out: Output) -> None:
    """Print one line a token, newest first."""
    rows = list(Hub(configs.load(args.url)).pages("tokens/", limit=args.limit))
    if out.as_json:
        out.json(rows)
        return
    out.table(
        ("ID", "NAME", "SCOPE", "FOR", "UNTIL", "LAST USED"),
        [
            (
                row["public_id"],
                row["name"],
                row["scope"],
                row["environment"] or "all",
                (row["expires_at"] or "-")[:10],
                (row["last_used_at"] or "-")[:10],
            )
            for row in rows
        ],
    )


def run_create(args: Namespace, out: Output) -> None:
    """Print its text, which nobody can see again."""
    environment = str(ref_of(args.environment)) if args.environment else ""
    body = {"name": args.name, "scope": args.scope, "environment": environment}
    body |= {} if args.days is None else {"days": args.days}
    made = Hub(configs.load(args.url)).post("tokens/", body)
    if out.as_json:
        out.json(made)
        return
    out.line(made["token"])
    out.note(f"Token {made['public_id']}, until {made['expires_at'][:10]}; it is not shown again")


def run_revoke(args: Namespace, out: Output) -> None:
    """End it now."""
    Hub(configs.load(args.url)).delete(f"tokens/{quote(args.public_id, safe='')}/")
    if out.as_json:
        out.json({"revoked": args.public_id})
    out.note(f"Revoked {args.public_id}")
