"""`hub eval --local`: evaluate a model in this machine's sandbox, and push the result."""

from __future__ import annotations

import hashlib
import json
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from envyard import config as configs
from envyard import local_run
from envyard.builder import wheel_of
from envyard.client import Hub, environment_path
from envyard.commands.install import chosen, downloaded
from envyard.commands.model_results import show_models
from envyard.commands.push import owner_of, reference, refuse_early
from envyard.commands.push_evaluation import published, push, show_pushed, signed_in
from envyard.commands.show import interval, number, percent, ref_of, show_finding
from envyard.contract import local_access
from envyard.contract.findings import Finding
from envyard.contract.suite import BUILT_IN, USUAL_SIZES, SuiteDefinition
from envyard.errors import Held, HubCliError, Rejected, UsageError
from envyard.local_evaluation import LocalEvaluation, Subject
from envyard.output import Output

LOCAL_ONLY = ("base_url", "key_env", "push", "private", "save", "owner")


@dataclass(frozen=True, slots=True)
class Played:
    """The wheel to evaluate; `version` is what the hub has of it, None without a hub."""

    wheel: Path
    subject: Subject
    version: dict[str, Any] | None = None


def add_options(command: ArgumentParser) -> None:
    """Add the options of a local evaluation."""
    command.add_argument(
        "--local", action="store_true", help="evaluate in this machine's sandbox, not on the hub"
    )
    group = command.add_argument_group("with --local")
    group.add_argument(
        "-b", "--base-url", metavar="URL", default="", help="an OpenAI-compatible server, with /v1"
    )
    group.add_argument(
        "--key-env", metavar="NAME", default="", help="the variable that holds the server's key"
    )
    group.add_argument(
        "--push", action="store_true", help="publish the result and its samples as self-reported"
    )
    group.add_argument(
        "--private", action="store_true", help="with --push: only you see the evaluation"
    )
    group.add_argument(
        "--owner", default="", help="with --push of a wheel: who published it (default: you)"
    )
    group.add_argument("--save", type=Path, metavar="FILE", help="write the samples, one a line")
    local_access.add_options(command)


def refuse_without_local(args: Namespace) -> None:
    """Raise UsageError for options that only a local evaluation has."""
    given = [f"--{name.replace('_', '-')}" for name in LOCAL_ONLY if getattr(args, name)]
    given += [option.partition("=")[0] for option in local_access.arguments(args)]
    if given:
        raise UsageError(f"{given[0]} is about an evaluation on this machine", "Add --local.")


def run(args: Namespace, out: Output) -> None:
    """Exit 0 with a result, 3 where the environment failed, 4 where there is none."""
    hub = Hub(configs.load(args.url))
    environ = _model_server(args)
    try:
        local_access.read(args, os.environ)
    except local_access.BadOption as error:
        raise UsageError(str(error), "See: hub eval --help") from None
    program = local_run.require(
        "hub eval --local", otherwise="Leave --local out; the hub's runners evaluate its models."
    )
    with _played(hub, args, out) as played:
        suite, seed = _suite(hub, args, played)
        options = _options(args, suite if seed is None else replace(suite, seed=seed), played)
        out.note(
            f"{args.model} on {played.subject.environment} {played.subject.version}, suite "
            f"{args.suite} ({suite.digest[:12]})",
            "bold",
        )
        document = local_run.evaluate(
            program, played.wheel, options, environ=environ,
            on_progress=lambda phase, done, total: out.progress(f"run {phase}", done, total),
        )  # fmt: skip
    result = LocalEvaluation(played.subject, args.model, args.suite, suite, document)
    _conclude(hub, result, played, args, out)


def _conclude(
    hub: Hub, result: LocalEvaluation, played: Played, args: Namespace, out: Output
) -> None:
    """Print, save and push the result; raise Rejected or Held where there is none."""
    pushed = None
    if args.save:
        lines = [json.dumps(sample) + "\n" for sample in result.samples()]
        args.save.write_text("".join(lines), encoding="utf-8")
    has_result = result.document["outcome"] == "succeeded" and result.score is not None
    if has_result and args.push and played.version is not None:
        pushed = push(hub, result, played.version, is_public=not args.private)
    if out.as_json:
        out.json(result.to_dict() | {"pushed": pushed})
    else:
        _show(result, out)
    if not has_result:
        raise _no_result(result)
    if pushed is not None:
        show_pushed(pushed, out)
    elif played.version is not None:
        out.hint("publish it as self-reported: repeat with --push")


def _show(result: LocalEvaluation, out: Output) -> None:
    """The mean with its interval, the measures of the card, and each task's solve rate."""
    if score := result.score:
        failed = f", {score.failed} failed" if score.failed else ""
        mean = interval(score.mean, score.low, score.high)
        out.line(f"{result.model} mean {mean} n={score.n} of {score.tasks} tasks{failed}")
        if score.method:
            out.note(f"95 % interval: {score.method}", "dim")
    if results := result.results:
        show_models([results.to_dict()], out)
        out.line()
        out.table(
            ("TASK", "SOLVED", "ROLLOUTS", "SOLVE RATE", "MEAN"),
            [
                (row.task, row.solved, row.n, percent(row.solved / row.n), number(row.mean))
                for row in results.task_results
            ],
        )
    for row in result.document["findings"]:
        show_finding(Finding.from_dict(row), out)


def _no_result(result: LocalEvaluation) -> HubCliError:
    findings = [Finding.from_dict(row) for row in result.document["findings"]]
    errors = [item for item in findings if item.severity == "error"] or findings
    reason = errors[0].message if errors else "no rollout was rewarded"
    code = errors[0].code if errors else "cli.held"
    message = f"the evaluation {result.document['outcome']}: {reason}"
    log = result.document["log"].strip().splitlines()[-5:]
    hint = "\n  ".join(["The end of its log:", *log]) if log else ""
    kind = Rejected if result.document["outcome"] == "failed" else Held
    return kind(message, hint, code)


def _model_server(args: Namespace) -> dict[str, str]:
    """The variables by which `hub-runner` finds the model; raises UsageError."""
    if not args.base_url.startswith(("http://", "https://")):
        raise UsageError(
            f"--base-url {args.base_url!r} must start with http:// or https://",
            "For example: -b http://127.0.0.1:8000/v1",
        )
    environ = {"HUB_MODEL_URL": args.base_url.rstrip("/")}
    if args.key_env:
        key = os.environ.get(args.key_env, "")
        if not key.strip():
            raise UsageError(f"--key-env: the environment variable {args.key_env} is not set")
        environ |= {"HUB_MODEL_KEY": key, "HUB_MODEL_KEY_FILE": ""}
    return environ


@contextmanager
def _played(hub: Hub, args: Namespace, out: Output) -> Iterator[Played]:
    """The wheel that a path or a reference names; raises HubCliError."""
    path = Path(args.ref)
    if path.exists() or path.suffix == ".whl":
        if path.is_dir():
            out.note(f"Building {path}", "dim")
        with wheel_of(path) as wheel:
            yield _of_file(hub, wheel, args, out)
        return
    version = chosen(hub, ref_of(args.ref))
    if version["git_dependencies"]:
        raise _from_git(version["ref"])
    with TemporaryDirectory(prefix="envyard-") as folder:
        file = version["file"]
        wheel = downloaded(hub, file, Path(folder))
        subject = Subject(version["environment"], version["version"], file["sha256"])
        yield Played(wheel, subject, version)


def _of_file(hub: Hub, wheel: Path, args: Namespace, out: Output) -> Played:
    """A wheel of this machine; to be pushed, the hub must have the same bytes."""
    refuse_early(None, wheel, out)
    owner = owner_of(args.owner or signed_in(hub)) if args.push else "local"
    ref = reference(owner, wheel)
    sha256 = hashlib.sha256(wheel.read_bytes()).hexdigest()
    subject = Subject(f"{ref.owner}/{ref.name}", str(ref.version), sha256)
    return Played(wheel, subject, published(hub, ref, subject) if args.push else None)


def _from_git(name: str) -> UsageError:
    return UsageError(
        f"{name} has dependencies from git, which only the hub fetches",
        "Evaluate it there: leave --local out.",
    )


def _suite(hub: Hub, args: Namespace, played: Played) -> tuple[SuiteDefinition, int | None]:
    """The hub's suite of that name, with the seed that it has for the version, which is None before
    it is listed; of a wheel that is not pushed, the usual suite."""
    if played.version is None:
        if args.suite not in BUILT_IN:
            raise UsageError(
                f"suite {args.suite!r} must be one of {', '.join(BUILT_IN)} for a local wheel",
                "Name the environment as OWNER/NAME to use a suite that its owners defined.",
            )
        tasks, attempts = USUAL_SIZES[args.suite]
        return SuiteDefinition(tasks=tasks, attempts=attempts), None
    path = f"{environment_path(ref_of(played.version['environment']))}suites/"
    number = played.version["version"]
    rows = {row["name"]: row for row in hub.get(path, version=number)["results"]}
    if args.suite not in rows:
        names = ", ".join(rows)
        raise UsageError(f"suite {args.suite!r} must be one of {names}", "See: hub suites list")
    row = rows[args.suite]
    return SuiteDefinition.from_dict(row["definition"]), row.get("seed")


def _options(args: Namespace, suite: SuiteDefinition, played: Played) -> list[str]:
    """The options of `hub-runner try`; raises UsageError where the judge is not the suite's."""
    if args.judge_model and args.judge_model != suite.judge:
        raise UsageError(
            f"suite {args.suite} has the judge {suite.judge or 'none'}, not {args.judge_model}",
            "Results of other judges do not compare; define a suite with it.",
        )
    needs = {need["kind"] for need in (played.version or {}).get("needs", ())}
    if suite.judge and "judge" in needs and not args.judge_model:
        raise UsageError(
            f"the environment needs the suite's judge {suite.judge}",
            f"Add --judge-url URL --judge-model {suite.judge}",
        )
    options = [f"--model={args.model}", f"--suite={json.dumps(suite.to_dict())}"]
    if played.version is not None:
        options.append(f"--before={played.version['uploaded_at']}")
    return [*options, *local_access.arguments(args)]
