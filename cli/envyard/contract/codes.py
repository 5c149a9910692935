"""The catalogue of findings and errors: one stable dotted code, its sentence, hint and fault.

A Finding is one result of one check. Codes never change meaning; the hub's pages, the API and the
command line all show the same text.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

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


def _wheel(title: str, hint: str = "Build the wheel again with `hub push` or `uv build`.") -> Code:
    return Code(title, hint, "environment")


def _env(title: str, hint: str) -> Code:
    return Code(title, hint, "environment")


def _ours(title: str, hint: str = "Nothing to change; the hub tries again by itself.") -> Code:
    return Code(title, hint, "platform")


def _ask(title: str, hint: str = "") -> Code:
    return Code(title, hint, "request")


CATALOGUE: dict[str, Code] = {
    # the file itself
    "wheel.not_a_zip": _wheel("The file is not a readable zip archive."),
    "wheel.bad_filename": _wheel("The file name is not a valid wheel name."),
    "wheel.too_large": _wheel("The wheel is larger than the limit.", "Ship data separately."),
    "wheel.too_many_members": _wheel("The wheel holds too many members.", "Remove stray files."),
    "wheel.expands_too_much": _wheel("The wheel expands beyond the limit.", "Remove padding data."),
    "wheel.unsafe_member": _wheel("A member's path leaves the wheel."),
    "wheel.symlink_member": _wheel("A member is a link or special file.", "Ship regular files."),
    "wheel.duplicate_member": _wheel("A member stands twice in the wheel."),
    "wheel.case_collision": _wheel("Two members differ only in letter case.", "Rename one."),
    "wheel.encrypted_member": _wheel("A member is encrypted."),
    "wheel.bad_compression": _wheel("A member uses an unusual compression method."),
    "wheel.extra_bytes": _wheel("The archive has bytes before, after or between its members."),
    "wheel.bad_framing": _wheel("The archive's headers disagree or use what no wheel needs."),
    "wheel.bad_crc": _wheel("A member's bytes do not match its checksum."),
    "wheel.no_dist_info": _wheel("The wheel has no matching .dist-info directory."),
    "wheel.no_wheel_file": _wheel("The wheel has no WHEEL file, or an unreadable one."),
    "wheel.no_metadata": _wheel("The wheel has no METADATA file, or an unreadable one."),
    "wheel.no_record": _wheel("The wheel has no RECORD file, or an unreadable one."),
    "wheel.record_mismatch": _wheel("RECORD does not describe the members exactly."),
    "wheel.not_pure": _wheel(
        "Only pure Python wheels (py3-none-any) are accepted.",
        "Move compiled code into a dependency.",
    ),
    "wheel.pth_member": _wheel(
        "A .pth file would run code at every Python start.", "Remove the .pth file."
    ),
    "wheel.data_member": _wheel(
        "A .data folder would install files outside the environment's own modules.",
        "Ship data inside the package and read it with importlib.resources.",
    ),
    "wheel.shadows_stdlib": _wheel(
        "A top-level module shadows the standard library.", "Rename the module."
    ),
    # what METADATA says
    "metadata.name_mismatch": _wheel("METADATA's Name is not the file's or form's name."),
    "metadata.version_mismatch": _wheel("METADATA's Version is not the file's or form's version."),
    "metadata.bad_name": _wheel("The environment's name breaks a rule.", "Rename it."),
    "metadata.bad_version": _wheel("The version is not allowed.", "Use a PEP 440 version: 0.1.0"),
    "metadata.direct_url": _wheel(
        "A dependency is a direct URL.", "Depend on a name and version from the index."
    ),
    "metadata.bad_requirement": _wheel("A Requires-Dist line cannot be read."),
    "metadata.form_mismatch": _wheel("The upload form disagrees with METADATA."),
    "metadata.bad_field": _wheel("A METADATA field breaks the specification."),
    "metadata.too_large": _wheel("METADATA is larger than the limit.", "Shorten the README."),
    "metadata.no_summary": _wheel(
        "There is no one-line description.", "Set `description` in pyproject.toml."
    ),
    "metadata.no_readme": _wheel(
        "There is no README.", 'Set `readme = "README.md"` in pyproject.toml.'
    ),
    "metadata.no_license": _wheel("There is no licence.", "Set `license` in pyproject.toml."),
    # what kind of environment it is
    "env.framework_unknown": _env(
        "No known framework was found in the wheel.",
        "Export one verifiers Taskset, or a load_environment function.",
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
    "env.dependencies_unresolvable": _env(
        "The dependencies cannot be resolved.", "Loosen or correct the requirement it names."
    ),
    "env.dependency_sdist_only": _env(
        "A dependency has no wheel.", "Depend on a version that ships wheels."
    ),
    # what running it showed
    "run.import_failed": _env("Importing the environment failed.", "See the log's last lines."),
    "run.load_failed": _env("Loading the tasks failed.", "See the log's last lines."),
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
    "run.rollouts_missing": _env("Planned rollouts have no result.", "See the log."),
    "run.no_model_call": _env(
        "Rollouts were scored without asking the policy.",
        "Let the framework's own loop call the model; see the rollouts.",
    ),
    "run.wheel_changed": _ours("The downloaded wheel's sha256 is not the hub's."),
    "run.install_failed": _ours("The dependencies could not be fetched."),
    "run.model_unreachable": _ours("The model server did not answer.", "Is the model up?"),
    "run.lease_expired": _ours("The runner stopped reporting."),
    "run.runner_error": _ours("The runner itself failed."),
    "run.never_taken": _ours(
        "No runner took the run.",
        "Start one: `hub-runner start`; then staff can retry.",
    ),
    "run.cancelled": _ask("The run was cancelled.", "Staff can retry the version."),
    "run.attempts_exhausted": _ours(
        "The hub could not decide after its attempts.", "Staff can retry the version."
    ),
    # what the card says
    "card.completes": _env("Rollouts do not complete.", "See the errors of the failed rollouts."),
    "card.crash_rate": _env("Rollouts crash.", "Catch the error, or fix what raises it."),
    "card.reward_finite": _env("A reward is not a finite number.", "Return a finite float."),
    "card.reward_range": _env(
        "A reward is outside the expected range.", "Keep the total between -1 and 2."
    ),
    "card.reproducible_tasks": _env(
        "Loading twice with the same seed gave other tasks.", "Seed every random choice."
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
        "The run does not show enough to decide.", "Staff can retry the version."
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
    "token.invalid": _ask("The token is unknown, expired or revoked.", "Run `hub login`."),
    "token.scope": _ask("The token's scope does not allow that.", "Make a token that may."),
    "upload.version_exists": _ask(
        "This version exists with other bytes; versions are immutable.", "Raise the version."
    ),
    "upload.filename_taken": _ask(
        "This file name was used before and never returns.", "Raise the version."
    ),
    "upload.owner_mismatch": _ask("You may not publish under this owner.", "Check --owner."),
    "upload.unsupported_file": _ask("Only wheels are accepted.", "Upload the .whl file."),
    "runner.superseded": _ask("Another attempt of this run is under way, or it has ended."),
    "runner.bad_ticket": _ask("The ticket is not valid any more."),
    "hub.error": _ours("The hub failed.", "Try again; name the request id when you report it."),
}
