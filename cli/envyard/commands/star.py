"""`hub star` and `hub unstar`: mark an environment as one you like."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial
from typing import Any

from envyard import config as configs
from envyard.client import Hub, environment_path
from envyard.commands.arguments import add_ref
from envyard.commands.show import ref_of
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add star and unstar."""
    for name, method, action in (
        ("star", "PUT", "star"),
        ("unstar", "DELETE", "take the star off"),
    ):
        command = commands.add_parser(name, parents=[common], help=f"{action} an environment")
        add_ref(command)
        command.set_defaults(run=partial(run, method))


def run(method: str, args: Namespace, out: Output) -> None:
    """Set or remove the star; repeating it changes nothing."""
    ref = ref_of(args.ref)
    hub = Hub(configs.load(args.url))
    path = f"{environment_path(ref)}star/"
    answer = hub.put(path) if method == "PUT" else hub.delete(path)
    if out.as_json:
        out.json(answer)
    stars = f"{answer['stars']} star{'' if answer['stars'] == 1 else 's'}"
    out.note(f"{ref.owner}/{ref.name} has {stars}")
