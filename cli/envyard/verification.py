"""Verify a signed card: signature, wheel, evidence, and the numbers computed from it again."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from envyard import __version__
from envyard.card import document, dsse, run_findings, statement
from envyard.card.run_findings import StatedFinding
from envyard.card.statement import Statement
from envyard.contract.findings import Finding
from envyard.contract.rules import RULES
from envyard.errors import HubCliError

TOLERANCE = 1e-9  # relative; mathematical libraries differ in the last digit
NOT_VERIFIED = (
    "that the hub recorded the rollouts correctly: its key could sign others",
    "that the rewards follow from the conversations: no rollout is played again",
)


class Unverified(HubCliError):
    """The card could not be verified; `code` is the reason."""


@dataclass(frozen=True, slots=True)
class Recomputed:
    """What was computed again with equal results: how many measures (by source), rollouts and
    findings of the card, and the findings of the run that the evidence confirms, and those that it
    does not show."""

    measures: int
    sources: dict[str, int]
    rollouts: int
    findings: int
    confirmed: tuple[StatedFinding, ...]
    hubs_word: tuple[StatedFinding, ...]


@dataclass(frozen=True, slots=True)
class Verified:
    """A statement that a key signed, with its sha256 and what was recomputed from the evidence."""

    statement: Statement
    sha256: str
    keyid: str
    recomputed: Recomputed


def signed_statement(envelope: bytes, keys: Mapping[str, str]) -> tuple[Statement, str, str]:
    """The statement, its sha256 and the id of the key that signed it.

    `keys` are the trusted public keys in PEM by id. Raises Unverified: cli.card_unreadable,
    cli.card_unknown_key, cli.card_bad_signature.
    """
    try:
        content = dsse.read(envelope)
    except dsse.BadEnvelope as error:
        raise unreadable(f"the card is no DSSE envelope: {error}") from error
    known = {keyid: pem for keyid, pem in keys.items() if keyid in content.signatures}
    if not known:
        names = ", ".join(keyid[:16] for keyid in content.signatures) or "nobody"
        raise Unverified(
            f"the card is signed by {names}, which is none of the trusted keys",
            "If the hub changed its key, ask its operator for the new one and name its file with "
            "--key, or trust what the hub serves now with --accept-key.",
            "cli.card_unknown_key",
        )
    keyid, pem = next(iter(known.items()))
    signed = dsse.signed_bytes(content.payload_type, content.payload)
    if not _is_signature(pem, content.signatures[keyid], signed):
        raise Unverified(
            f"the signature of the card by {keyid[:16]} does not verify: the card was changed, or "
            "another key has signed it",
            "Get it again from the hub, and do not trust this one.",
            "cli.card_bad_signature",
        )
    try:
        read = statement.read(content.payload_type, content.payload)
    except statement.BadStatement as error:
        raise unreadable(f"the signed content is no statement of a card: {error}") from error
    return read, hashlib.sha256(content.payload).hexdigest(), keyid


def key_id(pem: str) -> str:
    """The id of a public key: the sha256 of its DER form; raises Unverified cli.card_bad_key."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    der = _public_key(pem).public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(der).hexdigest()


def check_wheel(read: Statement, *, sha256: str, filename: str = "", version: str = "") -> None:
    """Raises Unverified cli.card_other_file unless the statement is about that wheel."""
    stated = read.subject
    differing = [
        f"{label} {theirs!r} instead of {ours!r}"
        for label, theirs, ours in (
            ("version", stated.version, version),
            ("file", stated.filename, filename),
            ("sha256", stated.sha256, sha256),
        )
        if ours and theirs != ours
    ]
    if differing:
        raise Unverified(
            f"the card is about another wheel: {'; '.join(differing)}",
            "A card says nothing about other versions: get that of this one.",
            "cli.card_other_file",
        )


def check_published(read: Statement, published: Iterable[Mapping[str, Any]]) -> None:
    """Raises Unverified cli.card_other_findings unless the findings of the run that the hub shows
    now (rows of the API) are those that it signed."""
    shown = [Finding.from_dict(dict(row)) for row in published if row.get("stage") == "run"]
    rows = run_findings.stated(shown)
    signed = list(read.run_findings or ())
    if rows != signed:
        lacking = ", ".join(row["code"] for row in signed if row not in rows) or "none"
        added = ", ".join(row["code"] for row in rows if row not in signed) or "none"
        raise Unverified(
            f"the hub shows other findings of run {read.measurement.run} than it signed; only "
            f"signed: {lacking}; only shown: {added}",
            "Report it to the hub's operator.",
            "cli.card_other_findings",
        )


def recompute(read: Statement, evidence: bytes) -> Recomputed:
    """What the card holds, once it was computed again with equal results.

    Raises Unverified: cli.card_evidence_changed, cli.card_other_rules, cli.card_not_reproduced.
    """
    digest = hashlib.sha256(evidence).hexdigest()
    if digest != read.evidence_sha256:
        raise Unverified(
            f"the evidence has sha256 {digest[:16]}, the card was computed from "
            f"{read.evidence_sha256[:16]}: rollouts were changed, added or removed",
            "Get it again from the hub, and do not trust this one.",
            "cli.card_evidence_changed",
        )
    if read.rules != RULES:
        raise Unverified(
            f"the card was computed by rules {read.rules}, this hub command has rules {RULES}: "
            "signature, wheel and evidence are right, the numbers are not recomputed",
            f"Install the release that computed it: {read.software}.",
            "cli.card_other_rules",
        )
    try:
        content = document.read(evidence)
    except document.BadDocument as error:
        raise unreadable(f"the evidence cannot be read: {error}") from error
    measurement = read.measurement
    results = statement.compute(content, read.required_policies, measurement, read.predicate_type)
    differing = list(differences(read.results, results))
    if read.run_findings is not None:
        reported = read.run_findings
        differing += run_findings.contradictions(reported, content, failed=measurement.failed)
    if differing:
        own = f"envyard {__version__}"
        raise Unverified(
            f"the card is not what its evidence gives: {'; '.join(differing[:5])}",
            "Report it to the hub's operator."
            if read.software == own
            else f"It was computed by {read.software}, this is {own}: verify it with that release.",
            "cli.card_not_reproduced",
        )
    by_basis: dict[bool, list[StatedFinding]] = {True: [], False: []}
    for row in read.run_findings or ():
        by_basis[run_findings.is_confirmed(row["code"], content)].append(row)
    return Recomputed(
        measures=len(results["measures"]),
        sources=dict(Counter(row.get("source", "") for row in results["measures"])),
        rollouts=len(content.rollouts),
        findings=len(results["findings"]),
        confirmed=tuple(by_basis[True]),
        hubs_word=tuple(by_basis[False]),
    )


def differences(stated: Any, computed: Any, where: str = "") -> Iterator[str]:
    """Where two JSON values differ, by path; numbers may differ by TOLERANCE."""
    if isinstance(stated, dict) and isinstance(computed, dict):
        for key in sorted({*stated, *computed}):
            yield from differences(stated.get(key), computed.get(key), f"{where}.{key}".strip("."))
    elif isinstance(stated, list) and isinstance(computed, list | tuple):
        if len(stated) != len(computed):
            yield f"{where} has {len(stated)} entries instead of {len(computed)}"
        for index, pair in enumerate(zip(stated, computed, strict=False)):
            name = next((p["code"] for p in pair if isinstance(p, dict) and "code" in p), index)
            yield from differences(*pair, f"{where}.{name}")
    elif not _equal(stated, computed):
        yield f"{where} is {stated!r:.80}, recomputed {computed!r:.80}"


def unreadable(message: str) -> Unverified:
    """The error for a file of another shape."""
    return Unverified(message, "Get it again from the hub.", "cli.card_unreadable")


def _equal(stated: Any, computed: Any) -> bool:
    numbers = (int, float)
    if isinstance(stated, numbers) and isinstance(computed, numbers):
        return math.isclose(stated, computed, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(stated == computed)


def _is_signature(pem: str, signature: bytes, data: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        _public_key(pem).verify(signature, data)
    except InvalidSignature:
        return False
    return True


def _public_key(pem: str) -> Any:
    """The Ed25519 key; `cryptography` takes a while to import."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(pem.encode())
    except ValueError:
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise Unverified(
            "the key is no Ed25519 public key in PEM",
            "It begins with -----BEGIN PUBLIC KEY-----; the hub lists its keys at /integrity/keys.",
            "cli.card_bad_key",
        )
    return key
