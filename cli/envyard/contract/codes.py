"""The catalogue of findings and errors: one stable dotted code, its sentence, hint and fault.

A Finding is one result of one check. Codes never change meaning; the hub's pages, the API and the
command line all show the same text.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from envyard.contract.wheel_codes import WHEEL_CODES

Fault = Literal["environment", "request", "platform"]
Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Code:
    """What a code means when nobody says it better: title, next step and whose fault."""

    title: str
    hint: str
    fault: Fault


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of one check; `where` names the member, field, task or rollout."""

    code: str
    message: str
    hint: str = ""
    severity: Severity = "error"
    where: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form used by API, database and reports."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Finding:
        """Read an untrusted JSON form: unknown keys dropped, texts cut, severity checked."""
        severity = data.get("severity")
        details = data.get("details")
        return cls(
            code=str(data.get("code", "unknown"))[:80],
            message=str(data.get("message", ""))[:4000],
            hint=str(data.get("hint", ""))[:1000],
            severity=severity if severity in ("error", "warning", "info") else "error",
            where=str(data.get("where", ""))[:300],
            details=details if isinstance(details, dict) else {},
        )


def finding(
    code: str,
    message: str = "",
    *,
    where: str = "",
    severity: Severity = "error",
    hint: str = "",
    **details: Any,
) -> Finding:
    """A Finding of a catalogued code; message and hint default to the catalogue's."""
    known = CATALOGUE[code]
    return Finding(code, message or known.title, hint or known.hint, severity, where, details)


def _env(title: str, hint: str) -> Code:
    return Code(title, hint, "environment")


def _ours(title: str, hint: str = "Nothing to change in the environment.") -> Code:
    return Code(title, hint, "platform")


def _ask(title: str, hint: str = "") -> Code:
    return Code(title, hint, "request")


CATALOGUE: dict[str, Code] = {
    # wheels
    **{code: _env(*said) for code, said in WHEEL_CODES.items()},
    # what kind of environment it is
    "env.framework_unknown": _env(
        "No known framework was found in the wheel.",
        "Export one verifiers Taskset, or a load_environment function.",
    ),
    "env.unreadable_python": _ours(
        "The code needs a newer Python than the one that reads it.",
        "The version is held until the hub runs on a Python that Requires-Python admits; or write "
        "the code so that an older one reads it, and widen Requires-Python.",
    ),
    "env.framework_ambiguous": _env(
        "More than one environment was found in the wheel.",
        "Export exactly one Taskset through __all__.",
    ),
    "env.taskset_not_exported": _env(
        "The Taskset is not named in the module's __all__.", "Add its name to __all__."
    ),
    "env.module_name_mismatch": _env(
        "The module's name is not the one the framework looks for.",
        "Name the module like the environment, with _ for -.",
    ),
    "env.module_missing": _env(
        "The code imports a module of its own that the wheel does not hold.",
        "Add it to what your build puts into the wheel, unless a dependency brings it.",
    ),
    "env.dependencies_unresolvable": _env(
        "The dependencies cannot be resolved.", "Loosen or correct the requirement it names."
    ),
    "env.framework_names_missing": _env(
        "The code needs names that no usable release of its framework exports.",
        "Pin a release that has all of them.",
    ),
    "env.framework_undriven": _ours(
        "The environment needs a release of its framework that this hub cannot run.",
        "Port it to a release that the hub runs, or ask its operator.",
    ),
    "env.dependency_sdist_only": _env(
        "A dependency has no wheel.", "Depend on a version that ships wheels."
    ),
    # what running it showed
    "run.import_failed": _env(
        "Importing the environment failed.",
        "The traceback's last lines name the cause; `hub check --run` shows it before a push.",
    ),
    "run.load_failed": _env(
        "Loading the tasks failed.",
        "The traceback's last lines name the cause. There is no network: ship data in the wheel.",
    ),
    "run.no_tasks": _env("The environment has no tasks.", "Make load() yield at least one task."),
    "run.crashed": _env("The environment's process ended unexpectedly.", "See the log."),
    "run.wall_clock": _env("The run took longer than its limit.", "Make rollouts shorter."),
    "run.memory": _env("The run used more memory than its limit.", "Load less at a time."),
    "run.cpu": _env("The run used more processor time than its limit.", "Look for a busy loop."),
    "run.killed": _env("The run was killed by a signal.", "See the log's last lines."),
    "run.flooded": _env("The run wrote more events than its limit.", "Shrink what it reports."),
    "run.unplanned_rollouts": _env(
        "Rollouts were reported that the run did not plan.",
        "Leave the reporting to the framework: nothing but its own loop writes results.",
    ),
    "run.network": _env(
        "The environment tried to reach the network; a sandbox has none.",
        "Ship the data in the wheel, and switch off what a library reports or downloads.",
    ),
    "run.files": _env(
        "The run made more files than its limit.", "Keep fewer files, or pack them into one."
    ),
    "run.descriptors": _env(
        "The run held more open files and sockets than its limit.", "Close what is no longer used."
    ),
    "isolation.refused_calls": _env(
        "The environment made system calls that a sandbox refuses.",
        "Nothing a task needs asks for these; see which dependency does.",
    ),
    "isolation.unusual_calls": _env(
        "System calls were refused that libraries make by themselves.",
        "Nothing to do where the environment works: they go on without.",
    ),
    "isolation.limits_reached": _env(
        "The environment ran into a limit of its sandbox.",
        "Start fewer processes, and clear up what is no longer needed.",
    ),
    "run.rollouts_failed": _env(
        "The rollouts that failed have the same cause.", "See the error of any of them."
    ),
    "run.rollouts_missing": _env("Planned rollouts have no result.", "See the log."),
    "run.no_model_call": _env(
        "Rollouts were scored without asking the policy.",
        "Let the framework's own loop call the model; see the rollouts.",
    ),
    "run.prompt_not_sent": _env(
        "None of the first calls of a rollout contained the prompt of its task.",
        "Put what the policy is asked into the task's prompt; where the first message is only made "
        "as a rollout begins, leave the task's prompt empty.",
    ),
    "run.prompt_changed": _env(
        "A fresh load gave a task another prompt than the one that was played.",
        "Make the prompt from the task's own data and its seed alone.",
    ),
    "run.prompt_not_compared": _env(
        "Tasks have no prompt that their calls could be compared with.",
        "Nothing to do where the first message is made as a rollout begins.",
    ),
    "run.wheel_changed": _ours("The downloaded wheel's sha256 is not the hub's."),
    "run.install_failed": _ours("The dependencies could not be fetched."),
    "run.model_unreachable": _ours("The model server did not answer.", "Is the model up?"),
    "run.lease_expired": _ours("The runner stopped reporting."),
    "run.runner_error": _ours("The runner itself failed."),
    "run.handed_back": _ours("The runner was stopped and handed the run back."),
    "run.no_python": _ours(
        "No runner has a Python that Requires-Python admits.",
        "Its operator can install one on a runner and name it in RUNNER_PYTHONS.",
    ),
    "run.never_taken": _ours(
        "No runner took the run.",
        "Once a runner is there (`hub-runner start`), retry the version: `hub retry`, or its page.",
    ),
    "run.never_began": _ours(
        "No runner could carry out the run.",
        "Once the runners are mended, retry the version with `hub retry` or on its page.",
    ),
    "run.cancelled": _ask(
        "The run was cancelled.", "Evaluate it after all on the run's page or by `hub runs retry`."
    ),
    "run.attempts_exhausted": _ours(
        "The hub could not decide after its attempts.",
        "Retry the version with `hub retry` or on its page.",
    ),
    # what the card says
    "card.completes": _env("Rollouts do not complete.", "See the errors of the failed rollouts."),
    "card.crash_rate": _env("Rollouts crash.", "Catch the error, or fix what raises it."),
    "card.reward_finite": _env("A reward is not a finite number.", "Return a finite float."),
    "card.reward_range": _env(
        "A reward is outside the expected range.", "Keep the total between -1 and 2."
    ),
    "card.reproducible_tasks": _env(
        "Loading the tasks twice gave different tasks.",
        "Draw every random choice from the seed that the environment is given.",
    ),
    "card.takes_no_seed": _env(
        "The environment takes no seed, and two loads gave different tasks.",
        "Give load_environment(), or the taskset's configuration, an option `seed: int = 0`, and "
        "draw every random choice from it; or fix the seeds inside.",
    ),
    "card.reproducible_reward": _env(
        "The same replies were rewarded otherwise when they were played again.",
        "Seed what scoring draws, keep no state between rollouts, and let no clock decide.",
    ),
    "card.floor": _env(
        "A policy that does no work is paid.", "Pay only for a right answer; see the rollouts."
    ),
    "card.ceiling": _env(
        "The reference answer is not paid.", "Check the reward against the oracle's reply."
    ),
    "card.diversity": _env("Tasks repeat.", "Remove duplicates from the dataset."),
    "card.speed": _env("The environment is slow.", "Profile the slowest rollout's scoring."),
    "card.policy_failed": _env(
        "A policy that must pass for listing did not.", "See the run's rollouts."
    ),
    "card.undecided": _ours(
        "The run does not show enough to decide.",
        "Retry the version with `hub retry` or on its page.",
    ),
    # what its name is like
    "name.similar": _env(
        "The name is easily taken for that of another environment.",
        "Rename yours if it is another thing: people install the wrong one.",
    ),
    # what a request did wrong
    "request.invalid": _ask("The request is not valid."),
    "request.too_large": _ask("The request is larger than the limit."),
    "request.unauthenticated": _ask("You are not signed in.", "Run `hub login`."),
    "request.forbidden": _ask("You may not do that.", "Ask an owner for the permission."),
    "request.not_found": _ask("There is nothing here, or you may not see it.", "Check the name."),
    "request.conflict": _ask("Something else changed first.", "Look again, then retry."),
    "request.throttled": _ask("Too many requests.", "Wait a little, then retry."),
    "request.method": _ask("This address does not take that method."),
    "account.mfa_required": _ask(
        "This hub asks whoever publishes for a second factor.",
        "Add an authenticator app or a passkey on the hub's Security page.",
    ),
    "request.moved": _ask("The environment has moved.", "Use its new name."),
    "name.too_similar": _ask("The name looks like another one of the owner.", "Rename it."),
    "name.moved": _ask(
        "An environment of that name moved to another owner.", "Choose another name."
    ),
    "token.invalid": _ask("The token is unknown, expired or revoked.", "Run `hub login`."),
    "token.scope": _ask("The token's scope does not allow that.", "Make a token that may."),
    "token.exceeds_parent": _ask(
        "A token may not exceed the token that makes it.",
        "Ask for less, or make the token on the hub's Tokens page.",
    ),
    "quota.rate": _ask("Too many uploads within an hour.", "Wait for the time in Retry-After."),
    "quota.storage": _ask("The owner's storage is full.", "Delete what nobody needs."),
    "quota.organisations": _ask(
        "The person has made as many organisations as one may.", "Use one of them."
    ),
    "quota.queue": _ask(
        "Too many versions of the owner wait for their evaluation.",
        "Wait until some have been decided.",
    ),
    "publisher.unknown_issuer": _ask(
        "The hub does not trust that issuer of identity tokens.", "Ask its operator to add it."
    ),
    "publisher.issuer_unreachable": _ours("The issuer's keys cannot be fetched.", "Try again."),
    "publisher.bad_token": _ask(
        "The identity token is not valid.", "Ask your CI for a new one, for the hub's audience."
    ),
    "publisher.token_used": _ask(
        "The identity token was used before.", "Ask your CI for a new one for each exchange."
    ),
    "publisher.no_match": _ask(
        "No trusted publisher matches the identity token.",
        "Compare it with those in the environment's settings, letter by letter.",
    ),
    "attestation.unreadable": _ask(
        "The attestations are not a JSON list of attestation objects.",
        "Leave their making to uv, twine or the publishing action.",
    ),
    "attestation.no_publisher": _ask(
        "Attestations are taken from trusted publishers only.",
        "Publish by trusted publishing, or leave the attestations out.",
    ),
    "attestation.unverified": _ask(
        "An attestation's signature, certificate or log entry does not verify.",
        "Sign the wheel again, then upload that very file.",
    ),
    "attestation.other_identity": _ask(
        "An attestation was signed by somebody else than the publisher.",
        "Sign in the workflow that publishes.",
    ),
    "attestation.other_file": _ask(
        "An attestation is about another file.", "Sign the wheel that you upload."
    ),
    "attestation.unknown_type": _ask(
        "An attestation is of a type that the hub does not take.",
        "Use PyPI's publish attestation or SLSA provenance.",
    ),
    "upload.version_exists": _ask(
        "This version exists with other bytes; versions are immutable.", "Raise the version."
    ),
    "upload.filename_taken": _ask(
        "This file name was used before and never returns.", "Raise the version."
    ),
    "upload.owner_mismatch": _ask("You may not publish under this owner.", "Check --owner."),
    "upload.unsupported_file": _ask("Only wheels are accepted.", "Upload the .whl file."),
    "source.unreadable": _ask(
        "The source archive cannot be read.", "Push again with files and folders alone in it."
    ),
    "prime.not_offered": _ask(
        "This hub does not offer that.", "docs/prime.md lists what works with the prime command."
    ),
    # the word on which verifiers sends samples instead
    "service_not_enabled": _ask("This hub keeps no traces; evaluations have samples."),
    "runner.superseded": _ask("Another attempt of this run is under way, or it has ended."),
    "hub.error": _ours("The hub failed.", "Try again; name the request id when you report it."),
    "hub.full": _ours(
        "The hub has no disk space left.", "Try again later; its operator must free some."
    ),
}
