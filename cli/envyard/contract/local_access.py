"""What an author provides to a run on their own machine: the options that `hub check --run` and
`hub-runner try` share.

Keys and secrets are read from environment variables, never from options: every process of the
machine can read a command line.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from envyard.contract.job import BoundSecret
from envyard.contract.needs.kinds import approval_fault, variable_fault

PUBLIC_DATA_HUB = "https://huggingface.co"
JUDGE_URL, JUDGE_MODEL = "RUNNER_JUDGE_URL", "HUB_JUDGE_MODEL"
# By the code of a requirement.
OPTION_OF_NEED = {
    "needs.data": "--data",
    "needs.judge": "--judge-url URL --judge-model NAME",
    "needs.secret": "--secret NAME=HOST",
    "needs.host": "--host HOST",
}


class BadOption(ValueError):
    """An option cannot be used; the message names it, its value and the rule."""


@dataclass(frozen=True, slots=True)
class LocalAccess:
    """What one run may have. `settings` are the runner's settings that the options stand for,
    `values` those of the secrets by name."""

    settings: dict[str, str] = field(default_factory=dict, repr=False)
    variables: dict[str, str] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()
    secrets: tuple[BoundSecret, ...] = ()
    values: dict[str, str] = field(default_factory=dict, repr=False)


def add_options(parser: ArgumentParser) -> None:
    """Add the options, as a group of their own."""
    group = parser.add_argument_group(
        "what a run may have",
        "A run on this machine. The judge's key is read from RUNNER_JUDGE_KEY, and each secret "
        "from the variable of its name.",
    )
    group.add_argument(
        "--data", action="store_true", help="data sets of the hub in HF_ENDPOINT (with HF_TOKEN)"
    )
    group.add_argument("--judge-url", metavar="URL", default="", help="a judge's server, with /v1")
    group.add_argument("--judge-model", metavar="NAME", default="", help="the judge's model there")
    for name, metavar, text in (
        ("host", "HOST", "a host that the run may reach; may be repeated"),
        ("variable", "NAME=VALUE", "a variable of the environment; may be repeated"),
        ("secret", "NAME=HOST", "a secret, and a host that receives it; may be repeated"),
    ):
        group.add_argument(f"--{name}", metavar=metavar, action="append", default=[], help=text)


def arguments(options: Namespace) -> Iterator[str]:
    """The options as another program that has them takes them."""
    if options.data:
        yield "--data"
    for name in ("judge-url", "judge-model"):
        if value := getattr(options, name.replace("-", "_")):
            yield f"--{name}={value}"
    for name in ("host", "variable", "secret"):
        yield from (f"--{name}={value}" for value in getattr(options, name))


def read(options: Namespace, environ: Mapping[str, str]) -> LocalAccess:
    """What the options mean; raises BadOption."""
    secrets = _secrets(options.secret)
    values = {secret.name: environ.get(secret.name, "") for secret in secrets}
    for name, value in values.items():
        if not value.strip():
            raise BadOption(f"--secret {name}: the environment variable {name} is not set")
    bound = (host for secret in secrets for host in secret.hosts)
    hosts = tuple(dict.fromkeys((*options.host, *bound)))
    for host in hosts:
        if fault := approval_fault(host):
            raise BadOption(f"{host!r} {fault}")
    return LocalAccess(
        settings=_settings(options, environ) | ({"RUNNER_HOSTS": "yes"} if hosts else {}),
        variables=dict(_pair("variable", text, "VALUE") for text in options.variable),
        hosts=hosts,
        secrets=secrets,
        values=values,
    )


def _settings(options: Namespace, environ: Mapping[str, str]) -> dict[str, str]:
    settings = {}
    if options.data:
        settings["RUNNER_DATA_URL"] = environ.get("HF_ENDPOINT") or PUBLIC_DATA_HUB
        settings["RUNNER_DATA_TOKEN"] = environ.get("HF_TOKEN", "")
        settings["RUNNER_DATA_TOKEN_FILE"] = ""
    judge = {JUDGE_URL: options.judge_url, JUDGE_MODEL: options.judge_model}
    given = {name: value for name, value in judge.items() if value}
    if given and not all({**environ, **given}.get(name) for name in judge):
        raise BadOption("a judge needs both --judge-url and --judge-model")
    return settings | given


def _secrets(texts: list[str]) -> tuple[BoundSecret, ...]:
    hosts: dict[str, list[str]] = {}
    for text in texts:
        name, host = _pair("secret", text, "HOST")
        hosts.setdefault(name, []).append(host)
    return tuple(BoundSecret(name, tuple(dict.fromkeys(bound))) for name, bound in hosts.items())


def _pair(option: str, text: str, value: str) -> tuple[str, str]:
    """The two sides of NAME=VALUE; the text itself is not repeated, for it may hold a secret."""
    name, separator, right = text.partition("=")
    if not separator or (value == "HOST" and not right):
        raise BadOption(f"--{option} must be written as NAME={value}")
    if fault := variable_fault(name):
        raise BadOption(f"--{option}: {name[:100]!r} {fault}")
    return name, right
