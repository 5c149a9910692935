"""`hub token list`, `create` and `revoke`: API tokens."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any
from urllib.parse import quote

from envyard import config as configs
from envyard.client import Hub
from envyard.commands.show import ref_of
from envyard.output import Output

SCOPES = ("read", "publish", "admin")
SCOPE_HELP = "read, publish versions as well, or do all that its person may"


def register(commands: Any, common: ArgumentParser) -> None:
    """Add token list, create and revoke."""
    token = commands.add_parser("token", help="list, create and revoke your API tokens")
    three = token.add_subparsers(dest="token_command", metavar="COMMAND", required=True)
    listing = three.add_parser("list", parents=[common], help="list your tokens")
    listing.add_argument(
        "--limit", type=int, default=100, help="maximum number of tokens (default 100)"
    )
    listing.set_defaults(run=run_list)
    create = three.add_parser("create", parents=[common], help="create a token and print it")
    create.add_argument("name", metavar="NAME", help="what it is for")
    create.add_argument("--scope", required=True, choices=SCOPES, help=SCOPE_HELP)
    create.add_argument(
        "--environment", metavar="owner/name", help="the only environment it is valid for"
    )
    create.add_argument(
        "--days", type=int, help="days until it expires (default 90, or the end of your own token)"
    )
    create.set_defaults(run=run_create)
    revoke = three.add_parser("revoke", parents=[common], help="revoke a token")
    revoke.add_argument("public_id", metavar="ID", help="from `hub token list`")
    revoke.set_defaults(run=run_revoke)


def run_list(args: Namespace, out: Output) -> None:
    """Print one line for each token, newest first."""
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
    """Create a token and print its text, which the hub never shows again."""
    environment = str(ref_of(args.environment)) if args.environment else ""
    body = {"name": args.name, "scope": args.scope, "environment": environment}
    body |= {} if args.days is None else {"days": args.days}
    token = Hub(configs.load(args.url)).post("tokens/", body)
    if out.as_json:
        out.json(token)
        return
    out.line(token["token"])
    out.note(f"Token {token['public_id']}, until {token['expires_at'][:10]}; it is not shown again")


def run_revoke(args: Namespace, out: Output) -> None:
    """Revoke the token immediately."""
    Hub(configs.load(args.url)).delete(f"tokens/{quote(args.public_id, safe='')}/")
    if out.as_json:
        out.json({"revoked": args.public_id})
    out.note(f"Revoked {args.public_id}")
