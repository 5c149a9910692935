"""`hub suites list` and `create`: what an environment's evaluations freeze."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub, environment_path
from envyard.commands.arguments import add_ref
from envyard.commands.show import number, ref_of
from envyard.contract.suite import BY_WHEEL, SuiteDefinition
from envyard.contract.task_indexes import BadIndexes, parse_indexes
from envyard.errors import UsageError
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add suites list and create."""
    suites = commands.add_parser("suites", help="list an environment's suites, or define one")
    subcommands = suites.add_subparsers(dest="suites_command", metavar="COMMAND", required=True)
    listing = subcommands.add_parser("list", parents=[common], help="list what each suite freezes")
    add_ref(listing)
    listing.set_defaults(run=run_list)
    create = subcommands.add_parser("create", parents=[common], help="define a suite, for good")
    add_ref(create)
    create.add_argument("name", metavar="NAME", help="1 to 40 of a-z, 0-9 and -")
    chosen = create.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--tasks", type=int, help="the most tasks, from the first")
    chosen.add_argument(
        "--indexes", metavar="LIST", help="exactly these tasks, such as 3,17,40-60 (the first is 0)"
    )
    create.add_argument("--attempts", type=int, default=4, help="rollouts of each (default 4)")
    create.add_argument(
        "--seed", type=int, help="the same for every version (default: each has its own)"
    )
    create.add_argument("--temperature", type=float, default=1.0, help="of the model (default 1)")
    create.set_defaults(run=run_create)


def run_list(args: Namespace, out: Output) -> None:
    """Print one line for each suite, the hub's own first."""
    ref = ref_of(args.ref)
    rows = Hub(configs.load(args.url)).get(f"{environment_path(ref)}suites/")["results"]
    if out.as_json:
        out.json(rows)
        return
    out.table(
        ("SUITE", "DIGEST", "TASKS", "ATTEMPTS", "SEED", "TEMPERATURE", "JUDGE", "RULES"),
        [line(row) for row in rows],
    )
    out.hint(f"evaluate a model: hub eval {ref} --model MODEL --suite {rows[-1]['name']}")


def line(row: dict[str, Any]) -> tuple[str, ...]:
    """The columns of one suite."""
    frozen = row["definition"]
    return (
        row["name"],
        row["digest"][:12],
        SuiteDefinition.from_dict(frozen).tasks_text,
        str(frozen["attempts"]),
        f"by {frozen.get('seed_by', BY_WHEEL)}" if frozen["seed"] is None else str(frozen["seed"]),
        number(frozen["temperature"]),
        frozen["judge"] or "-",
        str(frozen["rules"]),
    )


def run_create(args: Namespace, out: Output) -> None:
    """Define it; the same definition again changes nothing."""
    ref = ref_of(args.ref)
    values = {name: getattr(args, name) for name in ("name", "tasks", "attempts", "seed")}
    body = values | {"temperature": args.temperature}
    if args.indexes is not None:
        try:
            body["indexes"] = parse_indexes(args.indexes)
        except BadIndexes as error:
            raise UsageError(str(error), "For example: --indexes 3,17,40-60") from None
    row = Hub(configs.load(args.url)).post(f"{environment_path(ref)}suites/", body)
    if out.as_json:
        out.json(row)
    out.note(f"Suite {row['name']} of {ref} is frozen: {row['digest']}", "green")
    out.hint(f"evaluate a model: hub eval {ref} --model MODEL --suite {row['name']}")
