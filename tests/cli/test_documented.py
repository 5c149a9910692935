"""docs/cli.md leaves nothing out: commands, options, exit codes, environment variables."""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envyard import errors
from envyard.__main__ import parser
from envyard.contract.examine import examine
from tests.wheels import make_wheel

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "cli.md").read_text()
COMMON = {"-h", "--help", "--url", "--json", "-q", "--quiet"}


def commands() -> dict[str, argparse.ArgumentParser]:
    """Every subcommand by its words."""
    return dict(below(parser(), ""))


def below(tree: argparse.ArgumentParser, before: str) -> Iterator[tuple[str, Any]]:
    """The commands of a parser; where one has its own, those instead of it."""
    for action in tree._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, subparser in action.choices.items():
                yield from list(below(subparser, f"{before}{name} ")) or [
                    (f"{before}{name}", subparser)
                ]


@pytest.mark.parametrize("name", commands())
def test_every_command_and_option_is_documented(name: str) -> None:
    rows = re.findall(rf"^\| `hub {name}\b.*$", TEXT, re.MULTILINE)
    assert len(rows) == 1
    for action in commands()[name]._actions:
        for option in set(action.option_strings) - COMMON:
            assert re.search(rf"`{option}\b", rows[0]), f"hub {name} {option}"
        for choice in action.choices or ():
            assert re.search(rf"[` ]{choice}`", rows[0]), f"hub {name} {choice}"


def test_no_command_is_documented_that_is_not_there() -> None:
    assert set(re.findall(r"^\| `hub ([a-z]+(?: [a-z]+)?)\b", TEXT, re.MULTILINE)) == set(
        commands()
    )


def test_every_exit_code_is_documented() -> None:
    kinds = [errors.HubCliError, *errors.HubCliError.__subclasses__()]
    used = {0, 130} | {kind.exit_code for kind in kinds}
    assert {int(code) for code in re.findall(r"^\| `(\d+)` \|", TEXT, re.MULTILINE)} == used


def test_every_environment_variable_is_documented() -> None:
    read: set[str] = set()
    for source in (ROOT / "cli" / "envyard").rglob("*.py"):
        read |= set(re.findall(r'environ(?:\.get\(|\[)"(\w+)"', source.read_text()))
    assert {"HUB_URL", "HUB_TOKEN"} <= read
    assert not {name for name in read if not re.search(rf"`{name}\b", TEXT)}


def test_the_environment_of_the_guide_is_found_without_an_error(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "writing-environments.md").read_text()
    source, classic = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    wheel = tmp_path / "capitals-0.1.0-py3-none-any.whl"
    wheel.write_bytes(make_wheel("capitals", files={"capitals/__init__.py": source}))
    findings, detection = examine(wheel)
    assert [f for f in findings if f.severity == "error"] == []
    assert (detection.api, detection.entry) == ("v1", "CapitalsTaskset")
    names: dict[str, Any] = {"json": json}
    exec(classic, names)
    call = names["oracle"]({"info": {"key": "Peru"}}, [{"role": "user", "content": "Its capital?"}])
    assert json.loads(call["tool_calls"][0]["function"]["arguments"]) == {"key": "Peru"}
    assert names["oracle"]({}, [{"role": "tool", "content": "Lima"}]) == "Answer: Lima"
