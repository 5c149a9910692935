"""The `hub` command: the parser tree and the only try/except.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the version was rejected, 4 the hub could not
decide, 130 interrupted.
"""

from __future__ import annotations

import argparse
import re
import sys
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

from envyard import __version__
from envyard import config as configs
from envyard.client import Hub
from envyard.commands import ALL, shell
from envyard.errors import HubCliError, UsageError
from envyard.output import Output

# Raised by code that reads a value of an unexpected type.
UNREADABLE = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
EPILOG = """exit codes: 0 done, 1 failed, 2 wrong usage, 3 version rejected, 4 hub could not decide

environment variables: HUB_URL, HUB_TOKEN, NO_COLOR"""


# In the message of argparse, Python 3.11 to 3.14.
INVALID_CHOICE = re.compile(r"invalid choice: '(.*)' \(choose from (.*)\)", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """A parser whose errors have the form of the other errors and name the next step."""

    def error(self, message: str) -> NoReturn:
        """Print the error, with a similar choice where one was mistyped, and exit 2."""
        hint = f"Its options and arguments: {self.prog} --help"
        if match := INVALID_CHOICE.search(message):
            wrong, choices = match[1], re.findall(r"[\w-]+", match[2])
            near = get_close_matches(wrong, choices, 3)
            if message.startswith("argument COMMAND"):
                message = f"`{self.prog}` has no command {wrong!r}"
                near = [f"`{self.prog} {command}`" for command in near]
                hint = f"Its commands: {self.prog} --help"
            else:
                message = f"{message[: match.start()]}{wrong!r} is not one of {', '.join(choices)}"
            hint = f"Did you mean {' or '.join(near)}?" if near else hint
        Output().error(message, hint, "cli.usage")
        sys.exit(UsageError.exit_code)


class Version(argparse.Action):
    """Print the version, and the hub that a command without `--url` would use."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print both and exit, even where the config file cannot be read."""
        out = Output()
        out.line(f"hub {__version__}")
        try:
            config = configs.load()
            out.line(f"hub in use: {config.url} ({configs.SOURCES[config.source]})")
        except HubCliError as exc:
            out.line(f"hub in use: unknown, {exc.message}")
        parser.exit()


def parser() -> argparse.ArgumentParser:
    """The parser of all commands; each command module registers its own."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--url", help="address of the hub (default: HUB_URL, then `hub login`)")
    common.add_argument("--json", action="store_true", help="machine-readable output on stdout")
    common.add_argument(
        "-q", "--quiet", action="store_true", help="no progress, notes or hints; errors stay"
    )
    root = Parser(
        prog="hub",
        description="Create, check, publish, find and install reinforcement-learning environments.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.add_argument("--version", action=Version, nargs=0, help="show version and hub in use")
    commands = root.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in ALL:
        module.register(commands, common)
    shell.register(commands, root)
    return root


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    argv = sys.argv[1:] if argv is None else argv
    args = parser().parse_args(argv or ["--help"])
    out = Output(as_json=getattr(args, "json", False), quiet=getattr(args, "quiet", False))
    try:
        return int(args.run(args, out) or 0)
    except HubCliError as exc:
        out.error(exc.message, exc.hint, exc.code)
        return exc.exit_code
    except KeyboardInterrupt:
        out.error("interrupted", code="cli.interrupted")
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except OSError as exc:
        out.error(f"{exc.filename or 'a file'}: {exc.strerror or exc}", code="cli.file")
        return 1
    except UNREADABLE as exc:
        if not Hub.has_answered:
            raise
        out.error(*_unreadable(exc), code="cli.unexpected_answer")
        return 1


def _unreadable(exc: Exception) -> tuple[str, str]:
    """Message and hint for an answer with values of other types: the line names the field."""
    frame = traceback.extract_tb(exc.__traceback__)[-1]
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    message = (
        f"the hub's answer cannot be read: {type(exc).__name__}: {str(exc)[:300]} "
        f"({where}: {(frame.line or '')[:120]})"
    )
    hint = (
        f"The hub may be of another release than hub {__version__}: install the hub command that "
        "its page /publish/ offers. Else report this line."
    )
    return message, hint


if __name__ == "__main__":
    sys.exit(main())
