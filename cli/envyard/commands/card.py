"""`hub card verify`: check the signature of a version's card, and compute the card again."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from envyard import config as configs
from envyard import pinned_keys, verification
from envyard.card.statement import Statement
from envyard.client import Hub
from envyard.commands.arguments import add_ref
from envyard.commands.card_output import Checked, show
from envyard.commands.show import ref_of
from envyard.errors import ApiError, UsageError
from envyard.output import Output
from envyard.verification import Unverified, Verified

LOCKED_CARD = re.compile(r"^# card of (\S+): statement sha256 ([0-9a-f]{64})", re.MULTILINE)
LOCKED_WHEEL = re.compile(
    r"^# (\S+) on .*\n(?:#.*\n)*\S+ @ \S+ \\\n +--hash=sha256:([0-9a-f]{64})", re.MULTILINE
)
MAX_FILE = 256 << 20


@dataclass(frozen=True, slots=True)
class Expected:
    """What the card must be about; an empty text is not compared."""

    version: str = ""
    filename: str = ""
    wheel: str = ""
    statement: str = ""


@dataclass(frozen=True, slots=True)
class Files:
    """Files to read card and evidence from, and the folder to save both in."""

    card: Path | None = None
    evidence: Path | None = None
    save: Path | None = None


def register(commands: Any, common: ArgumentParser) -> None:
    """Add card verify."""
    card = commands.add_parser("card", help="verify the signed card of a version")
    subcommands = card.add_subparsers(dest="card_command", metavar="COMMAND", required=True)
    verify = subcommands.add_parser(
        "verify", parents=[common], help="check the signature and compute the card again"
    )
    add_ref(verify, versions=True, nargs="?")
    verify.add_argument("--lock", type=Path, metavar="FILE", help="the version of a lock instead")
    verify.add_argument("--key", type=Path, metavar="FILE", help="trust this public key alone")
    verify.add_argument(
        "--accept-key", action="store_true", help="trust the keys that the hub serves now"
    )
    verify.add_argument("--card", type=Path, metavar="FILE", help="the envelope, from a file")
    verify.add_argument("--evidence", type=Path, metavar="FILE", help="the evidence, from a file")
    verify.add_argument("--save", type=Path, metavar="DIR", help="keep both, and the key, in DIR")
    verify.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Exit 0 where all of it verifies, else 1 with the code of the first difference."""
    if (args.ref is None) == (args.lock is None):
        raise UsageError("name a version or a lock", "hub card verify OWNER/NAME, or --lock FILE")
    hub = Hub(configs.load(args.url))
    version = None if args.lock else hub.version(ref_of(args.ref))
    expected = locked(_text(args.lock)) if version is None else published(version)
    keys = _given_key(args.key) if args.key else _hub_keys(hub, out, accept=args.accept_key)
    card = _verify(hub, keys, expected, Files(args.card, args.evidence, args.save))
    failure = None
    if version is not None and args.card is None and (stated := _failure(version)):
        failure = _verify(hub, keys, stated, Files())
    show(card, failure, out)


def _verify(hub: Hub, keys: dict[str, str], expected: Expected, files: Files) -> Checked:
    """Verify one statement; raises Unverified."""
    envelope = _bytes(files.card) if files.card else _envelope(hub, expected)
    statement, sha256, keyid = verification.signed_statement(envelope, keys)
    if expected.statement and sha256 != expected.statement:
        raise Unverified(
            f"the card has statement sha256 {sha256[:16]}, expected {expected.statement[:16]}",
            "It is another card than the one named. Get that one from the hub.",
            "cli.card_other_statement",
        )
    verification.check_wheel(
        statement, sha256=expected.wheel, filename=expected.filename, version=expected.version
    )
    evidence = _bytes(files.evidence) if files.evidence else _evidence(hub, statement)
    if files.save:
        _save(files.save, envelope, evidence, keys[keyid])
    recomputed = verification.recompute(statement, evidence)
    rows = None
    if statement.run_findings is not None and files.card is None:
        rows = _published_findings(hub, statement)
    if rows is not None:
        verification.check_published(statement, rows)
    return Checked(Verified(statement, sha256, keyid, recomputed), rows is not None)


def _published_findings(hub: Hub, statement: Statement) -> list[dict[str, Any]] | None:
    """The findings of the run as the hub shows them; None where you may not see the run."""
    try:
        rows: list[dict[str, Any]] = hub.get(f"runs/{quote(statement.measurement.run)}/")[
            "findings"
        ]
    except ApiError as refused:
        if refused.status != 404:
            raise
        return None
    return rows


def locked(text: str) -> Expected:
    """The version, wheel and statement that a lock of `hub lock` names."""
    card, wheel = LOCKED_CARD.search(text), LOCKED_WHEEL.search(text)
    if card is None or wheel is None or card[1] != wheel[1]:
        raise UsageError(
            "the lock names no signed card",
            "Make it again with `hub lock OWNER/NAME==VERSION`; of a version that needs a login, "
            "name the version instead.",
        )
    return Expected(version=card[1], wheel=wheel[2], statement=card[2])


def published(version: dict[str, Any]) -> Expected:
    """The version as the hub has it now, and the newest statement about its card."""
    signature = (version["card"] or {}).get("signature")
    if not signature:
        raise Unverified(
            f"{version['ref']} has no signed card",
            "The hub signs a card after the version's run; its operator signs earlier ones with "
            "`manage.py sign_cards`.",
            "cli.card_not_signed",
        )
    return _expected(version, signature)


def _failure(version: dict[str, Any]) -> Expected | None:
    """The statement about the measurement that a listed version failed, if there is one."""
    signature = (version.get("no_longer_passes") or {}).get("signature")
    return _expected(version, signature) if signature else None


def _expected(version: dict[str, Any], signature: dict[str, Any]) -> Expected:
    file = version["file"]
    return Expected(version["ref"], file["filename"], file["sha256"], signature["sha256"])


def _envelope(hub: Hub, expected: Expected) -> bytes:
    path = f"{_place(hub, expected)}card/{expected.statement}"
    return _fetch(hub, path, "card", "cli.card_missing")


def _evidence(hub: Hub, statement: Statement) -> bytes:
    subject = statement.subject
    expected = Expected(subject.version, subject.filename)
    path = f"{_place(hub, expected)}evidence/{quote(statement.evidence_sha256)}"
    return _fetch(hub, path, "evidence", "cli.card_evidence_missing")


def _place(hub: Hub, expected: Expected) -> str:
    ref = ref_of(expected.version)
    filename = expected.filename or hub.version(ref)["file"]["filename"]
    parts = (ref.owner, ref.name, ref.version or "", filename)
    return f"/integrity/{'/'.join(quote(part, safe='') for part in parts)}/"


def _fetch(hub: Hub, path: str, what: str, code: str) -> bytes:
    try:
        return hub.read(path, limit=MAX_FILE)
    except ApiError as refused:
        if refused.status != 404:
            raise
        raise Unverified(
            f"the hub has no {what} at {path}",
            f"It may have been deleted, or you may not see it. Name a file with --{what}.",
            code,
        ) from refused


def _given_key(file: Path) -> dict[str, str]:
    pem = _text(file)
    return {verification.key_id(pem): pem}


def _hub_keys(hub: Hub, out: Output, *, accept: bool) -> dict[str, str]:
    """The pinned keys; the hub's own where none is pinned, which are then kept."""
    pinned = pinned_keys.of(hub.url)
    if pinned and not accept:
        return pinned
    served = [str(row["public"]) for row in hub.get("/integrity/keys")["keys"]]
    keys = {verification.key_id(pem): pem for pem in served}
    pinned_keys.pin(hub.url, keys)
    names = ", ".join(keyid[:16] for keyid in keys)
    out.note(f"trusting the keys of {hub.url} from now on: {names} ({pinned_keys.path()})")
    return keys


def _save(folder: Path, envelope: bytes, evidence: bytes, pem: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "card.json").write_bytes(envelope)
    (folder / "evidence.json").write_bytes(evidence)
    (folder / "key.pem").write_text(pem)


def _bytes(file: Path) -> bytes:
    if file.stat().st_size > MAX_FILE:
        raise UsageError(f"{file} has more than {MAX_FILE >> 20} MiB")
    return file.read_bytes()


def _text(file: Path) -> str:
    return _bytes(file).decode(errors="replace")
