"""`hub webhooks`: the webhooks of an environment or an owner, and the log of their deliveries."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any
from urllib.parse import quote
from uuid import UUID

from envyard import config as configs
from envyard.client import Hub, environment_path
from envyard.commands.show import local_time, ref_of
from envyard.errors import UsageError
from envyard.output import Output

OF_HELP = "an environment owner/name, or an owner for all of theirs"
ID_HELP = "from `hub webhooks list`"


def register(commands: Any, common: ArgumentParser) -> None:
    """Add webhooks list, add, remove, log, test and redeliver."""
    webhooks = commands.add_parser(
        "webhooks", help="list, add, test and remove webhooks, and read their logs"
    )
    below = webhooks.add_subparsers(dest="webhooks_command", metavar="COMMAND", required=True)

    def add(name: str, help_text: str, run: Any) -> ArgumentParser:
        parser: ArgumentParser = below.add_parser(name, parents=[common], help=help_text)
        parser.set_defaults(run=run)
        return parser

    listing = add("list", "list the webhooks of an environment or an owner", run_list)
    listing.add_argument("of", metavar="OWNER[/NAME]", help=OF_HELP)
    adding = add("add", "add a webhook and print its signing secret", run_add)
    adding.add_argument("of", metavar="OWNER[/NAME]", help=OF_HELP)
    adding.add_argument("address", metavar="URL", help="https://, with a host on the internet")
    adding.add_argument(
        "--kind", action="append", default=[], metavar="KIND", help="repeatable; default: all kinds"
    )
    for name, help_text, run in (
        ("remove", "remove a webhook with the log of its deliveries", run_remove),
        ("log", "list the deliveries of a webhook with every attempt", run_log),
        ("test", "send a test message", run_test),
        ("redeliver", "send a delivery again", run_redeliver),
    ):
        add(name, help_text, run).add_argument("id", metavar="ID", help=ID_HELP)
    below.choices["remove"].add_argument("--yes", metavar="ID", default="", help="confirm the id")
    below.choices["log"].add_argument(
        "--limit", type=int, default=20, help="maximum number of deliveries (default 20)"
    )
    below.choices["redeliver"].add_argument(
        "number", metavar="NUMBER", type=int, help="from `hub webhooks log`"
    )


def run_list(args: Namespace, out: Output) -> None:
    """One line for each webhook."""
    rows = Hub(configs.load(args.url)).get(path_of(args.of))["results"]
    if out.as_json:
        out.json(rows)
        return
    if not rows:
        out.note(f"{args.of} has no webhooks")
        return
    out.table(
        ("ID", "OF", "STATE", "KINDS", "URL"),
        [
            (
                row["id"],
                row["environment"] or row["owner"],
                state_of(row),
                ",".join(row["kinds"]),
                row["url"],
            )
            for row in rows
        ],
    )


def state_of(row: dict[str, Any]) -> str:
    """`disabled`, `failing` or `working`."""
    return "disabled" if row["disabled_at"] else "failing" if row["failing_since"] else "working"


def run_add(args: Namespace, out: Output) -> None:
    """Print the secret, which the hub never shows again."""
    body = {"url": args.address} | ({"kinds": args.kind} if args.kind else {})
    created = Hub(configs.load(args.url)).post(path_of(args.of), body)
    if out.as_json:
        out.json(created)
        return
    out.line(created["secret"])
    out.note(f"Webhook {created['webhook']['id']}; its signing secret is not shown again")
    out.hint(f"try it: hub webhooks test {created['webhook']['id']}")


def run_remove(args: Namespace, out: Output) -> None:
    """Remove it where the id was repeated."""
    pk = id_of(args.id)
    if args.yes != args.id:
        raise UsageError(
            f"removing {pk} deletes the log of its deliveries and cannot be undone",
            f"Confirm it: hub webhooks remove {pk} --yes {pk}",
        )
    Hub(configs.load(args.url)).delete(f"webhooks/{pk}/")
    if out.as_json:
        out.json({"removed": str(pk)})
    out.note(f"Removed {pk}")


def run_log(args: Namespace, out: Output) -> None:
    """The deliveries, the newest first, each with its attempts."""
    hub = Hub(configs.load(args.url))
    rows = list(hub.pages(f"webhooks/{id_of(args.id)}/deliveries/", limit=args.limit))
    if out.as_json:
        out.json(rows)
        return
    if not rows:
        out.note("No deliveries in the last 30 days.")
    for row in rows:
        out.line(f"{row['id']}  {row['type']}  {row['state']}  {row['message_id']}")
        for attempt in row.get("log", []):
            response = f"{attempt['status']} in {attempt['milliseconds']} ms"
            text = attempt["error"] if attempt["status"] is None else response
            out.line(
                f"  {local_time(attempt['at'])}  {text}  {' '.join(attempt['excerpt'].split())}"
            )


def run_test(args: Namespace, out: Output) -> None:
    """Queue a message of type webhook.test."""
    pk = id_of(args.id)
    _show_sent(Hub(configs.load(args.url)).post(f"webhooks/{pk}/deliveries/"), pk, out)


def run_redeliver(args: Namespace, out: Output) -> None:
    """Queue a delivery again, with the same id and body."""
    pk = id_of(args.id)
    path = f"webhooks/{pk}/deliveries/{args.number}/redeliver/"
    _show_sent(Hub(configs.load(args.url)).post(path), pk, out)


def _show_sent(row: dict[str, Any], pk: UUID, out: Output) -> None:
    if out.as_json:
        out.json(row)
    out.note(f"Delivery {row['id']} is sent within half a minute")
    out.hint(f"its outcome: hub webhooks log {pk}")


def path_of(text: str) -> str:
    """The path of the webhooks of an environment or an owner."""
    if "/" in text:
        return f"{environment_path(ref_of(text))}webhooks/"
    return f"owners/{quote(text, safe='')}/webhooks/"


def id_of(text: str) -> UUID:
    """The id of a webhook from the command line; raises UsageError."""
    try:
        return UUID(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not a webhook's id", "See: hub webhooks list") from error
