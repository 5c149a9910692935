"""`hub variable`, `hub secret` and `hub host`: what the runs of an environment may have."""

from __future__ import annotations

import getpass
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import quote

from envyard import config as configs
from envyard.client import Hub, environment_path
from envyard.commands.arguments import add_ref
from envyard.commands.show import local_time, ref_of
from envyard.contract.needs.kinds import approval_fault, host_in
from envyard.errors import ApiError, HubCliError, UsageError
from envyard.output import Output

Run = Callable[[Namespace, Output], None]
KEYS = {
    "NAME": "the name of the variable in the environment's process",
    "HOST": "a host, as api.example.org",
}


def register(commands: Any, common: ArgumentParser) -> None:
    """Add variable, secret and host."""
    variable = _group(commands, "variable", "public variables of an environment's runs")
    _add(variable, common, "list", run_variables, "list the variables")
    add = _add(variable, common, "set", set_variable, "set a variable", "NAME")
    add.add_argument("value", metavar="VALUE", help="its value, which anyone may read")
    _add(variable, common, "delete", partial(delete, "variables"), "delete a variable", "NAME")

    secret = _group(commands, "secret", "secrets of an environment's runs, each for named hosts")
    _add(secret, common, "list", run_secrets, "list the secrets without their values")
    add = _add(secret, common, "set", set_secret, "set a secret, read from stdin", "NAME")
    add.add_argument(
        "--host",
        action="append",
        default=[],
        required=True,
        help="a host that may receive it; may be repeated",
    )
    _add(secret, common, "delete", partial(delete, "secrets"), "delete a secret", "NAME")

    host = _group(commands, "host", "hosts that an environment's runs may reach")
    _add(host, common, "list", run_hosts, "list the declared hosts")
    _add(host, common, "add", add_host, "declare a host", "HOST")
    _add(host, common, "remove", partial(delete, "hosts"), "remove a host", "HOST")


def _group(commands: Any, name: str, text: str) -> Any:
    group = commands.add_parser(name, help=text)
    return group.add_subparsers(dest=f"{name}_command", metavar="COMMAND", required=True)


def _add(
    group: Any, common: ArgumentParser, name: str, run: Run, text: str, key: str = ""
) -> ArgumentParser:
    """One command on an environment; `key` is the name of its second argument, if any."""
    command: ArgumentParser = group.add_parser(name, parents=[common], help=text)
    add_ref(command)
    if key:
        command.add_argument("key", metavar=key, help=KEYS[key])
    command.set_defaults(run=run)
    return command


def run_variables(args: Namespace, out: Output) -> None:
    """Print name and value of each."""
    rows = _hub(args).get(_path(args, "variables"))["results"]
    if out.as_json:
        out.json(rows)
        return
    out.table(("NAME", "VALUE"), [(row["name"], row["value"]) for row in rows])
    if not rows:
        out.note(f"no owner of {args.ref} set a variable")
        out.hint(f"set one: hub variable set {args.ref} NAME VALUE")


def set_variable(args: Namespace, out: Output) -> None:
    """Set it for later runs."""
    row = _put(args, "variables", {"value": args.value})
    _done(out, row, f"Set {row['name']}; it is public, and later runs get it")


def run_secrets(args: Namespace, out: Output) -> None:
    """Print name, hosts and time of each."""
    answer = _hub(args).get(_path(args, "secrets"))
    if out.as_json:
        out.json(answer["results"])
        return
    rows = [
        (row["name"], ", ".join(row["hosts"]), row["set_by"] or "-", local_time(row["set_at"]))
        for row in answer["results"]
    ]
    out.table(("NAME", "HOSTS", "SET BY", "SET AT"), rows)
    if not answer["available"]:
        out.note("this hub has no key for secrets: nobody can set one (HUB_SECRETS_KEYS)", "yellow")
    elif not rows:
        out.note(f"{args.ref} has no secrets")
        out.hint(f"set one: hub secret set {args.ref} NAME --host HOST < FILE")


def set_secret(args: Namespace, out: Output) -> None:
    """Set it; the value comes from stdin or a prompt, never from an argument."""
    value = getpass.getpass("Value: ") if sys.stdin.isatty() else sys.stdin.read()
    if not value.strip():
        raise UsageError(
            "the secret has no value",
            f"Send it to stdin: hub secret set {args.ref} {args.key} <FILE",
        )
    body = {"value": value, "hosts": args.host}
    row = _put(args, "secrets", body)
    _done(out, row, f"Set {row['name']} for {', '.join(row['hosts'])}; nobody can read it again")


def run_hosts(args: Namespace, out: Output) -> None:
    """Print each host, where it is declared, and whether it is approved."""
    rows = _hub(args).get(_path(args, "hosts"))["results"]
    if out.as_json:
        out.json(rows)
        return
    cells = [
        (
            row["host"],
            "owner" if row["on_page"] else "wheel",
            f"approved by {row['approved_by'] or 'staff'}"
            if row["approved_at"]
            else "not approved",
        )
        for row in rows
    ]
    out.table(("HOST", "DECLARED BY", "STATE"), cells)
    if not rows:
        out.note(f"{args.ref} declares no hosts")
        out.hint(f"declare one: hub host add {args.ref} HOST")
    elif not all(row["approved_at"] for row in rows):
        out.hint("runs reach a host once the hub's staff approve it")


def add_host(args: Namespace, out: Output) -> None:
    """Declare it for every version; checked here too, since an address is no part of a path."""
    if broken := approval_fault(args.key.strip().lower()):
        plain = host_in(args.key)
        hint = f"hub host add {args.ref} {plain}" if plain and not approval_fault(plain) else ""
        raise HubCliError(f"host {args.key!r} {broken}", hint, "request.invalid")
    row = _put(args, "hosts", None)
    state = "approved" if row["approved_at"] else "runs reach it once the hub's staff approve it"
    _done(out, row, f"Declared {row['host']}; {state}")


def delete(kind: str, args: Namespace, out: Output) -> None:
    """Delete it for later runs."""
    _hub(args).delete(_path(args, kind, args.key))
    _done(out, {"deleted": args.key}, f"Deleted {args.key}")


def _put(args: Namespace, kind: str, body: dict[str, Any] | None) -> Any:
    """Set it; names the push that is missing where there is no such environment."""
    try:
        return _hub(args).put(_path(args, kind, args.key), body)
    except ApiError as error:
        if error.status == 404:
            error.hint = (
                f"Check the name; {kind} can be set once the first version of it is pushed."
            )
        raise


def _done(out: Output, row: dict[str, Any], text: str) -> None:
    if out.as_json:
        out.json(row)
    out.note(text, "green")


def _hub(args: Namespace) -> Hub:
    return Hub(configs.load(args.url))


def _path(args: Namespace, kind: str, key: str = "") -> str:
    path = f"{environment_path(ref_of(args.ref))}{kind}/"
    return f"{path}{quote(key, safe='')}/" if key else path
