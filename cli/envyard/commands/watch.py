"""`hub watch` and `hub unwatch`: be notified of what happens to an environment."""

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
    """Add watch and unwatch."""
    for name, on, help_text in (
        ("watch", True, "be notified of what happens to an environment"),
        ("unwatch", False, "end the watch of an environment"),
    ):
        command = commands.add_parser(name, parents=[common], help=help_text)
        add_ref(command)
        command.set_defaults(run=partial(run, on))


def run(on: bool, args: Namespace, out: Output) -> None:
    """Begin or end the watch; repeating it changes nothing."""
    ref = ref_of(args.ref)
    hub = Hub(configs.load(args.url))
    path = f"{environment_path(ref)}watch/"
    answer = hub.put(path) if on else hub.delete(path)
    if out.as_json:
        out.json(answer)
    if on:
        out.note(f"You watch {ref.owner}/{ref.name}")
        out.hint(f"the news: {hub.url}/notifications/")
    else:
        out.note(f"You do not watch {ref.owner}/{ref.name} any more")
