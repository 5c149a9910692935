"""`hub help` and `hub completion`: the command's own parsers, explained or exported for a shell."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from envyard.output import Output

SHELLS = ("bash", "zsh", "fish")
INSTALLATION = {
    "bash": "hub completion bash > ~/.local/share/bash-completion/completions/hub",
    "zsh": "hub completion zsh > ~/.zfunc/_hub, where ~/.zfunc is in fpath before compinit",
    "fish": "hub completion fish > ~/.config/fish/completions/hub.fish",
}


def register(commands: Any, root: ArgumentParser) -> None:
    """Add help and completion, both about the parser `root`."""
    explain = commands.add_parser("help", help="explain a command")
    explain.add_argument("words", metavar="COMMAND", nargs="*", help="command, and its subcommand")
    explain.set_defaults(run=lambda args, _: root.parse_args([*args.words, "--help"]))
    completion = commands.add_parser("completion", help="print a shell's completion of `hub`")
    completion.add_argument("shell", choices=SHELLS, help="the shell")
    completion.set_defaults(run=lambda args, out: export(args, out, root))


def export(args: Namespace, out: Output, root: ArgumentParser) -> None:
    """Print the script on stdout, and on stderr where it belongs."""
    import shtab

    out.line(shtab.complete(root, args.shell))
    out.hint(f"install it: {INSTALLATION[args.shell]}")
